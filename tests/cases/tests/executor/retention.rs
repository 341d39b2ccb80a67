//! What retention removes, what it leaves alone, and what can still be asked of an operation that it has been at.

use std::time::Duration;

use hapax_core::executor::{Executor, ExecutorError};
use hapax_core::ledger::{By, Keep, Ledger, OperationId, Phase};
use hapax_core::policy::{Policy, RetentionRule};
use hapax_core::protocol::{Event, Final, fold};
use hapax_core::words::Outcome;

use super::bed::{Bed, id, request};
use super::provider::Does;

/// Longer than anything can still take effect at the toy.
const LONG: Duration = Duration::from_secs(3_600);

/// In arguments and receipts, and nowhere else.
const AMOUNT: &str = "\"amount\"";

fn at_once() -> Vec<Keep> {
    vec![Keep { for_ms: Some(0), ..Keep::default() }]
}

async fn prune(executor: &Executor) -> u64 {
    executor.prune(at_once(), false, |_| true).await.expect("it prunes")
}

async fn told(bed: &Bed, operation: OperationId) -> String {
    let stored = bed.ledger.load(By::Id(operation)).await.expect("it loads").expect("it is there");
    serde_json::to_string(&stored.records).expect("JSON")
}

#[track_caller]
fn not_now<T: std::fmt::Debug>(answer: Result<T, ExecutorError>, says: &str) {
    match answer {
        Err(ExecutorError::NotNow(why)) => assert!(why.contains(says), "{why}"),
        other => panic!("{other:?} instead of {says:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a34_a_pruned_key_stays_closed() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let first = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert!(!first.pruned && id(&first) == Some("e0"), "{first:?}");
    tokio::time::sleep(LONG).await;
    assert_eq!(prune(&executor).await, 1);
    let again = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!(again.outcome, Outcome::Succeeded { receipt: serde_json::Value::Null });
    assert!(again.pruned);
    assert!(matches!(executor.run(request("toy.keyed", "k", 5)).await, Err(ExecutorError::KeyReused { .. })));
    assert_eq!(bed.provider.requests(), 1);
    // Equal arguments under another key are still noticed.
    let alike = executor.run(request("toy.keyed", "other", 100)).await.expect("run");
    assert_eq!(alike.similar, [first.operation]);
    not_now(executor.supersede(first.operation, 0, "dana", None, 0).await, "removed by retention");
    not_now(executor.follow(first.operation).await, "removed by retention");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_pruned_that_may_still_take_effect() {
    let bed = Bed::new();
    bed.provider.script([Does::AnswersLate]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.asked", "k", 100).wait_ms(1)).await.expect("run");
    // Settled from elsewhere while its request is out.
    let seen = executor.witness(report.operation, "webhook", "e0").await.expect("a witness");
    assert!(matches!(seen.outcome, Outcome::Succeeded { .. }));
    assert_eq!(prune(&executor).await, 0, "its answer may still come");
    not_now(executor.forget(report.operation).await, "may still take effect");
    tokio::time::sleep(LONG).await;
    assert_eq!(prune(&executor).await, 1);
    executor.forget(report.operation).await.expect("again changes nothing");
    assert!(!told(&bed, report.operation).await.contains(AMOUNT));
}

#[tokio::test(start_paused = true)]
async fn evidence_that_comes_after_retention_brings_nothing_back() {
    let bed = Bed::new();
    bed.provider.script([Does::AnswersLate]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.asked", "k", 4_711).wait_ms(1)).await.expect("run");
    executor.witness(report.operation, "webhook", "e0").await.expect("a witness");
    // Somebody whose clocks have gone on for longer prunes while the answer is still to come.
    let mut now = hapax_core::clock::Clock::now(&*bed.clock);
    (now.wall_ms, now.boot_ms) = (now.wall_ms + 86_400_000, now.boot_ms + 86_400_000);
    let all = hapax_core::ledger::Retention::of_all(now, 0);
    assert_eq!(bed.ledger.prune(&all).await.expect("it prunes").operations, 1);
    let before = bed.ledger.load(By::Id(report.operation)).await.expect("it loads").expect("it is there");
    bed.provider.release();
    let heard =
        |records: &[hapax_core::protocol::Record]| records.iter().any(|record| matches!(record.event, Event::Heard(_)));
    loop {
        let now = bed.ledger.load(By::Id(report.operation)).await.expect("it loads").expect("it is there");
        if heard(&now.records) {
            assert!(now.records.len() > before.records.len());
            assert!(matches!(fold(&now.records).outcome, Some(Final::Succeeded(receipt)) if receipt.id == "e0"));
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!told(&bed, report.operation).await.contains(AMOUNT), "{}", told(&bed, report.operation).await);
}

#[tokio::test(start_paused = true)]
async fn a_last_look_that_is_due_is_not_taken_its_arguments() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert!(bed.provider.requests() > 1, "a second request went out");
    assert_eq!(prune(&executor).await, 0);
    not_now(executor.forget(report.operation).await, "forget it");
    tokio::time::sleep(LONG).await;
    not_now(executor.forget(report.operation).await, "a last look at the provider is due");
    let looks = bed.provider.looks();
    executor.recover(10, 0).await.expect("recover");
    assert!(bed.provider.looks() > looks, "the last look was made, with its arguments");
    assert_eq!(prune(&executor).await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_hasn_t_ended_is_never_pruned() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100).wait_ms(1)).await.expect("run");
    tokio::time::sleep(LONG).await;
    executor.recover(10, 0).await.expect("recover");
    assert_eq!(executor.show(report.operation).await.expect("show").phase, Phase::Person);
    assert_eq!(prune(&executor).await, 0);
    not_now(executor.forget(report.operation).await, "it is person");
    assert!(matches!(executor.forget(OperationId::fresh()).await, Err(ExecutorError::UnknownOperation(_))));
}

#[tokio::test(start_paused = true)]
async fn a_witness_that_comes_after_retention_says_what_can_be_said() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let report = executor.run(request("toy.asked", "k", 100)).await.expect("run");
    bed.provider.script([Does::Says(402, "declined")]);
    let refused = executor.run(request("toy.asked", "poor", 7)).await.expect("run");
    assert!(matches!(refused.outcome, Outcome::Refused { .. }), "{refused:?}");
    tokio::time::sleep(LONG).await;
    assert_eq!(prune(&executor).await, 2);
    let same = executor.witness(report.operation, "webhook", "e0").await.expect("it is on record");
    assert!(same.pruned && same.alarms.is_empty());
    let before = told(&bed, report.operation).await;
    not_now(executor.witness(report.operation, "webhook", "e1").await, "e0 is on record");
    not_now(executor.witness(refused.operation, "webhook", "e1").await, "on record as refused");
    assert_eq!(told(&bed, report.operation).await, before, "nothing was changed");
    let again = executor.run(request("toy.asked", "poor", 7)).await.expect("run");
    match again.outcome {
        Outcome::Refused { reason } => {
            assert_eq!((&*reason.code, &*reason.message), ("declined", "(removed by retention)"));
        }
        other => panic!("{other:?}: its outcome is gone"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_policy_concerns_old_operations_too() {
    let bed = Bed::new();
    let before = bed.executor().await;
    let old = before.run(request("toy.keyed", "k", 100)).await.expect("run");
    let other = before.run(request("toy.asked", "k", 100)).await.expect("run");
    tokio::time::sleep(2 * LONG).await;
    assert_eq!(before.prune(before.policy().keeps(), false, |_| true).await.expect("prune"), 0, "kept for ever");
    let rule = |cell: &str, keep: &str| RetentionRule {
        cell: Some(cell.to_owned()),
        connection: None,
        keep: keep.parse().expect("a time"),
    };
    for (keep, expected) in [("3h", 0), ("1h", 1), ("1h", 0)] {
        let retention = vec![rule("toy.asked", "for ever"), rule("toy.*", keep)];
        let policy = Policy { retention, ..Policy::default() };
        let now = bed.executor_with(policy, Bed::connection(), bed.ledger.clone()).await;
        assert_eq!(now.prune(now.policy().keeps(), true, |_| true).await.expect("prune"), expected, "dry, {keep}");
        assert_eq!(now.prune(now.policy().keeps(), false, |_| true).await.expect("prune"), expected, "{keep}");
    }
    assert!(!told(&bed, old.operation).await.contains(AMOUNT));
    assert!(told(&bed, other.operation).await.contains(AMOUNT));
}
