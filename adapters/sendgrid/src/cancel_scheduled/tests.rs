use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, losing, scripted};

const CELL: &str = "sendgrid.cancel_scheduled";

fn args() -> CancelScheduled {
    CancelScheduled::of("batch1")
}

fn batch(id: &str, status: &str) -> Value {
    json!({ "batch_id": id, "status": status })
}

#[tokio::test]
async fn cancel_scheduled_asks_once() {
    let desk = scripted(CELL, [(201, batch("batch1", "cancel"))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.body["doer"] == "us"), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /v3/user/scheduled_sends"]);
    assert_eq!(body_of(&desk.last()), batch("batch1", "cancel"));
}

#[tokio::test]
async fn cancel_scheduled_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [(200, json!([batch("batch1", "cancel")]))]);
    let finding = desk.find(&args()).await;
    assert!(matches!(&finding, Ok(Finding::Happened(receipt)) if receipt.body["doer"] == "cannot_tell"), "{finding:?}");
    assert_eq!(desk.asked(), ["GET /v3/user/scheduled_sends/batch1"]);
}

#[tokio::test]
async fn cancel_scheduled_without_a_record_is_absent() {
    for answer in [(200, json!([])), error(404)] {
        assert_eq!(scripted(CELL, [answer]).find(&args()).await, Ok(Finding::Absent));
    }
    for failed in [error(500), error(429), (404, json!({ "message": "not here" })), (200, json!({}))] {
        assert!(scripted(CELL, [failed]).find(&args()).await.is_err(), "a look that fails is no absence");
    }
}

#[tokio::test]
async fn cancel_scheduled_paused_cannot_be_told() {
    let finding = scripted(CELL, [(200, json!([batch("batch1", "pause")]))]).find(&args()).await;
    assert!(matches!(&finding, Ok(Finding::CannotTell(why)) if why.contains("pause")), "{finding:?}");
}

#[tokio::test]
async fn cancel_scheduled_refusal_is_taken() {
    for (status, expected) in [(400, "taken"), (401, "not done"), (403, "refused"), (429, "unclear"), (500, "unclear")]
    {
        assert_eq!(word(&scripted(CELL, [error(status)]).attempt(&args()).await), expected, "{status}");
    }
}

#[tokio::test]
async fn cancel_scheduled_answer_about_another_batch_is_an_echo_fault() {
    let desk = scripted(CELL, [(201, batch("batch2", "cancel"))]);
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
    assert!(scripted(CELL, [(200, json!([batch("batch2", "cancel")]))]).find(&args()).await.is_err());
}

#[tokio::test]
async fn cancel_scheduled_other_status_is_unread() {
    for answer in [batch("batch1", "pause"), json!({ "batch_id": "batch1" })] {
        assert_eq!(word(&scripted(CELL, [(201, answer)]).attempt(&args()).await), "unclear");
    }
}

#[test]
fn cancel_scheduled_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for bad in ["", "a/b", "..", "a b"] {
        assert!(CancelScheduled::of(bad).check().is_err(), "{bad}");
    }
}
