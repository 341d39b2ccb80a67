//! What the kit can't know of `ms_graph.create_event`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site;

/// `ms_graph.create_event`.
pub(crate) struct CreateEvent;

fn event(subject: &str) -> Sample {
    let args = json!({
        "subject": subject, "start": "2026-12-01T10:00:00", "end": "2026-12-01T11:00:00",
        "time_zone": "Europe/Berlin", "attendees": [{ "address": "jane@example.com" }],
    });
    Sample { args, target: String::new() }
}

/// An event with the same title, by hand.
async fn by_hand(site: &Site, sample: &Sample) -> Result<(), String> {
    let at = |time: &str| json!({ "dateTime": time, "timeZone": "UTC" });
    let event = json!({
        "subject": sample.args["subject"], "start": at("2026-12-01T09:00:00"), "end": at("2026-12-01T10:00:00"),
    });
    site::post(site, "me/events", Some(&event)).await.map(|_| ())
}

#[async_trait]
impl CellSubject for CreateEvent {
    fn id(&self) -> &'static str {
        "ms_graph.create_event"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1.0/me/events"), prepare: &[], look: Some(("GET", "/v1.0/me/events*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(event(&format!("Review {number}")))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "event" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["end"] = "2026-12-01T12:00:00".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "AAkALgforeign", "transactionId": "foreign" }))
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
        for _ in 0..51 {
            if let Err(why) = by_hand(site, sample).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(by_hand(site, sample).await)
    }

    /// What a failure leaves of a key is undocumented, so after one nothing is sent without a person.
    fn ends(&self) -> Vec<(&'static str, End)> {
        ["429-storm", "502-before", "503-before", "504-before"].map(|fault| (fault, End::Person)).to_vec()
    }
}
