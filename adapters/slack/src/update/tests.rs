use hapax_core::cell::CellArgs;
use hapax_core::testing::{form_of, json_of, word};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CHANNEL, TS, changed, error, losing, page, scripted};

const CELL: &str = "slack.update";

fn args() -> Update {
    with(json!({}))
}

fn with(more: Value) -> Update {
    changed(json!({"channel": CHANNEL, "ts": TS, "text": "Deploy 7 failed."}), &more)
}

fn updated(more: Value) -> (u16, Value) {
    (200, changed(json!({"ok": true, "channel": CHANNEL, "ts": TS, "text": "Deploy 7 failed."}), &more))
}

async fn found(args: &Update, message: Value) -> Finding<hapax_core::protocol::Receipt> {
    let message: Value = changed(json!({"ts": TS, "text": "Deploy 7 failed."}), &message);
    scripted(CELL, [page(vec![message], "")]).find(args).await.expect("a finding")
}

#[tokio::test]
async fn update_sends_what_was_asked() {
    let desk = scripted(CELL, [updated(json!({}))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": format!("{CHANNEL}/{TS}"), "channel": CHANNEL, "ts": TS, "doer": "us"}));
    assert_eq!(receipt.id, "", "post holds the claim");
    assert_eq!(desk.asked(), ["POST /api/chat.update"]);
    // Metadata that isn't given stays, and with it the mark of the post.
    let form = json!({"channel": CHANNEL, "ts": TS, "text": "Deploy 7 failed."});
    assert_eq!(json_of(&form_of(&desk.request(0))), form);
}

#[tokio::test]
async fn update_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let finding = found(&args(), json!({})).await;
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.body["doer"] == "cannot_tell"));
}

#[tokio::test]
async fn update_old_content_is_absent() {
    assert_eq!(found(&args(), json!({"text": "Deploy 7 runs."})).await, Finding::Absent);
    for bad in [error("missing_scope"), error("channel_not_found"), (429, error("ratelimited").1)] {
        assert!(scripted(CELL, [bad.clone()]).find(&args()).await.is_err(), "{bad:?}");
    }
}

#[tokio::test]
async fn update_rewritten_text_goes_again() {
    let linked = json!({"text": "R&amp;D: <http://example.com|example.com>"});
    let given = with(json!({"text": "R&D: example.com"}));
    assert!(matches!(found(&given, linked).await, Finding::Happened(_)));
    assert_eq!(found(&with(json!({"text": "🎉"})), json!({"text": ":tada:"})).await, Finding::Absent);
}

#[tokio::test]
async fn update_blocks_are_compared_by_what_was_given() {
    let given = with(json!({"blocks": [{"type": "divider"}]}));
    assert!(matches!(
        found(&given, json!({"blocks": [{"type": "divider", "block_id": "x"}]})).await,
        Finding::Happened(_)
    ));
    assert_eq!(found(&given, json!({"blocks": [{"type": "section"}]})).await, Finding::Absent);
    assert_eq!(found(&given, json!({})).await, Finding::Absent);
}

#[tokio::test]
async fn update_of_a_missing_message_cannot_tell() {
    let tombstone = json!({"ts": TS, "subtype": "tombstone", "text": "This message was deleted."});
    for gone in [error("thread_not_found"), page(Vec::new(), ""), page(vec![tombstone], "")] {
        let finding = scripted(CELL, [gone.clone()]).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{gone:?}");
    }
}

#[tokio::test]
async fn update_refusals_speak_for_their_attempt() {
    for (code, means) in [
        ("message_not_found", "refused"),
        ("cant_update_message", "refused"),
        ("edit_window_closed", "refused"),
        ("is_inactive", "refused"),
        ("streaming_state_conflict", "not done"),
        ("ratelimited", "not done"),
        ("invalid_auth", "not done"),
    ] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), means, "{code}");
    }
}

#[tokio::test]
async fn update_answer_about_another_one_is_an_echo_fault() {
    for other in [json!({"channel": "C0999999999"}), json!({"ts": "1700000009.000100"})] {
        let desk = scripted(CELL, [updated(other.clone())]);
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{other}");
    }
}

#[tokio::test]
async fn update_errors_are_sent_again() {
    for code in ["internal_error", "fatal_error", "update_failed", "service_unavailable", "request_timeout"] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{code}");
    }
    assert!(!UpdateCell::SPEC.can_be_adrift());
}

#[tokio::test]
async fn update_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (bad, field) in
        [(json!({"channel": "@anna"}), "channel"), (json!({"ts": "p1700"}), "ts"), (json!({"text": ""}), "text")]
    {
        let why = with(bad).check().expect_err("refused");
        assert!(why.starts_with(field), "{why}");
    }
    assert!(scripted(CELL, []).fetch(&args(), "C1/1700000005.000100").await.is_err());
}
