use hapax_core::cell::{Cell, CellArgs, CellReceipt, Step};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.charge";

fn args() -> Charge {
    serde_json::from_value(json!({
        "amount": {"amount": 1050, "currency": "EUR"}, "payment_method": "pm_1abc", "customer": "cus_1",
    }))
    .expect("arguments")
}

fn without_customer() -> Charge {
    Charge { customer: None, ..args() }
}

fn intent(id: &str, status: &str, mark: &str) -> Value {
    json!({"id": id, "status": status, "amount": 1050, "currency": "eur", "customer": "cus_1",
        "payment_method": "pm_1abc", "latest_charge": "ch_1", "metadata": {"hapax": mark},
        "client_secret": "pi_1_secret_x"})
}

fn list(data: Vec<Value>, has_more: bool) -> (u16, Value) {
    (200, json!({"object": "list", "data": data, "has_more": has_more}))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

#[tokio::test]
async fn charge_creates_unconfirmed_then_notes_the_intent() {
    let desk = scripted(CELL, [(200, intent("pi_1", "requires_confirmation", &mark()))]);
    let step = ChargeCell.prepare(&desk.context(), &args()).await.expect("a step");
    assert_eq!(step, Step::Note("intent", "pi_1".to_owned()));
    assert_eq!(desk.asked(), ["POST /v1/payment_intents"]);
    let form = form_of(&desk.request(0));
    let expected = json!({"amount": "1050", "currency": "eur", "payment_method": "pm_1abc", "customer": "cus_1",
        "capture_method": "automatic", "payment_method_types[0]": "card", "metadata[hapax]": mark()});
    assert_eq!(json_of(&form), expected, "nothing confirms, and nothing is left to the Dashboard");

    let desk = scripted(CELL, []).noting("intent", "pi_1");
    assert_eq!(ChargeCell.prepare(&desk.context(), &args()).await, Ok(Step::Ready));
}

#[tokio::test]
async fn charge_create_that_is_refused_refuses() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", "amount_too_small")]);
    match ChargeCell.prepare(&desk.context(), &args()).await {
        Ok(Step::Refused(refusal)) => assert_eq!(refusal.code, "amount_too_small"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn charge_create_answered_500_is_made_again_under_another_key() {
    let answers = [error(500, "api_error", ""), (200, intent("pi_2", "requires_confirmation", &mark()))];
    let desk = scripted(CELL, answers);
    let step = ChargeCell.prepare(&desk.context(), &args()).await;
    assert_eq!(step, Ok(Step::Note("intent", "pi_2".to_owned())));
    assert_ne!(key_of(&desk.request(0)), key_of(&desk.request(1)));
}

#[tokio::test]
async fn charge_create_that_does_not_echo_is_not_used() {
    let mut other = intent("pi_1", "requires_confirmation", &mark());
    other["amount"] = json!(99);
    for answer in [other, intent("pi_1", "requires_confirmation", "somebody else's")] {
        let desk = scripted(CELL, [(200, answer)]);
        let step = ChargeCell.prepare(&desk.context(), &args()).await;
        assert!(matches!(step, Err(Fault::Echo(_))), "{step:?}");
    }
}

#[tokio::test]
async fn charge_create_key_used_by_another_intent_is_no_refusal() {
    let desk = scripted(CELL, [error(400, "idempotency_error", "")]);
    assert!(matches!(ChargeCell.prepare(&desk.context(), &args()).await, Err(Fault::Status(400, _))));
}

#[tokio::test]
async fn charge_confirm_carries_the_key_of_its_own_step() {
    let desk = scripted(CELL, [(200, intent("pi_1", "succeeded", &mark()))]).noting("intent", "pi_1");
    let answer = desk.attempt(&Charge { off_session: Some(true), ..args() }).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(receipt.id, "pi_1");
    let expected = json!({"id": "pi_1", "charge": "ch_1", "amount": {"amount": 1050, "currency": "EUR"},
        "status": "succeeded", "customer": "cus_1", "payment_method": "pm_1abc"});
    assert_eq!(*receipt.body, expected, "the client secret is not kept");
    let request = desk.request(0);
    assert_eq!(desk.asked(), ["POST /v1/payment_intents/pi_1/confirm"]);
    assert_eq!(form_of(&request).get("off_session").map(String::as_str), Some("true"));
    let names = desk.names();
    let keys = [key_of(&request), names.harmless_token("create"), names.harmless_token("retire")];
    assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2], "keys belong to the account");
}

#[tokio::test]
async fn charge_answer_lost_after_effect() {
    let desk = losing(CELL).noting("intent", "pi_1");
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [(200, intent("pi_1", "succeeded", &mark()))]).noting("intent", "pi_1");
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "pi_1"));
    assert_eq!(desk.asked(), ["GET /v1/payment_intents/pi_1"]);
}

#[tokio::test]
async fn charge_request_lost_before_effect() {
    let unspent = intent("pi_1", "requires_confirmation", &mark());
    let desk = scripted(CELL, [(200, unspent.clone()), list(vec![unspent], false)]).noting("intent", "pi_1");
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn charge_processing_and_actions_have_happened() {
    for status in ["processing", "requires_action", "requires_capture", "succeeded"] {
        let desk = scripted(CELL, [(200, intent("pi_1", status, &mark()))]).noting("intent", "pi_1");
        let answer = desk.attempt(&args()).await;
        assert_eq!(word(&answer), "happened", "{status}");
        let desk = scripted(CELL, [(200, intent("pi_1", status, &mark()))]).noting("intent", "pi_1");
        let Ok(Finding::Happened(receipt)) = ChargeCell.find(&desk.context(), &args()).await else {
            panic!("{status}")
        };
        assert_eq!(receipt.fate(), Some((status.to_owned(), false)));
    }
}

#[tokio::test]
async fn charge_decline_is_refused_on_record() {
    let decline = json!({"error": {"type": "card_error", "code": "card_declined",
        "decline_code": "insufficient_funds", "message": "Your card has insufficient funds."}});
    let desk = scripted(CELL, [(402, decline)]).noting("intent", "pi_1");
    let answer = desk.attempt(&args()).await;
    assert_eq!(word(&answer), "refused on record");
    let Answer::Refused(refusal, _) = answer else { panic!() };
    assert_eq!(refusal.code, "card_declined");
    assert!(refusal.message.contains("insufficient_funds"), "{refusal}");
}

#[tokio::test]
async fn charge_declined_intent_is_not_spent() {
    let declined = intent("pi_1", "requires_payment_method", &mark());
    let desk = scripted(CELL, [(200, declined.clone()), list(vec![declined], false)]).noting("intent", "pi_1");
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn charge_stored_500_burns_the_key_not_the_intent() {
    let desk = scripted(CELL, [error(500, "api_error", "")]).noting("intent", "pi_1");
    assert_eq!(word(&desk.attempt(&args()).await), "key burnt");
    let again = scripted(CELL, [(200, intent("pi_1", "succeeded", &mark()))]).noting("intent", "pi_1").replaced(1);
    assert_eq!(word(&again.attempt(&args()).await), "happened");
    assert_ne!(key_of(&desk.request(0)), key_of(&again.request(0)));
    assert_eq!(desk.asked(), again.asked(), "another key, the same intent");
}

#[tokio::test]
async fn charge_in_use_and_limits_are_not_done() {
    for (status, kind, code) in [
        (409, "idempotency_error", "idempotency_key_in_use"),
        (409, "invalid_request_error", "idempotency_key_in_use"),
        (429, "invalid_request_error", "rate_limit"),
        (429, "invalid_request_error", "lock_timeout"),
        (429, "api_error", ""),
    ] {
        let desk = scripted(CELL, [error(status, kind, code)]).noting("intent", "pi_1");
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status} {code}");
    }
}

#[tokio::test]
async fn charge_wrong_credentials_are_not_done() {
    let desk = scripted(CELL, [error(401, "invalid_request_error", "")]).noting("intent", "pi_1");
    assert_eq!(word(&desk.attempt(&args()).await), "not done");
}

#[tokio::test]
async fn charge_key_with_other_parameters_is_taken() {
    let desk = scripted(CELL, [error(400, "idempotency_error", "")]).noting("intent", "pi_1");
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn charge_unexpected_state_is_taken() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", "payment_intent_unexpected_state")]);
    assert_eq!(word(&desk.noting("intent", "pi_1").attempt(&args()).await), "taken");
}

#[tokio::test]
async fn charge_other_answers_are_not_guessed() {
    for answer in [
        error(402, "invalid_request_error", ""),
        error(409, "invalid_request_error", "resource_busy"),
        (502, json!("<html>bad gateway</html>")),
        (200, json!({"ok": true})),
        (200, intent("pi_1", "requires_payment_method", &mark())),
        (200, intent("pi_1", "a_new_status", &mark())),
        (302, json!({})),
    ] {
        let desk = scripted(CELL, [answer.clone()]).noting("intent", "pi_1");
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn charge_canceled_intent_failed() {
    let canceled = intent("pi_1", "canceled", &mark());
    let desk = scripted(CELL, [(200, canceled.clone()), list(vec![canceled.clone()], false)]).noting("intent", "pi_1");
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Failed(refusal)) if refusal.code == "canceled"));
    let desk = scripted(CELL, [(200, canceled)]).noting("intent", "pi_1");
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn charge_answer_about_another_intent_is_an_echo_fault() {
    let desk = scripted(CELL, [(200, intent("pi_9", "succeeded", &mark()))]).noting("intent", "pi_1");
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
}

#[tokio::test]
async fn charge_echo_mismatch_is_caught() {
    for (field, value) in [
        ("amount", json!(2)),
        ("currency", json!("usd")),
        ("customer", json!("cus_2")),
        ("payment_method", json!("pm_1other")),
    ] {
        let mut other = intent("pi_1", "succeeded", &mark());
        other[field] = value;
        let desk = scripted(CELL, [(200, other.clone())]).noting("intent", "pi_1");
        assert_eq!(desk.find(&args()).await, Err(Fault::Echo(field.to_owned())));
        let desk = scripted(CELL, [(200, other)]).noting("intent", "pi_1");
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{field}");
    }
}

#[tokio::test]
async fn charge_lost_handle_is_found_by_mark() {
    let strangers = vec![intent("pi_3", "succeeded", "other"), intent("pi_2", "succeeded", "other")];
    let pages = || [list(strangers.clone(), true), list(vec![intent("pi_1", "succeeded", &mark())], false)];
    let desk = scripted(CELL, pages());
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "pi_1"));
    let first = "GET /v1/payment_intents?limit=100&customer=cus_1";
    assert_eq!(desk.asked(), [first.to_owned(), format!("{first}&starting_after=pi_2")]);

    let desk = scripted(CELL, pages());
    assert!(matches!(desk.find(&without_customer()).await, Ok(Finding::Happened(_))));
    let first = "GET /v1/payment_intents?limit=100&created%5Bgte%5D=1699999400";
    assert_eq!(desk.asked(), [first.to_owned(), format!("{first}&starting_after=pi_2")]);
}

#[tokio::test]
async fn charge_unconfirmed_intents_with_our_mark_do_not_count() {
    let unspent = ["requires_confirmation", "requires_payment_method", "canceled"];
    let unspent = unspent.iter().enumerate().map(|(n, status)| intent(&format!("pi_{n}"), status, &mark())).collect();
    let desk = scripted(CELL, [list(unspent, false)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn charge_noted_intent_unspent_but_another_spent() {
    for status in ["requires_confirmation", "requires_payment_method", "canceled"] {
        let noted = intent("pi_1", status, &mark());
        let spent = intent("pi_2", "succeeded", &mark());
        let desk = scripted(CELL, [(200, noted), list(vec![spent], false)]).noting("intent", "pi_1");
        let finding = desk.find(&args()).await.expect("a finding");
        assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "pi_2"), "{status}");
    }
}

#[tokio::test]
async fn charge_two_spent_intents_are_several() {
    let spent = vec![intent("pi_2", "succeeded", &mark()), intent("pi_1", "processing", &mark())];
    let desk = scripted(CELL, [list(spent, false)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(hits)) if hits.len() == 2));
}

#[tokio::test]
async fn charge_failed_page_is_no_absence() {
    for broken in [error(500, "api_error", ""), (200, json!({"data": [], "has_more": true})), (404, json!({}))] {
        let desk = scripted(CELL, [list(vec![intent("pi_9", "succeeded", "other")], true), broken]);
        assert!(desk.find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn charge_noted_intent_missing_is_no_absence() {
    let desk = scripted(CELL, [error(404, "invalid_request_error", "resource_missing")]).noting("intent", "pi_1");
    assert!(matches!(desk.find(&args()).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn charge_new_epoch_cancels_the_former_intent() {
    let answers = [
        (200, intent("pi_0", "requires_payment_method", &mark())),
        (200, intent("pi_0", "canceled", &mark())),
        (200, intent("pi_0", "canceled", &mark())),
        (200, intent("pi_1", "requires_confirmation", &mark())),
    ];
    let desk = scripted(CELL, answers).superseding("intent", "pi_0");
    let step = ChargeCell.prepare(&desk.context(), &args()).await;
    assert_eq!(step, Ok(Step::Note("intent", "pi_1".to_owned())));
    let read = "GET /v1/payment_intents/pi_0";
    let cancel = "POST /v1/payment_intents/pi_0/cancel";
    assert_eq!(desk.asked(), [read, cancel, read, "POST /v1/payment_intents"]);

    let stuck = [
        (200, intent("pi_0", "requires_payment_method", &mark())),
        error(500, "api_error", ""),
        (200, intent("pi_0", "requires_payment_method", &mark())),
    ];
    let desk = scripted(CELL, stuck).superseding("intent", "pi_0");
    assert!(ChargeCell.prepare(&desk.context(), &args()).await.is_err(), "no new intent beside a live one");
}

#[tokio::test]
async fn charge_former_intent_that_succeeded_has_happened() {
    let refused = error(400, "invalid_request_error", "payment_intent_unexpected_state");
    let late = [
        (200, intent("pi_0", "requires_payment_method", &mark())),
        refused,
        (200, intent("pi_0", "succeeded", &mark())),
    ];
    for answers in [late.to_vec(), vec![(200, intent("pi_0", "requires_capture", &mark()))]] {
        let desk = scripted(CELL, answers).superseding("intent", "pi_0");
        let step = ChargeCell.prepare(&desk.context(), &args()).await;
        assert!(matches!(step, Ok(Step::Happened(receipt)) if receipt.id == "pi_0"));
        assert!(!desk.asked().contains(&"POST /v1/payment_intents".to_owned()));
    }
}

#[tokio::test]
async fn charge_fetch_reads_what_a_person_names() {
    let fetch = async |answer: (u16, Value), id: &str| {
        let desk = scripted(CELL, [answer]);
        ChargeCell.fetch(&desk.context(), &args(), id).await
    };
    let read = fetch((200, intent("pi_1", "canceled", &mark())), "pi_1").await;
    assert_eq!(read.expect("read").expect("there").fate(), Some(("canceled".to_owned(), true)));
    assert!(fetch((200, intent("pi_1", "requires_confirmation", &mark())), "pi_1").await.is_err());
    assert_eq!(fetch(error(404, "invalid_request_error", "resource_missing"), "pi_1").await, Ok(None));
    assert!(fetch((200, json!({})), "../refunds").await.is_err());
}

#[test]
fn charge_checks_its_arguments() {
    let check = |change: fn(&mut Charge)| {
        let mut charge = args();
        change(&mut charge);
        charge.check().err().unwrap_or_default()
    };
    assert_eq!(args().check(), Ok(()));
    assert!(check(|charge| charge.amount.amount = 0).contains("amount"));
    assert!(check(|charge| charge.amount.currency = "eur".to_owned()).contains("EUR"));
    assert!(check(|charge| charge.payment_method = "4242424242424242".to_owned()).contains("payment_method"));
    assert!(check(|charge| charge.customer = Some("cus_1/../x".to_owned())).contains("customer"));
    assert!(check(|charge| charge.payment_method_types = Vec::new()).contains("payment_method_types"));
    assert!(check(|charge| charge.statement_descriptor_suffix = Some("x".repeat(23))).contains("22"));
    // A test token comes back as an id of its own, so only real ids are compared.
    let token = Charge { payment_method: "pm_card_visa".to_owned(), ..args() };
    assert!(token.echo().iter().all(|(name, _)| *name != "payment_method"));
}
