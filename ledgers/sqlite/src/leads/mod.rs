//! What operations are found by at random places: keys, equal arguments, claims.
//!
//! A lead says where a hash may lead to; the row there decides. Leads of the newest operations and claims follow from
//! their rows alone, so they are kept in memory and cost a commit nothing ([`recent`]). Many at once are carried over into
//! table `leads`, in its order, so that they share its pages ([`carry`]).

mod carry;
mod recent;
#[cfg(test)]
mod tests;

pub(crate) use carry::Fresh;
pub(crate) use recent::Leads;

use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::codec::{Identity, claim_hash, key_hash, print_hash};
use crate::error::Failure;

/// From a hash to what it may lead to, in the order of table `leads`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lead {
    hash: i64,
    /// When the operation began, for arguments; else 0.
    began: i64,
    /// The number of an operation; for claims their sequence, negative.
    target: i64,
}

impl Lead {
    /// To an operation, by its key and by its arguments.
    pub(crate) fn to_operation(number: i64, identity: &Identity, began_ms: i64) -> [Self; 2] {
        let key = key_hash(&identity.connection, &identity.cell, &identity.key);
        [
            Self { hash: key, began: 0, target: number },
            Self { hash: print_hash(identity.fingerprint), began: began_ms, target: number },
        ]
    }

    /// To a claim.
    pub(crate) fn to_claim(sequence: i64, account: &str, claim: &str) -> Self {
        Self { hash: claim_hash(account, claim), began: 0, target: -sequence }
    }
}

/// Which leads are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    hash: i64,
    since: i64,
    until: i64,
}

impl Asked {
    /// Those of a key or a claim.
    pub(crate) const fn named(hash: i64) -> Self {
        Self { hash, since: 0, until: 0 }
    }

    /// Those of arguments, of operations that began since then.
    pub(crate) const fn alike(hash: i64, since_ms: i64) -> Self {
        Self { hash, since: since_ms, until: i64::MAX }
    }

    /// Those of arguments, of operations that began at this moment.
    pub(crate) const fn alike_at(hash: i64, began_ms: i64) -> Self {
        Self { hash, since: began_ms, until: began_ms }
    }

    /// Targets among these.
    fn within(&self, leads: &BTreeSet<Lead>) -> impl Iterator<Item = i64> {
        let first = Lead { hash: self.hash, began: self.since, target: i64::MIN };
        // Backwards in time there is nothing; the standard library panics at a range that ends before it begins.
        let last = Lead { hash: self.hash, began: self.until.max(self.since), target: i64::MAX };
        leads.range(first..=last).map(|lead| lead.target)
    }
}

/// What knows the leads that are not in the table yet.
pub(crate) trait Beside {
    /// What is at hand, which may be less than all.
    fn at_hand(&self, asked: Asked) -> Vec<i64>;

    /// All that this snapshot has.
    fn all(&self, on: &Connection, asked: Asked) -> Result<Vec<i64>, Failure>;
}

/// Tries what may be meant until one is. What is at hand comes first: it costs least, and a row that fits is the answer,
/// whatever else there is. That there is none is said only after everything was looked at.
pub(crate) fn find<T>(
    on: &Connection,
    beside: &dyn Beside,
    asked: Asked,
    mut try_target: impl FnMut(i64) -> Result<Option<T>, Failure>,
) -> Result<Option<T>, Failure> {
    let mut any = |targets: Vec<i64>| {
        for target in targets {
            if let Some(found) = try_target(target)? {
                return Ok(Some(found));
            }
        }
        Ok::<_, Failure>(None)
    };
    if let Some(found) = any(beside.at_hand(asked))? {
        return Ok(Some(found));
    }
    if let Some(found) = any(in_table(on, asked)?)? {
        return Ok(Some(found));
    }
    any(beside.all(on, asked)?)
}

/// Everything that may be meant, each once.
pub(crate) fn find_all(on: &Connection, beside: &dyn Beside, asked: Asked) -> Result<BTreeSet<i64>, Failure> {
    let mut targets = BTreeSet::from_iter(in_table(on, asked)?);
    targets.extend(beside.all(on, asked)?);
    Ok(targets)
}

fn in_table(on: &Connection, asked: Asked) -> Result<Vec<i64>, Failure> {
    let mut statement =
        on.prepare_cached("SELECT target FROM leads WHERE hash = ?1 AND began >= ?2 AND began <= ?3")?;
    let targets = statement.query_map([asked.hash, asked.since, asked.until], |row| row.get(0))?;
    Ok(targets.collect::<Result<_, _>>()?)
}
