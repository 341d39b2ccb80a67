use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, IntoDeserializer as _, Visitor};
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

use super::{
    GuardDeclaration, LookDeclaration, RecordDeclaration, RequestDeclaration, RowDeclaration, SourceDeclaration, Time,
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
    /// What the API has in common with others of its family.
    pub profile: Option<Spanned<Profile>>,
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
    pub answers_within: Option<Time>,
    /// From then until a request is acted on and can be seen, or never.
    pub settle: Option<SettleDeclaration>,
    /// Bound on automatic work.
    pub patience: Option<Time>,
    /// How and until when it can be reversed.
    pub reversal: Option<String>,
    /// Where a person looks, with which search text. `{...}` names an argument or `mark`.
    pub person: Spanned<String>,
    /// The risk that is left, in one sentence.
    pub residual: Spanned<String>,
    /// Arguments for the proof.
    pub example: Option<ExampleDeclaration>,
}

/// What a family of APIs has in common. It fills in what the cell leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The header `Idempotency-Key` as draft-ietf-httpapi-idempotency-key-header-07 has it.
    #[serde(rename = "idempotency-key-07")]
    IdempotencyKey07,
    /// An id of ours for what is made, and 409 for a second request with it.
    ClientId,
    /// Values for a record with a name from outside; sent again they change nothing.
    Upsert,
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

/// From the deadline until a request is acted on and can be seen, or never: `"30 s"`, or a table with its source.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "SettleWord")]
pub struct SettleDeclaration {
    /// How long that is.
    pub time: Time,
    /// Where it is written.
    pub source: Option<SourceDeclaration>,
}

/// Both ways to write it.
struct SettleWord(SettleDeclaration);

/// It with its source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettleTable {
    time: Time,
    source: Option<SourceDeclaration>,
}

impl From<SettleWord> for SettleDeclaration {
    fn from(written: SettleWord) -> Self {
        written.0
    }
}

impl<'de> Deserialize<'de> for SettleWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SettleVisitor)
    }
}

struct SettleVisitor;

impl<'de> Visitor<'de> for SettleVisitor {
    type Value = SettleWord;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as `30 s`, or { time = \"30 s\", source = { ... } }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SettleWord, E> {
        let time = Time::deserialize(text.into_deserializer())?;
        Ok(SettleWord(SettleDeclaration { time, source: None }))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<SettleWord, A::Error> {
        let SettleTable { time, source } = SettleTable::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(SettleWord(SettleDeclaration { time, source }))
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
    /// Values of arguments with which the API refuses it.
    pub refused: Option<Spanned<Value>>,
}
