use hapax_core::cell::CellArgs;
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{asked, error, losing, scripted, sid};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "twilio.cancel_message";

fn args() -> CancelMessage {
    CancelMessage::of(sid("SM", 1))
}

fn message(status: &str) -> (u16, Value) {
    (200, json!({"sid": sid("SM", 1), "status": status, "to": "+15551230001", "body": "x"}))
}

async fn found(status: &str) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [message(status)]).find(&args()).await.expect("a finding")
}

#[tokio::test]
async fn cancel_message_asks_for_the_one_status() {
    let desk = scripted(CELL, [message("canceled")]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": sid("SM", 1), "status": "canceled", "doer": "us"}));
    assert_eq!(receipt.id, "", "send_message holds the claim");
    assert_eq!(asked(&desk), [format!("POST /Messages/{}.json", sid("SM", 1))]);
    assert_eq!(json_of(&form_of(&desk.request(0))), json!({"Status": "canceled"}));
}

#[tokio::test]
async fn cancel_message_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    assert!(matches!(found("canceled").await, Finding::Happened(receipt) if receipt.body["doer"] == "cannot_tell"));
}

#[tokio::test]
async fn cancel_message_scheduled_is_absent() {
    assert_eq!(found("scheduled").await, Finding::Absent);
}

#[tokio::test]
async fn cancel_message_too_late_is_taken() {
    for status in [400, 409] {
        let desk = scripted(CELL, [error(status, 30409)]);
        assert_eq!(word(&desk.attempt(&args()).await), "taken", "{status}");
    }
}

#[tokio::test]
async fn cancel_message_that_left_failed() {
    for status in ["queued", "sending", "sent", "delivered", "undelivered", "failed", "read", "partially_delivered"] {
        assert!(matches!(found(status).await, Finding::Failed(_)), "{status}");
    }
    assert!(matches!(found("folded").await, Finding::CannotTell(_)));
}

#[tokio::test]
async fn cancel_message_accepted_is_not_yet() {
    assert!(matches!(found("accepted").await, Finding::NotYet(_)));
}

#[tokio::test]
async fn cancel_message_success_with_another_status_is_unread() {
    for status in ["scheduled", "sent"] {
        let desk = scripted(CELL, [message(status)]);
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{status}");
    }
}

#[tokio::test]
async fn cancel_message_unknown_is_absent() {
    let desk = scripted(CELL, [error(404, 20404), error(404, 20404)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(word(&desk.attempt(&args()).await), "refused");
}

#[tokio::test]
async fn cancel_message_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for bad in ["SM1", "CA00000000000000000000000000000001", "SM0000000000000000000000000000000/"] {
        assert!(CancelMessage::of(bad).check().is_err(), "{bad}");
    }
    let desk = scripted(CELL, []);
    assert!(desk.fetch(&args(), &sid("SM", 2)).await.is_err());
}
