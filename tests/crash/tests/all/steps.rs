//! Killed at every step of the journal.

use hapax_core::executor::Point;
use hapax_standin::{Fault, When};

use super::bed::{Bed, Ended};
use super::jobs::CELLS;
use super::tally::{Tally, run};

/// How deep into a run each point is looked for.
const DEEP: u32 = 4;

/// What the network does to the first request that counts.
#[derive(Clone, Copy)]
enum Network {
    Works,
    LosesAnswer,
    LosesRequest,
}

/// Kills at the n-th reach of a point, restarts, and counts.
async fn trial(cell: &'static str, point: Point, nth: u32, network: Network, seed: u64) -> Tally {
    let bed = Bed::new(cell, seed).await;
    let fault = match network {
        Network::Works => None,
        Network::LosesAnswer => Some(Fault::CutAfterCommit),
        Network::LosesRequest => Some(Fault::LoseRequest),
    };
    if let Some(fault) = fault {
        bed.proxy.inject(When::on("POST", bed.job.shot), fault);
    }
    let by_caller = seed.is_multiple_of(2);
    let mut kills = 0;
    if let Ended::Killed = bed.kill_at(bed.caller(), point.name(), nth).await {
        kills += 1;
        // The restarted one is killed too, at its first reach of the same point. Each kill may cost
        // a request that nobody can rule out; with a lost one, a third would be a person's business.
        let spare = !matches!(network, Network::LosesRequest);
        if spare && let Ended::Killed = bed.kill_at(bed.again(by_caller), point.name(), 1).await {
            kills += 1;
        }
    }
    let first = bed.settle(by_caller).await;
    let replay = bed.settle(true).await;
    assert_eq!(first["receipt"], replay["receipt"], "{cell} {} {nth}: replays are equal", point.name());
    let effects = bed.effects();
    assert_eq!(effects, 1, "{cell} at {} {nth}, seed {seed}", point.name());
    Tally::of(kills, effects)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_every_step_of_the_journal() {
    let mut sum = Tally::default();
    let mut seed = 0;
    for cell in CELLS {
        for point in Point::ALL {
            let mut trials = Vec::new();
            for nth in 1..=DEEP {
                for network in [Network::Works, Network::LosesAnswer, Network::LosesRequest] {
                    seed += 1;
                    trials.push(trial(cell, point, nth, network, seed));
                }
            }
            let tally = run(trials).await;
            // Only the charge has a harmless step before its request that counts.
            let exists = point != Point::AfterPrepareStep || cell == "stripe.charge";
            assert_eq!(tally.kills > 0, exists, "{cell} at {}: {tally:?}", point.name());
            sum.add(tally);
        }
    }
    sum.tell("killed at every step");
    assert!(sum.kills >= 150, "{sum:?}");
    assert_eq!((sum.duplicates, sum.losses), (0, 0));
}
