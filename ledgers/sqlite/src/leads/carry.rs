//! Leads of the newest rows come into table `leads` in runs: all at once, in the order of the table, so that many share
//! a page, and a part with each commit, so that no caller waits for all of it.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::{Asked, Beside, Lead, Leads};
use crate::codec::Identity;
use crate::error::Failure;

/// Up to which operation and which claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Marks {
    pub(super) operation: i64,
    pub(super) claim: i64,
}

impl Marks {
    /// Whether what a lead leads to is one of them.
    pub(super) const fn cover(self, target: i64) -> bool {
        if target > 0 { target <= self.operation } else { -target <= self.claim }
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self { operation: self.operation.max(other.operation), claim: self.claim.max(other.claim) }
    }
}

/// What a snapshot says of how far leads were carried over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    /// Up to here all of them were.
    pub(super) all: Marks,
    /// Up to here they are being.
    pub(super) run: Option<Marks>,
    /// The last lead of the run that was.
    at: Lead,
    /// Up to here there is something to lead to.
    pub(super) there: Marks,
}

impl Carried {
    pub(crate) fn read(on: &Connection) -> Result<Self, Failure> {
        let mut statement = on.prepare_cached(
            "SELECT operation, claim, to_operation, to_claim, at_hash, at_began, at_target, \
                    (SELECT max(number) FROM operations), (SELECT max(sequence) FROM claims) FROM carried",
        )?;
        Ok(statement.query_row([], |row| {
            let run = row.get::<_, Option<i64>>(2)?.zip(row.get(3)?);
            Ok(Self {
                all: Marks { operation: row.get(0)?, claim: row.get(1)? },
                run: run.map(|(operation, claim)| Marks { operation, claim }),
                at: Lead { hash: row.get(4)?, began: row.get(5)?, target: row.get(6)? },
                there: Marks {
                    operation: row.get::<_, Option<i64>>(7)?.unwrap_or_default(),
                    claim: row.get::<_, Option<i64>>(8)?.unwrap_or_default(),
                },
            })
        })?)
    }
}

impl Beside for Leads {
    fn at_hand(&self, asked: Asked) -> Vec<i64> {
        self.recent().within(asked)
    }

    fn all(&self, on: &Connection, asked: Asked) -> Result<Vec<i64>, Failure> {
        let carried = Carried::read(on)?;
        {
            let mut recent = self.recent();
            if let Ok(()) = recent.meet(on, &carried)? {
                return Ok(recent.within(asked));
            }
        }
        // A run ended after this snapshot was taken: what it carried over was let go, and isn't in the table here.
        Ok(Self::of(on)?.at_hand(asked))
    }
}

/// What a transaction that writes has added so far. Nobody else may know it before it is committed.
pub(crate) struct Fresh<'a> {
    leads: &'a Leads,
    carried: Carried,
    new: BTreeSet<Lead>,
    seen: Marks,
}

/// What a transaction has added, once it is committed.
pub(crate) struct Added {
    pub(super) leads: BTreeSet<Lead>,
    pub(super) seen: Marks,
}

/// A run begins when a part of all leads is there to be carried over: so many share a page of the table then.
const PART: i64 = 32;
/// Or when so many are: each takes some 40 bytes of memory, and whoever opens the ledger reads them first.
const MOST: i64 = 3 << 18;
/// For each new lead so many are carried over: a run has ended long before the next one begins.
const PACE: usize = 2;
impl<'a> Fresh<'a> {
    /// At the beginning of a transaction that has the write lock.
    pub(crate) fn begin(leads: &'a Leads, on: &Connection) -> Result<Self, Failure> {
        let carried = Carried::read(on)?;
        leads.meet(on, &carried)?;
        Ok(Self { leads, carried, new: BTreeSet::new(), seen: carried.there })
    }

    /// A new operation.
    pub(crate) fn operation(&mut self, number: i64, identity: &Identity, began_ms: i64) {
        self.new.extend(Lead::to_operation(number, identity, began_ms));
        self.seen.operation = number;
    }

    /// A new claim.
    pub(crate) fn claim(&mut self, sequence: i64, account: &str, claim: &str) {
        self.new.insert(Lead::to_claim(sequence, account, claim));
        self.seen.claim = sequence;
    }

    /// An operation that is found by something else from now on. Its number may have been passed by already, so it goes into
    /// the table at once.
    pub(crate) fn renamed(
        &self,
        on: &Connection,
        number: i64,
        identity: &Identity,
        began_ms: i64,
    ) -> Result<(), Failure> {
        write(on, Lead::to_operation(number, identity, began_ms))
    }

    /// For transactions that write without end: once so many leads were added, they go into the table, if they are all that
    /// isn't there.
    pub(crate) fn settle(&mut self, on: &Connection, most: usize) -> Result<(), Failure> {
        if self.new.len() < most || self.carried.all != self.carried.there {
            return Ok(());
        }
        write(on, std::mem::take(&mut self.new))?;
        self.all_up_to(on, self.seen)
    }

    /// Before the commit: carries on with the run, or begins one.
    pub(crate) fn end(self, on: &Connection) -> Result<Added, Failure> {
        match self.carried.run {
            Some(to) => self.carry_on(on, to)?,
            None if self.is_time() => self.begin_run(on)?,
            None => {}
        }
        Ok(Added { leads: self.new, seen: self.seen })
    }

    fn is_time(&self) -> bool {
        let Marks { operation, claim } = self.carried.there;
        let part = usize::try_from(((2 * operation + claim) / PART).min(MOST)).unwrap_or_default();
        self.leads.recent().count() > part.max(self.leads.least)
    }

    fn begin_run(&self, on: &Connection) -> Result<(), Failure> {
        // With what this transaction adds: then it is all that is known, and nothing has to be sorted out.
        let to = self.seen;
        on.prepare_cached("UPDATE carried SET to_operation = ?1, to_claim = ?2")?.execute([to.operation, to.claim])?;
        Ok(())
    }

    fn carry_on(&self, on: &Connection, to: Marks) -> Result<(), Failure> {
        let pace = PACE * self.new.len();
        let next = self.leads.recent().next_of_run(self.carried.at, pace);
        let last = next.last().copied();
        let is_all = next.len() < pace;
        write(on, next)?;
        match last {
            _ if is_all => self.all_up_to(on, to),
            Some(last) => self.is_at(on, last),
            None => Ok(()),
        }
    }

    fn is_at(&self, on: &Connection, last: Lead) -> Result<(), Failure> {
        on.prepare_cached("UPDATE carried SET at_hash = ?1, at_began = ?2, at_target = ?3")?.execute([
            last.hash,
            last.began,
            last.target,
        ])?;
        Ok(())
    }

    fn all_up_to(&self, on: &Connection, all: Marks) -> Result<(), Failure> {
        on.prepare_cached(
            "UPDATE carried SET operation = ?1, claim = ?2, to_operation = NULL, to_claim = NULL, \
             at_hash = ?3, at_began = ?3, at_target = ?3",
        )?
        .execute(params![all.operation, all.claim, i64::MIN])?;
        Ok(())
    }
}

/// What others have committed was met when the transaction began.
impl Beside for Fresh<'_> {
    fn at_hand(&self, asked: Asked) -> Vec<i64> {
        let mut targets = self.leads.at_hand(asked);
        targets.extend(asked.within(&self.new));
        targets
    }

    fn all(&self, _: &Connection, asked: Asked) -> Result<Vec<i64>, Failure> {
        Ok(self.at_hand(asked))
    }
}

/// One that is there already stays.
fn write(on: &Connection, leads: impl IntoIterator<Item = Lead>) -> Result<(), Failure> {
    let mut statement = on.prepare_cached("INSERT OR IGNORE INTO leads (hash, began, target) VALUES (?1, ?2, ?3)")?;
    for lead in leads {
        statement.execute([lead.hash, lead.began, lead.target])?;
    }
    Ok(())
}
