//! What one answer says, what a look finds, what a caller gets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why there is no effect and asking again changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Refusal {
    /// The provider's code, or ours (`expired`, `by-a-person`, `bad-arguments`).
    pub code: String,
    /// A sentence for people, without personal data of ours.
    pub message: String,
}

impl Refusal {
    /// A refusal with a code and a sentence.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

/// What one response says of its own attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<R> {
    /// It happened: one more request would be one more effect, whatever becomes of this one.
    Happened(R),
    /// No effect, and asking again changes nothing.
    Refused(Refusal, Covers),
    /// No effect, documented as not processed: the same may go again, not before so many
    /// milliseconds if the provider says so.
    NotDone(String, Option<u64>),
    /// The token is spent; what is known of by whom, and the provider's id of the object that the
    /// answer names as the one on which it was spent. A look comes before any judgement.
    Taken(String, Option<String>),
    /// Everything else.
    Unclear(Fault),
}

/// For what a refusal speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Covers {
    /// For its own attempt.
    Attempt,
    /// Recorded under our token: also for earlier attempts that carried that very token, inside
    /// one life of it.
    Record,
}

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding<R> {
    /// It is there.
    Happened(R),
    /// It is on record, came to nothing, and the token is spent.
    Failed(Refusal),
    /// It isn't there. What that is worth is the core's business.
    Absent,
    /// The provider says that it is still working on it.
    NotYet(String),
    /// The look failed or was partial.
    CannotTell(String),
    /// More than one is there.
    Several(Vec<R>),
}

/// Hits of a search as a finding: none, one or many, so that nobody takes the first of several.
pub fn found<R>(mut hits: Vec<R>) -> Finding<R> {
    match hits.len() {
        0 => Finding::Absent,
        1 => Finding::Happened(hits.remove(0)),
        _ => Finding::Several(hits),
    }
}

/// Whose doing a state is that anybody's doing satisfies, as far as the provider lets us tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Doer {
    /// The provider answered our own request with it.
    Us,
    /// It was found; it may be our lost request or somebody else's.
    CannotTell,
}

/// Why an answer or a look says nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is proved that no byte of the request was written.
    #[error("not sent: {0}")]
    NotSent(String),
    /// The request may have left; no whole answer came.
    #[error("the answer was lost: {0}")]
    Lost(String),
    /// An answer came and can't be read.
    #[error("the answer can't be read: {0}")]
    Unread(String),
    /// An answer that no row of the table speaks of.
    #[error("status {0}: {1}")]
    Status(u16, String),
    /// The provider itself doesn't know.
    #[error("the provider itself doesn't know: {0}")]
    Adrift(String),
    /// A stored failure of a step that a stronger token protects.
    #[error("the key is burnt by a stored failure: {0}")]
    KeyBurnt(String),
    /// An answer that speaks of something else than the intent.
    #[error("the answer doesn't echo the intent: {0} differ")]
    Echo(String),
}

/// What a caller gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome<R> {
    /// It happened once.
    Succeeded {
        /// The receipt that was stored first; every replay returns it.
        receipt: R,
    },
    /// It did not happen, and won't under this key.
    Refused {
        /// Why.
        reason: Refusal,
    },
    /// Not known yet.
    Unknown {
        /// Why, in words.
        why: String,
        /// What happens next.
        next: Next,
        /// A receipt that could not be recorded yet, if there is one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        receipt: Option<R>,
    },
}

/// What happens next with an operation whose outcome is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "next", rename_all = "kebab-case")]
pub enum Next {
    /// hapax goes on by itself; call again with the same key after so many milliseconds.
    CallAgain {
        /// Milliseconds.
        after_ms: u64,
    },
    /// It is held: approve or deny it.
    Held,
    /// It is in the inbox: a person decides.
    Person,
}
