//! The stand-in over real sockets, asked as a client asks.

use super::StandIn;
use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

/// 2026-09-21, 14:13:20 GMT.
const BEGIN_MS: i64 = 1_790_000_000_000;
const BEGIN: i64 = BEGIN_MS / 1_000;
const CHANNEL: (&str, &str) = ("channel", "C0000000001");

/// A stand-in at work, and its clock.
struct Stage {
    server: Server,
    clock: Scripted,
}

async fn stage_of(with: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(BEGIN_MS);
    let server = with(StandIn::new(World::with_clock(1, clock.clock()))).serve(0).await.expect("a free port");
    Stage { server, clock }
}

async fn stage() -> Stage {
    stage_of(|stand_in| stand_in).await
}

impl Stage {
    async fn reply(&self, method: &str, fields: &[(&str, &str)]) -> Reply {
        let call = Call::post(&format!("{}/api/{method}", self.server.url()));
        call.header("authorization", "Bearer xoxb-any").form(fields).send().await.expect("a reply")
    }

    async fn ask(&self, method: &str, fields: &[(&str, &str)]) -> Value {
        self.reply(method, fields).await.value()
    }

    async fn posted(&self, text: &str) -> String {
        let answer = self.ask("chat.postMessage", &[CHANNEL, ("text", text)]).await;
        answer["ts"].as_str().expect("a ts").to_owned()
    }

    async fn scheduled(&self, text: &str, in_s: i64) -> Value {
        let at = (BEGIN + in_s).to_string();
        self.ask("chat.scheduleMessage", &[CHANNEL, ("text", text), ("post_at", &at)]).await
    }

    fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }
}

fn error(answer: &Value) -> &str {
    assert_eq!(answer["ok"], false, "{answer}");
    answer["error"].as_str().expect("an error")
}

fn texts(answer: &Value, list: &str) -> Vec<String> {
    let entries = answer[list].as_array().unwrap_or_else(|| panic!("{answer}"));
    entries.iter().map(|entry| entry["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn only_known_tokens_are_let_in() {
    let stage = stage_of(|stand_in| stand_in.accepts("xoxb-mine")).await;
    assert_eq!(error(&stage.ask("auth.test", &[]).await), "invalid_auth");
    let bare = Call::post(&format!("{}/api/auth.test", stage.server.url())).form(&[]).send().await.expect("a reply");
    assert_eq!((bare.status, error(&bare.value())), (200, "not_authed"));
}

#[tokio::test]
async fn refusals_come_inside_a_200() {
    let stage = stage().await;
    for (channel, text, code) in [
        ("C0MISSING1", "x", "channel_not_found"),
        ("C0ARCHIVED1", "x", "is_archived"),
        ("C0OUTSIDE1", "x", "not_in_channel"),
        ("C1", "", "no_text"),
        ("general", "x", "channel_not_found"),
    ] {
        let reply = stage.reply("chat.postMessage", &[("channel", channel), ("text", text)]).await;
        assert_eq!((reply.status, error(&reply.value())), (200, code));
    }
    let bad = [CHANNEL, ("text", "x"), ("metadata", r#"{"event_type":1}"#)];
    assert_eq!(error(&stage.ask("chat.postMessage", &bad).await), "invalid_metadata_schema");
    assert_eq!(error(&stage.ask("chat.sing", &[]).await), "unknown_method");
    assert_eq!(stage.count("message"), 0);
}

#[tokio::test]
async fn history_is_newest_first_without_replies_and_in_pages() {
    let stage = stage().await;
    let parent = stage.posted("one").await;
    stage.posted("two & <three>").await;
    stage.ask("chat.postMessage", &[CHANNEL, ("text", "reply"), ("thread_ts", &parent)]).await;
    let metadata = r#"{"event_type":"hapax","event_payload":{"key":"k"}}"#;
    stage.ask("chat.postMessage", &[CHANNEL, ("text", "four"), ("metadata", metadata)]).await;
    let first = stage.ask("conversations.history", &[CHANNEL, ("limit", "2")]).await;
    assert_eq!(texts(&first, "messages"), ["four", "two &amp; <three>"]);
    assert!(first["messages"][0]["metadata"].is_null(), "it was not asked for");
    let cursor = first["response_metadata"]["next_cursor"].as_str().expect("a cursor");
    let more = [CHANNEL, ("limit", "2"), ("cursor", cursor)];
    let second = stage.ask("conversations.history", &more).await;
    assert_eq!((texts(&second, "messages"), &second["has_more"]), (vec!["one".to_owned()], &json!(false)));
    let thread = stage.ask("conversations.replies", &[CHANNEL, ("ts", &parent)]).await;
    assert_eq!(texts(&thread, "messages"), ["one", "reply"]);
    let all = [CHANNEL, ("limit", "1"), ("include_all_metadata", "true")];
    let marked = stage.ask("conversations.history", &all).await;
    assert_eq!(marked["messages"][0]["metadata"]["event_payload"]["key"], "k");
    assert!(stage.server.effects().all().last().is_some_and(|effect| effect.carries("k")));
    let gone = stage.ask("conversations.replies", &[CHANNEL, ("ts", "1.000001")]).await;
    assert_eq!(error(&gone), "thread_not_found");
}

#[tokio::test]
async fn an_update_that_changes_nothing_is_no_effect() {
    let stage = stage().await;
    let ts = stage.posted("one").await;
    for _ in 0..2 {
        let answer = stage.ask("chat.update", &[CHANNEL, ("ts", &ts), ("text", "two")]).await;
        assert_eq!(answer["text"], "two");
    }
    assert_eq!(stage.count("update"), 1);
    let gone = stage.ask("chat.update", &[CHANNEL, ("ts", "1.000001"), ("text", "two")]).await;
    assert_eq!(error(&gone), "message_not_found");
}

#[tokio::test]
async fn a_message_is_deleted_once_and_leaves_a_tombstone_to_its_replies() {
    let stage = stage().await;
    let (alone, parent) = (stage.posted("alone").await, stage.posted("parent").await);
    stage.ask("chat.postMessage", &[CHANNEL, ("text", "reply"), ("thread_ts", &parent)]).await;
    for ts in [&alone, &parent] {
        assert_eq!(stage.ask("chat.delete", &[CHANNEL, ("ts", ts)]).await["ok"], true);
        assert_eq!(error(&stage.ask("chat.delete", &[CHANNEL, ("ts", ts)]).await), "message_not_found");
    }
    assert_eq!(stage.count("delete"), 2);
    let thread = stage.ask("conversations.replies", &[CHANNEL, ("ts", &parent)]).await;
    assert_eq!(thread["messages"][0]["subtype"], "tombstone");
    assert_eq!(error(&stage.ask("conversations.replies", &[CHANNEL, ("ts", &alone)]).await), "thread_not_found");
}

#[tokio::test]
async fn what_is_scheduled_is_listed_until_it_is_sent() {
    let stage = stage().await;
    assert_eq!(error(&stage.scheduled("past", -1).await), "time_in_past");
    assert_eq!(error(&stage.scheduled("far", 121 * 24 * 3600).await), "time_too_far");
    let made = stage.scheduled("later", 600).await;
    assert_eq!(made["post_at"], (BEGIN + 600).to_string());
    let listed = stage.ask("chat.scheduledMessages.list", &[]).await;
    let id = listed["scheduled_messages"][0]["id"].as_i64().expect("a number");
    assert_eq!(made["scheduled_message_id"], format!("Q{id}"));
    stage.clock.advance(600_000);
    assert!(texts(&stage.ask("chat.scheduledMessages.list", &[]).await, "scheduled_messages").is_empty());
    assert_eq!(texts(&stage.ask("conversations.history", &[CHANNEL]).await, "messages"), ["later"]);
    assert_eq!((stage.count("schedule"), stage.count("sent")), (1, 1));
    let id = made["scheduled_message_id"].as_str().expect("an id");
    let late = stage.ask("chat.deleteScheduledMessage", &[CHANNEL, ("scheduled_message_id", id)]).await;
    assert_eq!(error(&late), "invalid_scheduled_message_id");
}

#[tokio::test]
async fn a_scheduled_message_is_deleted_once_and_by_its_channel() {
    let stage = stage().await;
    let made = stage.scheduled("later", 600).await;
    let id = made["scheduled_message_id"].as_str().expect("an id");
    let other = [("channel", "C0000000002"), ("scheduled_message_id", id)];
    assert_eq!(error(&stage.ask("chat.deleteScheduledMessage", &other).await), "invalid_scheduled_message_id");
    let own = [CHANNEL, ("scheduled_message_id", id)];
    assert_eq!(stage.ask("chat.deleteScheduledMessage", &own).await, json!({"ok": true}));
    assert_eq!(error(&stage.ask("chat.deleteScheduledMessage", &own).await), "invalid_scheduled_message_id");
    assert_eq!(stage.count("unschedule"), 1);
}

#[tokio::test]
async fn with_metadata_it_is_never_sent_and_31_are_too_many() {
    let stage = stage().await;
    let at = (BEGIN + 60).to_string();
    let metadata = r#"{"event_type":"x","event_payload":{}}"#;
    stage.ask("chat.scheduleMessage", &[CHANNEL, ("text", "x"), ("post_at", &at), ("metadata", metadata)]).await;
    for _ in 1..30 {
        assert_eq!(stage.scheduled("x", 61).await["ok"], true);
    }
    assert_eq!(error(&stage.scheduled("x", 62).await), "restricted_too_many");
    stage.clock.advance(100_000);
    assert_eq!(texts(&stage.ask("chat.scheduledMessages.list", &[]).await, "scheduled_messages"), ["x"]);
    assert_eq!(stage.count("sent"), 29);
}

#[tokio::test]
async fn limits_are_429_with_a_wait() {
    let stage = stage_of(|stand_in| stand_in.outside_the_marketplace().posts_per_second(20)).await;
    for number in 0..20 {
        stage.posted(&number.to_string()).await;
    }
    let reply = stage.reply("chat.postMessage", &[CHANNEL, ("text", "x")]).await;
    assert_eq!((reply.status, reply.header("retry-after"), error(&reply.value())), (429, Some("1"), "ratelimited"));
    let page = stage.ask("conversations.history", &[CHANNEL, ("limit", "200")]).await;
    assert_eq!((texts(&page, "messages").len(), &page["has_more"]), (15, &json!(true)));
    let reply = stage.reply("conversations.history", &[CHANNEL]).await;
    assert_eq!((reply.status, reply.header("retry-after")), (429, Some("60")));
}
