//! Moments at which what was decided no longer holds, and work that never rests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::{Clock, SharedClock};
use hapax_core::executor::{Executor, ExecutorError};
use hapax_core::ledger::{Ledger, Phase, Serves};
use hapax_core::policy::{ApprovalRule, Policy};
use hapax_core::protocol::Stamp;

use super::toys::{Busy, Short, Unready, connection};
use crate::bed::{Bed, PausedClock, id, request};
use crate::provider::Does;

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// Rule 6 (A8): the wait for the provider's rate lies between the decision to send again and the
/// departure, and eats the window.
#[tokio::test(start_paused = true)]
async fn a08_the_window_closes_while_the_limiter_waits() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor_with(Policy::default(), connection(Short), bed.ledger.clone()).await;
    let running = tokio::spawn({
        let executor = executor.clone();
        async move { executor.run(request("toy.short", "k", 100)).await.expect("run") }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let clock: SharedClock = bed.clock.clone();
    executor.connections().next().expect("the connection").limiter.hold(&clock, 50_000);
    running.await.expect("task");
    assert_eq!(bed.provider.requests(), 1, "the window of 60 s can't hold a deadline and a settle any more");
}

/// Rule 9: an operation for which nothing more happens by itself isn't due, also after its
/// good-until.
#[tokio::test(start_paused = true)]
async fn nothing_is_due_for_ever_after_good_until() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor().await;
    let until = bed.clock.now().wall_ms + 3_600_000;
    executor.run(request("toy.blind", "k", 100).good_until_ms(until)).await.expect("run");
    seconds(7_200).await;
    executor.recover(10, 1_000).await.expect("recover");
    let serves = [Serves { connection: "toy".to_owned(), cell: "toy.blind".to_owned() }];
    let due = bed.ledger.due(&serves, bed.clock.now(), 10).await.expect("due");
    assert!(due.is_empty(), "a person has it, and taking it up changes nothing");
}

/// Rule 9: the end of patience is a due time like any other, also for what waits longer.
#[tokio::test(start_paused = true)]
async fn patience_ends_before_a_retry_after_of_a_year() {
    let bed = Bed::new();
    let executor = bed.executor_with(Policy::default(), connection(Busy), bed.ledger.clone()).await;
    let report = executor.run(request("toy.busy", "k", 100).wait_ms(1)).await.expect("run");
    seconds(3_700).await;
    executor.recover(10, 1_000).await.expect("recover");
    assert_eq!(executor.show(report.operation).await.expect("show").phase, Phase::Person);
}

/// Rule 9: automatic work is bounded, also work that never gets as far as an attempt or a look.
#[tokio::test(start_paused = true)]
async fn a15_a_harmless_step_that_fails_does_not_fill_the_journal() {
    let bed = Bed::new();
    let executor = bed.executor_with(Policy::default(), connection(Unready), bed.ledger.clone()).await;
    let report = executor.run(request("toy.unready", "k", 100).wait_ms(1)).await.expect("run");
    for _ in 0..600 {
        seconds(1).await;
        executor.recover(10, 1).await.expect("recover");
    }
    let revision = executor.show(report.operation).await.expect("show").revision;
    assert!(revision < 40, "ten minutes of failing took {revision} records");
}

/// A clock whose wall can be set.
struct Stepping {
    paused: Arc<PausedClock>,
    step_ms: AtomicI64,
}

#[async_trait]
impl Clock for Stepping {
    fn now(&self) -> Stamp {
        let now = self.paused.now();
        Stamp { wall_ms: now.wall_ms + self.step_ms.load(Ordering::SeqCst), ..now }
    }

    async fn sleep(&self, ms: u64) {
        self.paused.sleep(ms).await;
    }

    fn real(&self, ms: u64) -> Duration {
        self.paused.real(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}

async fn stepping(bed: &Bed, policy: Policy) -> (Arc<Stepping>, Executor) {
    let clock = Arc::new(Stepping { paused: bed.clock.clone(), step_ms: AtomicI64::new(0) });
    let builder = Executor::builder(bed.ledger.clone(), bed.provider.clone(), bed.secret.clone());
    let executor = builder.clock(clock.clone()).connection(Bed::connection()).policy(policy).build().await;
    (clock, executor.expect("an executor"))
}

/// Rule 14: a ledger whose newest record lies in the future sends nothing, whoever asks.
#[tokio::test(start_paused = true)]
async fn a12_an_approval_sends_nothing_from_a_ledger_in_the_future() {
    let bed = Bed::new();
    let policy = Policy { approve: vec![ApprovalRule { cell: "toy.*".into(), above: None }], ..Policy::default() };
    let (clock, executor) = stepping(&bed, policy).await;
    let held = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    clock.step_ms.store(-3_600_000, Ordering::SeqCst);
    let early = executor.approve(held.operation, held.revision, "ann", 10_000).await;
    assert!(matches!(early, Err(ExecutorError::Future(_))), "{early:?}");
    assert_eq!(bed.provider.requests(), 0);
    clock.step_ms.store(0, Ordering::SeqCst);
    let sent = executor.approve(held.operation, held.revision, "ann", 10_000).await.expect("approve");
    assert_eq!(id(&sent), Some("e0"));
}
