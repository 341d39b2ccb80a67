use hapax_core::cell::CellArgs;
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.cancel_payment";

fn args() -> CancelPayment {
    serde_json::from_value(json!({"payment_intent": "pi_1", "reason": "abandoned"})).expect("arguments")
}

fn intent(status: &str) -> (u16, Value) {
    (200, json!({"id": "pi_1", "status": status, "amount": 1050, "currency": "eur"}))
}

#[tokio::test]
async fn cancel_payment_sends_key_and_reason() {
    let desk = scripted(CELL, [intent("canceled")]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": "pi_1", "status": "canceled", "doer": "us"}));
    assert_eq!(desk.asked(), ["POST /v1/payment_intents/pi_1/cancel"]);
    assert_eq!(json_of(&form_of(&desk.request(0))), json!({"cancellation_reason": "abandoned"}));
    assert_eq!(key_of(&desk.request(0)), desk.names().token("cancel"));
}

#[tokio::test]
async fn cancel_payment_answer_lost_after_effect() {
    let desk = losing(CELL);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [intent("canceled")]);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!() };
    assert_eq!(receipt.body["doer"], "cannot_tell");
}

#[tokio::test]
async fn cancel_payment_open_intent_is_absent() {
    for status in ["requires_payment_method", "requires_confirmation", "requires_action", "requires_capture"] {
        let desk = scripted(CELL, [intent(status)]);
        assert_eq!(desk.find(&args()).await, Ok(Finding::Absent), "{status}");
    }
}

#[tokio::test]
async fn cancel_payment_repeat_is_taken() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", "payment_intent_unexpected_state")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn cancel_payment_of_a_succeeded_payment_failed() {
    let desk = scripted(CELL, [intent("succeeded")]);
    let finding = desk.find(&args()).await;
    assert!(matches!(finding, Ok(Finding::Failed(refusal)) if refusal.message.contains("refund")));
}

#[tokio::test]
async fn cancel_payment_processing_is_not_yet() {
    let desk = scripted(CELL, [intent("processing")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::NotYet(_))));
    let desk = scripted(CELL, [intent("processing")]);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
}

#[tokio::test]
async fn cancel_payment_stored_500_burns_the_key_not_the_status() {
    let desk = scripted(CELL, [error(500, "api_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "key burnt");
}

#[test]
fn cancel_payment_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let wrong = CancelPayment { payment_intent: "re_1".to_owned(), reason: None };
    assert!(wrong.check().is_err_and(|why| why.contains("payment_intent")));
}
