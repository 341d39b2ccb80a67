//! Answers and findings as the events that they are in a journal.

use hapax_core::protocol::{Event, Found, Heard, Receipt, Verdict};
use hapax_core::words::{Answer, Covers, Fault, Finding};

/// What an answer says of its attempt; an answer that speaks of something else also rings an alarm.
pub(super) fn heard(attempt: u32, answer: Answer<Receipt>) -> Vec<Event> {
    let mut alarm = None;
    let verdict = match answer {
        Answer::Happened(receipt) => Verdict::Happened { receipt },
        Answer::Refused(reason, Covers::Attempt) => Verdict::Refused { reason },
        Answer::Refused(reason, Covers::Record) => Verdict::RefusedOnRecord { reason },
        Answer::NotDone(why, retry_after_ms) => Verdict::NotDone { why, retry_after_ms },
        Answer::Taken(what, named) => Verdict::Taken { what, named },
        Answer::Unclear(Fault::Adrift(why)) => Verdict::Adrift { why },
        Answer::Unclear(Fault::KeyBurnt(why)) => Verdict::KeyBurnt { why },
        Answer::Unclear(Fault::Echo(fields)) => {
            let why = format!("an answer differs from the intent in {fields}");
            alarm = Some(Event::Alarmed { what: why.clone() });
            Verdict::Unclear { why, server_error: false }
        }
        Answer::Unclear(fault) => {
            let server_error = matches!(fault, Fault::Status(500..=599, _));
            Verdict::Unclear { why: fault.to_string(), server_error }
        }
    };
    [Event::Heard(Heard { attempt, verdict })].into_iter().chain(alarm).collect()
}

/// What a look found; a hit that speaks of something else also rings an alarm.
pub(super) fn found(finding: Result<Finding<Receipt>, Fault>) -> (Found, Option<Event>) {
    let found = match finding {
        Ok(Finding::Happened(receipt)) => Found::Happened { receipt },
        Ok(Finding::Failed(reason)) => Found::Failed { reason },
        Ok(Finding::Absent) => Found::Absent,
        Ok(Finding::NotYet(why)) => Found::NotYet { why },
        Ok(Finding::CannotTell(why)) => Found::CannotTell { why },
        Ok(Finding::Several(receipts)) => {
            Found::Several { ids: receipts.into_iter().map(|receipt| receipt.id).collect() }
        }
        Err(Fault::Echo(fields)) => {
            let why = format!("a record with our mark differs from the intent in {fields}");
            return (Found::CannotTell { why: why.clone() }, Some(Event::Alarmed { what: why }));
        }
        // A look that failed is no absence.
        Err(fault) => Found::CannotTell { why: fault.to_string() },
    };
    (found, None)
}
