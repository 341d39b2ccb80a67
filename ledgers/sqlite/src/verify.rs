//! A check of the whole file, for `hapax ledger verify` and for tests.

use hapax_core::protocol::Record;
use rusqlite::{Connection, params};

use crate::codec::{self, key_hash};
use crate::error::Failure;
use crate::read::{self, Row, rows};

/// What a check of the whole ledger found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many operations were read.
    pub operations: u64,
    /// How many events they have.
    pub events: u64,
    /// What is wrong, in words; empty: nothing.
    pub problems: Vec<String>,
}

impl Verified {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Reads everything. Works on one snapshot; writers go on meanwhile.
pub(crate) fn verify(on: &Connection) -> Result<Verified, Failure> {
    let snapshot = on.unchecked_transaction()?;
    let mut verified = Verified { problems: of_sqlite(&snapshot)?, ..Verified::default() };
    if !verified.is_sound() {
        // What SQLite itself calls damaged isn't worth reading further.
        return Ok(verified);
    }
    let mut statement = snapshot.prepare(rows!("ORDER BY o.number"))?;
    for row in statement.query_map([], read::row)? {
        let row = row?;
        verified.operations += 1;
        match read::records(&snapshot, &row) {
            Ok(records) => {
                verified.events += records.len() as u64;
                verified.problems.extend(of_operation(&snapshot, &row, &records)?);
            }
            Err(Failure::Damaged(what)) => verified.problems.push(what),
            Err(failure) => return Err(failure),
        }
    }
    Ok(verified)
}

fn of_sqlite(on: &Connection) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    let mut integrity = on.prepare("PRAGMA integrity_check(20)")?;
    for line in integrity.query_map([], |row| row.get::<_, String>(0))? {
        problems.push(line?);
    }
    problems.retain(|line| line != "ok");
    let mut foreign = on.prepare("PRAGMA foreign_key_check")?;
    for table in foreign.query_map([], |row| row.get::<_, String>(0))? {
        problems.push(format!("a row of {} refers to nothing", table?));
    }
    Ok(problems)
}

pub(crate) fn of_operation(on: &Connection, row: &Row, records: &[Record]) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    match codec::phase_of(row.phase) {
        Some(phase) => {
            let misfits = codec::misfits(records, phase, row.identity.fingerprint);
            problems.extend(misfits.into_iter().map(|what| format!("operation {} {what}", row.id)));
        }
        None => problems.push(format!("operation {} stands nowhere ({})", row.id, row.phase)),
    }
    let same_key: i64 = on
        .prepare_cached(
            "SELECT count(*) FROM keys k JOIN operations o ON o.number = k.operation JOIN places p ON p.number = o.place \
             WHERE k.hash = ?1 AND p.connection = ?2 AND p.cell = ?3 AND o.key = ?4",
        )?
        .query_row(params![hash(row)?, row.identity.connection, row.identity.cell, row.identity.key], |row| row.get(0))?;
    if same_key != 1 {
        problems.push(format!("the key of operation {} leads to {same_key} operations", row.id));
    }
    Ok(problems)
}

fn hash(row: &Row) -> Result<i64, Failure> {
    let key = row.identity.key.clone().try_into();
    let key = key.map_err(|error| Failure::Damaged(format!("operation {} has a bad key: {error}", row.id)))?;
    Ok(key_hash(&row.identity.connection, &row.identity.cell, &key))
}
