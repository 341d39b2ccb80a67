use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::ledger::{Append, Appended, Layer, Ledger, LedgerError, SharedLedger};
use hapax_core::protocol::Event;

/// What a bug does to an append.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bug {
    AcknowledgesOnly,
    WithoutClaims,
}

struct Careless {
    below: SharedLedger,
    bug: Bug,
}

pub(super) fn acknowledges_only(below: SharedLedger) -> SharedLedger {
    Arc::new(Careless { below, bug: Bug::AcknowledgesOnly })
}

pub(super) fn without_claims(below: SharedLedger) -> SharedLedger {
    Arc::new(Careless { below, bug: Bug::WithoutClaims })
}

#[async_trait]
impl Layer for Careless {
    fn below(&self) -> &dyn Ledger {
        &*self.below
    }

    async fn append(&self, mut append: Append) -> Result<Appended, LedgerError> {
        let is_answer = append.records.iter().any(|record| matches!(record.event, Event::Heard(_)));
        match self.bug {
            Bug::AcknowledgesOnly if is_answer => {
                let revision = append.seen + append.records.len() as u64;
                return Ok(Appended { revision, similar: Vec::new() });
            }
            Bug::WithoutClaims => append.index.claim = None,
            _ => {}
        }
        self.below.append(append).await
    }
}
