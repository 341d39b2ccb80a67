use hapax_core::cell::CellArgs;
use hapax_core::testing::{form_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CHANNEL, TS, changed, error, losing, page, pending, scripted};

const CELL: &str = "slack.post";
const THREAD: &str = "1699990000.000200";

fn args() -> Post {
    with(json!({}))
}

fn with(more: Value) -> Post {
    changed(json!({"channel": CHANNEL, "text": "Deploy 7 is done."}), &more)
}

fn posted(more: Value) -> (u16, Value) {
    let answer = json!({"ok": true, "channel": CHANNEL, "ts": TS, "message": {"text": "Deploy 7 is done.", "ts": TS}});
    (200, changed(answer, &more))
}

fn marked(mark: &str, ts: &str) -> Value {
    json!({"type": "message", "ts": ts, "text": "Deploy 7 is done.", "bot_id": "B1",
        "metadata": {"event_type": "hapax", "event_payload": {"key": mark}}})
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

#[tokio::test]
async fn post_sends_what_was_asked() {
    let desk = scripted(CELL, [posted(json!({}))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(receipt.id, format!("{CHANNEL}/{TS}"));
    assert_eq!(*receipt.body, json!({"id": receipt.id, "channel": CHANNEL, "ts": TS}));
    assert_eq!(desk.asked(), ["POST /api/chat.postMessage"]);
    let form = form_of(&desk.request(0));
    let metadata: Value = serde_json::from_str(&form["metadata"]).expect("JSON");
    assert_eq!(metadata, json!({"event_type": "hapax", "event_payload": {"key": desk.mark()}}));
    assert_eq!(form["client_msg_id"], desk.names().token("post"));
    assert_eq!((form["channel"].as_str(), form["text"].as_str(), form.len()), (CHANNEL, "Deploy 7 is done.", 4));

    let more = json!({"thread_ts": THREAD, "reply_broadcast": true, "unfurl_links": false, "unfurl_media": true,
        "blocks": [{"type": "divider"}]});
    let desk = scripted(CELL, [posted(json!({"message": {"thread_ts": THREAD}, "warning": "missing_charset"}))]);
    assert_eq!(word(&desk.attempt(&with(more)).await), "happened");
    let form = form_of(&desk.request(0));
    assert_eq!(form["blocks"], r#"[{"type":"divider"}]"#);
    let said = ["thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media"].map(|name| form[name].as_str());
    assert_eq!(said, [THREAD, "true", "false", "true"]);
}

#[tokio::test]
async fn post_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let other = json!({"type": "message", "ts": "1700000009.000100", "text": "hello"});
    let desk = scripted(CELL, [page(vec![other], "bmV4dA=="), page(vec![marked(&mark(), TS)], "")]);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == format!("{CHANNEL}/{TS}")));
    assert_eq!(desk.asked(), ["POST /api/conversations.history", "POST /api/conversations.history"]);
    let (first, second) = (form_of(&desk.request(0)), form_of(&desk.request(1)));
    // Ten minutes before the operation began: clocks differ.
    assert_eq!((first["oldest"].as_str(), first["include_all_metadata"].as_str()), ("1699999400.000000", "true"));
    assert_eq!((first.get("cursor"), second["cursor"].as_str()), (None, "bmV4dA=="));
}

#[tokio::test]
async fn post_absent_is_only_suggested() {
    let desk = scripted(CELL, [page(Vec::new(), "")]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    let worth: Vec<_> = PostCell::SPEC.queries().map(|query| query.absence).collect();
    assert_eq!(worth, [hapax_core::capability::Absence::Suggests]);
}

#[tokio::test]
async fn post_replies_are_looked_for_in_their_thread() {
    let parent = json!({"ts": THREAD, "text": "begin", "thread_ts": THREAD, "reply_count": 1});
    let mut reply = marked(&mark(), TS);
    reply["thread_ts"] = THREAD.into();
    // The first message comes on every page, and a reply may, too.
    let pages = [page(vec![parent.clone(), reply.clone()], "x"), page(vec![parent, reply], "")];
    let desk = scripted(CELL, pages);
    let finding = desk.find(&with(json!({"thread_ts": THREAD}))).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.body["thread_ts"] == THREAD));
    assert_eq!(desk.asked()[0], "POST /api/conversations.replies");
    assert_eq!(form_of(&desk.request(0))["ts"], THREAD);
}

#[tokio::test]
async fn post_others_are_not_ours() {
    let mut foreign = marked(&mark(), TS);
    foreign["metadata"]["event_type"] = "task_created".into();
    let unmarked = json!({"ts": TS, "text": "Deploy 7 is done."});
    let desk = scripted(CELL, [page(vec![marked("another", TS), foreign, unmarked], "")]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn post_two_marks_are_several() {
    let two = vec![marked(&mark(), TS), marked(&mark(), "1700000006.000100")];
    let desk = scripted(CELL, [page(two, "")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(two)) if two.len() == 2));
}

#[tokio::test]
async fn post_failed_page_is_no_absence() {
    let endless = json!({"ok": true, "messages": [], "has_more": true});
    let limited = (429, json!({"ok": false, "error": "ratelimited"}));
    let foreign = (404, json!({"message": "Not Found", "documentation_url": "x"}));
    for bad in [error("missing_scope"), error("not_in_channel"), limited, (200, endless), foreign, pending(vec![], "")]
    {
        let desk = scripted(CELL, [page(Vec::new(), "x"), bad.clone()]);
        assert!(desk.find(&args()).await.is_err(), "{bad:?}");
    }
}

#[tokio::test]
async fn post_refusals_speak_for_their_attempt() {
    for code in ["channel_not_found", "not_in_channel", "is_archived", "msg_too_long", "missing_scope", "no_text"] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "refused", "{code}");
    }
}

#[tokio::test]
async fn post_errors_that_may_have_had_an_effect_are_adrift() {
    for code in ["internal_error", "fatal_error"] {
        for status in [200, 500, 400] {
            let desk = scripted(CELL, [(status, error(code).1)]);
            assert_eq!(word(&desk.attempt(&args()).await), "adrift", "{code} {status}");
        }
    }
}

#[tokio::test]
async fn post_other_answers_are_not_guessed() {
    let unclear = [
        error("service_unavailable"),
        error("request_timeout"),
        error("team_added_to_org"),
        error("duplicate_message_not_found"),
        error("duplicate_channel_not_found"),
        error("something_new"),
        (200, json!({"ok": false})),
        (200, json!({"ok": true})),
        (200, json!("<html>")),
        (404, json!({"message": "Not Found"})),
        (502, json!("<html>")),
        (429, json!("slow down")),
        (503, error("service_unavailable").1),
    ];
    for answer in unclear {
        let desk = scripted(CELL, [answer.clone()]);
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn post_limits_are_not_done() {
    let desk = scripted(CELL, []);
    let mut limited = response(429, &error("ratelimited").1);
    limited.headers.push(("retry-after".to_owned(), "30".to_owned()));
    desk.script().push(Ok(limited));
    assert!(matches!(desk.attempt(&args()).await, Answer::NotDone(_, Some(30_000))));
    let desk = scripted(CELL, [error("rate_limited")]);
    assert_eq!(word(&desk.attempt(&args()).await), "not done");
}

#[tokio::test]
async fn post_wrong_credentials_are_not_done() {
    for code in ["not_authed", "invalid_auth", "token_revoked", "token_expired", "account_inactive"] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{code}");
    }
}

#[tokio::test]
async fn post_answer_about_another_one_is_an_echo_fault() {
    let desk = scripted(CELL, [posted(json!({"channel": "C0999999999"}))]);
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
    // A reply that ends in the channel, and a message that ends in a thread.
    let desk = scripted(CELL, [posted(json!({}))]);
    assert_eq!(word(&desk.attempt(&with(json!({"thread_ts": THREAD}))).await), "echo");
    let desk = scripted(CELL, [posted(json!({"message": {"thread_ts": THREAD}}))]);
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
}

#[tokio::test]
async fn post_fetch_reads_what_a_person_names() {
    let named = format!("{CHANNEL}/{TS}");
    for id in [named.as_str(), TS] {
        let desk = scripted(CELL, [page(vec![marked(&mark(), TS)], "")]);
        let receipt = desk.fetch(&args(), id).await.expect("readable").expect("a message");
        assert_eq!(receipt.id, named);
        let form = form_of(&desk.request(0));
        assert_eq!((form["ts"].as_str(), form["latest"].as_str()), (TS, TS));
    }
    let desk = scripted(CELL, [page(vec![marked("another", TS)], "")]);
    assert!(matches!(desk.fetch(&args(), TS).await, Err(Fault::Echo(_))));
    for gone in [error("thread_not_found"), page(Vec::new(), "")] {
        assert_eq!(scripted(CELL, [gone]).fetch(&args(), TS).await, Ok(None));
    }
    let desk = scripted(CELL, []);
    assert!(matches!(desk.fetch(&args(), &format!("C0999999999/{TS}")).await, Err(Fault::Echo(_))));
    assert!(desk.fetch(&args(), "p1700000005000100").await.is_err());
}

#[test]
fn post_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let reply = json!({"thread_ts": THREAD, "reply_broadcast": true});
    assert_eq!(with(reply).check(), Ok(()));
    for (bad, field) in [
        (json!({"channel": "#general"}), "channel"),
        (json!({"channel": "U0123456789"}), "channel"),
        (json!({"channel": "C012&x"}), "channel"),
        (json!({"text": " "}), "text"),
        (json!({"text": "x".repeat(40_001)}), "text"),
        (json!({"blocks": vec![json!({}); 51]}), "blocks"),
        (json!({"thread_ts": "1700000000"}), "thread_ts"),
        (json!({"thread_ts": "1700000000.12345"}), "thread_ts"),
        (json!({"reply_broadcast": true}), "reply_broadcast"),
    ] {
        let why = with(bad.clone()).check().expect_err("refused");
        assert!(why.starts_with(field), "{why}");
    }
}
