//! Several workers at once on one ledger, killed and replaced, while callers come and are killed.

use std::sync::Arc;

use hapax_standin::Fault;
use tokio::task::JoinSet;

use super::bed::Bed;
use super::jobs::{self, Job};
use super::process::kill_after;
use super::random::number;
use super::tally::{LEAST_OF_WORKERS, Tally, first_seed, run};

/// Different intents that are under way at once.
const INTENTS: u64 = 3;

/// Workers that take up what is due, at once.
const WORKERS: u64 = 3;

/// How often each worker is killed and replaced.
const LIVES: u64 = 2;

async fn trial(job: Job, seed: u64) -> Tally {
    let bed = Arc::new(Bed::new(job, INTENTS).await);
    bed.breaks(Some(Fault::CutAfterCommit));
    let usual = bed.usual().await;
    let mut processes: JoinSet<Tally> = JoinSet::new();
    for intent in 0..INTENTS {
        let bed = bed.clone();
        processes.spawn(async move {
            let pause = usual.mul_f64(0.5 + (number(seed, intent) % 200) as f64 / 100.0);
            let mut tally = Tally::default();
            let ended = kill_after(bed.caller(intent as usize), pause).await;
            bed.watch(&mut tally, ended).await;
            tally
        });
    }
    for worker in 0..WORKERS {
        let bed = bed.clone();
        processes.spawn(async move {
            let mut tally = Tally::default();
            for life in 0..LIVES {
                let pause = usual.mul_f64(2.0 + (number(seed, 100 + worker * LIVES + life) % 600) as f64 / 100.0);
                let ended = kill_after(bed.worker(), pause).await;
                bed.watch(&mut tally, ended).await;
            }
            tally
        });
    }
    let mut tally = Tally::default();
    for one in processes.join_all().await {
        tally.add(one);
    }
    for intent in 0..INTENTS as usize {
        let ended = bed.settle(intent, intent % 2 == 0).await;
        tally.add(bed.judge(intent, &ended).await);
    }
    let operations = bed.count_operations().await;
    if operations != INTENTS as usize {
        tally.wrong.push(format!("{}: {operations} operations of {INTENTS} intents", job.cell));
    }
    tally
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_workers_at_once_on_one_ledger() {
    let trials = jobs::all().into_iter().map(|job| trial(job, first_seed()));
    let sum = run(trials.collect::<Vec<_>>()).await;
    sum.conclude("several workers at once");
    assert!(sum.kills >= LEAST_OF_WORKERS, "{sum:?}");
}
