use hapax_core::testing::{Desk, body_of, word};
use serde_json::Value;

use super::*;
use crate::testing::{ORDER, QUOTE as ORE, data, error, losing, missing, order, scripted, unclear};

const CELL: &str = "duffel.cancel";

fn args() -> Cancel {
    Cancel::of(ORDER)
}

fn quote() -> Value {
    json!({"id": ORE, "order_id": ORDER, "refund_amount": "80.80", "refund_currency": "GBP", "refund_to": "balance",
        "expires_at": "2026-11-28T10:42:14Z", "confirmed_at": null})
}

fn confirmed() -> Value {
    let mut quote = quote();
    quote["confirmed_at"] = json!("2026-11-28T10:12:14.545Z");
    quote
}

fn cancelled() -> Value {
    let mut order = order(ORDER, "x");
    order["cancelled_at"] = json!("2026-11-28T10:12:14.545Z");
    order
}

fn least(amount: i64, currency: &str) -> Cancel {
    Cancel { least_refund: Some(Money { amount, currency: currency.to_owned() }), ..args() }
}

/// A desk at which a quote is noted.
fn quoted(answer: (u16, Value)) -> Desk {
    scripted(CELL, [answer]).noting(QUOTE, ORE)
}

fn looking(answers: [(u16, Value); 2]) -> Desk {
    scripted(CELL, answers).noting(QUOTE, ORE)
}

fn preparing(quote: (u16, Value)) -> Desk {
    scripted(CELL, [data(200, order(ORDER, "x")), quote])
}

#[tokio::test]
async fn cancel_notes_a_quote_first() {
    let desk = preparing(data(201, quote()));
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(QUOTE, ORE.to_owned())));
    assert_eq!(desk.asked(), [format!("GET /air/orders/{ORDER}"), "POST /air/order_cancellations".to_owned()]);
    assert_eq!(body_of(&desk.last()), json!({"data": {"order_id": ORDER}}));
    assert_eq!(scripted(CELL, []).noting(QUOTE, ORE).prepare(&args()).await, Ok(Step::Ready));
    assert_eq!(SPEC.notes, [QUOTE]);
}

#[tokio::test]
async fn cancel_order_cancelled_before_has_happened() {
    let desk = scripted(CELL, [data(200, cancelled())]);
    let Ok(Step::Happened(receipt)) = desk.prepare(&args()).await else { panic!("not seen") };
    assert_eq!(*receipt.body, json!({"id": ORDER, "doer": "cannot_tell"}));
    // Cancelled between the two steps: the next round reads it.
    let raced = preparing(error(422, "invalid_state_error", "already_cancelled"));
    assert!(raced.prepare(&args()).await.is_err());
}

#[tokio::test]
async fn cancel_quote_below_the_least_refund_is_refused() {
    let unknown = |mut quote: Value| {
        quote["refund_amount"] = Value::Null;
        quote
    };
    for (wanted, quote, code) in [
        (least(8081, "GBP"), quote(), "refund_too_small"),
        (least(1, "EUR"), quote(), "refund_too_small"),
        (least(1, "GBP"), unknown(quote()), "refund_unknown"),
    ] {
        let step = preparing(data(201, quote)).prepare(&wanted).await;
        assert!(matches!(&step, Ok(Step::Refused(refusal)) if refusal.code == code), "{step:?}");
    }
    for (wanted, quote) in [(least(8080, "GBP"), quote()), (args(), unknown(quote()))] {
        assert!(matches!(preparing(data(201, quote)).prepare(&wanted).await, Ok(Step::Note(..))));
    }
}

#[tokio::test]
async fn cancel_that_is_not_allowed_is_refused() {
    let step = preparing(error(422, "invalid_state_error", "order_not_cancellable")).prepare(&args()).await;
    assert!(matches!(&step, Ok(Step::Refused(refusal)) if refusal.code == "order_not_cancellable"), "{step:?}");
    let step = scripted(CELL, [missing()]).prepare(&args()).await;
    assert!(matches!(&step, Ok(Step::Refused(refusal)) if refusal.code == "not_found"), "{step:?}");
    for failing in [error(500, "api_error", "internal_server_error"), error(422, "airline_error", "x"), (202, quote())]
    {
        assert!(preparing(failing).prepare(&args()).await.is_err());
    }
}

#[tokio::test]
async fn cancel_quote_of_another_order_is_caught() {
    for (name, value) in [("order_id", "ord_other"), ("id", "../x")] {
        let mut wrong = quote();
        wrong[name] = json!(value);
        assert!(preparing(data(201, wrong)).prepare(&args()).await.is_err(), "{name}");
    }
    assert!(scripted(CELL, [data(200, order("ord_other", "x"))]).prepare(&args()).await.is_err());
}

#[tokio::test]
async fn cancel_sends_what_was_asked() {
    let desk = quoted(data(200, confirmed()));
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("not done") };
    assert_eq!(receipt.id, "", "nothing is claimed");
    assert_eq!(
        *receipt.body,
        json!({"id": ORDER, "refund": {"amount": 8080, "currency": "GBP"}, "refund_to": "balance", "doer": "us"})
    );
    assert_eq!(desk.asked(), [format!("POST /air/order_cancellations/{ORE}/actions/confirm")]);
    assert_eq!(word(&scripted(CELL, []).attempt(&args()).await), "not done", "without a quote");
}

#[tokio::test]
async fn cancel_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).noting(QUOTE, ORE).attempt(&args()).await), "unclear");
    let desk = quoted(data(200, confirmed()));
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("not found") };
    assert_eq!((receipt.id.as_str(), &receipt.body["doer"]), ("", &json!("cannot_tell")));
    assert_eq!(receipt.body["refund"], json!({"amount": 8080, "currency": "GBP"}));
    assert_eq!(desk.asked(), [format!("GET /air/order_cancellations/{ORE}")]);
}

#[tokio::test]
async fn cancel_by_others_satisfies() {
    let desk = looking([data(200, quote()), data(200, cancelled())]);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("not found") };
    assert_eq!(*receipt.body, json!({"id": ORDER, "doer": "cannot_tell"}));
    let forgotten = scripted(CELL, [data(200, cancelled())]);
    assert!(matches!(forgotten.find(&args()).await, Ok(Finding::Happened(_))), "without a note");
}

#[tokio::test]
async fn cancel_open_order_is_absent() {
    for quote in [data(200, quote()), missing()] {
        assert_eq!(looking([quote, data(200, order(ORDER, "x"))]).find(&args()).await, Ok(Finding::Absent));
    }
    let mut other = confirmed();
    other["order_id"] = json!("ord_other");
    for failing in [data(200, other), error(500, "api_error", "internal_server_error")] {
        assert!(looking([failing, data(200, order(ORDER, "x"))]).find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn cancel_refused_at_last_is_not_guessed() {
    let answer = quoted(error(422, "invalid_state_error", "order_not_cancellable")).attempt(&args()).await;
    assert_eq!(word(&answer), "unclear");
    let answer = quoted(error(422, "validation_error", "not_found")).attempt(&args()).await;
    assert_eq!(word(&answer), "refused", "a request that is wrong by itself");
}

#[tokio::test]
async fn cancel_repeat_is_taken() {
    let answer = quoted(error(422, "invalid_state_error", "already_cancelled")).attempt(&args()).await;
    assert_eq!(word(&answer), "taken");
}

#[tokio::test]
async fn cancel_stale_quote_is_taken() {
    let answer = quoted(error(422, "invalid_state_error", "order_cancellation_stale")).attempt(&args()).await;
    assert_eq!(word(&answer), "taken");
}

#[tokio::test]
async fn cancel_500_and_502_are_adrift() {
    for (status, code) in [(500, "internal_server_error"), (502, "bad_gateway")] {
        assert_eq!(word(&quoted(error(status, "api_error", code)).attempt(&args()).await), "adrift");
    }
}

#[tokio::test]
async fn cancel_other_failures_are_not_guessed() {
    for answer in unclear() {
        assert_eq!(word(&quoted(answer.clone()).attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn cancel_unconfirmed_answer_is_not_guessed() {
    assert_eq!(word(&quoted(data(200, quote())).attempt(&args()).await), "unclear");
    for (name, value) in [("order_id", "ord_other"), ("id", "ore_other")] {
        let mut wrong = confirmed();
        wrong[name] = json!(value);
        assert_eq!(word(&quoted(data(200, wrong)).attempt(&args()).await), "echo", "{name}");
    }
    // Cancelled is cancelled, whatever the refund is.
    let mut odd = confirmed();
    odd["refund_amount"] = json!("a lot");
    assert_eq!(word(&quoted(data(200, odd)).attempt(&args()).await), "happened");
}

#[tokio::test]
async fn cancel_vanished_order_cannot_be_told() {
    assert!(matches!(looking([missing(), missing()]).find(&args()).await, Ok(Finding::CannotTell(_))));
    let foreign = (404, json!({"message": "Not Found"}));
    for answers in [[foreign.clone(), missing()], [missing(), foreign]] {
        assert!(looking(answers).find(&args()).await.is_err());
    }
}

#[test]
fn cancel_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert_eq!(least(1, "GBP").check(), Ok(()));
    for wrong in ["", "ord_", "ord_../x", "RZPNX8"] {
        assert!(Cancel::of(wrong).check().is_err_and(|why| why.contains("order_id")), "{wrong}");
    }
    assert!(least(0, "GBP").check().is_err_and(|why| why.contains("least_refund")));
}
