use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::{
    Append, Appended, By, Filter, Header, Index, Ledger, LedgerError, OperationId, Pruned, Retention, Serves, Stored,
};
use crate::protocol::{Record, Stamp};

/// A ledger in memory: for tests and for trying things out. It survives nothing.
#[derive(Default)]
pub struct MemoryLedger {
    inner: Mutex<Inner>,
}

#[derive(Clone, Default)]
struct Inner {
    operations: HashMap<OperationId, (Vec<Record>, Index)>,
    header: Header,
}

/// A copy of everything, to be put back later: a backup.
#[derive(Clone)]
pub struct MemoryBackup(Inner);

impl MemoryLedger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a backup.
    pub fn backup(&self) -> MemoryBackup {
        MemoryBackup(self.lock().clone())
    }

    /// Puts a backup back, as an operator would: the ledger doesn't know that it happened.
    pub fn put_back(&self, backup: &MemoryBackup) {
        *self.lock() = backup.0.clone();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn by_key(&self, index: &Index) -> bool {
        self.operations.values().any(|(_, other)| {
            other.connection == index.connection && other.cell == index.cell && other.key == index.key
        })
    }

    fn claimant(&self, index: &Index, of: OperationId) -> Option<OperationId> {
        let claim = index.claim.as_ref()?;
        self.operations
            .iter()
            .find(|(id, (_, other))| {
                **id != of && other.account == index.account && other.claim.as_ref() == Some(claim)
            })
            .map(|(id, _)| *id)
    }

    fn similar(&self, index: &Index, since_ms: i64) -> Vec<OperationId> {
        let alike = |other: &Index| {
            other.account == index.account
                && other.cell == index.cell
                && other.fingerprint == index.fingerprint
                && other.key != index.key
        };
        let mut ids: Vec<_> = self
            .operations
            .iter()
            .filter(|(_, (records, other))| {
                alike(other) && records.first().is_some_and(|first| first.at.wall_ms >= since_ms)
            })
            .map(|(id, _)| *id)
            .collect();
        ids.sort();
        ids
    }
}

impl Index {
    fn is_served_by(&self, serves: &[Serves]) -> bool {
        serves.iter().any(|one| one.connection == self.connection && one.cell == self.cell)
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        let mut inner = self.lock();
        let held = inner.operations.get(&append.operation).map_or(0, |(records, _)| records.len() as u64);
        if held != append.seen || (append.seen == 0 && inner.by_key(&append.index)) {
            return Err(LedgerError::Moved);
        }
        if let Some(other) = inner.claimant(&append.index, append.operation) {
            return Err(LedgerError::Claimed(other));
        }
        let similar = if append.seen == 0 { inner.similar(&append.index, append.similar_since_ms) } else { Vec::new() };
        if append.refuse_similar && !similar.is_empty() {
            return Err(LedgerError::Similar(similar));
        }
        if let Some(last) = append.records.last() {
            inner.header.newest = Some(last.at);
        }
        let entry = inner.operations.entry(append.operation).or_insert_with(|| (Vec::new(), append.index.clone()));
        entry.0.extend(append.records);
        entry.1 = append.index;
        Ok(Appended { revision: entry.0.len() as u64, similar })
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        let inner = self.lock();
        let hit = inner.operations.iter().find(|(id, (_, index))| match &by {
            By::Id(wanted) => *id == wanted,
            By::Key { connection, cell, key } => {
                index.connection == *connection && index.cell == *cell && index.key == **key
            }
            By::Claim { account, id: claim } => index.account == *account && index.claim.as_deref() == Some(*claim),
        });
        Ok(hit.map(|(id, (records, _))| Stored { operation: *id, records: records.clone() }))
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        let inner = self.lock();
        let mut due: Vec<(i64, OperationId)> = inner
            .operations
            .iter()
            .filter(|(_, (_, index))| index.is_served_by(serves))
            .filter_map(|(id, (_, index))| index.due_ms.filter(|due| *due <= now.wall_ms).map(|due| (due, *id)))
            .collect();
        due.sort();
        Ok(due.into_iter().take(limit as usize).map(|(_, id)| id).collect())
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        let inner = self.lock();
        let served = inner.operations.values().filter(|(_, index)| index.is_served_by(serves));
        Ok(served.filter_map(|(_, index)| index.due_ms).filter(|due| *due > after.wall_ms).min())
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        let inner = self.lock();
        let fits = |index: &Index| {
            (filter.phases.is_empty() || filter.phases.contains(&index.phase))
                && filter.cell.as_ref().is_none_or(|cell| *cell == index.cell)
                && filter.connection.as_ref().is_none_or(|connection| *connection == index.connection)
        };
        let mut ids: Vec<_> =
            inner.operations.iter().filter(|(_, (_, index))| fits(index)).map(|(id, _)| *id).collect();
        ids.sort_by(|a, b| b.cmp(a));
        if filter.limit > 0 {
            ids.truncate(filter.limit as usize);
        }
        Ok(ids)
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        Ok(self.lock().header.clone())
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        let held = &mut self.lock().header.secret_check;
        if held.is_empty() {
            secret_check.clone_into(held);
        }
        Ok(held.clone())
    }

    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        let mut inner = self.lock();
        inner.header.secret_check = secret_check.to_owned();
        inner.header.restored = Some(at);
        Ok(())
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        let mut inner = self.lock();
        let mut pruned = Pruned::default();
        for (id, (records, index)) in &mut inner.operations {
            let over = index.phase.is_final() && index.due_ms.is_none() && retention.asks_for(*id);
            if over && retention.takes(&index.connection, &index.cell, records) {
                pruned.operations += 1;
                if !retention.dry_run {
                    crate::protocol::redact(records);
                }
            }
        }
        Ok(pruned)
    }
}
