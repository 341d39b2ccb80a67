//! Killed at random, several times in a row.

use std::hash::{DefaultHasher, Hash, Hasher};

use hapax_standin::Fault;

use super::bed::Bed;
use super::jobs::{self, Job};
use super::process::kill_after;
use super::tally::{LEAST_AT_RANDOM, Tally, first_seed, rounds, run};

/// How often one operation is killed at most.
const MOST_KILLS: u64 = 8;

/// After so many rounds without enough kills something is wrong.
const MOST_ROUNDS: u64 = 20;

/// The n-th number of a seed.
pub(crate) fn number(seed: u64, n: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, n).hash(&mut hasher);
    hasher.finish()
}

fn network(seed: u64) -> Option<Fault> {
    match number(seed, 100) % 4 {
        0 => None,
        1 => Some(Fault::CutAfterCommit),
        2 => Some(Fault::LoseRequest),
        _ => Some(Fault::TruncateReply { body_bytes: 7 }),
    }
}

async fn trial(job: Job, seed: u64) -> Tally {
    let bed = Bed::new(job, 1).await;
    bed.breaks(network(seed));
    let mut tally = Tally::default();
    let usual = bed.usual().await;
    for n in 0..MOST_KILLS {
        // Anywhere between the start and what follows the last write.
        let pause = usual.mul_f64((number(seed, n) % 300) as f64 / 100.0);
        let by_caller = n == 0 || number(seed, n + 50).is_multiple_of(2);
        let ended = kill_after(bed.again(by_caller), pause).await;
        bed.watch(&mut tally, ended).await;
        // What comes after the end is only read.
        if bed.has_ended().await {
            break;
        }
    }
    let ended = bed.settle(0, true).await;
    tally.add(bed.judge(0, &ended).await);
    for wrong in &mut tally.wrong {
        *wrong = format!("seed {seed}: {wrong}");
    }
    tally
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random() {
    const SEEDS: u64 = 2;
    let mut sum = Tally::default();
    let wanted = LEAST_AT_RANDOM * rounds();
    for round in 0..MOST_ROUNDS * rounds() as u64 {
        let seeds = (0..SEEDS).map(|seed| first_seed() + round * SEEDS + seed);
        let trials = seeds.flat_map(|seed| jobs::all().into_iter().map(move |job| trial(job, seed)));
        sum.add(run(trials.collect::<Vec<_>>()).await);
        if sum.kills >= wanted || !sum.wrong.is_empty() {
            break;
        }
    }
    sum.conclude("killed at random");
    assert!(sum.kills >= wanted, "{sum:?}");
}
