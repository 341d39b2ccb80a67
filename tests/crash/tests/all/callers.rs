//! Several processes with one key, some of them killed.

use hapax_standin::Fault;
use tokio::task::JoinSet;

use super::bed::Bed;
use super::jobs::{self, Job};
use super::kept::receipt;
use super::process::{finish, kill_after};
use super::tally::{Tally, run};

async fn trial(job: Job, loses: bool, after: f64) -> Tally {
    let bed = Bed::new(job, 1).await;
    bed.breaks(loses.then_some(Fault::CutAfterCommit));
    let usual = bed.usual().await;
    let mut callers: JoinSet<_> = (0..8).map(|_| finish(bed.caller(0))).collect();
    let mut tally = Tally::default();
    let killed = kill_after(bed.caller(0), usual.mul_f64(after)).await;
    bed.watch(&mut tally, killed).await;
    let mut first = None;
    while let Some(output) = callers.join_next().await {
        let output = output.expect("a caller ends");
        // A caller whose work another one has may hear of a person first, and of the receipt later.
        if output.status.success() && *first.get_or_insert_with(|| receipt(&output)) != receipt(&output) {
            tally.wrong.push(format!("{}: two callers have two receipts", job.cell));
        }
    }
    let ended = bed.settle(0, true).await;
    tally.add(bed.judge(0, &ended).await);
    tally
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_processes_with_one_key_cause_one_effect() {
    let jobs = jobs::all().into_iter();
    let trials = jobs.flat_map(|job| [(true, 1.5), (false, 2.5)].map(|(loses, after)| trial(job, loses, after)));
    run(trials.collect::<Vec<_>>()).await.conclude("eight processes with one key");
}
