//! What a workspace holds, and how its records look in an answer.

use crate::wire::MARK;
use hapax_standin::{Collection, Effect, Ids, Record};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Book {
    pub(super) messages: Collection<Message>,
    pub(super) pending: Collection<Pending>,
}

#[derive(Clone, Debug)]
pub(super) struct Message {
    /// `CHANNEL/TS`, because a `ts` is unique only within its conversation.
    pub(super) id: String,
    pub(super) channel: String,
    pub(super) ts: String,
    pub(super) text: String,
    pub(super) blocks: Option<Value>,
    pub(super) metadata: Option<Value>,
    pub(super) thread_ts: Option<String>,
    pub(super) is_broadcast: bool,
    pub(super) is_tombstone: bool,
    pub(super) created_ms: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) id: String,
    pub(super) channel: String,
    pub(super) post_at: i64,
    pub(super) text: String,
    pub(super) blocks: Option<Value>,
    pub(super) thread_ts: Option<String>,
    /// A message that was scheduled with metadata never posts.
    pub(super) has_metadata: bool,
    pub(super) created_ms: i64,
}

/// A new `ts`: the second, and a number that no other message has.
pub(super) fn new_ts(now_ms: i64, ids: &Ids) -> String {
    format!("{}.{:06}", now_ms.div_euclid(1_000), ids.number() % 1_000_000)
}

impl Book {
    /// Sends what is due, and returns what happened.
    pub(super) fn catch_up(&mut self, now_ms: i64, ids: &Ids) -> Vec<Effect> {
        let is_due = |one: &&Pending| one.post_at * 1_000 <= now_ms && !one.has_metadata;
        let due: Vec<Pending> = self.pending.iter().filter(is_due).cloned().collect();
        let mut effects = Vec::new();
        for one in due {
            self.pending.remove(&one.id);
            let at_ms = one.post_at * 1_000;
            let ts = new_ts(at_ms, ids);
            let message = self.messages.add(Message {
                id: format!("{}/{ts}", one.channel),
                channel: one.channel,
                ts,
                text: one.text,
                blocks: one.blocks,
                metadata: None,
                thread_ts: one.thread_ts,
                is_broadcast: false,
                is_tombstone: false,
                created_ms: at_ms,
            });
            effects.push(Effect { at_ms, ..message.effect("sent") });
        }
        effects
    }

    pub(super) fn message(&mut self, channel: &str, ts: &str) -> Option<&mut Message> {
        self.messages.get_mut(&format!("{channel}/{ts}")).filter(|message| !message.is_tombstone)
    }

    /// Whether others reply to this message.
    pub(super) fn has_replies(&self, channel: &str, ts: &str) -> bool {
        let replies = |one: &Message| one.channel == channel && one.ts != ts && one.thread_ts.as_deref() == Some(ts);
        self.messages.iter().any(replies)
    }
}

impl Message {
    /// Whether the conversation's history shows it: replies only if they are meant for all.
    pub(super) fn is_in_history(&self) -> bool {
        self.thread_ts.as_ref().is_none_or(|thread| *thread == self.ts) || self.is_broadcast
    }

    pub(super) fn effect(&self, kind: &str) -> Effect {
        let mark = self.metadata.as_ref().and_then(|metadata| metadata["event_payload"][MARK].as_str());
        effect(kind, &self.id, &self.channel, &self.text, mark)
    }

    /// As an answer shows it; metadata only where it was asked for.
    pub(super) fn value(&self, with_metadata: bool) -> Value {
        let mut value = Map::new();
        value.insert("type".to_owned(), "message".into());
        value.insert("ts".to_owned(), self.ts.clone().into());
        if self.is_tombstone {
            value.insert("subtype".to_owned(), "tombstone".into());
            value.insert("text".to_owned(), "This message was deleted.".into());
            return Value::Object(value);
        }
        value.insert("text".to_owned(), self.text.clone().into());
        value.insert("user".to_owned(), "U0STANDIN".into());
        value.insert("bot_id".to_owned(), "B0STANDIN".into());
        let metadata = self.metadata.clone().filter(|_| with_metadata);
        let more = [
            ("blocks", self.blocks.clone()),
            ("metadata", metadata),
            ("thread_ts", self.thread_ts.clone().map(Value::from)),
            ("subtype", self.is_broadcast.then(|| "thread_broadcast".into())),
        ];
        value.extend(more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(value)
    }
}

impl Pending {
    pub(super) fn effect(&self, kind: &str) -> Effect {
        effect(kind, &self.id, &self.channel, &self.text, None)
    }

    /// As the list shows it: the id without its letter.
    pub(super) fn value(&self) -> Value {
        json!({
            "id": self.id.trim_start_matches('Q').parse::<i64>().unwrap_or_default(),
            "channel_id": self.channel,
            "post_at": self.post_at,
            "date_created": self.created_ms.div_euclid(1_000),
            "text": self.text,
        })
    }
}

fn effect(kind: &str, object: &str, channel: &str, text: &str, mark: Option<&str>) -> Effect {
    let about = [("channel", Some(channel)), ("text", Some(text)), (MARK, mark)];
    let metadata: BTreeMap<String, String> =
        about.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    Effect { kind: kind.to_owned(), object: object.to_owned(), metadata, ..Effect::default() }
}

impl Record for Message {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Record for Pending {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}
