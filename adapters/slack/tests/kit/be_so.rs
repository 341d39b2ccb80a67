//! What the kit can't know of the cells that see to it that something is so.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::cells::{PENDING, field};
use crate::site::{self, channel};

const ONE: (&str, &str) = ("POST", "/api/conversations.replies");
const ONCE: &str = "it is made so once: a second intent of it has no effect of its own";

/// `slack.delete_scheduled`.
pub(crate) struct DeleteScheduled;

#[async_trait]
impl CellSubject for DeleteScheduled {
    fn id(&self) -> &'static str {
        "slack.delete_scheduled"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/api/chat.deleteScheduledMessage"), prepare: &[], look: Some(PENDING) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let (channel, at) = (channel(number), site::later(site).await?);
        let target = site::scheduled(site, &channel, &format!("scheduled {number}"), at).await?;
        let args = json!({ "channel": channel, "scheduled_message_id": target, "post_at": at });
        Ok(Sample { args, target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "unschedule" && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["scheduled_message_id"] = "Q1".into();
        args
    }

    fn refusal_inside_a_success(&self) -> Option<Reply> {
        Some(site::refusal())
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(self.intent(site, number).await.map(|mut sample| {
            sample.args["channel"] = "C0MISSING".into();
            sample
        }))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let fields =
            [("channel", field(sample, "channel")), ("scheduled_message_id", field(sample, "scheduled_message_id"))];
        Some(site::ask(site, "chat.deleteScheduledMessage", &fields).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }
}

/// `slack.update` and `slack.delete`: what acts on a message that is there.
pub(crate) enum OnMessage {
    Update,
    Delete,
}

impl OnMessage {
    async fn sample(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let channel = channel(number);
        let ts = site::posted(site, &channel, &format!("Deploy {number} runs.")).await?;
        let target = format!("{channel}/{ts}");
        let mut args = json!({ "channel": channel, "ts": ts });
        if matches!(self, Self::Update) {
            args["text"] = format!("Deploy {number} is done.").into();
        }
        Ok(Sample { args, target })
    }
}

#[async_trait]
impl CellSubject for OnMessage {
    fn id(&self) -> &'static str {
        match self {
            Self::Update => "slack.update",
            Self::Delete => "slack.delete",
        }
    }

    fn routes(&self) -> Routes {
        let path = match self {
            Self::Update => "/api/chat.update",
            Self::Delete => "/api/chat.delete",
        };
        Routes { shot: ("POST", path), prepare: &[], look: Some(ONE) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        self.sample(site, number).await
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        let kind = match self {
            Self::Update => "update",
            Self::Delete => "delete",
        };
        effect.kind == kind && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["ts"] = "1700000000.000009".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "channel": "C0FOREIGN", "ts": "1700000000.000009" }))
    }

    fn refusal_inside_a_success(&self) -> Option<Reply> {
        Some(site::refusal())
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(self.sample(site, number).await.map(|mut sample| {
            sample.args["channel"] = "C0MISSING".into();
            sample
        }))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let mut fields = vec![("channel", field(sample, "channel")), ("ts", field(sample, "ts"))];
        let method = match self {
            Self::Update => {
                fields.push(("text", field(sample, "text")));
                "chat.update"
            }
            Self::Delete => "chat.delete",
        };
        Some(site::ask(site, method, &fields).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }
}
