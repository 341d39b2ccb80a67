use hapax_core::testing::{Desk, body_of, word};
use serde_json::Value;

use super::*;
use crate::testing::{ORDER, data, error, held, losing, missing, order, scripted, unclear};

const CELL: &str = "duffel.pay";

fn args() -> Pay {
    Pay::new(ORDER, Money::new(9080, "GBP").expect("an amount"))
}

fn payment() -> Value {
    json!({"id": "pay_00009hthhsUZ8W4LxQgkjo", "order_id": ORDER, "type": "balance", "status": "succeeded",
        "amount": "90.80", "currency": "GBP", "created_at": "2026-11-28T10:42:14.545Z"})
}

fn with(name: &str, value: Value) -> Value {
    let mut payment = payment();
    payment[name] = value;
    payment
}

fn desk(answer: (u16, Value)) -> Desk {
    scripted(CELL, [answer])
}

#[tokio::test]
async fn pay_sends_what_was_asked() {
    let desk = desk(data(201, payment()));
    assert_eq!(word(&desk.attempt(&args()).await), "happened");
    assert_eq!(desk.asked(), ["POST /air/payments"]);
    let paid = json!({"type": "balance", "amount": "90.80", "currency": "GBP"});
    assert_eq!(body_of(&desk.last()), json!({"data": {"order_id": ORDER, "payment": paid}}));
}

#[tokio::test]
async fn pay_201_is_the_answer() {
    let bare = json!({"id": "pay_1", "amount": "90.80", "currency": "GBP"});
    for (answer, id) in [(payment(), "pay_00009hthhsUZ8W4LxQgkjo"), (bare, "pay_1")] {
        let Answer::Happened(receipt) = desk(data(201, answer)).attempt(&args()).await else { panic!("not done") };
        assert_eq!(receipt.id, "", "nothing is claimed");
        assert_eq!(
            *receipt.body,
            json!({"id": ORDER, "payment": id, "amount": {"amount": 9080, "currency": "GBP"}, "doer": "us"})
        );
    }
}

#[tokio::test]
async fn pay_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let mut cancelled = order(ORDER, "x");
    cancelled["cancelled_at"] = json!("2026-11-28T15:48:11.642Z");
    for paid in [order(ORDER, "x"), cancelled] {
        let desk = desk(data(200, paid));
        let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("not found") };
        assert_eq!(receipt.body["doer"], "cannot_tell");
        assert_eq!(desk.asked(), [format!("GET /air/orders/{ORDER}")]);
    }
}

#[tokio::test]
async fn pay_unpaid_order_is_absent() {
    assert_eq!(desk(data(200, held(ORDER, "x"))).find(&args()).await, Ok(Finding::Absent));
    let (guarantee, _) = SPEC.published();
    assert_eq!(guarantee.best(), hapax_core::capability::SecondEffect::Withheld, "{}", guarantee.sentence());
}

#[tokio::test]
async fn pay_already_paid_is_taken() {
    assert_eq!(word(&desk(error(422, "invalid_state_error", "already_paid")).attempt(&args()).await), "taken");
}

#[tokio::test]
async fn pay_refusals_have_rows() {
    for (kind, code) in [
        ("invalid_state_error", "already_cancelled"),
        ("invalid_state_error", "past_payment_required_by_date"),
        ("invalid_state_error", "schedule_changed"),
        ("invalid_state_error", "insufficient_balance"),
        ("validation_error", "price_changed"),
        ("validation_error", "order_type_not_eligible_for_payment"),
    ] {
        assert_eq!(word(&desk(error(422, kind, code)).attempt(&args()).await), "refused", "{code}");
    }
}

#[tokio::test]
async fn pay_500_and_502_are_adrift() {
    // `order_not_created` speaks of orders: of a payment it says nothing.
    for (status, code) in [(500, "internal_server_error"), (502, "bad_gateway"), (502, "order_not_created")] {
        assert_eq!(word(&desk(error(status, "api_error", code)).attempt(&args()).await), "adrift", "{code}");
    }
}

#[tokio::test]
async fn pay_other_failures_are_not_guessed() {
    let unknown_state = error(422, "invalid_state_error", "something_new");
    for answer in unclear().into_iter().filter(|(status, _)| *status != 201).chain([unknown_state]) {
        assert_eq!(word(&desk(answer.clone()).attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn pay_failed_payment_is_not_guessed() {
    for status in ["failed", "pending", "cancelled"] {
        assert_eq!(word(&desk(data(201, with("status", json!(status)))).attempt(&args()).await), "unclear", "{status}");
    }
}

#[tokio::test]
async fn pay_lapsed_or_cancelled_order_cannot_be_told() {
    let mut lapsed = held(ORDER, "x");
    lapsed["payment_status"]["awaiting_payment"] = json!(false);
    let mut cancelled = held(ORDER, "x");
    cancelled["cancelled_at"] = json!("2026-11-28T15:48:11.642Z");
    let mut silent = held(ORDER, "x");
    silent["payment_status"] = Value::Null;
    for order in [lapsed, cancelled, silent] {
        assert!(matches!(desk(data(200, order)).find(&args()).await, Ok(Finding::CannotTell(_))));
    }
}

#[tokio::test]
async fn pay_echo_mismatch_is_caught() {
    for (name, value) in [("order_id", json!("ord_2")), ("id", json!("ord_1")), ("amount", json!("91.80"))] {
        assert_eq!(word(&desk(data(201, with(name, value))).attempt(&args()).await), "echo", "{name}");
    }
    assert_eq!(word(&desk(data(201, with("amount", json!("a lot")))).attempt(&args()).await), "unclear");
    let mut dearer = order(ORDER, "x");
    dearer["total_amount"] = json!("190.80");
    let found = desk(data(200, dearer)).find(&args()).await;
    assert!(!matches!(found, Ok(Finding::Happened(_) | Finding::Absent)), "{found:?}");
    assert!(desk(data(200, order("ord_2", "x"))).find(&args()).await.is_err(), "another order");
}

#[tokio::test]
async fn pay_unseen_order_cannot_be_told() {
    assert!(matches!(desk(missing()).find(&args()).await, Ok(Finding::CannotTell(_))));
    assert!(desk((404, json!({"message": "Not Found"}))).find(&args()).await.is_err());
}

#[test]
fn pay_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for wrong in ["", "ord_", "ord_../x", "off_1", "ord_a b"] {
        let args = Pay { order_id: wrong.to_owned(), ..args() };
        assert!(args.check().is_err_and(|why| why.contains("order_id")), "{wrong}");
    }
    let nothing = Money { amount: 0, currency: "GBP".to_owned() };
    assert!(Pay { amount: nothing, ..args() }.check().is_err_and(|why| why.contains("amount")));
}
