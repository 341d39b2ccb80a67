use hapax_core::cell::CellArgs;
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.capture";

fn args() -> Capture {
    serde_json::from_value(json!({"payment_intent": "pi_1", "amount": {"amount": 700, "currency": "EUR"}}))
        .expect("arguments")
}

fn intent(status: &str) -> (u16, Value) {
    (
        200,
        json!({"id": "pi_1", "status": status, "amount": 1050, "amount_received": 700, "currency": "eur",
        "latest_charge": "ch_1", "metadata": {}}),
    )
}

#[tokio::test]
async fn capture_sends_key_and_amount() {
    let desk = scripted(CELL, [intent("succeeded")]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(receipt.body["doer"], "us");
    assert_eq!(receipt.body["amount"], json!({"amount": 700, "currency": "EUR"}));
    assert_eq!(receipt.id, "", "a second operation may find the same capture");
    assert_eq!(desk.asked(), ["POST /v1/payment_intents/pi_1/capture"]);
    assert_eq!(json_of(&form_of(&desk.request(0))), json!({"amount_to_capture": "700"}));
    assert_eq!(key_of(&desk.request(0)), desk.names().token("capture"));
}

#[tokio::test]
async fn capture_answer_lost_after_effect() {
    let desk = losing(CELL);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [intent("succeeded")]);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!() };
    assert_eq!(receipt.body["doer"], "cannot_tell");
    assert_eq!(desk.asked(), ["GET /v1/payment_intents/pi_1"]);
}

#[tokio::test]
async fn capture_not_yet_captured_is_absent() {
    let desk = scripted(CELL, [intent("requires_capture")]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    let desk = scripted(CELL, [intent("processing")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::NotYet(_))));
}

#[tokio::test]
async fn capture_repeat_is_taken() {
    for code in ["payment_intent_unexpected_state", "charge_already_captured"] {
        let desk = scripted(CELL, [error(400, "invalid_request_error", code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "taken", "{code}");
    }
}

#[tokio::test]
async fn capture_canceled_intent_failed() {
    let desk = scripted(CELL, [intent("canceled")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Failed(_))));
}

#[tokio::test]
async fn capture_of_another_amount_is_an_echo_fault() {
    let (status, mut other) = intent("succeeded");
    other["amount_received"] = json!(1050);
    let desk = scripted(CELL, [(status, other)]);
    assert_eq!(desk.find(&args()).await, Err(Fault::Echo("amount".to_owned())));
}

#[tokio::test]
async fn capture_stored_500_burns_the_key_not_the_status() {
    let desk = scripted(CELL, [error(500, "api_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "key burnt");
}

#[tokio::test]
async fn capture_unknown_intent_is_absent() {
    let missing = || error(404, "invalid_request_error", "resource_missing");
    let desk = scripted(CELL, [missing()]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    let desk = scripted(CELL, [missing()]);
    assert_eq!(word(&desk.attempt(&args()).await), "refused");
    let desk = scripted(CELL, [(404, json!({"message": "Not Found"}))]);
    assert!(desk.find(&args()).await.is_err(), "not Stripe's own envelope");
}

#[test]
fn capture_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let wrong = Capture { payment_intent: "pi_1/confirm".to_owned(), ..args() };
    assert!(wrong.check().is_err_and(|why| why.contains("payment_intent")));
    let wrong = Capture { amount: Some(Money { amount: -5, currency: "EUR".to_owned() }), ..args() };
    assert!(wrong.check().is_err_and(|why| why.contains("amount")));
}
