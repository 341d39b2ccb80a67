use std::convert::Infallible;
use std::sync::Arc;

use serde_json::Value;

use super::event::{Decision, Found};
use super::{Event, Receipt, Record, Stamp, Verdict, fold};

/// What stands in the place of words that retention has removed.
pub const REMOVED: &str = "(removed by retention)";

/// Something in an event that somebody else said: what retention removes, and what a ledger may seal.
#[derive(Debug)]
pub enum Private<'a> {
    /// Arguments or the body of a receipt.
    Value(&'a mut Arc<Value>),
    /// A handle.
    Text(&'a mut String),
    /// Words of a provider, for people: nothing is decided by them.
    Words(&'a mut String),
}

impl Event {
    /// Hands over everything private in this event, each with its name, which no two of one event share.
    ///
    /// What is left are our own words, ids, names of people who decided, and what operations are found by.
    ///
    /// # Errors
    /// The first of `each`.
    pub fn private<E>(&mut self, mut each: impl FnMut(&'static str, Private<'_>) -> Result<(), E>) -> Result<(), E> {
        // Each one by name, so that a new event doesn't compile until somebody has thought about it.
        match self {
            Self::Began(intent) | Self::Superseded { intent, .. } => each("args", Private::Value(&mut intent.args)),
            Self::Noted { value, .. } => each("value", Private::Text(value)),
            Self::Heard(heard) => match &mut heard.verdict {
                Verdict::Happened { receipt } => body(receipt, each),
                Verdict::Unclear { why, .. }
                | Verdict::NotDone { why, .. }
                | Verdict::Adrift { why }
                | Verdict::KeyBurnt { why } => each("why", Private::Words(why)),
                Verdict::Refused { reason } | Verdict::RefusedOnRecord { reason } => {
                    each("message", Private::Words(&mut reason.message))
                }
                Verdict::Taken { what, named: _ } => each("what", Private::Words(what)),
                Verdict::Open => Ok(()),
            },
            Self::Looked(looked) => match &mut looked.found {
                Found::Happened { receipt } => body(receipt, each),
                Found::Failed { reason } => each("message", Private::Words(&mut reason.message)),
                Found::NotYet { why } | Found::CannotTell { why } => each("why", Private::Words(why)),
                Found::Absent | Found::Several { ids: _ } => Ok(()),
            },
            Self::Witnessed { receipt, source: _ } => body(receipt, each),
            Self::Decided { decision, .. } => match decision {
                Decision::Happened { receipt } => body(receipt, each),
                Decision::DidNotHappen | Decision::SendAgain => Ok(()),
            },
            Self::Closed { reason } => each("message", Private::Words(&mut reason.message)),
            Self::Fated { fate, failed: _ } => each("fate", Private::Words(fate)),
            Self::Restored { .. }
            | Self::Held(_)
            | Self::Approved { .. }
            | Self::Leased { .. }
            | Self::Yielded { .. }
            | Self::Departed(_)
            | Self::Asked { .. }
            | Self::TakenOver { .. }
            | Self::Epoch { .. }
            | Self::Alarmed { .. }
            | Self::Pruned => Ok(()),
        }
    }

    /// Removes everything private.
    pub fn redact(&mut self) {
        let Ok(()) = self.private::<Infallible>(|_, private| {
            match private {
                Private::Value(value) => *value = Arc::new(Value::Null),
                Private::Text(text) => text.clear(),
                Private::Words(words) => REMOVED.clone_into(words),
            }
            Ok(())
        });
    }
}

fn body<E>(receipt: &mut Receipt, mut each: impl FnMut(&'static str, Private<'_>) -> Result<(), E>) -> Result<(), E> {
    each("receipt", Private::Value(&mut receipt.body))
}

/// Removes arguments, receipts and the provider's words from the records of a final operation and marks it as pruned.
/// Ids, fingerprints, codes of refusals and times stay: a pruned key stays closed (rule 15).
pub fn redact(records: &mut Vec<Record>) {
    for record in records.iter_mut() {
        record.event.redact();
    }
    if let Some(last) = records.last() {
        let at = last.at;
        records.push(Record { at, event: Event::Pruned });
    }
}

/// Whether nothing that may still be done with the operation reads its arguments or receipts: it ended, nobody holds
/// it, and by every clock no request of it can take effect any more, so that no answer and no last look is missed.
pub fn may_redact(records: &[Record], now: Stamp) -> bool {
    let state = fold(records);
    state.is_final()
        && !state.pruned
        && state.lease.as_ref().is_none_or(|lease| !lease.holds(now))
        && state.until_all_closing(now) == 0
}
