use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Stamp;
use crate::capability::Absence;
use crate::identity::{Fingerprint, OperationKey};
use crate::words::Refusal;

/// One line of an operation's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When it was written, by the writer's clocks.
    pub at: Stamp,
    /// What it says.
    pub event: Event,
}

/// What can happen to an operation. The names and fields are part of the stable ledger format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The caller wants this once. Always the first event.
    Began(Intent),
    /// The ledger was restored from a backup: see rule 7 of the design.
    Restored {
        /// When that was noted for the ledger as a whole.
        since: Stamp,
        /// Until everything that was sent before can be seen: the cell's deadline and closing
        /// settle, in milliseconds after that.
        span_ms: u64,
    },
    /// Nothing is sent until somebody approves.
    Held(Hold),
    /// Somebody approved what was held; binds the fingerprint and the epoch.
    Approved {
        /// Who.
        by: String,
        /// Of what.
        fingerprint: Fingerprint,
        /// In which epoch.
        epoch: u32,
    },
    /// Somebody took up the work.
    Leased {
        /// Who.
        owner: String,
        /// For so many milliseconds.
        for_ms: u64,
    },
    /// The owner gave the work back without other news.
    Yielded {
        /// Who.
        owner: String,
    },
    /// A handle or precondition of the present epoch.
    Noted {
        /// Under which name.
        name: String,
        /// What the provider said.
        value: String,
    },
    /// An attempt is about to leave. Durable before its first byte.
    Departed(Departed),
    /// An answer, or the lack of one.
    Heard(Heard),
    /// A look, whole or not.
    Looked(Looked),
    /// Proof that it happened, from elsewhere.
    Witnessed {
        /// From where: `webhook`, `caller`, `prepare`.
        source: String,
        /// What happened.
        receipt: Receipt,
    },
    /// Automatic work is over; a person decides.
    Asked {
        /// Why.
        why: String,
    },
    /// A person decided.
    Decided {
        /// Who.
        by: String,
        /// Having seen which revision.
        seen: u64,
        /// When they looked at the provider.
        looked: Stamp,
        /// What.
        decision: Decision,
    },
    /// A person acts by hand from now on.
    TakenOver {
        /// Who.
        by: String,
    },
    /// A new epoch: the old one is proved to have had no effect, or a person says so.
    Epoch {
        /// Its number, counted from 0.
        number: u32,
        /// Why.
        because: String,
    },
    /// A refused or failed operation is tried again on purpose.
    Superseded {
        /// Who.
        by: String,
        /// The epoch that this ends.
        epoch: u32,
        /// The new intent.
        intent: Intent,
    },
    /// Closed without an effect.
    Closed {
        /// Why.
        reason: Refusal,
    },
    /// Something contradicts what is on record; people are told.
    Alarmed {
        /// What.
        what: String,
    },
    /// What became of something accepted.
    Fated {
        /// Open, settled or failed, in the provider's words.
        fate: String,
        /// Whether it failed.
        failed: bool,
    },
    /// Arguments and receipt were removed by retention; what is needed stays.
    Pruned,
}

/// What the caller wants once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Intent {
    /// Name of the connection.
    pub connection: String,
    /// Account at the provider, to which its dedupe is scoped.
    pub account: String,
    /// `stripe.charge`.
    pub cell: String,
    /// Version of the cell that froze the arguments.
    pub version: u32,
    /// The caller's name for it.
    pub key: OperationKey,
    /// The arguments, frozen with their volatile fields.
    pub args: Arc<Value>,
    /// Fingerprint of the arguments without the volatile ones.
    pub fingerprint: Fingerprint,
    /// After this moment (milliseconds since 1970) nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub good_until_ms: Option<i64>,
    /// Recent operations with equal arguments and other keys.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub similar: Vec<String>,
    /// Whether it is for a stand-in: what comes of it has not happened at the provider.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub stand_in: bool,
}

/// Why an operation is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "hold", rename_all = "kebab-case")]
pub enum Hold {
    /// Policy asks for approval first.
    Approval {
        /// Which rule of the policy.
        rule: String,
    },
    /// An equal intent with another key was seen recently.
    SuspectedRepeat {
        /// Which operations.
        of: Vec<String>,
    },
    /// The ledger was restored, and nothing can be asked.
    Restored,
}

/// An attempt about to leave, with all the facts that later decisions about it rely on, so that a
/// new version of the adapter can't change the meaning of an old attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Departed {
    /// Its number, counted from 0 over all epochs.
    pub attempt: u32,
    /// How often a burnt key has been replaced in this epoch.
    pub key_number: u32,
    /// Identity of what the provider scopes tokens to.
    pub scope: String,
    /// Its deadline, in milliseconds after this record's stamp.
    pub within_ms: u64,
    /// Until when it is acted on, or never: in milliseconds after the deadline.
    pub settle_ms: u64,
    /// Until when nothing can change any more: in milliseconds after the deadline.
    pub closing_ms: u64,
    /// How long a refusal recorded under its token stays recorded; none is without end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub record_ms: Option<u64>,
    /// Why a further request was held to be harmless, in words.
    pub because: String,
}

/// What was heard of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Of which.
    pub attempt: u32,
    /// What.
    pub verdict: Verdict,
}

/// What is known of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing.
    Open,
    /// An answer came, or none, and it says nothing; `server_error` if the provider answered 5xx.
    Unclear {
        /// In words.
        why: String,
        /// An answered 5xx: where failures are re-run, the key no longer guards.
        server_error: bool,
    },
    /// It was not processed.
    NotDone {
        /// In words.
        why: String,
        /// Not before so many milliseconds.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        retry_after_ms: Option<u64>,
    },
    /// It was refused; for this attempt alone.
    Refused {
        /// Why.
        reason: Refusal,
    },
    /// It was refused, recorded under its token.
    RefusedOnRecord {
        /// Why.
        reason: Refusal,
    },
    /// It happened.
    Happened {
        /// What.
        receipt: Receipt,
    },
    /// The token was spent already.
    Taken {
        /// What is known of by whom.
        what: String,
        /// The provider's id of the object on which it was spent, if the answer names it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        named: Option<String>,
    },
    /// The provider itself doesn't know.
    Adrift {
        /// In words.
        why: String,
    },
    /// A failure is stored under its key; a stronger token holds.
    KeyBurnt {
        /// In words.
        why: String,
    },
}

/// The canonical result of a success.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Receipt {
    /// The provider's id, claimed by one operation only. Empty: the provider gives none.
    pub id: String,
    /// The whole, as the cell defines it.
    pub body: Arc<Value>,
}

/// A look that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// When it began: what became visible later may have been missed.
    pub began: Stamp,
    /// What it found, claims of other operations taken out.
    pub found: Found,
    /// What finding nothing was worth, by the facts at that time.
    pub absence: Absence,
    /// Whether it would also have seen what a lost handle did (it looked by mark, or the token is
    /// derived).
    pub by_mark: bool,
    /// A hit here only looks like ours.
    #[serde(default)]
    pub by_content: bool,
}

/// What a look found, in the ledger's terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "kebab-case")]
pub enum Found {
    /// It is there.
    Happened {
        /// What.
        receipt: Receipt,
    },
    /// On record, came to nothing, token spent.
    Failed {
        /// Why.
        reason: Refusal,
    },
    /// Not there.
    Absent,
    /// Still being worked on.
    NotYet {
        /// In words.
        why: String,
    },
    /// The look failed or was partial.
    CannotTell {
        /// In words.
        why: String,
    },
    /// More than one.
    Several {
        /// Their ids.
        ids: Vec<String>,
    },
}

/// What a person can decide.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Decision {
    /// It happened; the receipt was read by id, checked and claimed.
    Happened {
        /// What.
        receipt: Receipt,
    },
    /// It did not happen.
    DidNotHappen,
    /// Send it again, in a new epoch.
    SendAgain,
}
