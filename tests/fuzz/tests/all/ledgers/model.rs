//! What a ledger is, without a thought for speed: a list of operations in the order in which they were begun.

use hapax_core::ledger::{Append, Appended, Filter, Header, Index, LedgerError, OperationId, Serves};
use hapax_core::protocol::{Record, Stamp, may_redact, redact};

#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) id: OperationId,
    pub(super) records: Vec<Record>,
    pub(super) index: Index,
}

#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) operations: Vec<Operation>,
    pub(super) header: Header,
}

impl Model {
    fn find(&self, wanted: impl Fn(&Operation) -> bool) -> Option<&Operation> {
        self.operations.iter().find(|one| wanted(one))
    }

    pub(super) fn by_key(&self, connection: &str, cell: &str, key: &str) -> Option<&Operation> {
        self.find(|one| one.index.connection == connection && one.index.cell == cell && one.index.key.as_str() == key)
    }

    pub(super) fn by_claim(&self, account: &str, claim: &str) -> Option<&Operation> {
        self.find(|one| one.index.account == account && one.index.claim.as_deref() == Some(claim))
    }

    pub(super) fn append(&mut self, append: &Append) -> Result<Appended, LedgerError> {
        let held = self.operations.iter().position(|one| one.id == append.operation);
        let revision = held.map_or(0, |at| self.operations[at].records.len() as u64);
        let index = &append.index;
        let key_is_taken = self.by_key(&index.connection, &index.cell, index.key.as_str()).is_some();
        if revision != append.seen || (held.is_none() && key_is_taken) {
            return Err(LedgerError::Moved);
        }
        let claimant = index.claim.as_ref().and_then(|claim| self.by_claim(&index.account, claim));
        if let Some(other) = claimant.filter(|other| other.id != append.operation) {
            return Err(LedgerError::Claimed(other.id));
        }
        let similar = if held.is_none() { self.similar(index, append.similar_since_ms) } else { Vec::new() };
        if append.refuse_similar && !similar.is_empty() {
            return Err(LedgerError::Similar(similar));
        }
        self.header.newest = append.records.last().map(|last| last.at).or(self.header.newest);
        let at = held.unwrap_or_else(|| {
            self.operations.push(Operation { id: append.operation, records: Vec::new(), index: index.clone() });
            self.operations.len() - 1
        });
        self.operations[at].records.extend(append.records.clone());
        self.operations[at].index = index.clone();
        Ok(Appended { revision: self.operations[at].records.len() as u64, similar })
    }

    fn similar(&self, index: &Index, since_ms: i64) -> Vec<OperationId> {
        let alike = self.operations.iter().filter(|one| {
            one.index.account == index.account
                && one.index.cell == index.cell
                && one.index.fingerprint == index.fingerprint
                && one.index.key != index.key
                && one.records[0].at.wall_ms >= since_ms
        });
        alike.map(|one| one.id).collect()
    }

    /// When each operation that these serve is due.
    pub(super) fn dues(&self, serves: &[Serves]) -> Vec<(i64, OperationId)> {
        let served = self.operations.iter().filter(|one| {
            serves.iter().any(|who| who.connection == one.index.connection && who.cell == one.index.cell)
        });
        let mut dues: Vec<_> = served.filter_map(|one| Some((one.index.due_ms?, one.id))).collect();
        dues.sort();
        dues
    }

    pub(super) fn list(&self, filter: &Filter) -> Vec<OperationId> {
        let fits = |index: &Index| {
            (filter.phases.is_empty() || filter.phases.contains(&index.phase))
                && filter.cell.as_ref().is_none_or(|cell| *cell == index.cell)
                && filter.connection.as_ref().is_none_or(|connection| *connection == index.connection)
        };
        let newest_first = self.operations.iter().rev().filter(|one| fits(&one.index)).map(|one| one.id);
        newest_first.take(if filter.limit == 0 { usize::MAX } else { filter.limit as usize }).collect()
    }

    pub(super) fn adopt(&mut self, check: &str) -> String {
        if self.header.secret_check.is_empty() {
            check.clone_into(&mut self.header.secret_check);
        }
        self.header.secret_check.clone()
    }

    pub(super) fn note_restored(&mut self, at: Stamp, check: &str) {
        check.clone_into(&mut self.header.secret_check);
        self.header.restored = Some(at);
    }

    pub(super) fn prune(&mut self, now: Stamp, for_ms: u64) -> u64 {
        let mut pruned = 0;
        for one in &mut self.operations {
            let age = |last: &Record| u64::try_from(now.wall_ms - last.at.wall_ms).ok();
            let is_old = one.records.last().and_then(age).is_some_and(|age| age >= for_ms);
            let over = one.index.phase.is_final() && one.index.due_ms.is_none() && may_redact(&one.records, now);
            if over && is_old {
                redact(&mut one.records);
                pruned += 1;
            }
        }
        pruned
    }
}
