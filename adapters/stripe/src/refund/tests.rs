use hapax_core::cell::{Cell, CellArgs, CellReceipt};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.refund";

fn args() -> Refund {
    serde_json::from_value(json!({
        "payment_intent": "pi_1", "amount": {"amount": 500, "currency": "EUR"}, "reason": "requested_by_customer",
    }))
    .expect("arguments")
}

fn refund(id: &str, mark: &str) -> Value {
    json!({"id": id, "amount": 500, "currency": "eur", "status": "succeeded", "payment_intent": "pi_1",
        "charge": "ch_1", "metadata": {"hapax": mark}})
}

fn list(data: Vec<Value>, has_more: bool) -> (u16, Value) {
    (200, json!({"object": "list", "data": data, "has_more": has_more}))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

#[tokio::test]
async fn refund_sends_key_mark_and_parent() {
    let desk = scripted(CELL, [(200, refund("re_1", &mark()))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "re_1"), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /v1/refunds"]);
    assert_eq!(key_of(&desk.request(0)), desk.names().token("refund"));
    let expected = json!({"payment_intent": "pi_1", "amount": "500", "reason": "requested_by_customer",
        "metadata[hapax]": mark()});
    assert_eq!(json_of(&form_of(&desk.request(0))), expected);
}

#[tokio::test]
async fn refund_answer_lost_after_effect() {
    let desk = losing(CELL);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [list(vec![refund("re_2", "other")], true), list(vec![refund("re_1", &mark())], false)]);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "re_1"));
    let first = "GET /v1/refunds?limit=100&payment_intent=pi_1";
    assert_eq!(desk.asked(), [first.to_owned(), format!("{first}&starting_after=re_2")]);
}

#[tokio::test]
async fn refund_absent_after_all_pages() {
    let desk = scripted(CELL, [list(vec![refund("re_2", "other")], true), list(Vec::new(), false)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(desk.asked().len(), 2);
}

#[tokio::test]
async fn refund_equal_partial_refunds_are_distinct() {
    let both = || {
        let (one, two) = (scripted(CELL, []).mark(), scripted(CELL, []).keyed("order:1043").mark());
        [list(vec![refund("re_2", &two), refund("re_1", &one)], false)]
    };
    for (key, id) in [("order:1042", "re_1"), ("order:1043", "re_2")] {
        let desk = scripted(CELL, both()).keyed(key);
        let finding = desk.find(&args()).await.expect("a finding");
        assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == id));
    }
}

#[tokio::test]
async fn refund_of_another_parent_is_not_ours() {
    let mut other = refund("re_2", &mark());
    other["payment_intent"] = json!("pi_2");
    let desk = scripted(CELL, [list(vec![other.clone()], false)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));

    // By charge, as from a server that knows no payment intents.
    other["payment_intent"] = Value::Null;
    let by_charge = Refund { payment_intent: None, charge: Some("ch_1".to_owned()), ..args() };
    let desk = scripted(CELL, [list(vec![other], false)]);
    assert!(matches!(desk.find(&by_charge).await, Ok(Finding::Happened(_))));
    assert_eq!(desk.asked(), ["GET /v1/refunds?limit=100&charge=ch_1"]);
}

#[tokio::test]
async fn refund_failed_page_is_no_absence() {
    for broken in [error(500, "api_error", ""), (200, json!({"data": [], "has_more": true})), (404, json!({}))] {
        let desk = scripted(CELL, [list(vec![refund("re_9", "other")], true), broken]);
        assert!(desk.find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn refund_stored_500_is_adrift() {
    let desk = scripted(CELL, [error(500, "api_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "adrift");
    assert!(RefundCell::SPEC.can_be_adrift());
}

#[tokio::test]
async fn refund_already_refunded_is_taken() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", "charge_already_refunded")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn refund_disputed_is_refused() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", "charge_disputed")]);
    assert_eq!(word(&desk.attempt(&args()).await), "refused");
}

#[tokio::test]
async fn refund_in_use_and_limits_are_not_done() {
    for (status, code) in [(409, "idempotency_key_in_use"), (429, "rate_limit"), (429, "lock_timeout"), (401, "")] {
        let desk = scripted(CELL, [error(status, "invalid_request_error", code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status} {code}");
    }
}

#[tokio::test]
async fn refund_key_with_other_parameters_is_taken() {
    let desk = scripted(CELL, [error(400, "idempotency_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn refund_failed_later_has_happened_with_a_failed_fate() {
    for (status, failed) in [("failed", true), ("canceled", true), ("pending", false), ("requires_action", false)] {
        let mut late = refund("re_1", &mark());
        late["status"] = json!(status);
        let desk = scripted(CELL, [list(vec![late], false)]);
        let Ok(Finding::Happened(receipt)) = RefundCell.find(&desk.context(), &args()).await else {
            panic!("{status}")
        };
        assert_eq!(receipt.fate(), Some((status.to_owned(), failed)));
    }
}

#[tokio::test]
async fn refund_echo_mismatch_is_caught() {
    for (field, value) in [("amount", json!(501)), ("currency", json!("usd")), ("payment_intent", json!("pi_2"))] {
        let mut other = refund("re_1", &mark());
        other[field] = value;
        let desk = scripted(CELL, [(200, other)]);
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{field}");
    }
    let desk = scripted(CELL, [(200, refund("re_1", "somebody else's"))]);
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
    let mut other = refund("re_1", &mark());
    other["amount"] = json!(501);
    let desk = scripted(CELL, [list(vec![other], false)]);
    assert_eq!(desk.find(&args()).await, Err(Fault::Echo("amount".to_owned())));
}

#[tokio::test]
async fn refund_two_with_our_mark_are_several() {
    let desk = scripted(CELL, [list(vec![refund("re_2", &mark()), refund("re_1", &mark())], false)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(hits)) if hits.len() == 2));
}

#[test]
fn refund_checks_its_arguments() {
    let check = |change: fn(&mut Refund)| {
        let mut refund = args();
        change(&mut refund);
        refund.check().err().unwrap_or_default()
    };
    assert_eq!(args().check(), Ok(()));
    assert!(check(|refund| refund.charge = Some("ch_1".to_owned())).contains("exactly one"));
    assert!(check(|refund| refund.payment_intent = None).contains("exactly one"));
    assert!(check(|refund| refund.payment_intent = Some("ch_1".to_owned())).contains("pi_"));
    assert!(check(|refund| refund.amount = Some(Money { amount: 5124, currency: "KWD".to_owned() })).contains("tens"));
    assert_eq!(check(|refund| refund.amount = None), "");
}
