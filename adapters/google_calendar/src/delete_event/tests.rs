use hapax_core::cell::CellArgs;
use hapax_core::protocol::Receipt;
use hapax_core::testing::{Desk, word};
use hapax_core::transport::{Body, Response};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{ETAG, error, losing, not_done, scripted, unclear};

const CELL: &str = "google_calendar.delete_event";
const ONE: &str = "/calendar/v3/calendars/primary/events/ev1";

fn args() -> DeleteEvent {
    DeleteEvent { send_updates: SendUpdates::All, ..DeleteEvent::of("ev1") }
}

fn event(status: &str) -> (u16, Value) {
    (200, json!({ "id": "ev1", "status": status, "etag": ETAG }))
}

fn noted(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers).noting("etag", ETAG)
}

async fn said(answer: (u16, Value)) -> &'static str {
    word(&noted([answer]).attempt(&args()).await)
}

async fn seen(answer: (u16, Value)) -> Finding<Receipt> {
    noted([answer]).find(&args()).await.expect("a finding")
}

#[tokio::test]
async fn delete_event_notes_the_version_then_sends_on_it() {
    assert_eq!(scripted(CELL, [event("confirmed")]).prepare(&args()).await, Ok(Step::Note("etag", ETAG.to_owned())));
    assert_eq!(noted([]).prepare(&args()).await, Ok(Step::Ready));
    let desk = noted([]);
    desk.script().push(Ok(Response { status: 204, ..Response::default() }));
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((&receipt.body["id"], &receipt.body["doer"]), (&json!("primary/ev1"), &json!("us")));
    assert_eq!(desk.asked(), [format!("DELETE {ONE}?sendUpdates=all")]);
    let request = desk.request(0);
    assert!(request.headers.contains(&("If-Match".to_owned(), ETAG.to_owned())) && request.body == Body::Empty);
    assert_eq!(word(&scripted(CELL, []).attempt(&args()).await), "not done", "nothing leaves without a version");
}

#[tokio::test]
async fn delete_event_already_gone_sends_nothing() {
    let desk = scripted(CELL, [event("cancelled")]);
    let Ok(Step::Happened(receipt)) = desk.prepare(&args()).await else { panic!("it is so") };
    assert_eq!(receipt.body["doer"], "cannot_tell");
    assert_eq!(desk.asked(), [format!("GET {ONE}?fields=etag%2Cid%2Cstatus")]);
}

#[tokio::test]
async fn delete_event_that_never_was_is_refused() {
    let step = scripted(CELL, [error(404, "notFound")]).prepare(&args()).await;
    assert!(matches!(step, Ok(Step::Refused(refusal)) if refusal.code == "notFound"));
    for failed in [error(500, "backendError"), error(403, "rateLimitExceeded"), (404, json!({ "message": "x" }))] {
        assert!(scripted(CELL, [failed.clone()]).prepare(&args()).await.is_err(), "{failed:?}");
    }
}

#[tokio::test]
async fn delete_event_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).noting("etag", ETAG).attempt(&args()).await), "unclear");
    let Finding::Happened(receipt) = seen(event("cancelled")).await else { panic!("it is so") };
    assert_eq!(receipt.body["doer"], "cannot_tell");
}

#[tokio::test]
async fn delete_event_request_lost_before_effect() {
    assert_eq!(seen(event("confirmed")).await, Finding::Absent);
    assert_eq!(seen(event("tentative")).await, Finding::Absent);
    assert!(noted([error(500, "backendError")]).find(&args()).await.is_err());
    let other = (200, json!({ "id": "ev2", "status": "cancelled" }));
    assert!(matches!(noted([other]).find(&args()).await, Err(Fault::Echo(_))));
}

#[tokio::test]
async fn delete_event_410_is_taken() {
    assert_eq!(said(error(410, "deleted")).await, "taken");
}

#[tokio::test]
async fn delete_event_404_cannot_tell() {
    assert_eq!(said(error(404, "notFound")).await, "taken");
    assert!(matches!(seen(error(404, "notFound")).await, Finding::CannotTell(_)));
}

#[tokio::test]
async fn delete_event_changed_in_between_is_refused() {
    assert_eq!(said(error(412, "conditionNotMet")).await, "refused");
}

#[tokio::test]
async fn delete_event_is_refused() {
    assert_eq!(said(error(400, "invalid")).await, "refused");
    assert_eq!(said(error(403, "forbidden")).await, "refused");
}

#[tokio::test]
async fn delete_event_limits_and_credentials_are_not_done() {
    for answer in not_done() {
        assert_eq!(said(answer.clone()).await, "not done", "{answer:?}");
    }
}

#[tokio::test]
async fn delete_event_other_answers_are_not_guessed() {
    for answer in unclear() {
        assert_eq!(said(answer.clone()).await, "unclear", "{answer:?}");
    }
    assert_eq!(said(event("cancelled")).await, "unclear", "a 200 is not the documented success");
}

#[test]
fn delete_event_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert!(DeleteEvent { calendar: "a b".to_owned(), ..args() }.check().expect_err("none").starts_with("calendar"));
    assert!(DeleteEvent::of("..").check().expect_err("none").starts_with("event"));
}
