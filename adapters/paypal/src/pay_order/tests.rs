use hapax_core::cell::{CellArgs, CellReceipt as _};
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CAPTURE, ORDER as ID, capture, error, losing, missing, order, scripted, unclear, unprocessable};

const CELL: &str = "paypal.pay_order";

fn args() -> PayOrder {
    let source = PaymentSource::Paypal { vault_id: "8kk8451t".to_owned() };
    PayOrder::new(Money::new(1050, "EUR").expect("money"), source)
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

/// A desk at which the order was noted.
fn noted(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers).noting(ORDER, ID)
}

#[tokio::test]
async fn pay_order_creates_an_unpaid_order_first() {
    let desk = scripted(CELL, [(201, order("CREATED", &mark(), &[]))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note("order", ID.to_owned())));
    assert_eq!(desk.asked(), ["POST /v2/checkout/orders"]);
    let request = desk.last();
    assert!(request.headers.contains(&("PayPal-Request-Id".to_owned(), desk.names().harmless_token("create"))));
    let unit = json!({"amount": {"currency_code": "EUR", "value": "10.50"}, "custom_id": mark(),
        "invoice_id": desk.names().harmless_token("invoice")});
    assert_eq!(body_of(&request), json!({"intent": "CAPTURE", "purchase_units": [unit]}), "no way to pay");
    assert_eq!(noted([]).prepare(&args()).await, Ok(Step::Ready));
    assert_eq!(SPEC.notes, [ORDER]);
}

#[tokio::test]
async fn pay_order_sends_what_was_asked() {
    let card = PaymentSource::Card { vault_id: "c1".to_owned() };
    let agreement = PaymentSource::BillingAgreement { id: "B-1".to_owned() };
    for (source, sent) in [
        (args().payment_source, json!({"paypal": {"vault_id": "8kk8451t"}})),
        (
            card,
            json!({"card": {"vault_id": "c1", "stored_credential": {"payment_initiator": "MERCHANT",
                "payment_type": "UNSCHEDULED", "usage": "SUBSEQUENT"}}}),
        ),
        (agreement, json!({"token": {"id": "B-1", "type": "BILLING_AGREEMENT"}})),
    ] {
        let desk = noted([(201, order("COMPLETED", &mark(), &["COMPLETED"]))]);
        let answer = desk.attempt(&PayOrder { payment_source: source, ..args() }).await;
        assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == CAPTURE), "{answer:?}");
        let request = desk.last();
        assert_eq!(desk.asked().last(), Some(&format!("POST /v2/checkout/orders/{ID}/capture")));
        assert!(request.headers.contains(&("PayPal-Request-Id".to_owned(), desk.names().token("capture"))));
        assert_eq!(body_of(&request), json!({"payment_source": sent}));
    }
}

#[tokio::test]
async fn pay_order_other_order_under_the_key_is_caught() {
    let mut dearer = order("CREATED", &mark(), &[]);
    dearer["purchase_units"][0]["amount"]["value"] = "99.00".into();
    for other in [dearer, order("CREATED", "somebody else's", &[])] {
        let desk = scripted(CELL, [(200, other)]);
        assert!(matches!(desk.prepare(&args()).await, Err(Fault::Echo(_))));
    }
}

#[tokio::test]
async fn pay_order_forgotten_order_is_the_same_again() {
    let desk = scripted(CELL, [(200, order("CREATED", &mark(), &[]))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(ORDER, ID.to_owned())));
    // A repeat may be told in few words.
    let few = json!({"id": ID, "status": "COMPLETED", "links": []});
    let desk = scripted(CELL, [(200, few), (200, order("COMPLETED", &mark(), &["COMPLETED"]))]);
    assert!(matches!(desk.prepare(&args()).await, Ok(Step::Happened(receipt)) if receipt.id == CAPTURE));
    assert_eq!(desk.asked(), ["POST /v2/checkout/orders".to_owned(), format!("GET /v2/checkout/orders/{ID}")]);
    assert_eq!(scripted(CELL, []).find(&args()).await, Ok(Finding::Absent), "nothing is noted");
}

#[tokio::test]
async fn pay_order_is_refused_before_there_is_an_order() {
    let desk = scripted(CELL, [unprocessable("CURRENCY_NOT_SUPPORTED")]);
    let step = desk.prepare(&args()).await;
    assert!(matches!(&step, Ok(Step::Refused(refusal)) if refusal.code == "CURRENCY_NOT_SUPPORTED"), "{step:?}");
    for answer in unclear() {
        assert!(scripted(CELL, [answer]).prepare(&args()).await.is_err());
    }
}

#[tokio::test]
async fn pay_order_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).noting(ORDER, ID).attempt(&args()).await), "unclear");
    for status in ["COMPLETED", "PARTIALLY_REFUNDED", "REFUNDED"] {
        let desk = noted([(200, order("COMPLETED", &mark(), &[status]))]);
        assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == CAPTURE));
        assert_eq!(desk.asked(), [format!("GET /v2/checkout/orders/{ID}")]);
    }
}

#[tokio::test]
async fn pay_order_request_lost_before_effect() {
    for status in ["CREATED", "SAVED", "APPROVED", "PAYER_ACTION_REQUIRED"] {
        assert_eq!(noted([(200, order(status, &mark(), &[]))]).find(&args()).await, Ok(Finding::Absent), "{status}");
    }
    // Declined, and open for another try.
    let open = order("CREATED", &mark(), &["DECLINED"]);
    assert_eq!(noted([(200, open)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn pay_order_repeat_is_taken() {
    for issue in ["ORDER_ALREADY_CAPTURED", "DUPLICATE_INVOICE_ID"] {
        assert_eq!(word(&noted([unprocessable(issue)]).attempt(&args()).await), "taken", "{issue}");
    }
}

#[tokio::test]
async fn pay_order_declined_instrument_is_refused() {
    for issue in ["INSTRUMENT_DECLINED", "PAYER_CANNOT_PAY", "TOKEN_ID_NOT_FOUND", "ORDER_NOT_APPROVED"] {
        let answer = noted([unprocessable(issue)]).attempt(&args()).await;
        assert!(matches!(&answer, Answer::Refused(refusal, Covers::Attempt) if refusal.code == issue), "{answer:?}");
    }
}

#[tokio::test]
async fn pay_order_declined_payment_is_no_payment() {
    let declined = order("COMPLETED", &mark(), &["DECLINED"]);
    assert_eq!(word(&noted([(201, declined.clone())]).attempt(&args()).await), "refused on record");
    assert!(matches!(noted([(200, declined)]).find(&args()).await, Ok(Finding::Failed(_))));
    let voided = order("VOIDED", &mark(), &[]);
    assert!(matches!(noted([(200, voided)]).find(&args()).await, Ok(Finding::Failed(_))));
}

#[tokio::test]
async fn pay_order_pending_payment_has_happened() {
    let answer = noted([(201, order("COMPLETED", &mark(), &["PENDING"]))]).attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(receipt.body["status"], "PENDING");
    for (status, failed) in
        [("PENDING", false), ("COMPLETED", false), ("REFUNDED", false), ("DECLINED", true), ("FAILED", true)]
    {
        let desk = scripted(CELL, [(200, capture(status))]);
        let receipt = desk.follow(&args(), CAPTURE).await.expect("it is read").expect("it is there");
        let receipt: PayOrderReceipt = serde_json::from_value((*receipt.body).clone()).expect("a receipt");
        assert_eq!(receipt.fate(), Some((status.to_ascii_lowercase(), failed)));
    }
}

#[tokio::test]
async fn pay_order_other_failures_are_not_guessed() {
    for (status, body) in unclear().into_iter().chain([unprocessable("ORDER_COMPLETION_IN_PROGRESS")]) {
        assert_eq!(word(&noted([(status, body.clone())]).attempt(&args()).await), "unclear", "{status} {body}");
    }
    assert!(noted([error(500, "INTERNAL_SERVER_ERROR", &[])]).find(&args()).await.is_err());
}

#[tokio::test]
async fn pay_order_unauthorized_is_not_done() {
    let expired = (401, json!({"error": "invalid_token", "error_description": "Token signature verification failed"}));
    for answer in [expired, error(401, "AUTHENTICATION_FAILURE", &[])] {
        assert_eq!(word(&noted([answer]).attempt(&args()).await), "not done");
    }
    assert_eq!(word(&scripted(CELL, []).attempt(&args()).await), "not done", "no order is noted");
}

#[tokio::test]
async fn pay_order_echo_mismatch_is_caught() {
    let mut other = order("COMPLETED", &mark(), &["COMPLETED"]);
    other["id"] = "0THER".into();
    let mut dearer = order("COMPLETED", &mark(), &["COMPLETED"]);
    dearer["purchase_units"][0]["payments"]["captures"][0]["amount"]["value"] = "99.00".into();
    for answer in [other, dearer, order("COMPLETED", "somebody else's", &["COMPLETED"])] {
        assert_eq!(word(&noted([(201, answer)]).attempt(&args()).await), "echo");
    }
}

#[tokio::test]
async fn pay_order_look_reads_the_noted_order() {
    let mut other = order("COMPLETED", &mark(), &["COMPLETED"]);
    other["id"] = "0THER".into();
    for other in
        [other, order("COMPLETED", "somebody else's", &["COMPLETED"]), order("CREATED", "somebody else's", &[])]
    {
        let finding = noted([(200, other.clone())]).find(&args()).await;
        assert!(matches!(finding, Err(Fault::Echo(_))), "{other}: {finding:?}");
    }
    let partly = json!({"id": ID, "status": "CREATED"});
    let finding = noted([(200, partly)]).find(&args()).await;
    assert!(matches!(finding, Err(Fault::Unread(_))), "an order without its parts says nothing: {finding:?}");
}

#[tokio::test]
async fn pay_order_vanished_order_cannot_be_told() {
    assert!(matches!(noted([missing()]).find(&args()).await, Ok(Finding::CannotTell(_))));
    assert!(noted([(404, json!({"message": "Not Found"}))]).find(&args()).await.is_err());
}

#[tokio::test]
async fn pay_order_unknown_states_cannot_be_told() {
    for (status, payments) in [
        ("COMPLETED", &[][..]),
        ("COMPLETED", &["COMPLETED", "COMPLETED"]),
        ("COMPLETED", &["NEW_STATUS"]),
        ("NEW_STATUS", &[]),
    ] {
        let finding = noted([(200, order(status, &mark(), payments))]).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{finding:?}");
        let answer = noted([(201, order(status, &mark(), payments))]).attempt(&args()).await;
        assert_eq!(word(&answer), "unclear");
    }
}

#[tokio::test]
async fn pay_order_superseding_pays_the_same_order() {
    let after = |answers: Vec<(u16, Value)>| scripted(CELL, answers).superseding(ORDER, ID);
    let open = after(vec![(200, order("CREATED", &mark(), &[]))]);
    assert_eq!(open.prepare(&args()).await, Ok(Step::Note(ORDER, ID.to_owned())));
    let paid = after(vec![(200, order("COMPLETED", &mark(), &["COMPLETED"]))]);
    assert!(matches!(paid.prepare(&args()).await, Ok(Step::Happened(_))));
    // Another amount is wanted now.
    let mut dearer = order("CREATED", &mark(), &[]);
    dearer["purchase_units"][0]["amount"]["value"] = "99.00".into();
    for gone in [(200, order("COMPLETED", &mark(), &["DECLINED"])), missing(), (200, dearer)] {
        let desk = after(vec![gone, (201, order("CREATED", &mark(), &[]))]);
        assert!(matches!(desk.prepare(&args()).await, Ok(Step::Note(..))));
        assert_eq!(desk.asked().last().map(String::as_str), Some("POST /v2/checkout/orders"));
    }
    assert!(after(vec![(200, order("NEW_STATUS", &mark(), &[]))]).prepare(&args()).await.is_err());
}

#[tokio::test]
async fn pay_order_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, capture("COMPLETED")), missing(), (200, capture("DECLINED"))]);
    let receipt = desk.fetch(&args(), CAPTURE).await.expect("it is read").expect("it is there");
    assert_eq!((receipt.id.as_str(), &receipt.body["order"]), (CAPTURE, &json!(ID)));
    assert_eq!(desk.fetch(&args(), CAPTURE).await, Ok(None));
    assert!(desk.fetch(&args(), CAPTURE).await.is_err(), "declined");
    assert!(desk.fetch(&args(), "a/b").await.is_err());
    let mut other = capture("COMPLETED");
    other["id"] = "0THER".into();
    assert!(matches!(scripted(CELL, [(200, other)]).fetch(&args(), CAPTURE).await, Err(Fault::Echo(_))));
}

#[test]
fn pay_order_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let source = |id: &str| PayOrder { payment_source: PaymentSource::Card { vault_id: id.to_owned() }, ..args() };
    let amount = Money { amount: 0, currency: "EUR".to_owned() };
    for (wrong, field) in [
        (source(""), "payment_source"),
        (source("a b"), "payment_source"),
        (PayOrder { amount, ..args() }, "amount"),
        (PayOrder { description: Some("x".repeat(128)), ..args() }, "description"),
    ] {
        assert!(wrong.check().is_err_and(|why| why.contains(field)), "{field}");
    }
}
