//! Several processes with one key, some of them killed.

use std::time::Duration;

use hapax_standin::{Fault, When};

use super::bed::{Bed, answer, finish};
use super::jobs::CELLS;
use super::tally::{Tally, run};

async fn trial(cell: &'static str, seed: u64) -> Tally {
    let bed = Bed::new(cell, seed).await;
    bed.proxy.inject(When::on("POST", bed.job.shot), Fault::CutAfterCommit);
    let callers = (0..8).map(|_| finish(bed.caller()));
    let killed = bed.kill_after(bed.caller(), Duration::from_millis(20 + seed * 7));
    let (outputs, killed) = tokio::join!(join_all(callers), killed);
    for output in &outputs {
        assert!(output.status.success(), "{cell}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(answer(output)["receipt"], answer(&outputs[0])["receipt"]);
    }
    Tally::of(usize::from(killed), bed.effects())
}

async fn join_all<T: Send>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut pending: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(move |cx| {
        pending.retain_mut(|future| match future.as_mut().poll(cx) {
            std::task::Poll::Ready(value) => {
                done.push(value);
                false
            }
            std::task::Poll::Pending => true,
        });
        if pending.is_empty() { std::task::Poll::Ready(std::mem::take(&mut done)) } else { std::task::Poll::Pending }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_processes_with_one_key_cause_one_effect() {
    let trials = CELLS.into_iter().flat_map(|cell| (0..2).map(move |seed| trial(cell, seed)));
    let tally = run(trials.collect::<Vec<_>>()).await;
    tally.tell("eight processes with one key");
    assert_eq!((tally.duplicates, tally.losses), (0, 0));
}
