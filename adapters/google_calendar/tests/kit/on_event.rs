//! What the kit can't know of the cells that see to it that something is so.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, ask, moment};

const ONCE: &str = "it is made so once: a second intent of it has no effect of its own";
const ALIKE: &str = "an event looks after two changes as it does after one, so no look can find two";
const UNSEEN: &str = "a provider that ignored its own versions would change an event twice, and nothing shows that";
const ONE: &str = "/calendar/v3/calendars/*/events/*";
/// The step reads the version, a look has no use for it.
const BEFORE: &str = "/calendar/v3/calendars/*/events/*?fields=etag*";
const AFTER: &str = "/calendar/v3/calendars/*/events/*?fields=id*";

/// `google_calendar.update_event` and `google_calendar.delete_event`: what acts on an event that is there.
pub(crate) enum OnEvent {
    Update,
    Delete,
}

impl OnEvent {
    async fn sample(&self, site: &Site, number: u64) -> Result<Sample, String> {
        self.on(site, &format!("Review {number}")).await
    }

    /// A fresh event with this title, and what is wanted of it.
    async fn on(&self, site: &Site, title: &str) -> Result<Sample, String> {
        let made = site::by_hand(site, title).await?;
        let event = made["id"].as_str().unwrap_or_default();
        let mut args = json!({ "event": event, "send_updates": "all" });
        if matches!(self, Self::Update) {
            args["summary"] = format!("{title}, later").into();
            args["start"] = moment(12, "date_time");
            args["end"] = moment(13, "date_time");
        }
        Ok(Sample { target: format!("primary/{event}"), args })
    }
}

#[async_trait]
impl CellSubject for OnEvent {
    fn id(&self) -> &'static str {
        match self {
            Self::Update => "google_calendar.update_event",
            Self::Delete => "google_calendar.delete_event",
        }
    }

    fn routes(&self) -> Routes {
        let method = match self {
            Self::Update => "PATCH",
            Self::Delete => "DELETE",
        };
        Routes { shot: (method, ONE), prepare: &[("GET", BEFORE)], look: Some(("GET", AFTER)) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        self.sample(site, number).await
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        let kind = match self {
            Self::Update => "update_event",
            Self::Delete => "delete_event",
        };
        effect.kind == kind && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["send_updates"] = "none".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "foreign0" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(match self {
            Self::Update => self.sample(site, number).await.map(|mut sample| {
                sample.args["summary"] = format!("Review {number}, which is refused").into();
                sample
            }),
            Self::Delete => self.on(site, &format!("Review {number}, locked")).await,
        })
    }

    /// What is deleted can't be deleted again, whatever the condition.
    fn can_happen_twice(&self) -> bool {
        matches!(self, Self::Update)
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("primary/events/{}", sample.args["event"].as_str().unwrap_or_default());
        let done = match self {
            Self::Update => {
                let patch = json!({
                    "summary": sample.args["summary"], "start": moment(12, "dateTime"), "end": moment(13, "dateTime"),
                });
                ask(site, "PATCH", &path, Some(&patch)).await
            }
            Self::Delete => ask(site, "DELETE", &path, None).await,
        };
        Some(done.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        let skips = vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)];
        match self {
            Self::Update => [skips, vec![("look-finds-two", ALIKE), ("ignores-its-key", UNSEEN)]].concat(),
            Self::Delete => skips,
        }
    }
}
