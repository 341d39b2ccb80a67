//! Ledgers that forget, connections that move, intents that look alike.

use std::sync::Arc;

use hapax_core::capability::{SecondEffect, guarantee};
use hapax_core::cell::Cell;
use hapax_core::executor::ExecutorError;
use hapax_core::ledger::MemoryLedger;
use hapax_core::policy::{Policy, Require};
use hapax_core::words::Next;
use serde_json::json;

use super::bed::{Bed, id, request, unknown_next, why};
use super::provider::Does;
use super::toy::{TIER, Tiered};

#[tokio::test(start_paused = true)]
async fn a16_the_ledger_forgets_the_provider_does_not() {
    let bed = Bed::new();
    let first = bed.executor().await.run(request("toy.keyed", "k", 100)).await.expect("run");
    // A second ledger with the same secret meets the same key at the provider.
    let empty = Arc::new(MemoryLedger::new());
    let other = bed.executor_with(Policy::default(), Bed::connection(), empty).await;
    let second = other.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!(id(&first), id(&second));
    assert_eq!((bed.provider.effects().len(), bed.provider.requests()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a16_a_restored_ledger_looks_before_it_sends() {
    let bed = Bed::new();
    let backup = bed.ledger.backup();
    let executor = bed.executor().await;
    executor.run(request("toy.asked", "k", 100)).await.expect("run");
    bed.ledger.put_back(&backup);
    let restored = bed.executor().await;
    restored.note_restored().await.expect("restored");
    let second = restored.run(request("toy.asked", "k", 100)).await.expect("run");
    assert_eq!(id(&second), Some("e0"), "it was found");
    assert_eq!(bed.provider.requests(), 1);
    let fresh = restored.run(request("toy.asked", "new", 100).wait_ms(600_000)).await.expect("run");
    assert_eq!(id(&fresh), Some("e1"), "a look proved that it had not happened");
}

#[tokio::test(start_paused = true)]
async fn a16_where_nothing_can_be_asked_a_restored_ledger_holds() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    executor.run(request("toy.blind", "other", 1)).await.expect("run");
    executor.note_restored().await.expect("restored");
    let held = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    assert_eq!(unknown_next(&held), Next::Held);
    assert_eq!(bed.provider.requests(), 1);
    let early = executor.approve(held.operation, held.revision, "ann", 10_000).await;
    assert!(
        matches!(&early, Err(ExecutorError::NotNow(why)) if why.contains("look at the provider again")),
        "{early:?}"
    );
    tokio::time::sleep(std::time::Duration::from_secs(120)).await;
    let sent = executor.approve(held.operation, held.revision, "ann", 10_000).await.expect("approve");
    assert_eq!(id(&sent), Some("e1"));
}

#[tokio::test(start_paused = true)]
async fn a17_the_rung_moved() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor().await;
    let first = executor.run(request("toy.tiered", "k", 100)).await.expect("run");
    assert_eq!(unknown_next(&first), Next::Person, "without the tier there is no key");
    let paid = || Bed::connection().meets([TIER.words().to_owned()]);
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor_with(Policy::default(), paid(), bed.ledger.clone()).await;
    let open = executor.run(request("toy.tiered", "k2", 100).wait_ms(1)).await.expect("run");
    let elsewhere = paid().at("http://other.example").expect("url");
    let moved = bed.executor_with(Policy::default(), elsewhere, bed.ledger.clone()).await;
    tokio::time::sleep(std::time::Duration::from_secs(30)).await;
    let report = moved.run(request("toy.tiered", "k2", 100)).await.expect("run");
    assert_eq!(report.operation, open.operation);
    let sent = bed.provider.requests();
    assert!(sent <= 3, "the key is another provider's now: {sent}");
}

#[tokio::test(start_paused = true)]
async fn a17_another_account_is_not_served() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor().await;
    executor.run(request("toy.blind", "k", 100)).await.expect("run");
    let moved = Bed::connection().account("globex");
    let executor = bed.executor_with(Policy::default(), moved, bed.ledger.clone()).await;
    let report = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    assert_eq!(unknown_next(&report), Next::Person);
    // One that is still under way isn't looked for in the wrong account either.
    bed.provider.script([Does::LosesAnswer]);
    bed.provider.hide(true);
    let executor = bed.executor().await;
    executor.run(request("toy.asked", "k", 100).wait_ms(1)).await.expect("run");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let moved = Bed::connection().account("globex");
    let executor = bed.executor_with(Policy::default(), moved, bed.ledger.clone()).await;
    let looks = bed.provider.looks();
    let report = executor.run(request("toy.asked", "k", 100)).await.expect("run");
    assert!(why(&report).contains("serves"), "{report:?}");
    assert_eq!((bed.provider.requests(), bed.provider.looks()), (2, looks));
}

#[tokio::test(start_paused = true)]
async fn a20_two_equal_intents_do_not_share_one_record() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    // The first is lost on the way; only the second arrives.
    bed.provider.script([Does::LosesRequest, Does::LosesAnswer]);
    let (a, b) = tokio::join!(
        executor.run(request("toy.alike", "a", 100).wait_ms(600_000)),
        executor.run(request("toy.alike", "b", 100).wait_ms(600_000))
    );
    let claimed = [a.expect("a"), b.expect("b")].iter().filter(|report| id(report) == Some("e0")).count();
    assert_eq!(claimed, 1, "one record is the receipt of one operation");
    assert_eq!(bed.provider.effects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a21_the_first_callers_volatile_fields_are_kept() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let mut first = request("toy.keyed", "k", 100);
    first.args = json!({ "amount": 100, "note": "first" });
    let report = executor.run(first).await.expect("run");
    let mut second = request("toy.keyed", "k", 100);
    second.args = json!({ "amount": 100, "note": "second" });
    let again = executor.run(second).await.expect("the same intent");
    assert_eq!(report.operation, again.operation);
    assert_eq!(executor.show(report.operation).await.expect("show").args["note"], "first");
    let error = executor.run(request("toy.keyed", "k", 987_654_321)).await.expect_err("another intent");
    assert!(matches!(&error, ExecutorError::KeyReused { fields, .. } if fields == "amount"), "{error}");
    assert!(!error.to_string().contains("987654321"), "values stay out of errors");
}

#[tokio::test(start_paused = true)]
async fn a32_suspected_repeats_raced() {
    let bed = Bed::new();
    let policy = Policy { hold_repeats: true, ..Policy::default() };
    let executor = bed.executor_with(policy, Bed::connection(), bed.ledger.clone()).await;
    let (a, b) =
        tokio::join!(executor.run(request("toy.keyed", "a", 100)), executor.run(request("toy.keyed", "b", 100)));
    let reports = [a.expect("a"), b.expect("b")];
    let held: Vec<_> = reports.iter().filter(|report| id(report).is_none()).collect();
    assert_eq!((held.len(), bed.provider.effects().len()), (1, 1));
    assert_eq!(unknown_next(held[0]), Next::Held);
    let sent = executor.approve(held[0].operation, held[0].revision, "ann", 10_000).await.expect("approve");
    assert_eq!(id(&sent), Some("e1"), "two equal intents can be meant");
}

#[tokio::test(start_paused = true)]
async fn a36_the_promised_rung_is_not_there() {
    let without = guarantee(Tiered::SPEC, &|_| false, false);
    let with = guarantee(Tiered::SPEC, &|_| true, false);
    assert_eq!((without.best(), with.best()), (SecondEffect::Withheld, SecondEffect::Enforced));
    let bed = Bed::new();
    let require = Require { second_effect: SecondEffect::Enforced, ..Require::default() };
    let policy = Policy { require, ..Policy::default() };
    let executor = bed.executor_with(policy.clone(), Bed::connection(), bed.ledger.clone()).await;
    let error = executor.run(request("toy.tiered", "k", 100)).await.expect_err("too weak");
    assert!(matches!(error, ExecutorError::Requirement { .. }), "{error}");
    assert_eq!(bed.provider.requests(), 0);
    let paid = Bed::connection().meets([TIER.words().to_owned()]);
    let executor = bed.executor_with(policy, paid, bed.ledger.clone()).await;
    assert_eq!(id(&executor.run(request("toy.tiered", "k", 100)).await.expect("run")), Some("e0"));
}

#[tokio::test(start_paused = true)]
async fn a_stand_ins_receipt_answers_for_no_provider() {
    let bed = Bed::new();
    let (tried, real) = (bed.executor().await, bed.executor_at_the_provider().await);
    tried.run(request("toy.keyed", "k", 100)).await.expect("run");
    let planned = real.plan(&request("toy.keyed", "k", 100)).await.expect("a plan");
    assert!(planned.would.contains("stand-in"), "{}", planned.would);
    let said = real.run(request("toy.keyed", "k", 100)).await;
    assert!(matches!(said, Err(ExecutorError::OtherStandIn { was: true, .. })), "{said:?}");
    real.run(request("toy.keyed", "other", 100)).await.expect("run");
    let said = tried.run(request("toy.keyed", "other", 100)).await;
    assert!(matches!(said, Err(ExecutorError::OtherStandIn { was: false, .. })), "{said:?}");
    assert_eq!(bed.provider.requests(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_open_at_a_stand_in_does_not_go_on_at_the_provider() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let (tried, real) = (bed.executor().await, bed.executor_at_the_provider().await);
    let open = tried.run(request("toy.keyed", "k", 100).wait_ms(0)).await.expect("run");
    tokio::time::sleep(std::time::Duration::from_secs(3_000)).await;
    let requests = bed.provider.requests();
    let taken = real.take_up(open.operation, 600_000).await.expect("a report");
    assert!(why(&taken).contains("no connection here serves"), "{taken:?}");
    assert_eq!(bed.provider.requests(), requests);
    let ended = tried.take_up(open.operation, 600_000).await.expect("a report");
    assert_eq!(id(&ended), Some("e0"));
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_at_a_stand_in_is_not_tried_again_at_the_provider() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(402, "declined")]);
    let (tried, real) = (bed.executor().await, bed.executor_at_the_provider().await);
    let refused = tried.run(request("toy.keyed", "k", 100)).await.expect("run");
    let said = real.supersede(refused.operation, 0, "ann", None, 10_000).await;
    assert!(matches!(said, Err(ExecutorError::OtherStandIn { .. })), "{said:?}");
    assert_eq!(bed.provider.requests(), 1);
}
