//! Sees what this worker itself writes to the ledger. An operation's report says how it stands; only
//! this says whose doing that is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hapax_core::ledger::{Append, Appended, Layer, Ledger, LedgerError, OperationId, Phase, SharedLedger};

/// What one piece of work wrote.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// How many appends were durable.
    pub(super) written: u32,
    /// Where the last of them left the operation.
    phase: Option<Phase>,
}

impl Tally {
    /// Whether the end of the operation is of this worker's writing.
    pub(super) fn ended_it(self) -> bool {
        self.phase.is_some_and(Phase::is_final)
    }
}

/// Tallies of the operations under way here.
#[derive(Default)]
pub(super) struct Tallies(Mutex<HashMap<OperationId, Tally>>);

impl Tallies {
    /// The ledger, seen through.
    pub(super) fn around(self: &Arc<Self>, ledger: SharedLedger) -> SharedLedger {
        Arc::new(Seen { ledger, tallies: Arc::clone(self) })
    }

    /// Begins to count for an operation.
    pub(super) fn open(&self, operation: OperationId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(operation, Tally::default());
    }

    /// Ends it.
    pub(super) fn close(&self, operation: OperationId) -> Tally {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&operation).unwrap_or_default()
    }

    fn note(&self, operation: OperationId, phase: Phase) {
        if let Some(tally) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&operation) {
            tally.written += 1;
            tally.phase = Some(phase);
        }
    }
}

struct Seen {
    ledger: SharedLedger,
    tallies: Arc<Tallies>,
}

#[async_trait]
impl Layer for Seen {
    fn below(&self) -> &dyn Ledger {
        &*self.ledger
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        let (operation, phase) = (append.operation, append.index.phase);
        let appended = self.ledger.append(append).await;
        if appended.is_ok() {
            self.tallies.note(operation, phase);
        }
        appended
    }
}
