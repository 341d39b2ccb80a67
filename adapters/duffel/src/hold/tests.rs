use hapax_core::testing::{Desk, body_of, word};
use serde_json::{Value, json};

use super::*;
use crate::testing::{OFFER, ORDER, data, error, held, losing, order, page, passenger, read, scripted, unclear};

const CELL: &str = "duffel.hold";

fn args() -> Hold {
    read(json!({"offer_id": OFFER, "passengers": [passenger()]}))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn desk(answer: (u16, Value)) -> Desk {
    scripted(CELL, [answer])
}

#[tokio::test]
async fn hold_sends_what_was_asked() {
    let desk = desk(data(201, held(ORDER, &mark())));
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("not done") };
    assert_eq!(
        *receipt.body,
        json!({"id": ORDER, "booking_reference": "RZPNX8", "amount": {"amount": 9080, "currency": "GBP"},
            "passengers": 1, "payment_required_by": "2026-12-01T10:42:14Z",
            "price_guarantee_expires_at": "2026-11-30T10:42:14Z", "status": "held"})
    );
    assert_eq!(desk.asked(), ["POST /air/orders"]);
    let passengers = json!([passenger()]);
    assert_eq!(
        body_of(&desk.last()),
        json!({"data": {"type": "hold", "selected_offers": [OFFER], "passengers": passengers,
            "metadata": {"hapax": mark()}}})
    );
}

#[tokio::test]
async fn hold_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [page(&[], Some("more")), page(&[held("ord_2", "other"), held(ORDER, &mark())], None)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == ORDER));
}

#[tokio::test]
async fn hold_not_listed_is_a_persons() {
    assert_eq!(desk(page(&[held("ord_2", "other")], None)).find(&args()).await, Ok(Finding::Absent));
    let (guarantee, _) = SPEC.published();
    assert_eq!(guarantee.best(), hapax_core::capability::SecondEffect::Withheld, "{}", guarantee.sentence());
}

#[tokio::test]
async fn hold_failures_mean_what_they_mean_for_an_order() {
    for answer in unclear() {
        assert_eq!(word(&desk(answer.clone()).attempt(&args()).await), "unclear", "{answer:?}");
    }
    for (status, kind, code, expected) in [
        (502, "airline_error", "order_not_created", "refused"),
        (502, "api_error", "bad_gateway", "adrift"),
        (500, "api_error", "internal_server_error", "adrift"),
        (401, "authentication_error", "expired_access_token", "not done"),
        (422, "validation_error", "offer_request_already_booked", "taken"),
        (422, "airline_error", "offer_no_longer_available", "refused"),
    ] {
        assert_eq!(word(&desk(error(status, kind, code)).attempt(&args()).await), expected, "{code}");
    }
}

#[tokio::test]
async fn hold_that_is_not_allowed_is_refused() {
    let answer = desk(error(422, "validation_error", "requires_instant_payment")).attempt(&args()).await;
    assert_eq!(word(&answer), "refused");
}

#[tokio::test]
async fn hold_paid_or_ticketed_is_still_ours() {
    let mut ticketed = order(ORDER, &mark());
    ticketed["documents"] = json!([{"unique_identifier": "1252106312810"}]);
    for (order, status) in [(order(ORDER, &mark()), "booked"), (ticketed, "ticketed")] {
        let Ok(Finding::Happened(receipt)) = desk(page(&[order], None)).find(&args()).await else {
            panic!("not found")
        };
        assert_eq!(receipt.body["status"], status);
    }
}

#[test]
fn hold_lapsed_has_a_failed_fate() {
    let mut lapsed = held(ORDER, "x");
    lapsed["payment_status"]["awaiting_payment"] = json!(false);
    let mut cancelled = held(ORDER, "x");
    cancelled["cancelled_at"] = json!("2026-11-28T15:48:11.642Z");
    for (order, status, fails) in
        [(held(ORDER, "x"), "held", false), (lapsed, "lapsed", true), (cancelled, "cancelled", true)]
    {
        assert_eq!(receipt(&read(order)).expect("an order").fate(), Some((status.to_owned(), fails)));
    }
}

#[tokio::test]
async fn hold_echo_mismatch_is_caught() {
    let mut two = held(ORDER, &mark());
    two["passengers"] = json!([{}, {}]);
    for answer in [held(ORDER, "other"), two] {
        assert_eq!(word(&desk(data(201, answer)).attempt(&args()).await), "echo");
    }
}

#[test]
fn hold_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert!(Hold { offer_id: "orq_1".to_owned(), ..args() }.check().is_err_and(|why| why.contains("offer_id")));
    assert!(Hold { passengers: Vec::new(), ..args() }.check().is_err_and(|why| why.contains("passengers")));
    assert!(Hold { users: vec![String::new()], ..args() }.check().is_err_and(|why| why.contains("users")));
}
