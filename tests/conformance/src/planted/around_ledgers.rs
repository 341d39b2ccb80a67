use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::ledger::{
    Append, Appended, By, Filter, Header, Ledger, LedgerError, OperationId, Serves, SharedLedger, Stored,
};
use hapax_core::protocol::{Event, Stamp};

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
impl Ledger for Careless {
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

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        self.below.load(by).await
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        self.below.due(serves, now, limit).await
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        self.below.next_due(serves, after).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        self.below.list(filter).await
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        self.below.header().await
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        self.below.adopt(secret_check).await
    }

    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        self.below.note_restored(at, secret_check).await
    }

    async fn prune(&self, before_wall_ms: i64) -> Result<u64, LedgerError> {
        self.below.prune(before_wall_ms).await
    }
}
