use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hapax_core::executor::RunReport;
use hapax_core::words::{Next, Outcome};
use serde_json::Value;

use super::clock::Time;
use crate::history::{Call, Entry, Event, Receipt, Said};
use crate::worker::Answer;

/// What is written down while a run goes on.
pub(crate) struct Record {
    pub(crate) time: Time,
    entries: Mutex<Vec<Entry>>,
    calls: AtomicU32,
    troubles: Mutex<Vec<String>>,
}

/// Locks, whatever happened to somebody else who did.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Record {
    pub(crate) fn new(time: Time) -> Self {
        Self { time, entries: Mutex::default(), calls: AtomicU32::new(0), troubles: Mutex::default() }
    }

    /// A number for a call.
    pub(crate) fn call(&self) -> Call {
        Call(self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes down what happens now. The moment is taken under the lock, so that entries lie in its order.
    pub(crate) fn note(&self, event: Event) -> u64 {
        let mut entries = lock(&self.entries);
        let at_ms = self.time.now_ms();
        entries.push(Entry { at_ms, event });
        at_ms
    }

    /// Writes down what a call came to; none: its worker died.
    pub(crate) fn came(&self, call: Call, answer: Option<&Answer>) -> Said {
        let said = answer.map_or(Said::Lost, said);
        self.note(Event::Returned { call, said: said.clone() });
        said
    }

    /// Something is wrong with the run itself, so that it shows nothing.
    pub(crate) fn trouble(&self, what: String) {
        lock(&self.troubles).push(what);
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        lock(&self.entries).clone()
    }

    pub(crate) fn troubles(&self) -> Vec<String> {
        lock(&self.troubles).clone()
    }
}

fn said(answer: &Answer) -> Said {
    match answer {
        Answer::Report(report) => of_report(report),
        Answer::Error { code, .. } => Said::NothingSent { code: code.clone() },
        Answer::Inbox(_) => Said::NothingSent { code: "no-answer-to-a-call".to_owned() },
    }
}

fn of_report(report: &RunReport) -> Said {
    match &report.outcome {
        Outcome::Succeeded { receipt } => Said::Ok(of_receipt(receipt)),
        Outcome::Refused { reason } => Said::Refused { code: reason.code.clone() },
        Outcome::Unknown { next, receipt, .. } => {
            let next = match next {
                // Nothing of it is in the ledger yet, or the ledger is out of reach.
                Next::CallAgain { .. } if report.revision == 0 => Said::UNWRITTEN,
                Next::CallAgain { .. } => "again",
                Next::Held => "held",
                Next::Person => "person",
            };
            Said::Unknown { next: next.to_owned(), receipt: receipt.as_ref().map(of_receipt) }
        }
    }
}

/// What histories keep of a receipt. Its text is stable: members of a JSON object are sorted.
fn of_receipt(receipt: &Value) -> Receipt {
    let mut hasher = DefaultHasher::new();
    receipt.to_string().hash(&mut hasher);
    let id = receipt["id"].as_str().unwrap_or_default().to_owned();
    Receipt { id, digest: format!("{:08x}", hasher.finish() as u32) }
}
