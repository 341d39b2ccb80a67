//! `hubspot.create_ticket`: open a ticket once.
//!
//! HubSpot has no key for it. Ours stands in a property of the ticket whose values are unique, so that a second one is
//! refused, and the ticket is read by it.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, Context, Echo, Shot};
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{self, Association, RecordReceipt};
use crate::{facts, wire};

/// Opens this ticket. Two equal tickets are two tickets.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTicket {
    /// What it is about, in a few words.
    pub subject: String,
    /// The internal id of its stage: `1` is the first one of the default pipeline.
    pub stage: String,
    /// The internal id of its pipeline; without one HubSpot takes the default pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    /// Other properties by their internal names, as HubSpot writes them: `{"content": "It doesn't start.", "hs_ticket_priority": "HIGH"}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Records that it is tied to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub associations: Vec<Association>,
}

/// The cell `hubspot.create_ticket`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateTicketCell;

const KIND: &str = "tickets";
const OWN: [&str; 3] = ["subject", "hs_pipeline_stage", "hs_pipeline"];

const SPEC: CellSpec = CellSpec::new(
    "hubspot.create_ticket",
    "Opens a ticket",
    &[
        Rung::Native(facts::UNIQUE_TICKET),
        Rung::Query(facts::TICKET_BY_KEY),
        Rung::Human(Human { place: "HubSpot, CRM > Tickets, the deleted ones too: hapax_key is {mark}" }),
    ],
)
.stakes(Stakes::Low)
.answers(facts::CREATING)
.reversal("by deleting it; what workflows have done since stays done")
.residual("a ticket whose key somebody takes away, or that is merged into another one or deleted for good, before a lost answer is looked for is made a second time");

impl Cell for CreateTicketCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateTicket;
    type Receipt = RecordReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateTicket) -> Answer<RecordReceipt> {
        record::create(shot, KIND, &args.all(), &args.associations).await
    }

    async fn find(&self, cx: &Context, _: &CreateTicket) -> Result<Finding<RecordReceipt>, Fault> {
        record::find(cx, KIND).await
    }

    async fn fetch(&self, cx: &Context, _: &CreateTicket, id: &str) -> Result<Option<RecordReceipt>, Fault> {
        record::fetch(cx, KIND, id).await
    }
}

impl CreateTicket {
    /// A ticket with a subject and a stage; for more, `CreateTicket { properties, ..CreateTicket::of(..) }`.
    pub fn of(subject: impl Into<String>, stage: impl Into<String>) -> Self {
        let (subject, stage) = (subject.into(), stage.into());
        Self { subject, stage, pipeline: None, properties: BTreeMap::new(), associations: Vec::new() }
    }

    fn all(&self) -> BTreeMap<&str, &str> {
        let own = [("subject", self.subject.as_str()), ("hs_pipeline_stage", self.stage.as_str())];
        let pipeline = self.pipeline.iter().map(|pipeline| ("hs_pipeline", pipeline.as_str()));
        let others = self.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        others.chain(own).chain(pipeline).collect()
    }
}

impl CellArgs for CreateTicket {
    fn check(&self) -> Result<(), String> {
        let pipeline = self.pipeline.as_deref().unwrap_or("0");
        for (field, text) in [("subject", self.subject.as_str()), ("stage", &self.stage), ("pipeline", pipeline)] {
            wire::check_text(field, text)?;
        }
        record::check(&self.properties, &OWN, &self.associations)
    }

    /// Nothing: a receipt is told by our key alone, and people may rename a ticket.
    fn echo(&self) -> Echo {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
