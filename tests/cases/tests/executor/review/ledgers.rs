//! Ledgers that are away, and answers that outlive a restore.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hapax_core::clock::Clock;
use hapax_core::executor::{Executor, PersonSays};
use hapax_core::ledger::{OperationId, Phase};
use hapax_core::policy::{ApprovalRule, Policy};

use super::toys::Flaky;
use crate::bed::{Bed, id, is_refused, request};
use crate::provider::Does;

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// Rule 1: a departure that could not be written did not leave, and isn't written later either.
#[tokio::test(start_paused = true)]
async fn a_departure_that_could_not_be_written_is_not_taken_for_sent() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(429, "slow_down")]);
    let flaky = Flaky::new(bed.ledger.clone());
    let executor = bed.executor_with(Policy::default(), Bed::connection(), flaky.clone()).await;
    let running = tokio::spawn(async move { executor.run(request("toy.blind", "k", 100)).await.expect("run") });
    tokio::time::sleep(Duration::from_millis(100)).await;
    // It comes back for writing first.
    flaky.away.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    flaky.unread.store(true, Ordering::SeqCst);
    flaky.away.store(false, Ordering::SeqCst);
    seconds(5).await;
    flaky.unread.store(false, Ordering::SeqCst);
    let report = running.await.expect("task");
    assert_eq!(id(&report), Some("e0"), "{report:?}");
}

/// Rule 2: an answer that was read before a restore and written after it speaks for an attempt that
/// the ledger forgot, not for the one that has its number now.
#[tokio::test(start_paused = true)]
async fn m08_an_answer_from_before_the_restore_does_not_close_another_attempt() {
    let bed = Bed::new();
    let policy = Policy { approve: vec![ApprovalRule { cell: "toy.*".into(), above: None }], ..Policy::default() };
    let flaky = Flaky::new(bed.ledger.clone());
    let before = bed.executor_with(policy.clone(), Bed::connection(), flaky.clone()).await;
    let held = before.run(request("toy.asked", "k", 100)).await.expect("run");
    let backup = bed.ledger.backup();
    flaky.takes_no_answers.store(true, Ordering::SeqCst);
    bed.provider.script([Does::Says(402, "declined")]);
    before.approve(held.operation, held.revision, "ann", 1_000).await.expect("approve");
    assert_eq!(bed.provider.requests(), 1);
    bed.ledger.put_back(&backup);
    let after = bed.executor_with(policy, Bed::connection(), bed.ledger.clone()).await;
    after.note_restored().await.expect("restored");
    let view = after.show(held.operation).await.expect("show");
    after.approve(held.operation, view.revision, "ann", 600_000).await.expect("approve");
    let view = after.show(held.operation).await.expect("show");
    assert_eq!(view.phase, Phase::Person, "what was under way goes on only by a person");
    // The answer is written again at 811 s; the second attempt is open then.
    tokio::time::sleep(Duration::from_millis(770_000 - bed.clock.now().boot_ms)).await;
    bed.provider.script([Does::LosesAnswer]);
    bed.provider.hide(true);
    let now = bed.clock.now();
    let again = after.resolve(held.operation, view.revision, "ann", now, PersonSays::SendAgain).await;
    assert!(!is_refused(&again.expect("resolve")));
    assert_eq!(bed.provider.requests(), 2);
    flaky.takes_no_answers.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(815_000 - bed.clock.now().boot_ms)).await;
    let report = after.run(request("toy.asked", "k", 100).wait_ms(1)).await.expect("run");
    assert!(!is_refused(&report), "the effect is there: {report:?}");
}

/// Rule 2: the same where the disk is full meanwhile, so that the answer is carried over twice: first to a restored ledger
/// that doesn't know its attempt, then to one in which another attempt has its number.
#[tokio::test(start_paused = true)]
async fn m08_an_answer_that_could_not_be_written_after_a_restore_does_not_close_another_attempt() {
    let bed = Bed::new();
    let policy = Policy { approve: vec![ApprovalRule { cell: "toy.*".into(), above: None }], ..Policy::default() };
    let flaky = Flaky::new(bed.ledger.clone());
    let before = bed.executor_with(policy.clone(), Bed::connection(), flaky.clone()).await;
    let held = before.run(request("toy.asked", "k", 100)).await.expect("run");
    let backup = bed.ledger.backup();
    flaky.is_full.store(true, Ordering::SeqCst);
    bed.provider.script([Does::Says(402, "declined")]);
    before.approve(held.operation, held.revision, "ann", 1_000).await.expect("approve");
    assert_eq!(bed.provider.requests(), 1);
    bed.ledger.put_back(&backup);
    let after = bed.executor_with(policy, Bed::connection(), bed.ledger.clone()).await;
    after.note_restored().await.expect("restored");
    let view = after.show(held.operation).await.expect("show");
    after.approve(held.operation, view.revision, "ann", 600_000).await.expect("approve");
    let view = after.show(held.operation).await.expect("show");
    assert_eq!(view.phase, Phase::Person, "what was under way goes on only by a person");
    // Meanwhile the answer was carried over to the restored ledger, and could not be written there.
    bed.provider.script([Does::LosesAnswer]);
    bed.provider.hide(true);
    let now = bed.clock.now();
    let again = after.resolve(held.operation, view.revision, "ann", now, PersonSays::SendAgain).await;
    assert!(!is_refused(&again.expect("resolve")));
    assert_eq!(bed.provider.requests(), 2);
    flaky.is_full.store(false, Ordering::SeqCst);
    seconds(600).await;
    let report = after.run(request("toy.asked", "k", 100).wait_ms(1)).await.expect("run");
    assert!(!is_refused(&report), "the effect is there: {report:?}");
}

/// Rule 4: somebody who no longer waits for a recovery doesn't take the answers away.
#[tokio::test(start_paused = true)]
async fn a_recovery_that_is_dropped_does_not_lose_the_answer() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(429, "slow_down"), Does::AnswersLate]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100).wait_ms(1)).await.expect("run");
    seconds(2).await;
    let impatient = tokio::time::timeout(Duration::from_millis(100), executor.recover(10, 10_000)).await;
    assert!(impatient.is_err(), "the answer isn't there yet");
    bed.provider.release();
    seconds(20).await;
    executor.recover(10, 1_000).await.expect("recover");
    assert_eq!(executor.show(report.operation).await.expect("show").phase, Phase::Succeeded);
}

/// Rule 7: no operation is taken up as if nothing had happened while a restore is being noted, nor begun so.
#[tokio::test(start_paused = true)]
async fn what_is_done_while_a_restore_is_noted_knows_of_it() {
    let bed = Bed::new();
    let flaky = Flaky::new(bed.ledger.clone());
    let executor = bed.executor_with(Policy::default(), Bed::connection(), flaky.clone()).await;
    bed.provider.script([Does::LosesRequest, Does::LosesRequest]);
    let open = executor.run(request("toy.asked", "k", 100).wait_ms(0)).await.expect("run").operation;
    let at_work = bed.executor().await;
    let (ledger, begun) = (at_work.clone(), Arc::new(OnceLock::new()));
    let tell = begun.clone();
    *flaky.meanwhile.lock().expect("no panic") = Some(Box::pin(async move {
        assert_eq!(restores(&at_work, open).await, 1, "it could be taken up now");
        let report = at_work.run(request("toy.asked", "new", 100).wait_ms(0)).await.expect("run");
        tell.set(report.operation).expect("once");
    }));
    assert_eq!(executor.note_restored().await.expect("restored"), 2);
    let begun = *begun.get().expect("it was begun");
    assert_eq!((restores(&ledger, open).await, restores(&ledger, begun).await), (1, 1));
}

/// How often an operation says that the ledger was restored.
async fn restores(executor: &Executor, operation: OperationId) -> usize {
    let view = executor.show(operation).await.expect("show");
    view.timeline.iter().filter(|entry| entry.what == "the ledger was restored").count()
}
