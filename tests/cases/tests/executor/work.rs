//! The parts that a long-lived worker is made of.

use std::time::Duration;

use hapax_core::executor::ExecutorError;
use hapax_core::ledger::{By, Ledger, OperationId, Phase};
use hapax_core::protocol::IN_PROGRESS;

use super::bed::{Bed, id, request, why};
use super::provider::Does;

async fn revision(bed: &Bed, operation: OperationId) -> usize {
    bed.ledger.load(By::Id(operation)).await.expect("load").expect("it is there").records.len()
}

/// An operation whose first request was lost and whose caller has gone, and that is due.
async fn due(bed: &Bed) -> OperationId {
    bed.provider.script([Does::LosesRequest]);
    let report = bed.executor().await.run(request("toy.keyed", "k", 100).wait_ms(1)).await.expect("run");
    report.operation
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_due_later_and_it_is_known_when() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    assert_eq!(executor.next_due_in_ms().await.expect("asked"), None, "nothing is there");
    let operation = due(&bed).await;
    assert_eq!(executor.due(9).await.expect("asked"), [], "its lease holds, or its pause isn't over");
    let wait = executor.next_due_in_ms().await.expect("asked").expect("it will be due");
    assert!(wait > 0);
    tokio::time::sleep(Duration::from_millis(wait)).await;
    assert_eq!(executor.due(9).await.expect("asked"), [operation]);
    assert_eq!(executor.next_due_in_ms().await.expect("asked"), None, "what is due is not next");
    let mut taken = executor.take_up(operation, 0).await.expect("taken up");
    // With no time to wait it is put back whenever it would have to, and known to be due again.
    while id(&taken).is_none() {
        let wait = executor.next_due_in_ms().await.expect("asked").expect("it will be due");
        tokio::time::sleep(Duration::from_millis(wait)).await;
        taken = executor.take_up(operation, 0).await.expect("taken up");
    }
    assert_eq!(bed.provider.effects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_another_worker_holds_is_left_to_it() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    bed.provider.script([Does::AnswersLate]);
    let running = tokio::spawn({
        let executor = bed.executor().await;
        async move { executor.run(request("toy.keyed", "k", 100).wait_ms(600_000)).await }
    });
    while bed.provider.requests() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let key = hapax_core::identity::OperationKey::new("k").expect("a key");
    let operation = executor.operation_of("toy", "toy.keyed", &key).await.expect("asked").expect("it is there");
    let before = revision(&bed, operation).await;
    let report = executor.take_up(operation, 0).await.expect("asked");
    assert!(why(&report).starts_with(IN_PROGRESS), "{report:?}");
    assert_eq!(revision(&bed, operation).await, before, "nothing was written");
    bed.provider.release();
    assert!(id(&running.await.expect("a task").expect("run")).is_some());
    assert_eq!(bed.provider.effects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_says_so_and_leaves_the_operation_open() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let report = executor.run(request("toy.keyed", "k", 13)).await.expect("run");
    tokio::time::sleep(Duration::from_secs(600)).await;
    let taken = executor.take_up(report.operation, 0).await.expect("asked");
    assert!(why(&taken).contains("worker stopped"), "{taken:?}");
    assert_eq!(executor.show(report.operation).await.expect("show").phase, Phase::Open);
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_is_not_there_is_an_error() {
    let executor = Bed::new().executor().await;
    let error = executor.take_up(OperationId::fresh(), 0).await.expect_err("there is none");
    assert!(matches!(error, ExecutorError::UnknownOperation(_)), "{error}");
}
