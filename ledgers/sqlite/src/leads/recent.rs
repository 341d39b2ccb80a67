//! The leads that are not in the table yet, kept by the process. They follow from rows that were committed, and from
//! nothing else, so that every process has the same, whoever wrote them.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, params};

use super::carry::{Added, Carried, Marks};
use super::{Asked, Lead};
use crate::codec::{Identity, fingerprint};
use crate::error::Failure;

/// Shared by all connections of a process.
pub(crate) struct Leads {
    recent: Mutex<Recent>,
    /// At least so many are kept before they are carried over.
    pub(super) least: usize,
}

/// What is known between two marks. A reader may see an older state of the file than the newest that was read here:
/// knowing more than it sees does no harm.
#[derive(Default)]
pub(super) struct Recent {
    /// Everything up to here is in the table.
    from: Marks,
    /// Everything up to here was read.
    seen: Marks,
    /// What the run under way carries over: everything up to its end.
    run: Option<Marks>,
    carrying: BTreeSet<Lead>,
    /// What came after it.
    young: BTreeSet<Lead>,
}

/// The snapshot is older than what is remembered.
pub(super) struct TooOld;

impl Leads {
    pub(crate) fn new(least: usize) -> Self {
        Self { recent: Mutex::default(), least }
    }

    /// Those of one snapshot, for whoever reads it to the end.
    pub(crate) fn of(snapshot: &Connection) -> Result<Self, Failure> {
        let leads = Self::new(0);
        leads.meet(snapshot, &Carried::read(snapshot)?)?;
        Ok(leads)
    }

    /// Reads all that isn't in the table.
    pub(crate) fn open(&self, on: &Connection) -> Result<(), Failure> {
        let snapshot = on.unchecked_transaction()?;
        self.meet(&snapshot, &Carried::read(&snapshot)?)
    }

    /// Reads what isn't known yet of this snapshot, and lets go of what the table has by now.
    pub(super) fn meet(&self, on: &Connection, carried: &Carried) -> Result<(), Failure> {
        let met = self.recent().meet(on, carried)?;
        met.map_err(|TooOld| Failure::Damaged("what was carried over into table leads is gone".to_owned()))
    }

    /// What a transaction that is committed has made.
    pub(crate) fn take(&self, added: Added) {
        let mut recent = self.recent();
        recent.young.extend(added.leads);
        recent.seen = recent.seen.max(added.seen);
    }

    pub(super) fn recent(&self) -> MutexGuard<'_, Recent> {
        // Leads go in before the mark moves: whoever panicked in between left too much, never too little.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    /// `Err` inside: this snapshot is from before the last run ended, whose leads were let go.
    pub(super) fn meet(&mut self, on: &Connection, carried: &Carried) -> Result<Result<(), TooOld>, Failure> {
        if carried.all < self.from {
            return Ok(Err(TooOld));
        }
        if carried.all > self.from {
            self.let_go(carried.all);
        }
        self.read(on, carried.there)?;
        if let Some(to) = carried.run
            && self.run != carried.run
        {
            self.begin(to);
        }
        Ok(Ok(()))
    }

    fn begin(&mut self, to: Marks) {
        let known = std::mem::take(&mut self.young);
        // Who began the run has nothing younger, and many leads.
        (self.carrying, self.young) = if to == self.seen {
            (known, BTreeSet::new())
        } else {
            known.into_iter().partition(|lead| to.cover(lead.target))
        };
        self.run = Some(to);
    }

    fn let_go(&mut self, all: Marks) {
        if self.run == Some(all) {
            self.carrying.clear();
        } else {
            // Others began and ended runs meanwhile.
            let known = std::mem::take(&mut self.carrying).into_iter().chain(std::mem::take(&mut self.young));
            self.young = known.filter(|lead| !all.cover(lead.target)).collect();
        }
        (self.run, self.from, self.seen) = (None, all, self.seen.max(all));
    }

    fn read(&mut self, on: &Connection, there: Marks) -> Result<(), Failure> {
        if there.operation > self.seen.operation {
            self.read_operations(on, there.operation)?;
        }
        if there.claim > self.seen.claim {
            self.read_claims(on, there.claim)?;
        }
        Ok(())
    }

    fn read_operations(&mut self, on: &Connection, until: i64) -> Result<(), Failure> {
        let mut statement = on.prepare_cached(
            "SELECT o.number, p.connection, p.cell, o.key, o.fingerprint, o.began_ms \
             FROM operations o JOIN places p ON p.number = o.place WHERE o.number > ?1 AND o.number <= ?2",
        )?;
        let mut rows = statement.query([self.seen.operation, until])?;
        while let Some(row) = rows.next()? {
            let identity = Identity {
                connection: row.get(1)?,
                account: String::new(),
                cell: row.get(2)?,
                key: row.get(3)?,
                fingerprint: fingerprint(row.get(4)?),
            };
            self.young.extend(Lead::to_operation(row.get(0)?, &identity, row.get(5)?));
        }
        self.seen.operation = until;
        Ok(())
    }

    fn read_claims(&mut self, on: &Connection, until: i64) -> Result<(), Failure> {
        let mut statement = on.prepare_cached(
            "SELECT c.sequence, a.account, c.claim FROM claims c JOIN accounts a ON a.number = c.account \
             WHERE c.sequence > ?1 AND c.sequence <= ?2",
        )?;
        let mut rows = statement.query(params![self.seen.claim, until])?;
        while let Some(row) = rows.next()? {
            let (account, claim): (String, String) = (row.get(1)?, row.get(2)?);
            self.young.insert(Lead::to_claim(row.get(0)?, &account, &claim));
        }
        self.seen.claim = until;
        Ok(())
    }

    pub(super) fn within(&self, asked: Asked) -> Vec<i64> {
        asked.within(&self.carrying).chain(asked.within(&self.young)).collect()
    }

    /// How many wait for a run to begin.
    pub(super) fn count(&self) -> usize {
        self.young.len()
    }

    /// The next leads of the run after this one.
    pub(super) fn next_of_run(&self, after: Lead, count: usize) -> Vec<Lead> {
        self.carrying.range((Excluded(after), Unbounded)).take(count).copied().collect()
    }
}
