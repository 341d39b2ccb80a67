//! `github.create`: one sentence on what it does, and how it is kept from happening twice.

use hapax_core::capability::{CellSpec, Human, Rung};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::Answer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What the caller says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Whom or what it is for.
    pub target: String,
}

/// What a success gives back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateReceipt {
    /// Github's id of it.
    pub id: String,
    /// Whom or what it is for.
    pub target: String,
}

/// The cell `github.create`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateCell;

// Every fact adds one builder call with its source. Without any, nothing is promised: a second
// request never leaves without a person.
const SPEC: CellSpec = CellSpec::new(
    "github.create",
    "Creates one thing",
    &[Rung::Human(Human { place: "Github's own list of things, by target {target}" })],
)
.residual("no fact is written down yet, so nothing is promised");

impl Cell for CreateCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Create;
    type Receipt = CreateReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Create) -> Answer<CreateReceipt> {
        let request = Request::post("/v1/things").json(json!({ "target": args.target }));
        shot.send(request, |receipt: CreateReceipt| Answer::Happened(receipt)).await
    }
}

impl CellArgs for Create {
    fn check(&self) -> Result<(), String> {
        if self.target.is_empty() { Err("target is empty; say whom or what it is for".to_owned()) } else { Ok(()) }
    }

    fn echo(&self) -> Echo {
        vec![("target", self.target.clone())]
    }
}

impl CellReceipt for CreateReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("target", self.target.clone())]
    }
}
