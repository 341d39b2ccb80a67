use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::{Effect, Reply, Server, World};
use serde_json::{Map, Value, json};

/// What an adapter hands in: its integration, its stand-in, and its cells.
#[async_trait]
pub trait Subject: Send + Sync + 'static {
    /// The integration.
    fn integration(&self) -> SharedIntegration;

    /// Credentials that the stand-in accepts.
    fn credentials(&self) -> Credentials;

    /// Other credentials of the same account that the stand-in accepts: after a rotation.
    fn rotated(&self) -> Credentials;

    /// Needs that hold at the stand-in.
    fn met(&self) -> Vec<String> {
        Vec::new()
    }

    /// Starts the stand-in on this world, on a free port.
    async fn start(&self, world: World) -> std::io::Result<Server>;

    /// Name and version of the server, where it is one that nobody here wrote. It can't be told to break inside,
    /// so what can be is played at its wire; and what has happened is what [`records`](Self::records) says.
    fn server(&self) -> Option<String> {
        None
    }

    /// What has happened at such a server by its own records, each with its moment in real microseconds since 1970.
    ///
    /// # Errors
    /// Why they can't be read.
    fn records(&self, _site: &Site) -> Result<Vec<(Effect, i64)>, String> {
        Ok(Vec::new())
    }

    /// What none of its cells can reach, each with the reason: `verdict:adrift`, `found:several`.
    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Planted bugs that can't show on any of its cells, each with the reason.
    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// What only the machine's timing decides, each with the reason: it is not demanded of the cells to reach it, or of a
    /// bug to show, nor is it held against an excuse if they do.
    fn by_chance(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Its cells, with what the kit can't know of them. A registered cell that isn't here fails the kit.
    fn cells(&self) -> Vec<Arc<dyn CellSubject>>;
}

/// Where the provider is, for what must be there before an intent, and for what others do at it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Base URL of the provider itself, past every fault.
    pub url: String,
}

/// An intent's arguments, and what it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Arguments for the cell.
    pub args: Value,
    /// The provider's id of what it acts on, where that is how its effect is told; else empty.
    pub target: String,
}

/// Where a cell's requests go, as the stand-in sees them: method and path, with `*` for ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routes {
    /// The request that counts.
    pub shot: (&'static str, &'static str),
    /// The requests of the harmless steps before it, in their order; each is broken in turn.
    pub prepare: &'static [(&'static str, &'static str)],
    /// The question, if there is one.
    pub look: Option<(&'static str, &'static str)>,
}

/// How a run is expected to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It happened, without a person.
    Succeeded,
    /// It is refused.
    Refused,
    /// A person has it.
    Person,
    /// Any of them, as long as the invariants hold.
    Any,
}

/// How runs end of a cell where nothing documented keeps a second effect away, so that what isn't found is a
/// person's.
pub fn found_or_a_persons() -> Vec<(&'static str, End)> {
    vec![
        // The process is stopped in its second try: what it wrote down may have left, so a person has it.
        ("connection-refused", End::Any),
        // Cut before the first byte left, it goes again; after it, nobody can tell, and a person has it.
        ("connection-cut-at-once", End::Any),
        // The provider goes on in the end, inside settle, and it is found.
        ("hangs-before", End::Succeeded),
        // A departure that was written and answered with an error was not made, and nobody can know that.
        ("ledger-writes-and-fails", End::Any),
    ]
}

/// An object's members, as [`CellSubject::foreign_members`] gives them.
pub fn members(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

/// One cell, with what the kit can't know of it.
#[async_trait]
pub trait CellSubject: Send + Sync + 'static {
    /// `stripe.charge`.
    fn id(&self) -> &'static str;

    /// Where its requests go.
    fn routes(&self) -> Routes;

    /// Puts at the provider what must be there first, and returns arguments for a fresh intent: another one for every
    /// number.
    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String>;

    /// Two intents with equal arguments that are both meant.
    async fn equal_intents(&self, site: &Site, number: u64) -> Result<(Sample, Sample), String> {
        let one = self.intent(site, number).await?;
        Ok((one.clone(), one))
    }

    /// Whether this is an effect of an intent with this mark.
    fn is_effect(&self, effect: &Effect, sample: &Sample, mark: &str) -> bool;

    /// Whether the effects of two equal intents can be counted apart, by mark or target.
    fn counts_apart(&self) -> bool {
        true
    }

    /// Whether a receipt speaks of this effect.
    fn is_receipt_of(&self, receipt: &Value, effect: &Effect) -> bool {
        receipt["id"] == effect.object.as_str()
    }

    /// The same with other arguments, as somebody would send who reuses a key.
    fn with_other_arguments(&self, sample: &Sample) -> Value;

    /// What in an answer makes it speak of something else.
    fn foreign_members(&self) -> Map<String, Value> {
        json!({ "id": "foreign" }).as_object().cloned().unwrap_or_default()
    }

    /// A success that carries a refusal, where the provider has such.
    fn refusal_inside_a_success(&self) -> Option<Reply> {
        None
    }

    /// The provider's own error of this status, in its envelope.
    fn error_reply(&self, status: u16) -> Reply;

    /// Whether [`refused_intent`](Self::refused_intent) knows one.
    fn refuses(&self) -> bool {
        false
    }

    /// Whether [`failing_intent`](Self::failing_intent) knows one.
    fn can_fail_later(&self) -> bool {
        false
    }

    /// Whether [`kill`](Self::kill) can.
    fn can_die(&self) -> bool {
        false
    }

    /// Whether [`clutter`](Self::clutter) does.
    fn clutters(&self) -> bool {
        false
    }

    /// Whether [`by_hand`](Self::by_hand) does.
    fn has_hands(&self) -> bool {
        false
    }

    /// Whether a copy of the request would be a second effect where the provider ignores its key.
    fn can_happen_twice(&self) -> bool {
        true
    }

    /// An intent that the provider refuses.
    async fn refused_intent(&self, _site: &Site, _number: u64) -> Option<Result<Sample, String>> {
        None
    }

    /// An intent that is accepted and fails later, within an hour.
    async fn failing_intent(&self, _site: &Site, _number: u64) -> Option<Result<Sample, String>> {
        None
    }

    /// Makes what the intent is about come to nothing at the provider (canceled, expired).
    async fn kill(&self, _site: &Site, _sample: &Sample, _mark: &str) -> Option<Result<(), String>> {
        None
    }

    /// Puts more than a page of other people's records where a look would search.
    async fn clutter(&self, _site: &Site, _sample: &Sample) -> Option<Result<(), String>> {
        None
    }

    /// Does by hand what the intent wants, without its mark.
    async fn by_hand(&self, _site: &Site, _sample: &Sample) -> Option<Result<(), String>> {
        None
    }

    /// Whether a hand's doing satisfies the intent too (be so).
    fn a_hand_satisfies(&self) -> bool {
        false
    }

    /// Faults that don't apply, each with the reason.
    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// How runs end where the facts of the cell make it differ from what the fault expects.
    fn ends(&self) -> Vec<(&'static str, End)> {
        Vec::new()
    }
}
