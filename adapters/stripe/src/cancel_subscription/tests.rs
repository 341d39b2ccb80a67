use hapax_core::cell::{Cell, CellArgs};
use hapax_core::transport::Body;
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.cancel_subscription";

fn now() -> CancelSubscription {
    serde_json::from_value(json!({"subscription": "sub_1", "when": "now"})).expect("arguments")
}

fn at_period_end() -> CancelSubscription {
    serde_json::from_value(json!({"subscription": "sub_1", "when": "at_period_end"})).expect("arguments")
}

fn subscription(status: &str, at_period_end: bool) -> (u16, Value) {
    let ended = (status == "canceled").then_some(1_790_000_000);
    (
        200,
        json!({"id": "sub_1", "status": status, "customer": "cus_1", "items": {"data": [], "has_more": false},
        "cancel_at_period_end": at_period_end, "cancel_at": at_period_end.then_some(1_800_000_000),
        "ended_at": ended, "metadata": {}}),
    )
}

#[tokio::test]
async fn cancel_subscription_now_is_a_delete_without_a_key() {
    let desk = scripted(CELL, [subscription("canceled", false)]);
    let answer = desk.attempt(&now()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let expected = json!({"id": "sub_1", "status": "canceled", "ended_at": 1_790_000_000, "doer": "us"});
    assert_eq!(*receipt.body, expected);
    assert_eq!(desk.asked(), ["DELETE /v1/subscriptions/sub_1"]);
    let sent = desk.request(0);
    assert!(sent.headers.iter().all(|(name, _)| name != "Idempotency-Key") && sent.body == Body::Empty);
}

#[tokio::test]
async fn cancel_subscription_at_period_end_is_an_update_with_a_key() {
    let desk = scripted(CELL, [subscription("active", true)]);
    let answer = desk.attempt(&at_period_end()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let expected = json!({"id": "sub_1", "status": "active", "cancel_at": 1_800_000_000, "doer": "us"});
    assert_eq!(*receipt.body, expected);
    assert_eq!(desk.asked(), ["POST /v1/subscriptions/sub_1"]);
    assert_eq!(json_of(&form_of(&desk.request(0))), json!({"cancel_at_period_end": "true"}));
    assert_eq!(key_of(&desk.request(0)), desk.names().token("cancel_subscription"));
}

#[tokio::test]
async fn cancel_subscription_answer_lost_after_effect() {
    for (args, found) in [
        (now(), subscription("canceled", false)),
        (now(), subscription("incomplete_expired", false)),
        (at_period_end(), subscription("trialing", true)),
    ] {
        let desk = losing(CELL);
        assert_eq!(word(&desk.attempt(&args).await), "unclear");
        let desk = scripted(CELL, [found]);
        let Ok(Finding::Happened(receipt)) = desk.find(&args).await else { panic!("{args:?}") };
        assert_eq!((&receipt.body["doer"], receipt.id.as_str()), (&json!("cannot_tell"), ""));
        assert_eq!(desk.asked(), ["GET /v1/subscriptions/sub_1"]);
    }
}

#[tokio::test]
async fn cancel_subscription_running_one_is_absent() {
    for status in ["active", "trialing", "past_due", "unpaid", "paused", "incomplete"] {
        let desk = scripted(CELL, [subscription(status, true), subscription(status, false)]);
        assert_eq!(desk.find(&now()).await, Ok(Finding::Absent), "{status}");
        assert_eq!(desk.find(&at_period_end()).await, Ok(Finding::Absent), "{status}");
    }
    let desk = scripted(CELL, [subscription("frozen", false)]);
    assert!(matches!(desk.find(&now()).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn cancel_subscription_repeat_is_taken() {
    let desk =
        scripted(CELL, [error(404, "invalid_request_error", "resource_missing"), subscription("canceled", false)]);
    assert_eq!(word(&desk.attempt(&now()).await), "taken");
    assert!(matches!(desk.find(&now()).await, Ok(Finding::Happened(_))));
}

#[tokio::test]
async fn cancel_subscription_unknown_one_is_no_absence() {
    let desk = scripted(CELL, [error(404, "invalid_request_error", "resource_missing")]);
    let finding = desk.find(&now()).await;
    assert!(matches!(finding, Ok(Finding::CannotTell(why)) if why.contains("sub_1")));
    let desk = scripted(CELL, [(404, json!({"message": "Not Found"}))]);
    assert!(desk.find(&now()).await.is_err());
}

#[tokio::test]
async fn cancel_subscription_already_canceled_is_enough_for_the_end() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", ""), subscription("canceled", false)]);
    assert_eq!(word(&desk.attempt(&at_period_end()).await), "refused");
    assert!(matches!(desk.find(&at_period_end()).await, Ok(Finding::Happened(_))));
}

#[tokio::test]
async fn cancel_subscription_500_goes_again() {
    for args in [now(), at_period_end()] {
        let desk = scripted(CELL, [error(500, "api_error", "")]);
        assert_eq!(word(&desk.attempt(&args).await), "key burnt");
    }
}

#[tokio::test]
async fn cancel_subscription_in_use_and_limits_are_not_done() {
    for (status, code) in [(409, "idempotency_key_in_use"), (429, "rate_limit"), (429, "lock_timeout"), (401, "")] {
        let desk = scripted(CELL, [error(status, "invalid_request_error", code)]);
        assert_eq!(word(&desk.attempt(&at_period_end()).await), "not done", "{status} {code}");
    }
}

#[tokio::test]
async fn cancel_subscription_of_another_is_an_echo_fault() {
    let (status, mut other) = subscription("canceled", false);
    other["id"] = json!("sub_2");
    let desk = scripted(CELL, [(status, other.clone()), (status, other)]);
    assert_eq!(word(&desk.attempt(&now()).await), "echo");
    assert_eq!(desk.find(&now()).await, Err(Fault::Echo("subscription".to_owned())));
}

#[tokio::test]
async fn cancel_subscription_unfinished_answer_is_unclear() {
    for args in [now(), at_period_end()] {
        let desk = scripted(CELL, [subscription("active", args.when == CancelWhen::Now)]);
        assert_eq!(word(&desk.attempt(&args).await), "unclear", "{args:?}");
    }
}

#[tokio::test]
async fn cancel_subscription_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [subscription("canceled", false), subscription("active", false)]);
    let read = CancelSubscriptionCell.fetch(&desk.context(), &now(), "sub_1").await;
    assert_eq!(read.expect("read").expect("there").status, "canceled");
    assert!(CancelSubscriptionCell.fetch(&desk.context(), &now(), "sub_1").await.is_err());
    let other = CancelSubscriptionCell.fetch(&desk.context(), &now(), "sub_2").await;
    assert_eq!(other, Err(Fault::Echo("subscription".to_owned())));
}

#[test]
fn cancel_subscription_checks_its_arguments() {
    assert_eq!(CancelSubscription::now("sub_1").check(), Ok(()));
    assert_eq!(CancelSubscription::at_period_end("sub_1").check(), Ok(()));
    for wrong in ["pi_1", "sub_", "sub_1/../x"] {
        assert!(CancelSubscription::now(wrong).check().is_err_and(|why| why.contains("subscription")), "{wrong}");
    }
    assert!(
        serde_json::from_value::<CancelSubscription>(json!({"subscription": "sub_1"})).is_err(),
        "when is a choice"
    );
}
