//! A check of the whole file, for `hapax ledger verify` and for tests.

use hapax_core::protocol::Record;
use rusqlite::{Connection, OptionalExtension};

use crate::codec::{self, claim_hash, key_check, key_hash, print_hash};
use crate::error::Failure;
use crate::leads::{Asked, Leads, find_all};
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
    let leads = Leads::of(&snapshot)?;
    let mut statement = snapshot.prepare(rows!("ORDER BY o.number"))?;
    for row in statement.query_map([], read::row)? {
        let row = row?;
        verified.operations += 1;
        match read::records(&snapshot, &row) {
            Ok(records) => {
                verified.events += records.len() as u64;
                verified.problems.extend(of_operation(&snapshot, &leads, &row, &records)?);
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

pub(crate) fn of_operation(
    on: &Connection,
    leads: &Leads,
    row: &Row,
    records: &[Record],
) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    match codec::phase_of(row.phase) {
        Some(phase) => {
            let misfits = codec::misfits(records, phase, row.identity.fingerprint);
            problems.extend(misfits.into_iter().map(|what| format!("operation {} {what}", row.id)));
        }
        None => problems.push(format!("operation {} stands nowhere ({})", row.id, row.phase)),
    }
    problems.extend(of_leads(on, leads, row)?);
    Ok(problems)
}

/// Whether everything that the operation is found by leads to it, and to nobody else.
fn of_leads(on: &Connection, leads: &Leads, row: &Row) -> Result<Vec<String>, Failure> {
    let (id, identity) = (row.id, &row.identity);
    let mut problems = Vec::new();
    if row.key_check != key_check(&identity.connection, &identity.cell, &identity.key) {
        problems.push(format!("the key of operation {id} was changed, so it leads to nothing that is known"));
    }
    let mut same_key = 0;
    for number in find_all(on, leads, Asked::named(key_hash(&identity.connection, &identity.cell, &identity.key)))? {
        let other = read::row_by_number(on, number)?.map(|row| row.identity);
        same_key += u64::from(other.is_some_and(|other| {
            other.connection == identity.connection && other.cell == identity.cell && other.key == identity.key
        }));
    }
    if same_key != 1 {
        problems.push(format!("the key of operation {id} leads to {same_key} operations"));
    }
    // Of those with the same arguments only the ones of its own moment: there may be very many.
    let alike = Asked::alike_at(print_hash(identity.fingerprint), row.began_ms);
    if !find_all(on, leads, alike)?.contains(&row.number) {
        problems.push(format!("the arguments of operation {id} lead elsewhere"));
    }
    if let Some(sequence) = row.claim {
        problems.extend(of_claim(on, leads, row, sequence)?);
    }
    Ok(problems)
}

fn of_claim(on: &Connection, leads: &Leads, row: &Row, sequence: i64) -> Result<Option<String>, Failure> {
    let Some((account, claim)) = claim_of(on, row.number, sequence)? else {
        return Ok(Some(format!("operation {} holds the claim of another one", row.id)));
    };
    let mut holders = Vec::new();
    for target in find_all(on, leads, Asked::named(claim_hash(&account, &claim)))? {
        holders.extend(read::holder(on, target, &account, &claim)?);
    }
    let wrong =
        || format!("the claim of operation {} leads to {} operations, instead of to it alone", row.id, holders.len());
    Ok((holders != [row.id]).then(wrong))
}

/// Account and claim of a row of claims, if it is this operation's.
fn claim_of(on: &Connection, number: i64, sequence: i64) -> Result<Option<(String, String)>, Failure> {
    Ok(on
        .prepare_cached(
            "SELECT a.account, c.claim FROM claims c JOIN accounts a ON a.number = c.account \
             WHERE c.sequence = ?1 AND c.operation = ?2",
        )?
        .query_row([sequence, number], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}
