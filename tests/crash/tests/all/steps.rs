//! Killed at every step of the journal.

use hapax_core::executor::Point;
use hapax_standin::Fault;

use super::bed::Bed;
use super::jobs::{self, Job};
use super::kept::receipt;
use super::process::{Ended, kill_at};
use super::tally::{LEAST_AT_STEPS, Tally, run};

/// How deep into a run each point is looked for, at most.
const DEEPEST: u32 = 8;

/// What the network does to the first request that counts.
#[derive(Clone, Copy, Debug)]
enum Network {
    Works,
    LosesAnswer,
    LosesRequest,
}

impl Network {
    const ALL: [Self; 3] = [Self::Works, Self::LosesAnswer, Self::LosesRequest];

    fn fault(self) -> Option<Fault> {
        match self {
            Self::Works => None,
            Self::LosesAnswer => Some(Fault::CutAfterCommit),
            Self::LosesRequest => Some(Fault::LoseRequest),
        }
    }
}

/// Kills at the n-th reach of a point, restarts, and counts.
async fn trial(job: Job, point: Point, nth: u32, network: Network) -> (Ended, Tally) {
    let bed = Bed::new(job, 1).await;
    bed.breaks(network.fault());
    let by_caller = nth.is_multiple_of(2);
    let mut tally = Tally::default();
    let first = kill_at(bed.caller(0), point.name(), nth).await;
    bed.watch(&mut tally, first).await;
    // The restarted one is killed too, at its first reach of the same point. Each kill may cost a request
    // that nobody can rule out; with a lost one, a third would be a person's business.
    if first == Ended::Killed && !matches!(network, Network::LosesRequest) {
        let second = kill_at(bed.again(by_caller), point.name(), 1).await;
        bed.watch(&mut tally, second).await;
    }
    let ended = bed.settle(0, by_caller).await;
    if ended.status.success() && receipt(&ended) != receipt(&bed.settle(0, true).await) {
        tally.wrong.push(format!("{}: a replay returns another receipt", job.cell));
    }
    tally.add(bed.judge(0, &ended).await);
    for wrong in &mut tally.wrong {
        *wrong = format!("killed at {} {nth}, network {network:?}: {wrong}", point.name());
    }
    (first, tally)
}

/// Goes as deep as runs come to the point, and once past that.
async fn at_point(job: Job, point: Point, network: Network) -> Tally {
    let mut sum = Tally::default();
    for nth in 1..=DEEPEST {
        let (ended, tally) = trial(job, point, nth, network).await;
        sum.add(tally);
        if ended == Ended::ByItself {
            break;
        }
    }
    sum
}

/// One network after the other, so that every point is known to have been met.
async fn over_networks(job: Job, point: Point) -> Tally {
    let mut sum = Tally::default();
    for network in Network::ALL {
        sum.add(at_point(job, point, network).await);
        // Where runs never come, one trial shows it.
        if !job.comes_to(point) {
            break;
        }
    }
    if (sum.kills > 0) != job.comes_to(point) {
        sum.wrong.push(format!("{} at {}: {} kills", job.cell, point.name(), sum.kills));
    }
    // A person is for what nobody else can know: killed before anything left, it ends by itself.
    if point == Point::BeforeCommit && sum.trials == sum.persons + sum.losses {
        sum.wrong.push(format!("{} never ends without a person", job.cell));
    }
    sum
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_every_step_of_the_journal() {
    let trials = jobs::all().into_iter().flat_map(|job| Point::ALL.map(|point| over_networks(job, point)));
    let sum = run(trials).await;
    sum.conclude("killed at every step");
    assert!(sum.kills >= LEAST_AT_STEPS, "{sum:?}");
}
