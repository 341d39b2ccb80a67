use hapax_core::cell::CellArgs;
use hapax_core::protocol::Receipt;
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{ETAG, error, losing, not_done, scripted, unclear};

const CELL: &str = "google_calendar.update_event";
const ONE: &str = "/calendar/v3/calendars/primary/events/ev1";

fn args() -> UpdateEvent {
    let (start, end) = (When::moment("2026-12-01T12:00:00+01:00"), When::moment("2026-12-01T13:00:00+01:00"));
    UpdateEvent {
        summary: Some("Review".to_owned()),
        description: Some("One\nTwo".to_owned()),
        start: Some(start),
        end: Some(end),
        send_updates: SendUpdates::All,
        ..UpdateEvent::of("ev1")
    }
}

/// The event as it is asked for, as Google shows it, with other fields.
fn event(more: Value) -> (u16, Value) {
    let mut event = json!({
        "id": "ev1", "status": "confirmed", "etag": "\"2\"", "summary": "Review", "description": "One\r\nTwo\r\n",
        "start": { "dateTime": "2026-12-01T11:00:00Z" }, "end": { "dateTime": "2026-12-01T12:00:00Z" },
    });
    for (name, value) in more.as_object().expect("fields") {
        event[name] = value.clone();
    }
    (200, event)
}

/// The event as it was before.
fn before() -> (u16, Value) {
    event(json!({ "summary": "Lunch", "etag": ETAG }))
}

fn noted(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers).noting("etag", ETAG)
}

async fn said((status, body): (u16, Value)) -> &'static str {
    word(&noted([(status, body)]).attempt(&args()).await)
}

async fn seen(answer: (u16, Value)) -> Finding<Receipt> {
    noted([answer]).find(&args()).await.expect("a finding")
}

async fn refused_by(answer: (u16, Value), args: &UpdateEvent) -> String {
    match scripted(CELL, [answer]).prepare(args).await {
        Ok(Step::Refused(refusal)) => refusal.code,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn update_event_notes_the_version_then_sends_on_it() {
    let desk = scripted(CELL, [before()]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note("etag", ETAG.to_owned())));
    assert_eq!(noted([]).prepare(&args()).await, Ok(Step::Ready));
    let desk = noted([event(json!({}))]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((&receipt.body["doer"], &receipt.body["etag"]), (&json!("us"), &json!("\"2\"")));
    assert_eq!(desk.asked(), [format!("PATCH {ONE}?sendUpdates=all")]);
    let request = desk.request(0);
    assert!(request.headers.contains(&("If-Match".to_owned(), ETAG.to_owned())));
    let start = json!({ "dateTime": "2026-12-01T12:00:00+01:00", "date": null });
    let end = json!({ "dateTime": "2026-12-01T13:00:00+01:00", "date": null });
    let body = json!({ "summary": "Review", "description": "One\nTwo", "start": start, "end": end });
    assert_eq!(body_of(&request), body);
    assert_eq!(word(&scripted(CELL, []).attempt(&args()).await), "not done", "nothing leaves without a version");
    let odd = scripted(CELL, [event(json!({ "summary": "Lunch", "etag": "\"a\r\nb\"" }))]).prepare(&args()).await;
    assert!(matches!(odd, Err(Fault::Unread(_))));
}

#[tokio::test]
async fn update_event_already_so_sends_nothing() {
    let desk = scripted(CELL, [event(json!({}))]);
    let Ok(Step::Happened(receipt)) = desk.prepare(&args()).await else { panic!("it is so") };
    assert_eq!(receipt.body["doer"], "cannot_tell");
    assert_eq!(desk.asked(), [format!("GET {ONE}?fields={}", BEFORE.replace(',', "%2C"))]);
}

#[tokio::test]
async fn update_event_of_none_or_a_deleted_one_is_refused() {
    assert_eq!(refused_by(error(404, "notFound"), &args()).await, "notFound");
    assert_eq!(refused_by(event(json!({ "status": "cancelled" })), &args()).await, "deleted");
    for failed in [error(500, "backendError"), error(403, "rateLimitExceeded"), (404, json!({ "message": "x" }))] {
        assert!(scripted(CELL, [failed.clone()]).prepare(&args()).await.is_err(), "{failed:?}");
    }
}

#[tokio::test]
async fn update_event_seen_version_must_hold() {
    let seen = UpdateEvent { etag: Some("\"1\"".to_owned()), ..args() };
    assert_eq!(refused_by(before(), &seen).await, "conflict");
    assert!(matches!(scripted(CELL, [event(json!({}))]).prepare(&seen).await, Ok(Step::Happened(_))));
    let seen = UpdateEvent { etag: Some(ETAG.to_owned()), ..args() };
    assert!(matches!(scripted(CELL, [before()]).prepare(&seen).await, Ok(Step::Note("etag", _))));
}

#[tokio::test]
async fn update_event_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).noting("etag", ETAG).attempt(&args()).await), "unclear");
    let Finding::Happened(receipt) = seen(event(json!({}))).await else { panic!("it is so") };
    assert_eq!(receipt.body["doer"], "cannot_tell");
    assert_eq!(receipt.body.get("etag"), None, "a version that nobody has seen is not handed out");
}

#[tokio::test]
async fn update_event_request_lost_before_effect() {
    assert_eq!(seen(before()).await, Finding::Absent);
    assert!(noted([error(500, "backendError")]).find(&args()).await.is_err());
    assert!(matches!(noted([event(json!({ "id": "ev2" }))]).find(&args()).await, Err(Fault::Echo(_))));
}

#[tokio::test]
async fn update_event_changed_in_between_is_refused() {
    assert_eq!(said(error(412, "conditionNotMet")).await, "refused");
}

#[tokio::test]
async fn update_event_changed_again_is_absent() {
    for more in [
        json!({ "etag": "\"9\"", "summary": "Other" }),
        json!({ "etag": "\"9\"", "start": { "date": "2026-12-01" } }),
        json!({ "etag": "\"9\"", "description": null }),
    ] {
        assert_eq!(seen(event(more.clone())).await, Finding::Absent, "{more}");
    }
}

#[tokio::test]
async fn update_event_gone_cannot_tell() {
    for gone in [error(404, "notFound"), event(json!({ "status": "cancelled" })), before_and_deleted()] {
        assert!(matches!(seen(gone.clone()).await, Finding::CannotTell(_)), "{gone:?}");
    }
}

fn before_and_deleted() -> (u16, Value) {
    event(json!({ "summary": "Lunch", "status": "cancelled" }))
}

#[tokio::test]
async fn update_event_texts_and_times_are_compared_as_google_writes_them() {
    let args = UpdateEvent { description: Some(String::new()), location: Some(" Room 1 ".to_owned()), ..args() };
    let so = async |more: Value| matches!(noted([event(more)]).find(&args).await, Ok(Finding::Happened(_)));
    assert!(so(json!({ "description": null, "location": "Room 1" })).await);
    assert!(so(json!({ "description": "", "location": "Room 1\n" })).await);
    assert!(!so(json!({ "description": "x", "location": "Room 1" })).await);
    // Who asks for a zone alone must not be told that it is so already; but zones have several names.
    let berlin = |hour: &str| When::moment(format!("2026-12-01T{hour}:00:00+01:00")).in_zone("Europe/Berlin");
    let zoned = UpdateEvent { start: Some(berlin("12")), end: Some(berlin("13")), ..self::args() };
    assert_eq!(noted([event(json!({}))]).find(&zoned).await, Ok(Finding::Absent));
    assert_eq!(word(&noted([event(json!({}))]).attempt(&zoned).await), "happened");
    assert!(!so(json!({ "description": null, "location": "room 1" })).await);
    assert!(
        !so(json!({ "description": null, "location": "Room 1", "end": { "dateTime": "2026-12-01T13:00:00Z" } })).await
    );
}

#[tokio::test]
async fn update_event_is_refused() {
    for (status, reason) in
        [(400, "timeRangeEmpty"), (403, "forbiddenForNonOrganizer"), (404, "notFound"), (410, "deleted")]
    {
        assert_eq!(said(error(status, reason)).await, "refused", "{reason}");
    }
}

#[tokio::test]
async fn update_event_limits_and_credentials_are_not_done() {
    for answer in not_done() {
        assert_eq!(said(answer.clone()).await, "not done", "{answer:?}");
    }
}

#[tokio::test]
async fn update_event_other_answers_are_not_guessed() {
    for answer in unclear() {
        assert_eq!(said(answer.clone()).await, "unclear", "{answer:?}");
    }
    assert_eq!(said(error(409, "duplicate")).await, "unclear");
}

#[tokio::test]
async fn update_event_answer_about_another_one_is_an_echo_fault() {
    assert_eq!(said(event(json!({ "id": "ev2" }))).await, "echo");
    assert_eq!(said(event(json!({ "start": { "dateTime": "2026-12-01T10:00:00Z" } }))).await, "echo");
    assert_eq!(said(event(json!({ "end": null }))).await, "echo");
}

#[test]
fn update_event_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (args, field) in [
        (UpdateEvent { calendar: "a?b".to_owned(), ..args() }, "calendar"),
        (UpdateEvent { event: "a/b".to_owned(), ..args() }, "event"),
        (UpdateEvent { etag: Some("3\r\nX: y".to_owned()), ..args() }, "etag"),
        (UpdateEvent { summary: Some(String::new()), ..args() }, "summary"),
        (UpdateEvent { start: None, ..args() }, "start"),
        (UpdateEvent { end: None, ..args() }, "end"),
        (UpdateEvent { end: Some(When::day("2026-12-01")), ..args() }, "end"),
        (UpdateEvent::of("ev1"), "summary"),
    ] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
