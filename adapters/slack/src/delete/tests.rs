use hapax_core::cell::CellArgs;
use hapax_core::testing::{form_of, json_of, word};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CHANNEL, TS, error, losing, page, scripted};

const CELL: &str = "slack.delete";

fn args() -> Delete {
    Delete::of(CHANNEL, TS)
}

fn deleted(channel: &str, ts: &str) -> (u16, Value) {
    (200, json!({"ok": true, "channel": channel, "ts": ts}))
}

#[tokio::test]
async fn delete_asks_for_the_one() {
    let desk = scripted(CELL, [deleted(CHANNEL, TS)]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": format!("{CHANNEL}/{TS}"), "channel": CHANNEL, "ts": TS, "doer": "us"}));
    assert_eq!(receipt.id, "", "post holds the claim");
    assert_eq!(desk.asked(), ["POST /api/chat.delete"]);
    assert_eq!(json_of(&form_of(&desk.request(0))), json!({"channel": CHANNEL, "ts": TS}));
}

#[tokio::test]
async fn delete_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let tombstone = json!({"ts": TS, "subtype": "tombstone", "text": "This message was deleted.", "thread_ts": TS});
    let reply = json!({"ts": "1700000009.000100", "text": "reply", "thread_ts": TS});
    for gone in [error("thread_not_found"), page(Vec::new(), ""), page(vec![tombstone, reply], "")] {
        let finding = scripted(CELL, [gone.clone()]).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::Happened(receipt)) if receipt.body["doer"] == "cannot_tell"), "{gone:?}");
    }
}

#[tokio::test]
async fn delete_look_that_quotes_slack_proves_nothing() {
    for status in [301, 404, 503] {
        let quoted = (status, error("thread_not_found").1);
        assert!(scripted(CELL, [quoted]).find(&args()).await.is_err(), "{status}");
    }
}

#[tokio::test]
async fn delete_present_is_absent() {
    let message = json!({"ts": TS, "text": "hello", "thread_ts": "1699990000.000200"});
    let desk = scripted(CELL, [page(vec![message], "")]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    // The one method that shows replies and other messages alike.
    assert_eq!(desk.asked(), ["POST /api/conversations.replies"]);
}

#[tokio::test]
async fn delete_gone_is_taken() {
    let desk = scripted(CELL, [error("message_not_found")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn delete_look_that_fails_is_no_absence() {
    let foreign = (404, json!({"message": "Not Found"}));
    let limited = (429, error("ratelimited").1);
    let elsewhere = page(vec![json!({"ts": "1700000009.000100", "text": "x"})], "more");
    for bad in
        [error("missing_scope"), error("channel_not_found"), error("not_in_channel"), limited, foreign, elsewhere]
    {
        assert!(scripted(CELL, [bad.clone()]).find(&args()).await.is_err(), "{bad:?}");
    }
}

#[tokio::test]
async fn delete_refusals_speak_for_their_attempt() {
    for (code, means) in [
        ("cant_delete_message", "refused"),
        ("compliance_exports_prevent_deletion", "refused"),
        ("channel_not_found", "refused"),
        ("ratelimited", "not done"),
        ("not_authed", "not done"),
        ("internal_error", "unclear"),
        ("something_new", "unclear"),
    ] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), means, "{code}");
    }
}

#[tokio::test]
async fn delete_answer_about_another_one_is_an_echo_fault() {
    for (channel, ts) in [("C0999999999", TS), (CHANNEL, "1700000009.000100")] {
        let desk = scripted(CELL, [deleted(channel, ts)]);
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{channel} {ts}");
    }
}

#[tokio::test]
async fn delete_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert!(Delete::of("general", TS).check().expect_err("a name").starts_with("channel"));
    assert!(Delete::of(CHANNEL, "1700000005").check().expect_err("no ts").starts_with("ts"));
    assert!(scripted(CELL, []).fetch(&args(), "C1/1700000005.000100").await.is_err());
}
