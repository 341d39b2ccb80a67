use hapax_core::cell::CellArgs;
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Desk, error, order, order_with};
use hapax_core::testing::word;

const CELL: &str = "amadeus.cancel_flight";
const PATH: &str = "/v1/booking/flight-orders/eJz1%3D";

fn args() -> CancelFlight {
    CancelFlight::of("eJz1%3D")
}

/// A desk at which the order was seen before.
fn seen(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    Desk::new(CELL, answers).noting(RECORD, "PNR 2ZYVAL")
}

#[tokio::test]
async fn cancel_flight_notes_the_order_first() {
    let desk = Desk::new(CELL, [(200, order("eJz1%3D", "1"))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(RECORD, "PNR 2ZYVAL".to_owned())));
    assert_eq!(desk.asked(), [format!("GET {PATH}")]);
    assert_eq!(seen([]).prepare(&args()).await, Ok(Step::Ready));
    assert_eq!(SPEC.notes, [RECORD]);
}

#[tokio::test]
async fn cancel_flight_order_cancelled_before_has_happened() {
    let desk = Desk::new(CELL, [(200, order_with("eJz1%3D", ["CANCELLED", "CANCELLED"]))]);
    let Ok(Step::Happened(receipt)) = desk.prepare(&args()).await else { panic!("not seen") };
    assert_eq!(*receipt.body, json!({"id": "eJz1%3D", "doer": "cannot_tell"}));
}

#[tokio::test]
async fn cancel_flight_unseen_order_is_no_cancellation() {
    let desk = Desk::new(CELL, [error(404, 1797), error(404, 1797)]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(RECORD, NEVER.to_owned())));
    assert!(matches!(desk.find(&args()).await, Ok(Finding::CannotTell(_))), "no note");
    let desk = Desk::new(CELL, [error(404, 1797)]).noting(RECORD, NEVER);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn cancel_flight_204_is_the_answer() {
    let Answer::Happened(receipt) = seen([(204, Value::Null)]).attempt(&args()).await else { panic!("not done") };
    assert_eq!(receipt.body["doer"], "us");
    for other in [(200, Value::Null), (204, json!({"data": {}})), (200, json!({}))] {
        assert_eq!(word(&seen([other]).attempt(&args()).await), "unclear");
    }
}

#[tokio::test]
async fn cancel_flight_answer_lost_after_effect() {
    let desk = Desk::losing(CELL).noting(RECORD, "PNR 2ZYVAL");
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    for gone in [error(404, 1797), (200, order_with("eJz1%3D", ["CANCELLED", "CANCELLED"]))] {
        let Ok(Finding::Happened(receipt)) = seen([gone]).find(&args()).await else { panic!("not found") };
        assert_eq!(receipt.body["doer"], "cannot_tell");
        assert_eq!(receipt.id, "", "nothing is claimed");
    }
}

#[tokio::test]
async fn cancel_flight_open_order_is_absent() {
    assert_eq!(seen([(200, order("eJz1%3D", "1"))]).find(&args()).await, Ok(Finding::Absent));
    let confirmed = order_with("eJz1%3D", ["CONFIRMED", "CONFIRMED"]);
    assert_eq!(seen([(200, confirmed)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn cancel_flight_repeat_is_taken() {
    assert_eq!(word(&seen([error(404, 1797)]).attempt(&args()).await), "taken");
}

#[tokio::test]
async fn cancel_flight_that_is_not_allowed_is_refused() {
    for code in [4926, 32171] {
        let answer = seen([error(400, code)]).attempt(&args()).await;
        assert!(matches!(&answer, Answer::Refused(refusal, _) if refusal.message == "TITLE"), "{answer:?}");
    }
}

#[tokio::test]
async fn cancel_flight_other_failures_are_not_guessed() {
    for (status, body) in [error(400, 36870), error(500, 38189), (502, json!("<html>"))] {
        assert_eq!(word(&seen([(status, body)]).attempt(&args()).await), "unclear", "{status}");
    }
}

#[tokio::test]
async fn cancel_flight_wrong_url_is_no_cancellation() {
    for answer in [error(404, 38196), (404, json!({"message": "Not Found"})), (404, Value::Null)] {
        assert!(seen([answer]).find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn cancel_flight_partly_cancelled_cannot_be_told() {
    let mixed = order_with("eJz1%3D", ["CANCELLED", "CONFIRMED"]);
    assert!(matches!(seen([(200, mixed)]).find(&args()).await, Ok(Finding::CannotTell(_))));
    let mut empty = order("eJz1%3D", "1");
    empty["data"]["flightOffers"] = json!([]);
    assert!(matches!(seen([(200, empty)]).find(&args()).await, Ok(Finding::CannotTell(_))));
}

#[test]
fn cancel_flight_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for wrong in ["", "a/b", "..", "a b", "a?b"] {
        assert!(CancelFlight::of(wrong).check().is_err_and(|why| why.contains("order_id")), "{wrong}");
    }
}
