//! `hubspot.create_note`: write a note once.
//!
//! As for deals and tickets our key stands in a property whose values are unique. That notes can have one is in HubSpot's
//! API descriptions alone, in no guide, so it counts only where the account's own definition of the property shows it.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, Context, Echo, Shot};
use hapax_core::words::{Answer, Fault, Finding};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{self, Association, RecordReceipt};
use crate::{facts, wire};

/// Writes this note. Two equal notes are two notes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateNote {
    /// What it says, at most 65,536 characters.
    pub body: String,
    /// Where it stands on the timelines of the records that it is tied to. Give the same moment at every call.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// Other properties by their internal names, as HubSpot writes them: `{"hubspot_owner_id": "14240720"}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Records that it is tied to. Without one it stands on no timeline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub associations: Vec<Association>,
}

/// The cell `hubspot.create_note`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateNoteCell;

const KIND: &str = "notes";
const OWN: [&str; 2] = ["hs_note_body", "hs_timestamp"];
const MOST_CHARACTERS: usize = 65_536;

const SPEC: CellSpec = CellSpec::new(
    "hubspot.create_note",
    "Writes a note",
    &[
        Rung::Native(facts::UNIQUE_NOTE),
        Rung::Query(facts::NOTE_BY_KEY),
        Rung::Human(Human {
            place: "HubSpot, the timelines of the records in {associations}: a note at {at}; or GET /crm/v3/objects/notes/{mark}?idProperty=hapax_key, and the same with archived=true",
        }),
    ],
)
.stakes(Stakes::Low)
.answers(facts::CREATING)
.reversal("by deleting it; what workflows have done since stays done")
.residual("a note whose key somebody takes away, or that is deleted for good, before a lost answer is looked for is made a second time; no guide says that notes keep values unique, only the account's own definition of the property");

impl Cell for CreateNoteCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateNote;
    type Receipt = RecordReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateNote) -> Answer<RecordReceipt> {
        let at = args.at.to_string();
        record::create(shot, KIND, &args.all(&at), &args.associations).await
    }

    async fn find(&self, cx: &Context, _: &CreateNote) -> Result<Finding<RecordReceipt>, Fault> {
        record::find(cx, KIND).await
    }

    async fn fetch(&self, cx: &Context, _: &CreateNote, id: &str) -> Result<Option<RecordReceipt>, Fault> {
        record::fetch(cx, KIND, id).await
    }
}

impl CreateNote {
    /// A note with a text and a time; for more, `CreateNote { associations, ..CreateNote::of(..) }`.
    pub fn of(body: impl Into<String>, at: Timestamp) -> Self {
        Self { body: body.into(), at, properties: BTreeMap::new(), associations: Vec::new() }
    }

    fn all<'a>(&'a self, at: &'a str) -> BTreeMap<&'a str, &'a str> {
        let own = [("hs_note_body", self.body.as_str()), ("hs_timestamp", at)];
        self.properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(own).collect()
    }
}

impl CellArgs for CreateNote {
    fn check(&self) -> Result<(), String> {
        wire::check_text("body", &self.body)?;
        if self.body.chars().count() > MOST_CHARACTERS {
            return Err(format!("body: it is longer than {MOST_CHARACTERS} characters; shorten it"));
        }
        record::check(&self.properties, &OWN, &self.associations)
    }

    /// Nothing: a receipt is told by our key alone, and people may change a note.
    fn echo(&self) -> Echo {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
