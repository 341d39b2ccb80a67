use hapax_core::cell::CellArgs;
use hapax_core::testing::{form_of, json_of, word};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CHANNEL, changed, error, losing, pending, scripted};

const CELL: &str = "slack.delete_scheduled";
/// Long after the tests' machine clock.
const AT: i64 = 4_000_000_000;

fn args() -> DeleteScheduled {
    with(json!({}))
}

fn with(more: Value) -> DeleteScheduled {
    changed(json!({"channel": CHANNEL, "scheduled_message_id": "Q7", "post_at": AT}), &more)
}

fn entry(id: Value, channel: &str) -> Value {
    json!({"id": id, "channel_id": channel, "post_at": AT, "date_created": 1_700_000_005, "text": "x"})
}

#[tokio::test]
async fn delete_scheduled_asks_for_the_one() {
    let desk = scripted(CELL, [(200, json!({"ok": true}))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": "Q7", "channel": CHANNEL, "doer": "us"}));
    assert_eq!(receipt.id, "", "schedule holds the claim");
    assert_eq!(desk.asked(), ["POST /api/chat.deleteScheduledMessage"]);
    assert_eq!(json_of(&form_of(&desk.request(0))), json!({"channel": CHANNEL, "scheduled_message_id": "Q7"}));
}

#[tokio::test]
async fn delete_scheduled_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [pending(vec![entry(json!(8), CHANNEL)], "x"), pending(Vec::new(), "")]);
    let finding = desk.find(&args()).await;
    assert!(matches!(finding, Ok(Finding::Happened(receipt)) if receipt.body["doer"] == "cannot_tell"));
}

#[tokio::test]
async fn delete_scheduled_pending_is_absent() {
    for id in [json!(7), json!("7"), json!("Q7")] {
        let pages = [pending(vec![entry(json!(8), CHANNEL)], "x"), pending(vec![entry(id.clone(), CHANNEL)], "")];
        assert_eq!(scripted(CELL, pages).find(&args()).await, Ok(Finding::Absent), "{id}");
    }
    let desk = scripted(CELL, [pending(Vec::new(), "x"), error("invalid_cursor")]);
    assert!(desk.find(&args()).await.is_err(), "half a list is no deletion");
    // Nothing narrows the list: an id that belongs elsewhere is not gone.
    let form = form_of(&desk.request(0));
    assert_eq!(form.keys().collect::<Vec<_>>(), ["limit"]);
}

#[tokio::test]
async fn delete_scheduled_gone_is_taken() {
    let desk = scripted(CELL, [error("invalid_scheduled_message_id")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn delete_scheduled_due_is_for_a_person() {
    let desk = scripted(CELL, [pending(Vec::new(), "")]);
    let finding = desk.find(&with(json!({"post_at": 1_700_000_600}))).await;
    assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{finding:?}");
}

#[tokio::test]
async fn delete_scheduled_elsewhere_cannot_tell() {
    let desk = scripted(CELL, [pending(vec![entry(json!(7), "C0999999999")], "")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn delete_scheduled_refusals_speak_for_their_attempt() {
    for (code, means) in [
        ("channel_not_found", "refused"),
        ("missing_scope", "refused"),
        ("ratelimited", "not done"),
        ("token_revoked", "not done"),
        ("internal_error", "unclear"),
        ("something_new", "unclear"),
    ] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), means, "{code}");
    }
    for odd in [json!({}), json!({"ok": false}), json!("<html>")] {
        let desk = scripted(CELL, [(200, odd.clone())]);
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{odd}");
    }
}

#[tokio::test]
async fn delete_scheduled_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (bad, field) in [
        (json!({"channel": "general"}), "channel"),
        (json!({"scheduled_message_id": "1298393284"}), "scheduled_message_id"),
        (json!({"scheduled_message_id": "Q1&x"}), "scheduled_message_id"),
        (json!({"post_at": -1}), "post_at"),
    ] {
        let why = with(bad).check().expect_err("refused");
        assert!(why.starts_with(field), "{why}");
    }
    assert!(scripted(CELL, []).fetch(&args(), "Q8").await.is_err());
}
