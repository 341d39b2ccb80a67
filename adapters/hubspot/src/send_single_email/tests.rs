use hapax_core::cell::{CellArgs, CellReceipt};
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, losing, missing, scripted, unclear};

const CELL: &str = "hubspot.send_single_email";

fn args() -> SendSingleEmail {
    SendSingleEmail::of(4_126_643_121, "jane@example.com")
}

fn accepted(status: &str) -> Value {
    json!({ "statusId": "st-1", "status": status, "requestedAt": "2026-09-21T14:13:20.000Z" })
}

fn send_id() -> String {
    scripted(CELL, []).names().token("send")
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

fn fate(status: &str, result: Option<&str>) -> Option<(String, bool)> {
    let (id, send_id, status) = ("st-1".to_owned(), send_id(), status.to_owned());
    SingleEmailReceipt { id, send_id, status, result: result.map(str::to_owned) }.fate()
}

#[tokio::test]
async fn send_single_email_sends_what_was_asked() {
    let desk = scripted(CELL, [(200, accepted("PENDING"))]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((receipt.id.as_str(), &receipt.body["send_id"]), ("st-1", &json!(send_id())));
    assert_eq!(desk.asked(), ["POST /marketing/v3/transactional/single-email/send"]);
    let message = json!({ "to": "jane@example.com", "sendId": send_id() });
    assert_eq!(body_of(&desk.request(0)), json!({ "emailId": 4_126_643_121_u64, "message": message }));

    let all = SendSingleEmail {
        from: Some("Shop <shop@example.com>".to_owned()),
        reply_to: vec!["desk@example.com".to_owned()],
        cc: vec!["cc@example.com".to_owned()],
        bcc: vec!["bcc@example.com".to_owned()],
        contact_properties: [("last_paid_date".to_owned(), "2026-09-21".to_owned())].into(),
        custom_properties: [("item".to_owned(), json!("roof"))].into(),
        ..args()
    };
    let desk = scripted(CELL, [(200, accepted("COMPLETE"))]);
    assert_eq!(word(&desk.attempt(&all).await), "happened");
    let sent = json!({
        "emailId": 4_126_643_121_u64,
        "message": {
            "to": "jane@example.com", "sendId": send_id(), "from": "Shop <shop@example.com>",
            "replyTo": ["desk@example.com"], "cc": ["cc@example.com"], "bcc": ["bcc@example.com"],
        },
        "contactProperties": { "last_paid_date": "2026-09-21" },
        "customProperties": { "item": "roof" },
    });
    assert_eq!(body_of(&desk.request(0)), sent);
}

#[tokio::test]
async fn send_single_email_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, []);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::CannotTell(_)), "nothing can be asked by a sendId: {finding:?}");
    assert!(desk.asked().is_empty() && SendSingleEmailCell::SPEC.queries().next().is_none());
}

#[tokio::test]
async fn send_single_email_repeat_keeps_its_id() {
    let id_of = |desk: hapax_core::testing::Desk| async move {
        desk.attempt(&args()).await;
        body_of(&desk.request(0))["message"]["sendId"].as_str().map(str::to_owned).expect("a sendId")
    };
    assert_eq!(id_of(losing(CELL)).await, id_of(losing(CELL)).await);
    let again = id_of(losing(CELL).superseding("x", "y")).await;
    assert_ne!(again, send_id(), "a person said: send it again");
    assert_ne!(id_of(losing(CELL).keyed("order:1043")).await, send_id(), "an equal mail of another operation");
}

#[test]
fn send_single_email_repeat_is_told_by_its_fate() {
    let ignored = fate("COMPLETE", Some("IDEMPOTENT_IGNORE"));
    assert_eq!(ignored, Some(("dropped as a repeat of an earlier request".to_owned(), false)));
    let (said, failed) = fate("COMPLETE", Some("IDEMPOTENT_FAIL")).expect("a fate");
    assert!(said.contains("an earlier request may have sent it"), "{said}");
    assert!(!failed, "to try again what has failed is allowed, and it would be a second mail");
}

#[tokio::test]
async fn send_single_email_refusals_speak_for_their_attempt() {
    let refusals = [
        error(400, "VALIDATION_ERROR", "message.to is required"),
        error(403, "MISSING_SCOPES", "no"),
        error(404, "OBJECT_NOT_FOUND", "no such mail"),
    ];
    for (status, body) in refusals {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
    let (status, body) = error(401, "INVALID_AUTHENTICATION", "no");
    assert_eq!(said(status, body).await, "not done");
}

#[tokio::test]
async fn send_single_email_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
    let (status, body) = error(409, "CONFLICT", "no");
    assert_eq!(said(status, body).await, "unclear");
    let (published, _) = SendSingleEmailCell::SPEC.published();
    assert!(published.exceptions.iter().any(|what| what.contains("server error")), "{published:?}");
}

#[tokio::test]
async fn send_single_email_answer_without_an_id_is_unread() {
    let without = json!({ "status": "PENDING" });
    let empty = json!({ "statusId": "", "status": "PENDING" });
    for body in [without, empty, accepted("foreign"), json!([])] {
        assert_eq!(said(200, body.clone()).await, "unclear", "{body}");
    }
}

#[test]
fn send_single_email_fate_is_followed() {
    assert_eq!(fate("PENDING", None), None);
    assert_eq!(fate("PROCESSING", Some("QUEUED")), None);
    assert_eq!(fate("COMPLETE", Some("SENT")), Some(("sent".to_owned(), false)));
    assert_eq!(fate("COMPLETE", Some("QUEUED")), Some(("queued for delivery".to_owned(), false)));
    assert_eq!(fate("COMPLETE", None), Some(("complete".to_owned(), false)));
    assert_eq!(fate("CANCELED", None), Some(("canceled".to_owned(), true)));
    let bounced = fate("COMPLETE", Some("PREVIOUSLY_BOUNCED"));
    assert_eq!(bounced, Some(("not sent: PREVIOUSLY_BOUNCED".to_owned(), true)));
    for unsaid in ["THROTTLED", "MTA_IGNORE", "NEW_RESULT"] {
        let (said, failed) = fate("COMPLETE", Some(unsaid)).expect("a fate");
        assert!(said.contains(unsaid) && !failed, "nobody says that it was not sent: {said}");
    }
}

#[tokio::test]
async fn send_single_email_fetch_reads_what_a_person_names() {
    let mut sent = accepted("COMPLETE");
    sent["sendResult"] = "SENT".into();
    let desk = scripted(CELL, [(200, sent)]);
    let read = desk.fetch(&args(), "st-1").await.expect("read").expect("there");
    assert_eq!((read.id.as_str(), &read.body["result"]), ("st-1", &json!("SENT")));
    assert_eq!(desk.asked(), ["GET /marketing/v3/email/send-statuses/st-1"]);
    assert_eq!(scripted(CELL, [missing()]).fetch(&args(), "st-1").await, Ok(None));
    let other = scripted(CELL, [(200, accepted("PENDING"))]).fetch(&args(), "st-2").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&args(), "../x").await.is_err());
}

#[test]
fn send_single_email_checks_its_arguments() {
    let wrong = |args: SendSingleEmail, field: &str| {
        let why = args.check().expect_err(field);
        assert!(why.starts_with(field), "{why}");
        assert!(!why.contains("jane"), "{why}");
    };
    assert!(!format!("{:?}", args()).contains("jane"));
    assert_eq!(args().check(), Ok(()));
    wrong(SendSingleEmail::of(0, "jane@example.com"), "email_id");
    wrong(SendSingleEmail::of(1, "Jane <jane@example.com>"), "to");
    wrong(SendSingleEmail { cc: vec!["jane".to_owned()], ..args() }, "cc");
    wrong(SendSingleEmail { bcc: vec![String::new()], ..args() }, "bcc");
    wrong(SendSingleEmail { reply_to: vec!["jane".to_owned()], ..args() }, "reply_to");
    let list = [("items".to_owned(), json!(["roof"]))].into();
    wrong(SendSingleEmail { custom_properties: list, ..args() }, "custom_properties");
    let odd = [("Last Paid".to_owned(), "x".to_owned())].into();
    wrong(SendSingleEmail { contact_properties: odd, ..args() }, "contact_properties");
}
