//! A mail as the team keeps it, and what becomes of it.

use super::fail::Fail;
use crate::address::bare;
use crate::wire::MARK;
use hapax_standin::{Due, Effect, Machine, Record};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    Cancel,
}

/// What cancels: a scheduled mail, once.
const SCHEDULE: Machine<&str, Action, &str> = Machine {
    transitions: &[(Action::Cancel, &["scheduled"], "canceled")],
    refusals: &[],
    otherwise: "Only scheduled emails can be canceled",
};

#[derive(Clone, Debug)]
pub(super) struct Mail {
    pub(super) id: String,
    /// What was asked for, without its tags and attachments.
    pub(super) asked: Map<String, Value>,
    pub(super) tags: Vec<(String, String)>,
    pub(super) last_event: &'static str,
    pub(super) created_ms: i64,
    /// When it arrives or comes to nothing.
    pub(super) due: Due<&'static str>,
}

/// What becomes of a mail to these recipients.
pub(super) fn fate_of(to: &[String]) -> &'static str {
    let plays = |what: &str| {
        to.iter().map(|written| bare(written)).any(|address| {
            let user = address.strip_suffix("@resend.dev").unwrap_or_default();
            user.split('+').next() == Some(what)
        })
    };
    ["bounced", "complained", "suppressed"].into_iter().find(|what| plays(what)).unwrap_or("delivered")
}

impl Mail {
    pub(super) fn catch_up(&mut self, now_ms: i64) {
        if let Some((_, event)) = self.due.take(now_ms) {
            self.last_event = event;
        }
    }

    pub(super) fn cancel(&mut self) -> Result<(), Fail> {
        self.last_event = SCHEDULE.step(self.last_event, Action::Cancel).map_err(Fail::invalid)?;
        self.due = Due::never();
        Ok(())
    }

    /// An effect on it, with our mark.
    pub(super) fn effect(&self, kind: &str) -> Effect {
        let mark = self.mark().map(|mark| (MARK.to_owned(), mark.to_owned()));
        let to = ("to".to_owned(), self.asked["to"].to_string());
        let metadata = mark.into_iter().chain([to]).collect();
        Effect { kind: kind.to_owned(), object: self.id.clone(), metadata, ..Effect::default() }
    }

    /// The value of our tag.
    pub(super) fn mark(&self) -> Option<&str> {
        self.tags.iter().find(|(name, _)| name == MARK).map(|(_, value)| value.as_str())
    }

    /// As a list shows it: without bodies and tags.
    pub(super) fn listed(&self) -> Value {
        let or_null = |name: &str| self.asked.get(name).cloned().unwrap_or_default();
        json!({
            "id": self.id,
            "message_id": format!("<{}@stand-in.dev>", self.id),
            "from": or_null("from"),
            "to": or_null("to"),
            "cc": or_null("cc"),
            "bcc": or_null("bcc"),
            "reply_to": or_null("reply_to"),
            "subject": or_null("subject"),
            "created_at": written(self.created_ms),
            "scheduled_at": or_null("scheduled_at"),
            "last_event": self.last_event,
        })
    }

    /// As it is shown by itself.
    pub(super) fn shown(&self, with_tags: bool) -> Value {
        let mut value = self.listed();
        value["object"] = "email".into();
        for name in ["html", "text"] {
            value[name] = self.asked.get(name).cloned().unwrap_or_default();
        }
        if with_tags && !self.tags.is_empty() {
            let tags = self.tags.iter().map(|(name, value)| json!({ "name": name, "value": value }));
            value["tags"] = tags.collect();
        }
        value
    }
}

impl Record for Mail {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

/// A time as Resend writes it.
fn written(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S%.6f+00").to_string()
}
