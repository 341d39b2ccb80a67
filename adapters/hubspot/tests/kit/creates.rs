//! What the kit can't know of the cells that create a record with our key.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, post, routes};

const UNIQUE: &str =
    "a read by a unique value shows one record at most: that HubSpot keeps it unique is what is relied on";

/// A cell that creates records of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Create {
    Deal,
    Ticket,
    Note,
}

impl Create {
    fn path(self) -> &'static str {
        match self {
            Self::Deal => "/crm/v3/objects/deals",
            Self::Ticket => "/crm/v3/objects/tickets",
            Self::Note => "/crm/v3/objects/notes",
        }
    }

    /// An intent of this number; a wrong one names a stage or a property that isn't there.
    fn sample(self, number: u64, is_wrong: bool) -> Sample {
        let (stage, property) = if is_wrong { ("missing", "missing") } else { ("1", "hs_attachment_ids") };
        let args = match self {
            Self::Deal => json!({
                "name": format!("Deal {number}"), "stage": stage, "properties": { "amount": "1500.00" },
                "associations": [{ "to": "201", "type_id": 3 }],
            }),
            Self::Ticket => json!({ "subject": format!("Ticket {number}"), "stage": stage }),
            Self::Note => json!({
                "body": format!("Note {number}"), "at": "2026-09-21T14:13:20Z",
                "properties": { property: "24332474034" },
                "associations": [{ "to": "201", "type_id": 202 }],
            }),
        };
        Sample { args, target: String::new() }
    }

    /// The same without our key, as people create it.
    async fn by_hand_is(self, site: &Site, sample: &Sample) -> Result<(), String> {
        let properties = match self {
            Self::Deal => json!({ "dealname": sample.args["name"], "dealstage": sample.args["stage"] }),
            Self::Ticket => json!({ "subject": sample.args["subject"], "hs_pipeline_stage": sample.args["stage"] }),
            Self::Note => json!({ "hs_note_body": sample.args["body"], "hs_timestamp": sample.args["at"] }),
        };
        post(site, self.path(), &json!({ "properties": properties, "associations": [] })).await.map(|_| ())
    }
}

#[async_trait]
impl CellSubject for Create {
    fn id(&self) -> &'static str {
        match self {
            Self::Deal => "hubspot.create_deal",
            Self::Ticket => "hubspot.create_ticket",
            Self::Note => "hubspot.create_note",
        }
    }

    fn routes(&self) -> Routes {
        let look = match self {
            Self::Deal => "/crm/v3/objects/deals/*",
            Self::Ticket => "/crm/v3/objects/tickets/*",
            Self::Note => "/crm/v3/objects/notes/*",
        };
        routes(self.path(), Some(("GET", look)))
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(self.sample(number, false))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        let kind = match self {
            Self::Deal => "deal",
            Self::Ticket => "ticket",
            Self::Note => "note",
        };
        effect.kind == kind && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args[if *self == Self::Note { "body" } else { "stage" }] = "2".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "99999999", "properties": { "hapax_key": "somebodyelse" } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(self.sample(number, true)))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..101 {
            if let Err(why) = self.by_hand_is(site, sample).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(self.by_hand_is(site, sample).await)
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("look-finds-two", UNIQUE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![site::LIMITED]
    }
}
