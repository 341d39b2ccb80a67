//! What a cell says of an attempt or of a look, in the ledger's terms.

use super::{Found, Receipt, Verdict};
use crate::words::{Answer, Covers, Fault, Finding};

impl Verdict {
    /// What an answer says of its attempt. With it comes what an alarm has to say, if the answer speaks of something else
    /// than the intent.
    ///
    /// ```
    /// use hapax_core::protocol::Verdict;
    /// use hapax_core::words::{Answer, Fault};
    ///
    /// let (verdict, alarm) = Verdict::of(Answer::Unclear(Fault::Echo("amount".to_owned())));
    /// assert_eq!(verdict.name(), "unclear");
    /// assert_eq!(alarm.as_deref(), Some("an answer differs from the intent in amount"));
    /// ```
    pub fn of(answer: Answer<Receipt>) -> (Self, Option<String>) {
        let verdict = match answer {
            Answer::Happened(receipt) => Self::Happened { receipt },
            Answer::Refused(reason, Covers::Attempt) => Self::Refused { reason },
            Answer::Refused(reason, Covers::Record) => Self::RefusedOnRecord { reason },
            Answer::NotDone(why, retry_after_ms) => Self::NotDone { why, retry_after_ms },
            Answer::Taken(what, named) => Self::Taken { what, named },
            Answer::Unclear(Fault::Adrift(why)) => Self::Adrift { why },
            Answer::Unclear(Fault::KeyBurnt(why)) => Self::KeyBurnt { why },
            Answer::Unclear(Fault::Echo(fields)) => {
                let why = format!("an answer differs from the intent in {fields}");
                return (Self::Unclear { why: why.clone(), server_error: false }, Some(why));
            }
            Answer::Unclear(fault) => {
                let server_error = matches!(fault, Fault::Status(500..=599, _));
                Self::Unclear { why: fault.to_string(), server_error }
            }
        };
        (verdict, None)
    }

    /// A short name for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Unclear { .. } => "unclear",
            Self::NotDone { .. } => "not-done",
            Self::Refused { .. } => "refused",
            Self::RefusedOnRecord { .. } => "refused-on-record",
            Self::Happened { .. } => "happened",
            Self::Taken { .. } => "taken",
            Self::Adrift { .. } => "adrift",
            Self::KeyBurnt { .. } => "key-burnt",
        }
    }

    /// What it says, in words.
    pub fn why(&self) -> String {
        match self {
            Self::Open => "nothing was heard".to_owned(),
            Self::Unclear { why, .. } | Self::NotDone { why, .. } | Self::Adrift { why } | Self::KeyBurnt { why } => {
                why.clone()
            }
            Self::Refused { reason } | Self::RefusedOnRecord { reason } => reason.to_string(),
            Self::Happened { receipt } => format!("it happened: {}", receipt.id),
            Self::Taken { what, named: None } => what.clone(),
            Self::Taken { what, named: Some(object) } => format!("{what}: {object}"),
        }
    }
}

impl Found {
    /// What a look found. With it comes what an alarm has to say, if the hit speaks of something else than the intent. A
    /// look that failed is no absence.
    ///
    /// Hits that belong to other operations are to be taken out before: what is left of several may be one, or none.
    ///
    /// ```
    /// use hapax_core::protocol::Found;
    /// use hapax_core::words::{Fault, Finding};
    ///
    /// assert_eq!(Found::of(Ok(Finding::Absent)), (Found::Absent, None));
    /// let (found, _) = Found::of(Err(Fault::Status(503, "busy".to_owned())));
    /// assert!(matches!(found, Found::CannotTell { .. }));
    /// ```
    pub fn of(finding: Result<Finding<Receipt>, Fault>) -> (Self, Option<String>) {
        let found = match finding {
            Ok(Finding::Happened(receipt)) => Self::Happened { receipt },
            Ok(Finding::Failed(reason)) => Self::Failed { reason },
            Ok(Finding::Absent) => Self::Absent,
            Ok(Finding::NotYet(why)) => Self::NotYet { why },
            Ok(Finding::CannotTell(why)) => Self::CannotTell { why },
            Ok(Finding::Several(hits)) => Self::Several { ids: hits.into_iter().map(|hit| hit.id).collect() },
            Err(Fault::Echo(fields)) => {
                let why = format!("a record with our mark differs from the intent in {fields}");
                return (Self::CannotTell { why: why.clone() }, Some(why));
            }
            Err(fault) => Self::CannotTell { why: fault.to_string() },
        };
        (found, None)
    }
}
