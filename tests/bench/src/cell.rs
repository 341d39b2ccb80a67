//! The cell that is measured: one request, with a key that the provider compares.
//!
//! It is written as an adapter's author writes one, with nothing left out: what is measured is what users run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::capability::{
    CellSpec, Code, Failures, Human, Meaning, Native, Repeat, Row, Rung, Source, Stakes, Window,
};
use hapax_core::cell::{
    Cell, CellArgs, CellReceipt, Connection, CredentialField, Echo, Integration, SharedCell, SharedIntegration, Shot,
    Wire, erase,
};
use hapax_core::identity::Form;
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The header that carries the key, here and in the unguarded call.
pub const KEY_HEADER: &str = "Idempotency-Key";
/// Where the provider takes charges.
pub const PATH: &str = "/charge";

/// The provider is the bench's own, so what the bench says of it is its specification: a presumed fact would be no rung.
const OURS: Source = Source::spec("https://hapax.example/docs/internals/performance.md", "2026-11-28");
const DAY: Duration = Duration::from_secs(24 * 3600);
const KEY: Native = Native::key(KEY_HEADER, Form::Uuid)
    .kept(Window::AtLeast(DAY), "the provider is stopped")
    .one_wins()
    .repeat(Repeat::Replays)
    .failures(Failures::Kept)
    .from(&[OURS]);
const SPEC: CellSpec = CellSpec::new(
    "bench.charge",
    "takes a payment",
    &[Rung::Native(KEY), Rung::Human(Human { place: "the provider's own count of keys" })],
)
.stakes(Stakes::High)
.answers(&[Row::new(402, "*", "declined", Meaning::RefusedOnRecord, OURS)])
.answers_within(Duration::from_secs(30))
.settle(Duration::from_secs(30), OURS)
.patience(DAY)
.residual("none: the provider is the bench's own");

/// What the caller says: about 200 bytes as JSON.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// In minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// Who pays.
    pub customer: String,
    /// Words for people.
    pub description: String,
}

impl Charge {
    /// The charge of the operation with this key.
    pub fn of(key: &str) -> Self {
        Self {
            amount: 1999,
            currency: "eur".to_owned(),
            customer: format!("cus_{key}"),
            description: format!("an order, padded to what a small charge carries: {}", ".".repeat(48)),
        }
    }
}

impl CellArgs for Charge {
    fn echo(&self) -> Echo {
        vec![("amount", self.amount.to_string())]
    }
}

/// What the provider gives back: about 200 bytes as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charged {
    /// The provider's id.
    pub id: String,
    /// What it is.
    pub object: String,
    /// In minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// `succeeded`.
    pub status: String,
    /// Words for people.
    pub receipt: String,
}

impl Charged {
    /// The charge with this number. As random as providers' ids are: ledgers keep an index of them.
    pub fn of(number: u64) -> Self {
        Self {
            id: format!("ch_{number:016x}"),
            object: "charge".to_owned(),
            amount: 1999,
            currency: "eur".to_owned(),
            status: "succeeded".to_owned(),
            receipt: format!("what a small provider says about a charge: {}", ".".repeat(40)),
        }
    }
}

impl CellReceipt for Charged {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("amount", self.amount.to_string())]
    }
}

/// The cell `bench.charge`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChargeCell;

impl Cell for ChargeCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Charge;
    type Receipt = Charged;

    async fn attempt(&self, shot: Shot<'_>, args: &Charge) -> Answer<Charged> {
        let token = shot.names().token("charge");
        let body = serde_json::to_value(args).unwrap_or(Value::Null);
        shot.send(Request::post(PATH).header(KEY_HEADER, token).json(body), Answer::Happened).await
    }
}

/// The provider of the bench, as an integration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bench;

/// It, shared.
pub fn integration() -> SharedIntegration {
    Arc::new(Bench)
}

#[async_trait]
impl Integration for Bench {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn base_url(&self) -> &'static str {
        "http://127.0.0.1"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[]
    }

    fn authorize(&self, _: &Connection, _: &mut Request) -> Result<(), Fault> {
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let body = if response.is_success() { None } else { response.json() }?;
        Some(Code::new(String::new(), body["error"].as_str()?.to_owned(), "the provider says no"))
    }

    async fn whoami(&self, _: &Wire) -> Result<String, Fault> {
        Ok("the provider of the bench".to_owned())
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(ChargeCell)]
    }
}
