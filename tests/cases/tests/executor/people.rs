//! Decisions of people, and what comes after them.

use hapax_core::clock::Clock;
use hapax_core::executor::{ExecutorError, PersonSays};
use hapax_core::ledger::Phase;
use hapax_core::policy::{ApprovalRule, Policy};
use hapax_core::protocol::Stamp;
use hapax_core::words::Next;

use super::bed::{Bed, id, is_refused, request, unknown_next};
use super::provider::Does;

fn now(bed: &Bed) -> Stamp {
    bed.clock.now()
}

#[tokio::test(start_paused = true)]
async fn m05_a_person_who_looked_too_early_is_told_when_to_look() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    let early = executor.resolve(report.operation, report.revision, "ann", now(&bed), PersonSays::SendAgain).await;
    let error = early.expect_err("too early");
    assert!(matches!(&error, ExecutorError::NotNow(why) if why.contains("look at the provider again in")), "{error}");
    let evidence = executor.show(report.operation).await.expect("show").evidence.expect("evidence");
    tokio::time::sleep(std::time::Duration::from_secs(evidence.absence_counts_in_seconds + 1)).await;
    let sent = executor.resolve(report.operation, report.revision, "ann", now(&bed), PersonSays::SendAgain).await;
    assert_eq!(id(&sent.expect("ripe")), Some("e0"));
}

#[tokio::test(start_paused = true)]
async fn a24_a_decision_names_what_it_saw() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    let stale = executor.resolve(report.operation, 1, "ann", now(&bed), PersonSays::DidNotHappen).await;
    assert!(matches!(stale, Err(ExecutorError::Stale { .. })));
    let happened = PersonSays::Happened { id: "e0".into() };
    let done = executor.resolve(report.operation, report.revision, "ann", now(&bed), happened).await.expect("resolved");
    assert_eq!(id(&done), Some("e0"));
}

#[tokio::test(start_paused = true)]
async fn a24_send_again_is_checked_by_one_more_look() {
    let bed = Bed::new();
    bed.provider.script([Does::ActsThenSays(500, "adrift")]);
    bed.provider.hide(true);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.asked", "k", 100).wait_ms(7_200_000)).await.expect("run");
    assert_eq!(unknown_next(&report), Next::Person);
    bed.provider.hide(false);
    let says = PersonSays::SendAgain;
    let found = executor.resolve(report.operation, report.revision, "ann", now(&bed), says).await.expect("resolved");
    assert_eq!(id(&found), Some("e0"), "the look contradicts the person");
    assert_eq!(bed.provider.effects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a25_a_receipt_typed_by_hand_is_read_not_believed() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    bed.provider.foreign(5);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.alike", "k", 100).wait_ms(7_200_000)).await.expect("run");
    for id in ["e0", "nothing"] {
        let says = PersonSays::Happened { id: id.into() };
        let denied = executor.resolve(report.operation, report.revision, "ann", now(&bed), says).await;
        assert!(matches!(denied, Err(ExecutorError::NotNow(_))), "{id}: {denied:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a25_taking_over_stops_departures() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    bed.provider.hide(true);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.asked", "k", 100).wait_ms(1)).await.expect("run");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let view = executor.show(report.operation).await.expect("show");
    executor.take_over(report.operation, view.revision, "ann").await.expect("taken over");
    tokio::time::sleep(std::time::Duration::from_secs(7_200)).await;
    executor.recover(10, 1_000).await.expect("recover");
    assert_eq!(bed.provider.requests(), 1);
    assert_eq!(executor.show(report.operation).await.expect("show").phase, Phase::Person);
}

#[tokio::test(start_paused = true)]
async fn a28_superseding_twice_is_superseding_once() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(402, "declined"), Does::Says(402, "declined")]);
    let executor = bed.executor().await;
    let first = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert!(is_refused(&first));
    let second = executor.supersede(first.operation, 0, "ann", None, 10_000).await.expect("supersede");
    assert!(is_refused(&second));
    let repeated = executor.supersede(first.operation, 0, "ann", None, 10_000).await.expect("no-op");
    assert_eq!((second.epoch, repeated.epoch, bed.provider.requests()), (1, 1, 2));
    let third = executor.supersede(first.operation, 1, "ann", None, 10_000).await.expect("supersede");
    assert_eq!(id(&third), Some("e0"));
    let over = executor.supersede(first.operation, 2, "ann", None, 10_000).await;
    assert!(matches!(over, Err(ExecutorError::NotNow(_))), "what succeeded isn't superseded");
}

#[tokio::test(start_paused = true)]
async fn a29_what_succeeded_and_then_failed_may_be_superseded() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let report = executor.run(request("toy.keyed", "k", 666)).await.expect("run");
    assert_eq!((id(&report), report.fate.as_deref()), (Some("e0"), Some("failed")));
    let again = executor.supersede(report.operation, 0, "ann", None, 10_000).await.expect("supersede");
    assert_eq!(id(&again), Some("e1"));
}

#[tokio::test(start_paused = true)]
async fn a_receipt_that_a_person_names_brings_its_fate_along() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    bed.provider.hide(true);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.alike", "k", 666).wait_ms(7_200_000)).await.expect("run");
    assert_eq!(unknown_next(&report), Next::Person);
    bed.provider.hide(false);
    let says = PersonSays::Happened { id: "e0".into() };
    let resolved = executor.resolve(report.operation, report.revision, "ann", now(&bed), says).await.expect("resolved");
    assert_eq!((id(&resolved), resolved.fate.as_deref()), (Some("e0"), Some("failed")));
    let again = executor.supersede(report.operation, 0, "ann", None, 10_000).await;
    assert!(again.is_ok(), "what has failed can be tried again: {again:?}");
}

#[tokio::test(start_paused = true)]
async fn an_approval_comes_first_where_policy_wants_it() {
    let bed = Bed::new();
    let above = Some(hapax_core::money::Money::new(1_000, "EUR").expect("money"));
    let policy = Policy { approve: vec![ApprovalRule { cell: "toy.*".into(), above }], ..Policy::default() };
    let executor = bed.executor_with(policy, Bed::connection(), bed.ledger.clone()).await;
    assert_eq!(id(&executor.run(request("toy.keyed", "small", 1_000)).await.expect("run")), Some("e0"));
    let held = executor.run(request("toy.keyed", "large", 1_001)).await.expect("run");
    assert_eq!(unknown_next(&held), Next::Held);
    assert!(is_refused(&executor.deny(held.operation, held.revision, "ann").await.expect("deny")));
    assert!(is_refused(&executor.run(request("toy.keyed", "large", 1_001)).await.expect("run")));
    assert_eq!(bed.provider.requests(), 1);
}

#[tokio::test(start_paused = true)]
async fn a14_nothing_is_sent_after_good_until() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let soon = now(&bed).wall_ms + 5_000;
    bed.provider.script(vec![Does::Says(429, "slow_down"); 19]);
    let report = executor.run(request("toy.keyed", "k", 100).good_until_ms(soon)).await.expect("run");
    assert!(is_refused(&report), "{report:?}");
    assert!(now(&bed).wall_ms < soon + 60_000);
    assert!(bed.provider.effects().is_empty());
}

#[tokio::test(start_paused = true)]
async fn send_again_is_not_ended_by_what_was_refused_before() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest, Does::Says(402, "declined")]);
    let executor = bed.executor().await;
    let open = executor.run(request("toy.keyed", "k", 100).wait_ms(5_000)).await.expect("run");
    assert!(!is_refused(&open), "the first request may still take effect: {open:?}");
    let seen = executor.show(open.operation).await.expect("show").revision;
    executor.resolve(open.operation, seen, "ann", now(&bed), PersonSays::SendAgain).await.expect("decided");
    // The look after settle closes the first request; the second was refused long ago.
    tokio::time::sleep(std::time::Duration::from_secs(120)).await;
    executor.recover(10, 10_000).await.expect("recover");
    let done = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!((id(&done), bed.provider.requests()), (Some("e0"), 3));
}

#[tokio::test(start_paused = true)]
async fn a25_whoever_took_over_decides() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    let taken = executor.take_over(report.operation, report.revision, "ann").await.expect("taken over");
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    let other = executor.resolve(report.operation, taken.revision, "bob", now(&bed), PersonSays::SendAgain).await;
    assert!(matches!(&other, Err(ExecutorError::NotNow(why)) if why.contains("ann")), "{other:?}");
    let hers = executor.resolve(report.operation, taken.revision, "ann", now(&bed), PersonSays::DidNotHappen).await;
    assert!(is_refused(&hers.expect("she decides")));
}
