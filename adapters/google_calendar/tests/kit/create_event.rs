//! What the kit can't know of `google_calendar.create_event`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, moment};

/// `google_calendar.create_event`.
pub(crate) struct CreateEvent;

fn event(summary: &str) -> Sample {
    let args = json!({
        "summary": summary, "start": moment(10, "date_time"), "end": moment(11, "date_time"),
        "guests": [{ "email": "jane@example.com" }], "send_updates": "all",
    });
    Sample { args, target: String::new() }
}

#[async_trait]
impl CellSubject for CreateEvent {
    fn id(&self) -> &'static str {
        "google_calendar.create_event"
    }

    fn routes(&self) -> Routes {
        const EVENTS: &str = "/calendar/v3/calendars/*/events";
        Routes { shot: ("POST", EVENTS), prepare: &[], look: Some(("GET", "/calendar/v3/calendars/*/events*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(event(&format!("Review {number}")))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "create_event" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["end"] = moment(12, "date_time");
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "foreign0", "extendedProperties": { "private": { "hapaxAsked": "foreign" } } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(event(&format!("Review {number}, which is refused"))))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..251 {
            if let Err(why) = site::by_hand(site, sample.args["summary"].as_str().unwrap_or_default()).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(site::by_hand(site, sample.args["summary"].as_str().unwrap_or_default()).await.map(|_| ()))
    }
}
