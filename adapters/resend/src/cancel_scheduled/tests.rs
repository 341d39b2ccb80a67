use hapax_core::testing::word;
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, id, losing, scripted, shown};

const CELL: &str = "resend.cancel_scheduled";

fn args() -> CancelScheduled {
    CancelScheduled::of(id(1))
}

fn mail(event: &str) -> (u16, Value) {
    let mut mail = shown(1, "jane@example.org", None);
    mail["last_event"] = event.into();
    (200, mail)
}

async fn found(event: &str) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [mail(event)]).find(&args()).await.expect("a finding")
}

async fn answered(status: u16, name: &str) -> &'static str {
    word(&scripted(CELL, [error(status, name)]).attempt(&args()).await)
}

#[tokio::test]
async fn cancel_scheduled_asks_once() {
    let desk = scripted(CELL, [(200, json!({"object": "email", "id": id(1)}))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": id(1), "doer": "us"}));
    assert_eq!(receipt.id, "", "resend.send holds the claim");
    assert_eq!(desk.asked(), [format!("POST /emails/{}/cancel", id(1))]);
    assert!(!desk.last().headers.iter().any(|(name, _)| name == "Idempotency-Key"), "no key is documented here");
}

#[tokio::test]
async fn cancel_scheduled_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    for event in ["canceled", "email.canceled"] {
        assert!(matches!(found(event).await, Finding::Happened(receipt) if receipt.body["doer"] == "cannot_tell"));
    }
}

#[tokio::test]
async fn cancel_scheduled_while_scheduled_is_absent() {
    assert_eq!(found("scheduled").await, Finding::Absent);
}

#[tokio::test]
async fn cancel_scheduled_refusal_is_taken() {
    for (status, name) in [(400, "validation_error"), (409, "conflict"), (422, "validation_error"), (422, "other")] {
        assert_eq!(answered(status, name).await, "taken", "{status} {name}");
    }
    for (status, name) in [(429, "rate_limit_exceeded"), (500, "application_error")] {
        assert_eq!(answered(status, name).await, "unclear", "{status} {name}");
    }
    let wrong = (400, json!({"statusCode": 400, "name": "validation_error", "message": "API key is invalid"}));
    assert_eq!(word(&scripted(CELL, [wrong]).attempt(&args()).await), "not done", "not let in");
}

#[tokio::test]
async fn cancel_scheduled_that_left_failed() {
    let left =
        ["sent", "delivered", "delivery_delayed", "opened", "clicked", "complained", "bounced", "failed", "suppressed"];
    for event in left {
        assert!(matches!(found(event).await, Finding::Failed(_)), "{event}");
    }
    assert!(matches!(found("folded").await, Finding::CannotTell(_)));
}

#[tokio::test]
async fn cancel_scheduled_queued_is_not_yet() {
    assert!(matches!(found("queued").await, Finding::NotYet(_)));
}

#[tokio::test]
async fn cancel_scheduled_unknown_mail_is_refused() {
    let gone = || (404, json!({"statusCode": 404, "name": "not_found", "message": "Email not found"}));
    let desk = scripted(CELL, [gone(), gone()]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(word(&desk.attempt(&args()).await), "refused");
}

#[tokio::test]
async fn cancel_scheduled_answer_about_another_mail_is_an_echo_fault() {
    let desk = scripted(CELL, [(200, json!({"object": "email", "id": id(2)}))]);
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
}

#[tokio::test]
async fn cancel_scheduled_needs_full_access() {
    assert_eq!(answered(401, "restricted_api_key").await, "refused");
}

#[tokio::test]
async fn cancel_scheduled_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for bad in ["", "re_1", "../domains", "49a3999c-0ce1-4ea6-ab68-afcd6dc2e79/"] {
        assert!(CancelScheduled::of(bad).check().is_err(), "{bad}");
    }
    let desk = scripted(CELL, []);
    assert!(desk.fetch(&args(), &id(2)).await.is_err());
}
