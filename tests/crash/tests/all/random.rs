//! Killed at random, several times in a row.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use hapax_standin::{Fault, When};

use super::bed::Bed;
use super::jobs::CELLS;
use super::tally::{Tally, rounds, run};

/// The n-th number of a seed.
fn number(seed: u64, n: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, n).hash(&mut hasher);
    hasher.finish()
}

async fn trial(cell: &'static str, seed: u64) -> Tally {
    let bed = Bed::new(cell, seed).await;
    let faults = [Fault::CutAfterCommit, Fault::LoseRequest, Fault::TruncateReply { body_bytes: 7 }];
    let fault = faults[(number(seed, 100) % 3) as usize].clone();
    bed.proxy.inject(When::on("POST", bed.job.shot), fault);
    let mut kills = 0;
    for n in 0..8 {
        // Anywhere between the start and the last write, on a quick machine as on a busy one.
        let longest = if n % 2 == 0 { 12 } else { 60 };
        let pause = Duration::from_millis(1 + number(seed, n) % longest);
        kills += usize::from(bed.kill_after(bed.again(n == 0 || number(seed, n + 50).is_multiple_of(2)), pause).await);
    }
    bed.settle(true).await;
    let effects = bed.effects();
    assert_eq!(effects, 1, "{cell}, seed {seed}: {effects} effects");
    Tally::of(kills, effects)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random() {
    let first = std::env::var("HAPAX_CRASH_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let seeds = first..first + 10 * rounds();
    let trials = CELLS.into_iter().flat_map(|cell| seeds.clone().map(move |seed| trial(cell, seed)));
    let tally = run(trials.collect::<Vec<_>>()).await;
    tally.tell("killed at random");
    assert!(tally.kills >= 80, "{tally:?}");
    assert_eq!((tally.duplicates, tally.losses), (0, 0));
}
