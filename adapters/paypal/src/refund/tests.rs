use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Covers, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{
    CAPTURE, ORDER, REFUND, capture, error, losing, missing, order, refund, scripted, unclear, unprocessable,
};

const CELL: &str = "paypal.refund";

fn args() -> Refund {
    Refund { amount: Some(Money::new(400, "EUR").expect("money")), ..Refund::of(CAPTURE) }
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

/// What a look reads: the payment, then its order with these refunds.
fn listing(refunds: &[Value]) -> [(u16, Value); 2] {
    let mut paid = order("COMPLETED", "the payment's", &["PARTIALLY_REFUNDED"]);
    paid["purchase_units"][0]["payments"]["refunds"] = refunds.into();
    [(200, capture("PARTIALLY_REFUNDED")), (200, paid)]
}

#[tokio::test]
async fn refund_sends_what_was_asked() {
    let desk = scripted(CELL, [(201, refund(REFUND, &mark()))]);
    let answer = desk.attempt(&Refund { note_to_payer: Some("Sorry".to_owned()), ..args() }).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == REFUND), "{answer:?}");
    let request = desk.last();
    assert_eq!(desk.asked().last(), Some(&format!("POST /v2/payments/captures/{CAPTURE}/refund")));
    assert!(request.headers.contains(&("PayPal-Request-Id".to_owned(), desk.names().token("refund"))));
    let amount = json!({"currency_code": "EUR", "value": "4.00"});
    let sent = json!({"amount": amount, "custom_id": mark(), "invoice_id": mark(), "note_to_payer": "Sorry"});
    assert_eq!(body_of(&request), sent);
}

#[tokio::test]
async fn refund_of_everything_has_no_amount() {
    let desk = scripted(CELL, [(201, refund(REFUND, &mark()))]);
    let answer = desk.attempt(&Refund::of(CAPTURE)).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.body["amount"]["amount"] == 400), "{answer:?}");
    assert_eq!(body_of(&desk.last()), json!({"custom_id": mark(), "invoice_id": mark()}));
}

#[tokio::test]
async fn refund_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, listing(&[refund("0THER", "another"), refund(REFUND, &mark())]));
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == REFUND));
    let asked = [format!("GET /v2/payments/captures/{CAPTURE}"), format!("GET /v2/checkout/orders/{ORDER}")];
    assert_eq!(desk.asked(), asked);
}

#[tokio::test]
async fn refund_request_lost_before_effect() {
    assert_eq!(scripted(CELL, listing(&[])).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn refund_is_refused() {
    for issue in ["REFUND_TIME_LIMIT_EXCEEDED", "REFUND_AMOUNT_EXCEEDED", "PENDING_CAPTURE", "TRANSACTION_DISPUTED"] {
        let answer = scripted(CELL, [unprocessable(issue)]).attempt(&args()).await;
        assert!(matches!(&answer, Answer::Refused(refusal, Covers::Attempt) if refusal.code == issue), "{answer:?}");
    }
}

#[tokio::test]
async fn refund_spent_is_taken() {
    for issue in ["CAPTURE_FULLY_REFUNDED", "DUPLICATE_INVOICE_ID"] {
        assert_eq!(word(&scripted(CELL, [unprocessable(issue)]).attempt(&args()).await), "taken", "{issue}");
    }
}

#[tokio::test]
async fn refund_in_progress_and_unauthorized_are_not_done() {
    let busy = error(409, "RESOURCE_CONFLICT", &["PREVIOUS_REQUEST_IN_PROGRESS"]);
    assert_eq!(word(&scripted(CELL, [busy]).attempt(&args()).await), "not done");
    let other = error(409, "RESOURCE_CONFLICT", &["SOMETHING_ELSE"]);
    assert_eq!(word(&scripted(CELL, [other]).attempt(&args()).await), "unclear");
    let denied = error(401, "AUTHENTICATION_FAILURE", &[]);
    assert_eq!(word(&scripted(CELL, [denied]).attempt(&args()).await), "not done");
}

#[tokio::test]
async fn refund_other_failures_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(
            word(&scripted(CELL, [(status, body.clone())]).attempt(&args()).await),
            "unclear",
            "{status} {body}"
        );
        assert!(scripted(CELL, [(status, body)]).find(&args()).await.is_err(), "{status}");
    }
}

#[tokio::test]
async fn refund_two_of_ours_are_several() {
    let desk = scripted(CELL, listing(&[refund(REFUND, &mark()), refund("2ND", &mark())]));
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(both)) if both.len() == 2));
}

#[tokio::test]
async fn refund_of_others_is_not_ours() {
    let mut by_hand = refund(REFUND, "");
    by_hand.as_object_mut().expect("an object").remove("custom_id");
    let desk = scripted(CELL, listing(&[by_hand, refund("2ND", "another")]));
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn refund_echo_mismatch_is_caught() {
    let mut dearer = refund(REFUND, &mark());
    dearer["amount"]["value"] = "5.00".into();
    let mut elsewhere = refund(REFUND, &mark());
    elsewhere["links"][0]["href"] = "https://api-m.paypal.com/v2/payments/captures/0THER".into();
    for answer in [dearer, elsewhere, refund(REFUND, "another")] {
        assert_eq!(word(&scripted(CELL, [(201, answer)]).attempt(&args()).await), "echo");
    }
}

#[tokio::test]
async fn refund_without_an_order_cannot_be_told() {
    let mut alone = capture("COMPLETED");
    alone.as_object_mut().expect("an object").remove("supplementary_data");
    for answers in [vec![missing()], vec![(200, alone)], vec![(200, capture("COMPLETED")), missing()]] {
        let finding = scripted(CELL, answers).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{finding:?}");
    }
}

#[tokio::test]
async fn refund_order_that_is_not_whole_cannot_be_told() {
    let [read, (_, whole)] = listing(&[]);
    let mut without = whole.clone();
    without["purchase_units"][0]["payments"]["captures"] = json!([]);
    let mut another = whole;
    another["id"] = "0THER".into();
    for partly in [json!({"id": ORDER, "status": "COMPLETED"}), without, another] {
        let finding = scripted(CELL, [read.clone(), (200, partly.clone())]).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{partly}: {finding:?}");
    }
    let mut other = capture("COMPLETED");
    other["id"] = "0THER".into();
    let finding = scripted(CELL, [(200, other)]).find(&args()).await;
    assert!(matches!(finding, Err(Fault::Echo(_))), "{finding:?}");
}

#[tokio::test]
async fn refund_failed_has_a_failed_fate() {
    for (status, failed) in [("FAILED", true), ("CANCELLED", true), ("PENDING", false), ("COMPLETED", false)] {
        let mut answer = refund(REFUND, &mark());
        answer["status"] = status.into();
        let answer = scripted(CELL, [(201, answer)]).attempt(&args()).await;
        let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
        assert_eq!(receipt.body["status"], status);
        let receipt: RefundReceipt = serde_json::from_value((*receipt.body).clone()).expect("a receipt");
        assert_eq!(receipt.fate(), Some((status.to_ascii_lowercase(), failed)));
    }
}

#[tokio::test]
async fn refund_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, refund(REFUND, "another")), missing()]);
    let receipt = desk.fetch(&args(), REFUND).await.expect("it is read").expect("it is there");
    assert_eq!(receipt.id, REFUND);
    assert_eq!(desk.fetch(&args(), REFUND).await, Ok(None));
    assert!(desk.fetch(&args(), "a/b").await.is_err());
    let mut unlinked = refund(REFUND, "another");
    unlinked["links"] = json!([]);
    let followed = scripted(CELL, [(200, unlinked.clone())]).follow(&args(), REFUND).await;
    assert!(matches!(followed, Ok(Some(_))), "the one on record is ours: {followed:?}");
    let mut other = refund(REFUND, &mark());
    other["id"] = "0THER".into();
    for wrong in [unlinked, other] {
        assert!(scripted(CELL, [(200, wrong)]).fetch(&args(), REFUND).await.is_err(), "of which payment isn't said");
    }
}

#[test]
fn refund_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert_eq!(Refund::of(CAPTURE).check(), Ok(()));
    for wrong in ["", "a/b", "..", "lower", "A?B"] {
        assert!(Refund::of(wrong).check().is_err_and(|why| why.contains("capture_id")), "{wrong}");
    }
    let amount = Some(Money { amount: 0, currency: "EUR".to_owned() });
    assert!(Refund { amount, ..args() }.check().is_err_and(|why| why.contains("amount")));
    let note_to_payer = Some("x".repeat(256));
    assert!(Refund { note_to_payer, ..args() }.check().is_err_and(|why| why.contains("note_to_payer")));
}
