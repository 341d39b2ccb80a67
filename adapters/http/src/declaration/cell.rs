use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::look::humantime_option;
use super::{
    GuardDeclaration, LookDeclaration, RecordDeclaration, RequestDeclaration, RowDeclaration, SourceDeclaration,
};
use hapax_core::capability::{Kind, Stakes};

/// One operation, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellDeclaration {
    /// One sentence for people.
    pub summary: String,
    /// Raised when arguments or requests change in a way that an operation under way would notice.
    #[serde(default = "one")]
    pub version: u32,
    /// `do-once`, or `be-so` where anybody's doing satisfies.
    pub kind: Option<Kind>,
    /// What a duplicate would cost: `low`, `medium` or `high`.
    pub stakes: Option<Stakes>,
    /// JSON Schema of the arguments.
    pub arguments: Spanned<Value>,
    /// Arguments that may differ between calls of one intent.
    #[serde(default)]
    pub volatile: Vec<Spanned<String>>,
    /// The money at stake, for policies by amount.
    pub money: Option<MoneyDeclaration>,
    /// The one request that counts.
    pub request: RequestDeclaration,
    /// An idempotency key of ours: `{{ key }}` in the request.
    pub key: Option<Spanned<GuardDeclaration>>,
    /// An id that we choose for what is made: `{{ id }}` in the request.
    pub id: Option<Spanned<GuardDeclaration>>,
    /// A state that lets it happen once.
    pub state: Option<Spanned<GuardDeclaration>>,
    /// What answers mean.
    #[serde(default)]
    pub rows: Vec<RowDeclaration>,
    /// The status of a success that has no body; left out, a success is JSON.
    pub empty_success: Option<Spanned<u16>>,
    /// What a success gives back.
    pub receipt: ReceiptDeclaration,
    /// A question that finds out whether it happened.
    pub look: Option<Spanned<LookDeclaration>>,
    /// How one record is read by the provider's id, to check what a person says.
    pub record: Option<RecordDeclaration>,
    /// What "accepted" leaves open.
    pub fate: Option<FateDeclaration>,
    /// How long an answer may take.
    #[serde(default, with = "humantime_option")]
    pub answers_within: Option<Duration>,
    /// From then until a request is acted on and can be seen, or never.
    pub settle: Option<SettleDeclaration>,
    /// Bound on automatic work.
    #[serde(default, with = "humantime_option")]
    pub patience: Option<Duration>,
    /// How and until when it can be reversed.
    pub reversal: Option<String>,
    /// Where a person looks, with which search text. `{...}` names an argument, `mark` or `token`.
    pub person: Spanned<String>,
    /// The risk that is left, in one sentence.
    pub residual: Spanned<String>,
    /// Arguments for the proof.
    pub example: Option<ExampleDeclaration>,
}

const fn one() -> u32 {
    1
}

/// What a success gives back: paths into its body.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptDeclaration {
    /// The provider's id. Left out where it gives none.
    pub id: Option<Spanned<String>>,
    /// What else is kept, by name.
    #[serde(default)]
    pub keep: BTreeMap<String, Spanned<String>>,
    /// What it repeats of the intent: paths into its body, and templates. An answer that repeats something else is
    /// never taken for ours.
    #[serde(default)]
    pub echo: BTreeMap<String, Spanned<String>>,
}

/// How its end is learned after it was accepted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FateDeclaration {
    /// The name of what is kept that says so.
    pub status: Spanned<String>,
    /// Its values that mean failure.
    #[serde(default)]
    pub failed: Vec<String>,
    /// How its end is learned, in words.
    pub learned: String,
}

/// From the deadline until a request is acted on and can be seen, or never.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettleDeclaration {
    /// How long that is.
    #[serde(with = "humantime_duration")]
    pub time: Duration,
    /// Where it is written.
    pub source: Option<SourceDeclaration>,
}

mod humantime_duration {
    use std::time::Duration;

    use serde::Deserializer;

    use super::humantime_option;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        humantime_option::deserialize(deserializer).map(Option::unwrap_or_default)
    }
}

/// The money at stake: names of arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoneyDeclaration {
    /// The amount in the currency's minor unit.
    pub amount: Spanned<String>,
    /// The ISO 4217 code.
    pub currency: Spanned<String>,
}

/// Arguments for the proof. `{{ number }}` in a text is another one for every intent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleDeclaration {
    /// An intent.
    pub intent: Spanned<Value>,
    /// What somebody would send who reuses its key: another value for one of its arguments.
    pub other: Spanned<Value>,
}
