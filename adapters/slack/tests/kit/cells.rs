//! What the kit can't know of the cells that make something.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, channel};

const HISTORY: (&str, &str) = ("POST", "/api/conversations.history");

pub(crate) fn field<'a>(sample: &'a Sample, name: &str) -> &'a str {
    sample.args[name].as_str().unwrap_or_default()
}

pub(crate) fn is(effect: &Effect, name: &str, wanted: &str) -> bool {
    effect.metadata.get(name).is_some_and(|found| found == wanted)
}

pub(crate) const PENDING: (&str, &str) = ("POST", "/api/chat.scheduledMessages.list");

/// Where nothing of ours stands on a record, the kit can't tell whose of two equal ones it is.
const NOT_APART: &str = "two equal records can't be counted apart; equal-intents-one-record shows what matters";
/// What a look by content can't tell.
const TAKEN_FOR_OURS: &str =
    "the named risk of looking by content: an equal record of somebody else's is taken for ours";

/// `slack.post`.
pub(crate) struct Post;

#[async_trait]
impl CellSubject for Post {
    fn id(&self) -> &'static str {
        "slack.post"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/api/chat.postMessage"), prepare: &[], look: Some(HISTORY) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        let args = json!({ "channel": channel(number), "text": format!("Deploy {number} is done.") });
        Ok(Sample { args, target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "message" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["text"] = "Something else".into();
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

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let args = json!({ "channel": format!("C0ARCHIVED{number}"), "text": "Too late." });
        Some(Ok(Sample { args, target: String::new() }))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for number in 0..201 {
            if let Err(why) = site::posted(site, field(sample, "channel"), &format!("clutter {number}")).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(site::posted(site, field(sample, "channel"), field(sample, "text")).await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        looked_for()
    }
}

/// `slack.schedule`.
pub(crate) struct Schedule;

#[async_trait]
impl CellSubject for Schedule {
    fn id(&self) -> &'static str {
        "slack.schedule"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/api/chat.scheduleMessage"), prepare: &[], look: Some(PENDING) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let text = format!("Standup {number} begins.");
        let args = json!({ "channel": channel(number), "post_at": site::later(site).await?, "text": text });
        Ok(Sample { args, target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "schedule"
            && is(effect, "channel", field(sample, "channel"))
            && is(effect, "text", field(sample, "text"))
    }

    fn counts_apart(&self) -> bool {
        false
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["text"] = "Something else".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "channel": "C0FOREIGN", "scheduled_message_id": "Q1" }))
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

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let args = json!({ "channel": channel(number), "post_at": 1_000_000_000, "text": "Too late." });
        Some(Ok(Sample { args, target: String::new() }))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let at = sample.args["post_at"].as_i64().unwrap_or_default();
        for number in 0..101 {
            let aside = format!("C0CLUTTER{}", number / 20);
            let made = site::scheduled(site, &aside, &format!("clutter {number}"), at - 3600).await;
            if let Err(why) = made {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let at = sample.args["post_at"].as_i64().unwrap_or_default();
        Some(site::scheduled(site, field(sample, "channel"), field(sample, "text"), at).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", NOT_APART), ("look-finds-anothers", TAKEN_FOR_OURS)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        looked_for()
    }
}

/// Where all there is is a look, and an absence only suggests.
pub(crate) fn looked_for() -> Vec<(&'static str, End)> {
    vec![
        // The process is stopped in its second try: what it wrote down may have left, so a person has it.
        ("connection-refused", End::Any),
        // Cut before the first byte left, it goes again; after it, nobody can tell, and a person has it.
        ("connection-cut-at-once", End::Any),
        // The provider goes on in the end, inside settle, and it is found.
        ("hangs-before", End::Succeeded),
        // A departure that was written and answered with an error was not made, and nobody can know that.
        ("ledger-writes-and-fails", End::Any),
    ]
}
