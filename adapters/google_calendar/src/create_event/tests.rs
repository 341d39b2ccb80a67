use hapax_core::cell::CellArgs;
use hapax_core::protocol::Receipt;
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{ETAG, error, losing, not_done, scripted, unclear};

const CELL: &str = "google_calendar.create_event";
const EVENTS: &str = "/calendar/v3/calendars/primary/events";

fn args() -> CreateEvent {
    let (start, end) = (When::moment("2026-12-01T10:00:00+01:00"), When::moment("2026-12-01T11:00:00+01:00"));
    CreateEvent { guests: vec![Guest::new("jane@example.com")], ..CreateEvent::of("Review", start, end) }
}

fn id() -> String {
    scripted(CELL, []).names().token("create")
}

/// The event as Google shows it, in its own zone, with other fields.
fn event(more: Value) -> Value {
    let mut event = json!({
        "kind": "calendar#event", "id": id(), "status": "confirmed", "etag": ETAG, "summary": "Review",
        "start": { "dateTime": "2026-12-01T09:00:00Z" }, "end": { "dateTime": "2026-12-01T10:00:00Z" },
        "htmlLink": "https://www.google.com/calendar/event?eid=x",
        "extendedProperties": { "private": { KEY: scripted(CELL, []).mark(), ASKED: args().asked() } },
    });
    for (name, value) in more.as_object().expect("fields") {
        event[name] = value.clone();
    }
    event
}

fn list(events: &[Value], next: Option<&str>) -> (u16, Value) {
    let mut list = json!({ "kind": "calendar#events", "items": events });
    if let Some(next) = next {
        list["nextPageToken"] = next.into();
    }
    (200, list)
}

/// What a look finds when the event is shown by its id, and the list has it, too.
async fn seen(event: Value) -> Result<Finding<Receipt>, Fault> {
    scripted(CELL, [(200, event.clone()), list(&[event], None)]).find(&args()).await
}

fn status_of(finding: Result<Finding<Receipt>, Fault>) -> Value {
    let Ok(Finding::Happened(receipt)) = finding else { panic!("it happened: {finding:?}") };
    receipt.body["status"].clone()
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_event_sends_what_was_asked() {
    let desk = scripted(CELL, [(200, event(json!({})))]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((&receipt.id, &receipt.body["etag"]), (&id(), &json!(ETAG)));
    assert_eq!(desk.asked(), [format!("POST {EVENTS}?sendUpdates=none")]);
    let start = json!({ "dateTime": "2026-12-01T10:00:00+01:00" });
    let end = json!({ "dateTime": "2026-12-01T11:00:00+01:00" });
    let properties = json!({ "private": { "hapax": desk.mark(), "hapaxAsked": args().asked() } });
    let body = json!({ "id": id(), "summary": "Review", "start": start, "end": end,
        "attendees": [{ "email": "jane@example.com" }], "extendedProperties": properties });
    assert_eq!(body_of(&desk.request(0)), body);
    assert!(id().len() == 32 && id().bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'v').contains(&byte)));

    let zoned = |hour: &str| When::moment(format!("2026-12-01T{hour}:00:00+01:00")).in_zone("Europe/Berlin");
    let more = CreateEvent {
        calendar: "team@group.calendar.google.com".to_owned(),
        start: zoned("10"),
        end: zoned("11"),
        description: Some("About it".to_owned()),
        location: Some("Room 1".to_owned()),
        guests: vec![Guest { name: Some("Kim".to_owned()), optional: true, ..Guest::new("kim@example.com") }],
        recurrence: vec!["RRULE:FREQ=WEEKLY;COUNT=4".to_owned()],
        send_updates: SendUpdates::ExternalOnly,
        ..args()
    };
    let desk = scripted(CELL, [(200, event(json!({})))]);
    desk.attempt(&more).await;
    let path = "/calendar/v3/calendars/team@group.calendar.google.com/events?sendUpdates=externalOnly";
    assert_eq!(desk.asked(), [format!("POST {path}")]);
    let body = body_of(&desk.request(0));
    assert_eq!(body["attendees"], json!([{ "email": "kim@example.com", "displayName": "Kim", "optional": true }]));
    assert_eq!((&body["recurrence"][0], &body["location"]), (&json!("RRULE:FREQ=WEEKLY;COUNT=4"), &json!("Room 1")));
    assert_eq!((&body["description"], &body["start"]["timeZone"]), (&json!("About it"), &json!("Europe/Berlin")));
}

#[tokio::test]
async fn create_event_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [(200, event(json!({}))), list(&[event(json!({}))], None)]);
    assert_eq!(status_of(desk.find(&args()).await), "confirmed");
    let marked = format!("privateExtendedProperty=hapax%3D{}&showDeleted=true&maxResults=250", desk.mark());
    assert_eq!(desk.asked(), [format!("GET {EVENTS}/{}", id()), format!("GET {EVENTS}?{marked}")]);
}

#[tokio::test]
async fn create_event_request_lost_before_effect() {
    let desk = scripted(CELL, [error(404, "notFound"), list(&[], None)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    // A server that ignores the filter lists what is not ours.
    let others = [event(json!({ "id": "other0", "extendedProperties": {} }))];
    let desk = scripted(CELL, [error(404, "notFound"), list(&others, None)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn create_event_taken_id_is_compared() {
    let (status, body) = error(409, "duplicate");
    assert_eq!(said(status, body).await, "taken");
    assert_eq!(status_of(seen(event(json!({}))).await), "confirmed");
    let private = json!({ "private": { KEY: scripted(CELL, []).mark(), ASKED: "of other arguments" } });
    let other = seen(event(json!({ "extendedProperties": private }))).await;
    assert_eq!(other, Err(Fault::Echo("what was asked".to_owned())));
    let changed = CreateEvent { send_updates: SendUpdates::All, ..args() };
    assert_ne!(changed.asked(), args().asked(), "mails are part of what was asked");
}

#[tokio::test]
async fn create_event_edited_afterwards_is_still_ours() {
    let moved = json!({ "summary": "Moved", "start": { "date": "2027-01-01" }, "end": { "date": "2027-01-02" } });
    assert_eq!(status_of(seen(event(moved)).await), "confirmed");
}

#[tokio::test]
async fn create_event_without_our_properties_is_compared_by_content() {
    let bare = |more: Value| {
        let mut event = event(more);
        event["extendedProperties"] = json!({});
        event
    };
    assert_eq!(status_of(seen(bare(json!({}))).await), "confirmed");
    for (other, field) in [
        (json!({ "summary": "Other" }), "summary"),
        (json!({ "start": { "date": "2026-12-01" } }), "start"),
        (json!({ "end": { "dateTime": "2026-12-01T12:00:00Z" } }), "end"),
    ] {
        assert_eq!(seen(bare(other)).await, Err(Fault::Echo(field.to_owned())));
    }
}

#[tokio::test]
async fn create_event_deleted_by_a_person_is_found() {
    assert_eq!(status_of(seen(event(json!({ "status": "cancelled" }))).await), "cancelled");
    // Only the id is sure to be there.
    let bare = json!({ "id": id(), "status": "cancelled" });
    let desk = scripted(CELL, [(200, bare), list(&[], None)]);
    assert_eq!(status_of(desk.find(&args()).await), "cancelled");
}

#[tokio::test]
async fn create_event_of_another_epoch_is_seen() {
    let former = event(json!({}));
    let second = |answers: Vec<(u16, Value)>| -> Desk { scripted(CELL, answers).superseding("none", "") };
    let present = second(Vec::new()).names().token("create");
    assert_ne!(present, id(), "another epoch has another id");
    let desk = second(vec![error(404, "notFound"), list(std::slice::from_ref(&former), None)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == id()));
    let ours = event(json!({ "id": present }));
    let desk = second(vec![(200, ours.clone()), list(&[former, ours], None)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(both)) if both.len() == 2));
}

#[tokio::test]
async fn create_event_is_found_on_the_last_page() {
    let pages = [error(404, "notFound"), list(&[], Some("p2")), list(&[], Some("p3")), list(&[event(json!({}))], None)];
    let desk = scripted(CELL, pages);
    assert_eq!(status_of(desk.find(&args()).await), "confirmed");
    let asked = desk.asked();
    assert!(asked[3].ends_with("&pageToken=p3") && !asked[3].contains("p2"), "{asked:?}");
}

#[tokio::test]
async fn create_event_instances_are_not_counted() {
    let instance = event(json!({ "id": format!("{}_20261208", id()), "recurringEventId": id() }));
    let desk = scripted(CELL, [(200, event(json!({}))), list(&[event(json!({})), instance], None)]);
    assert_eq!(status_of(desk.find(&args()).await), "confirmed");
}

#[tokio::test]
async fn create_event_failed_look_is_no_absence() {
    let foreign = (404, json!({ "message": "Not Found" }));
    let shown = (200, event(json!({})));
    for answers in [
        vec![foreign.clone(), list(&[], None)],
        vec![error(403, "forbidden"), list(&[], None)],
        vec![error(404, "notFound"), foreign],
        vec![error(404, "notFound"), (200, json!({ "items": [] }))],
        vec![error(404, "notFound"), list(&[], Some("p2")), error(500, "backendError")],
        vec![shown, error(403, "rateLimitExceeded")],
        vec![(200, event(json!({ "id": "other0" })))],
    ] {
        let failed = scripted(CELL, answers.clone()).find(&args()).await;
        assert!(failed.is_err(), "{answers:?}: {failed:?}");
    }
}

#[tokio::test]
async fn create_event_is_refused() {
    for (status, reason) in [(400, "timeRangeEmpty"), (403, "requiredAccessLevel"), (404, "notFound")] {
        let (status, body) = error(status, reason);
        assert_eq!(said(status, body).await, "refused", "{reason}");
    }
}

#[tokio::test]
async fn create_event_limits_and_credentials_are_not_done() {
    for (status, body) in not_done() {
        assert_eq!(said(status, body.clone()).await, "not done", "{body}");
    }
}

#[tokio::test]
async fn create_event_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
    let (status, body) = error(410, "deleted");
    assert_eq!(said(status, body).await, "unclear", "nothing says what that is here");
}

#[tokio::test]
async fn create_event_another_id_is_an_echo_fault() {
    assert_eq!(said(200, event(json!({ "id": "evt_1" }))).await, "echo");
}

#[tokio::test]
async fn create_event_another_time_is_an_echo_fault() {
    assert_eq!(said(200, event(json!({ "start": { "dateTime": "2026-12-01T08:00:00Z" } }))).await, "echo");
    assert_eq!(said(200, event(json!({ "end": null }))).await, "echo");
}

#[tokio::test]
async fn create_event_persons_receipt_is_read_and_compared() {
    let fetch = async |answer, id: &str| scripted(CELL, [answer]).fetch(&args(), id).await;
    let by_hand = |more| {
        let mut event = event(more);
        event["id"] = "hand0".into();
        event["extendedProperties"] = json!({});
        (200, event)
    };
    assert!(matches!(fetch((200, event(json!({}))), &id()).await, Ok(Some(receipt)) if receipt.id == id()));
    assert!(matches!(fetch(by_hand(json!({})), "hand0").await, Ok(Some(receipt)) if receipt.id == "hand0"));
    assert!(matches!(fetch(by_hand(json!({ "summary": "Other" })), "hand0").await, Err(Fault::Echo(_))));
    let bare = (200, json!({ "id": "hand0", "status": "cancelled" }));
    assert!(matches!(fetch(bare, "hand0").await, Err(Fault::Echo(_))), "a deleted one must show that it is ours");
    assert_eq!(fetch(error(404, "notFound"), "hand0").await, Ok(None));
    assert!(fetch(by_hand(json!({})), "../x").await.is_err());
}

#[test]
fn create_event_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let recurring = || CreateEvent { recurrence: vec!["RRULE:FREQ=DAILY".to_owned()], ..args() };
    for (args, field) in [
        (CreateEvent { calendar: "../users".to_owned(), ..args() }, "calendar"),
        (CreateEvent { calendar: "a/b".to_owned(), ..args() }, "calendar"),
        (CreateEvent { calendar: String::new(), ..args() }, "calendar"),
        (CreateEvent { summary: " ".to_owned(), ..args() }, "summary"),
        (CreateEvent { start: When::moment("2026-12-01T10:00:00"), ..args() }, "start"),
        (CreateEvent { end: When::moment("2026-12-01T09:00:00+01:00"), ..args() }, "end"),
        (CreateEvent { guests: vec![Guest::new("jane")], ..args() }, "guests"),
        (CreateEvent { guests: vec![Guest::new("a@b\r\nBcc: c@d")], ..args() }, "guests"),
        (recurring(), "recurrence"),
        (CreateEvent { recurrence: vec!["DTSTART:20261201".to_owned()], ..args() }, "recurrence"),
    ] {
        let refused = args.check().expect_err(field);
        assert!(refused.starts_with(field) && !refused.contains("Bcc"), "{field}: {refused}");
    }
}
