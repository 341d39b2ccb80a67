//! `hubspot.create_deal`: open a deal once.
//!
//! HubSpot has no key for it. Ours stands in a property of the deal whose values are unique, so that a second one is
//! refused, and the deal is read by it.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, Context, Echo, Shot};
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{self, Association, RecordReceipt};
use crate::{facts, wire};

/// Opens this deal. Two equal deals are two deals.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateDeal {
    /// Its name.
    pub name: String,
    /// The internal id of its stage: `appointmentscheduled`, or a number.
    pub stage: String,
    /// The internal id of its pipeline; without one HubSpot takes the default pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    /// Other properties by their internal names, as HubSpot writes them: `{"amount": "1500.00"}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Records that it is tied to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub associations: Vec<Association>,
}

/// The cell `hubspot.create_deal`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateDealCell;

const KIND: &str = "deals";
const OWN: [&str; 3] = ["dealname", "dealstage", "pipeline"];

const SPEC: CellSpec = CellSpec::new(
    "hubspot.create_deal",
    "Opens a deal",
    &[
        Rung::Native(facts::UNIQUE_DEAL),
        Rung::Query(facts::DEAL_BY_KEY),
        Rung::Human(Human { place: "HubSpot, CRM > Deals, the deleted ones too: hapax_key is {mark}" }),
    ],
)
.stakes(Stakes::Medium)
.answers(facts::CREATING)
.reversal("by deleting it; what workflows have done since stays done")
.residual("a deal whose key somebody takes away, or that is merged into another one or deleted for good, before a lost answer is looked for is made a second time");

impl Cell for CreateDealCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateDeal;
    type Receipt = RecordReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateDeal) -> Answer<RecordReceipt> {
        record::create(shot, KIND, &args.all(), &args.associations).await
    }

    async fn find(&self, cx: &Context, _: &CreateDeal) -> Result<Finding<RecordReceipt>, Fault> {
        record::find(cx, KIND).await
    }

    async fn fetch(&self, cx: &Context, _: &CreateDeal, id: &str) -> Result<Option<RecordReceipt>, Fault> {
        record::fetch(cx, KIND, id).await
    }
}

impl CreateDeal {
    /// A deal with a name and a stage; for more, `CreateDeal { properties, ..CreateDeal::of(..) }`.
    pub fn of(name: impl Into<String>, stage: impl Into<String>) -> Self {
        let (name, stage) = (name.into(), stage.into());
        Self { name, stage, pipeline: None, properties: BTreeMap::new(), associations: Vec::new() }
    }

    fn all(&self) -> BTreeMap<&str, &str> {
        let own = [("dealname", self.name.as_str()), ("dealstage", self.stage.as_str())];
        let pipeline = self.pipeline.iter().map(|pipeline| ("pipeline", pipeline.as_str()));
        let others = self.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        others.chain(own).chain(pipeline).collect()
    }
}

impl CellArgs for CreateDeal {
    fn check(&self) -> Result<(), String> {
        let pipeline = self.pipeline.as_deref().unwrap_or("default");
        for (field, text) in [("name", self.name.as_str()), ("stage", &self.stage), ("pipeline", pipeline)] {
            wire::check_text(field, text)?;
        }
        record::check(&self.properties, &OWN, &self.associations)
    }

    /// Nothing: a receipt is told by our key alone, and people may rename a deal.
    fn echo(&self) -> Echo {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
