use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use hapax_core::ledger::{Append, Appended, By, Layer, Ledger, LedgerError, SharedLedger};
use hapax_core::protocol::Event;
use serde::{Deserialize, Serialize};

/// A bug below the executor, to show that histories are caught that it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Planted {
    /// Appends don't compare the revision: whoever was overtaken writes behind the other.
    BlindAppends,
    /// Every third end of an operation is acknowledged and not written.
    ForgetsEnds,
}

impl Planted {
    /// A ledger with this bug.
    pub(super) fn over(self, below: SharedLedger) -> SharedLedger {
        Arc::new(Careless { below, bug: self, ends: AtomicU64::new(0) })
    }
}

struct Careless {
    below: SharedLedger,
    bug: Planted,
    ends: AtomicU64,
}

impl Careless {
    /// Appends at whatever revision the operation has.
    async fn append_blindly(&self, mut append: Append) -> Result<Appended, LedgerError> {
        loop {
            match self.below.append(append.clone()).await {
                Err(LedgerError::Moved) => {
                    let (connection, cell, key) = (&append.index.connection, &append.index.cell, &append.index.key);
                    let known = self.below.load(By::Key { connection, cell, key }).await?;
                    let Some(known) = known else { return Err(LedgerError::Moved) };
                    // What begins an operation is there already.
                    append.records.retain(|record| !matches!(record.event, Event::Began(_)));
                    append.seen = known.records.len() as u64;
                    append.operation = known.operation;
                }
                other => return other,
            }
        }
    }

    fn forgets(&self, append: &Append) -> bool {
        let ends = append.index.phase.is_final() && append.seen > 0;
        ends && self.ends.fetch_add(1, Ordering::Relaxed).is_multiple_of(3)
    }
}

#[async_trait]
impl Layer for Careless {
    fn below(&self) -> &dyn Ledger {
        &*self.below
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        match self.bug {
            Planted::BlindAppends => self.append_blindly(append).await,
            Planted::ForgetsEnds if self.forgets(&append) => {
                let revision = append.seen + append.records.len() as u64;
                Ok(Appended { revision, similar: Vec::new() })
            }
            Planted::ForgetsEnds => self.below.append(append).await,
        }
    }
}
