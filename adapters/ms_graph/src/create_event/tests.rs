use hapax_core::cell::CellArgs;
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Fault, Finding};
use serde_json::{Value, json};

use super::CreateEvent;
use crate::Attendee;
use crate::testing::{error, losing, properties, scripted, unclear};

const CELL: &str = "ms_graph.create_event";

fn args() -> CreateEvent {
    let jane =
        Attendee { name: Some("Jané".to_owned()), ..Attendee::new("jane@example.com".parse().expect("an address")) };
    CreateEvent {
        time_zone: "Europe/Berlin".to_owned(),
        attendees: vec![jane],
        ..CreateEvent::of("Review", "2026-12-01T10:00:00", "2026-12-01T11:00:00")
    }
}

fn desk(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

fn key() -> String {
    desk([]).names().token("create")
}

/// An event as Graph shows it after it was made.
fn made() -> Value {
    let at = |time: &str| json!({ "dateTime": time, "timeZone": "Europe/Berlin" });
    json!({
        "id": "AAkEvent=", "iCalUId": "0400", "subject": "Review", "transactionId": key(),
        "start": at("2026-12-01T10:00:00.0000000"), "end": at("2026-12-01T11:00:00.0000000"),
    })
}

/// The same, read with its properties, in UTC.
fn read(id: &str, subject: &str, asked: Option<&str>) -> (u16, Value) {
    let at = |time: &str| json!({ "dateTime": time, "timeZone": "UTC" });
    let event = json!({
        "id": id, "subject": subject, "transactionId": key(),
        "start": at("2026-12-01T09:00:00.0000000"), "end": at("2026-12-01T10:00:00.0000000"),
        "singleValueExtendedProperties": properties(&desk([]).mark(), asked),
    });
    (200, event)
}

fn list(ids: &[&str]) -> (u16, Value) {
    let value: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    (200, json!({ "value": value }))
}

async fn check(answer: (u16, Value), expected: &str) {
    assert_eq!(word(&desk([answer.clone()]).attempt(&args()).await), expected, "{answer:?}");
}

#[tokio::test]
async fn create_event_sends_what_was_asked() {
    let desk = desk([(201, made())]);
    let answer = desk.attempt(&args()).await;
    assert!(word(&answer) == "happened" && format!("{answer:?}").contains("AAkEvent="), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /v1.0/me/events"]);
    let request = desk.request(0);
    let prefer = "IdType=\"ImmutableId\", outlook.timezone=\"Europe/Berlin\"";
    assert_eq!(request.headers, [("Prefer".to_owned(), prefer.to_owned())]);
    let body = body_of(&request);
    assert_eq!(body["transactionId"], key());
    assert_eq!(body["start"], json!({ "dateTime": "2026-12-01T10:00:00", "timeZone": "Europe/Berlin" }));
    assert_eq!(body["singleValueExtendedProperties"], properties(&desk.mark(), Some(&args().asked())));
    let jane = json!([{ "emailAddress": { "address": "jane@example.com", "name": "Jané" }, "type": "required" }]);
    assert_eq!(body["attendees"], jane);
    let elsewhere = CreateEvent { calendar: Some("AAkCal=".to_owned()), ..args() };
    let desk = self::desk([(201, made())]);
    desk.attempt(&elsewhere).await;
    assert_eq!(desk.asked(), ["POST /v1.0/me/calendars/AAkCal=/events"]);
}

#[tokio::test]
async fn create_event_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = desk([list(&["AAkEvent="]), read("AAkEvent=", "Review", Some(&args().asked()))]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == "AAkEvent="));
    assert!(desk.asked()[1].starts_with("GET /v1.0/me/events/AAkEvent=?%24expand="));
}

#[tokio::test]
async fn create_event_request_lost_before_effect() {
    assert_eq!(desk([list(&[])]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn create_event_answer_without_our_key_is_unclear() {
    for foreign in [json!("other"), Value::Null] {
        let mut event = made();
        event["transactionId"] = foreign;
        let answer = desk([(201, event)]).attempt(&args()).await;
        assert!(format!("{answer:?}").contains("Echo(\"transactionId\")"), "{answer:?}");
    }
}

#[tokio::test]
async fn create_event_answer_about_another_event_is_unclear() {
    for (name, value) in [("subject", json!("Other")), ("start", Value::Null)] {
        let mut event = made();
        event[name] = value;
        check((201, event), "echo").await;
    }
    let mut event = made();
    event["end"]["dateTime"] = "2026-12-01T12:00:00.0000000".into();
    check((201, event), "echo").await;
    let mut event = made();
    event["id"] = "../x".into();
    check((201, event), "unclear").await;
    check((201, json!([])), "unclear").await;
}

#[tokio::test]
async fn create_event_is_refused() {
    check(error(400, "ErrorPropertyValidationFailure"), "refused").await;
    check(error(403, "ErrorAccessDenied"), "refused").await;
    check(error(404, "ErrorItemNotFound"), "refused").await;
}

#[tokio::test]
async fn create_event_limits_and_timeouts_are_unclear() {
    for answer in unclear() {
        check(answer, "unclear").await;
    }
}

#[tokio::test]
async fn create_event_credentials_are_not_done() {
    check(error(401, "InvalidAuthenticationToken"), "not done").await;
}

#[tokio::test]
async fn create_event_edited_by_people_is_still_ours() {
    let desk = desk([list(&["AAkEvent="]), read("AAkEvent=", "Moved", Some(&args().asked()))]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(_))));
}

#[tokio::test]
async fn create_event_mark_on_another_event_is_an_echo_fault() {
    let desk = desk([list(&["AAkEvent="]), read("AAkEvent=", "Review", Some("other"))]);
    assert_eq!(desk.find(&args()).await, Err(Fault::Echo("what was asked".to_owned())));
}

#[tokio::test]
async fn create_event_two_of_ours_are_several() {
    let asked = args().asked();
    let events = [read("AAk1=", "Review", Some(&asked)), read("AAk2=", "Review", Some(&asked))];
    let desk = desk([list(&["AAk1=", "AAk2="])].into_iter().chain(events));
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(_))));
}

#[tokio::test]
async fn create_event_failed_page_is_no_absence() {
    for bad in [error(500, "ErrorInternalServerError"), (200, json!({})), (404, json!({ "message": "Not Found" }))] {
        assert!(desk([bad]).find(&args()).await.is_err());
    }
    assert!(desk([list(&["AAk1="]), error(503, "ErrorServerBusy")]).find(&args()).await.is_err());
}

#[tokio::test]
async fn create_event_deleted_by_hand_is_absent() {
    let desk = desk([list(&["AAkEvent="]), error(404, "ErrorItemNotFound")]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent), "deleted since the list was made");
}

#[tokio::test]
async fn create_event_persons_receipt_is_read_and_compared() {
    let read_it = |answer| async move { desk([answer]).fetch(&args(), "AAkEvent=").await };
    let desk = desk([read("AAkEvent=", "Review", None)]);
    assert!(desk.fetch(&args(), "AAkEvent=").await.expect("read").is_some());
    let prefer = "IdType=\"ImmutableId\", outlook.timezone=\"Europe/Berlin\"";
    assert_eq!(desk.request(0).headers, [("Prefer".to_owned(), prefer.to_owned())], "so that times can be compared");
    assert!(matches!(read_it(read("AAkEvent=", "Other", None)).await, Err(Fault::Echo(_))));
    let mut later = made();
    later["start"]["dateTime"] = "2026-12-02T10:00:00.0000000".into();
    assert_eq!(read_it((200, later)).await, Err(Fault::Echo("start".to_owned())));
    // An equal event of another operation is that one's.
    let (status, mut anothers) = read("AAkEvent=", "Review", None);
    anothers["singleValueExtendedProperties"] = properties("another", Some(&args().asked()));
    assert_eq!(read_it((status, anothers)).await, Err(Fault::Echo("mark".to_owned())));
    assert_eq!(read_it(error(404, "ErrorItemNotFound")).await, Ok(None));
    assert!(self::desk([]).fetch(&args(), "../x").await.is_err());
}

#[test]
fn create_event_checks_its_arguments() {
    let check = |change: &dyn Fn(&mut CreateEvent), says: &str| {
        let mut event = args();
        change(&mut event);
        assert!(event.check().expect_err(says).starts_with(says), "{:?}", event.check());
    };
    check(&|event| event.calendar = Some("../x".into()), "calendar");
    check(&|event| event.subject = " ".into(), "subject");
    check(&|event| event.start = "2026-12-01T10:00:00Z".into(), "start");
    check(&|event| event.end = "2026-12-01T09:00:00".into(), "end");
    check(&|event| event.time_zone = "\"".into(), "time_zone");
    check(&|event| event.all_day = true, "all_day");
    check(&|event| event.attendees[0].name = Some("a\nb".into()), "attendees");
    check(&|event| event.attendees = vec![event.attendees[0].clone(); 501], "attendees");
    check(&|event| event.recurrence = Some(json!({ "pattern": {} })), "recurrence");
    assert_eq!(args().check(), Ok(()));
}
