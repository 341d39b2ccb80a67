//! Reads, each on one snapshot of the file.

use std::borrow::Cow;

use hapax_core::identity::OperationKey;
use hapax_core::ledger::{By, Filter, Header, OperationId, Serves, Stored};
use hapax_core::protocol::{Record, Stamp};
use rusqlite::{Connection, OptionalExtension, Params, params};
use serde_json::Value;

use crate::codec::{self, FIRST_FINAL, Identity, claim_hash, key_hash, phase_number, signed, unsigned};
use crate::error::Failure;
use crate::leads::{self, Asked, Beside};

/// An operation's own row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) number: i64,
    pub(crate) id: OperationId,
    pub(crate) identity: Identity,
    /// What `began` left out, if that isn't the identity any more.
    pub(crate) first: Option<String>,
    pub(crate) revision: u64,
    pub(crate) phase: i64,
    /// The sequence of the claim that it holds.
    pub(crate) claim: Option<i64>,
    pub(crate) began_ms: i64,
    pub(crate) key_check: i64,
}

impl Row {
    /// What `began` left out.
    pub(crate) fn omitted(&self) -> Result<Cow<'_, Identity>, Failure> {
        let began_as = self.identity.or_first(self.first.as_deref());
        began_as.map_err(|error| Failure::Damaged(format!("operation {}: {error}", self.id)))
    }
}

/// The text of a question for rows of operations. One text for each question, made once: statements are kept by it.
macro_rules! rows {
    ($of_which:literal) => {
        concat!(
            "SELECT o.number, o.id, p.connection, a.account, p.cell, o.key, o.fingerprint, o.first, \
             o.revision, o.phase, o.claim, o.began_ms, o.key_check \
             FROM operations o JOIN places p ON p.number = o.place JOIN accounts a ON a.number = p.account ",
            $of_which
        )
    };
}
pub(crate) use rows;

pub(crate) fn row(from: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        number: from.get(0)?,
        id: OperationId(uuid::Uuid::from_bytes(from.get(1)?)),
        identity: Identity {
            connection: from.get(2)?,
            account: from.get(3)?,
            cell: from.get(4)?,
            key: from.get(5)?,
            fingerprint: codec::fingerprint(from.get(6)?),
        },
        first: from.get(7)?,
        revision: unsigned(from.get(8)?),
        phase: from.get(9)?,
        claim: from.get(10)?,
        began_ms: from.get(11)?,
        key_check: from.get(12)?,
    })
}

fn one(on: &Connection, sql: &str, params: impl Params) -> Result<Option<Row>, Failure> {
    Ok(on.prepare_cached(sql)?.query_row(params, row).optional()?)
}

pub(crate) fn row_by_id(on: &Connection, id: OperationId) -> Result<Option<Row>, Failure> {
    one(on, rows!("WHERE o.id = ?1"), [id.0.as_bytes()])
}

pub(crate) fn row_by_number(on: &Connection, number: i64) -> Result<Option<Row>, Failure> {
    one(on, rows!("WHERE o.number = ?1"), [number])
}

/// The hash finds; the words decide.
pub(crate) fn row_by_key(
    on: &Connection,
    beside: &dyn Beside,
    connection: &str,
    cell: &str,
    key: &OperationKey,
) -> Result<Option<Row>, Failure> {
    let asked = Asked::named(key_hash(connection, cell, key.as_str()));
    leads::find(on, beside, asked, |number| {
        let row = row_by_number(on, number)?;
        Ok(row.filter(|row| {
            let identity = &row.identity;
            identity.connection == connection && identity.cell == cell && identity.key == key.as_str()
        }))
    })
}

/// Which operation holds a claim.
pub(crate) fn claimant(
    on: &Connection,
    beside: &dyn Beside,
    account: &str,
    claim: &str,
) -> Result<Option<OperationId>, Failure> {
    let asked = Asked::named(claim_hash(account, claim));
    leads::find(on, beside, asked, |target| holder(on, target, account, claim))
}

/// The operation that holds the claim, if that is what the target of its lead says.
pub(crate) fn holder(on: &Connection, target: i64, account: &str, claim: &str) -> Result<Option<OperationId>, Failure> {
    Ok(on
        .prepare_cached(
            "SELECT o.id FROM claims c JOIN accounts a ON a.number = c.account \
             JOIN operations o ON o.number = c.operation AND o.claim = c.sequence \
             WHERE c.sequence = -?1 AND a.account = ?2 AND c.claim = ?3",
        )?
        .query_row(params![target, account, claim], |row| row.get(0).map(|id| OperationId(uuid::Uuid::from_bytes(id))))
        .optional()?)
}

/// An operation to be found, owned, so that it can go to another thread.
pub(crate) enum Wanted {
    Id(OperationId),
    Key { connection: String, cell: String, key: OperationKey },
    Claim { account: String, id: String },
}

impl Wanted {
    pub(crate) fn from(by: &By<'_>) -> Self {
        match by {
            By::Id(id) => Self::Id(*id),
            By::Key { connection, cell, key } => {
                Self::Key { connection: (*connection).to_owned(), cell: (*cell).to_owned(), key: (*key).clone() }
            }
            By::Claim { account, id } => Self::Claim { account: (*account).to_owned(), id: (*id).to_owned() },
        }
    }
}

/// An operation with all its records.
pub(crate) fn load(on: &Connection, beside: &dyn Beside, wanted: &Wanted) -> Result<Option<Stored>, Failure> {
    let snapshot = on.unchecked_transaction()?;
    stored(&snapshot, beside, wanted)
}

/// The same with what is known of the ledger, on one snapshot.
pub(crate) fn look_up(
    on: &Connection,
    beside: &dyn Beside,
    wanted: &Wanted,
) -> Result<(Header, Option<Stored>), Failure> {
    // Statements that are kept; a transaction of the library's would have both parsed each time.
    on.prepare_cached("BEGIN")?.execute([])?;
    let found = known(on).and_then(|header| Ok((header, stored(on, beside, wanted)?)));
    on.prepare_cached("COMMIT")?.execute([])?;
    found
}

fn stored(on: &Connection, beside: &dyn Beside, wanted: &Wanted) -> Result<Option<Stored>, Failure> {
    let found = match wanted {
        Wanted::Id(id) => row_by_id(on, *id)?,
        Wanted::Key { connection, cell, key } => row_by_key(on, beside, connection, cell, key)?,
        Wanted::Claim { account, id } => match claimant(on, beside, account, id)? {
            Some(holder) => row_by_id(on, holder)?,
            None => None,
        },
    };
    let Some(row) = found else { return Ok(None) };
    let records = records(on, &row)?;
    Ok(Some(Stored { operation: row.id, records }))
}

/// All records of an operation; a gap is damage, never a shorter history.
pub(crate) fn records(on: &Connection, row: &Row) -> Result<Vec<Record>, Failure> {
    let omitted = row.omitted()?;
    let mut records = Vec::new();
    for line in stored_lines(on, row.number)? {
        if line.revision != records.len() as u64 + 1 {
            return Err(Failure::Damaged(format!("operation {} has no event {}", row.id, records.len() + 1)));
        }
        records.extend(codec::records(&line.text, line.at, &omitted)?);
    }
    if records.len() as u64 != row.revision {
        let held = records.len();
        return Err(Failure::Damaged(format!("operation {} has {held} events instead of {}", row.id, row.revision)));
    }
    Ok(records)
}

/// A row of `events` with its shared part put back.
pub(crate) struct StoredLine {
    pub(crate) sequence: i64,
    pub(crate) revision: u64,
    pub(crate) at: Stamp,
    pub(crate) text: String,
}

pub(crate) fn stored_lines(on: &Connection, number: i64) -> Result<Vec<StoredLine>, Failure> {
    let mut statement = on.prepare_cached(
        "SELECT e.sequence, e.revision, e.wall, e.awake, e.boot, e.said, t.text \
         FROM events e LEFT JOIN texts t ON t.number = e.common WHERE e.operation = ?1 ORDER BY e.revision",
    )?;
    let mut rows = statement.query([number])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        let said: String = row.get(5)?;
        let common: Option<String> = row.get(6)?;
        lines.push(StoredLine {
            sequence: row.get(0)?,
            revision: unsigned(row.get(1)?),
            at: stamp(row, 2)?,
            text: codec::join(&said, common.as_deref())?,
        });
    }
    Ok(lines)
}

fn stamp(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp { wall_ms: row.get(from)?, boot_ms: unsigned(row.get(from + 1)?), boot: unsigned(row.get(from + 2)?) })
}

/// What is due by now, oldest first, of what is served.
pub(crate) fn due(on: &Connection, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, Failure> {
    let snapshot = on.unchecked_transaction()?;
    let places = places(&snapshot, serves)?;
    // The index gives the order; a place that isn't served is skipped row by row.
    ids(
        &snapshot,
        "SELECT id FROM operations WHERE due_ms IS NOT NULL AND due_ms <= ?1 \
         AND place IN (SELECT value FROM json_each(?2)) ORDER BY due_ms, id LIMIT ?3",
        params![now.wall_ms, places, limit],
    )
}

/// When the first of what is served and not due yet will be.
pub(crate) fn next_due(on: &Connection, serves: &[Serves], after: Stamp) -> Result<Option<i64>, Failure> {
    let snapshot = on.unchecked_transaction()?;
    let places = places(&snapshot, serves)?;
    let mut statement = snapshot.prepare_cached(
        "SELECT due_ms FROM operations WHERE due_ms IS NOT NULL AND due_ms > ?1 \
         AND place IN (SELECT value FROM json_each(?2)) ORDER BY due_ms LIMIT 1",
    )?;
    Ok(statement.query_row(params![after.wall_ms, places], |row| row.get(0)).optional()?)
}

/// The numbers of the places that are served, as a JSON array.
fn places(on: &Connection, serves: &[Serves]) -> Result<String, Failure> {
    let mut statement = on.prepare_cached("SELECT number, connection, cell FROM places")?;
    let places = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, Serves { connection: row.get(1)?, cell: row.get(2)? })))?;
    let mut served = Vec::new();
    for place in places {
        let (number, place) = place?;
        if serves.contains(&place) {
            served.push(Value::from(number));
        }
    }
    Ok(Value::Array(served).to_string())
}

/// Operations for people, newest first.
pub(crate) fn list(on: &Connection, filter: &Filter) -> Result<Vec<OperationId>, Failure> {
    let mut phases: Vec<i64> = filter.phases.iter().map(|phase| phase_number(*phase)).collect();
    phases.sort_unstable();
    let mut sql = String::from("SELECT o.id FROM operations o JOIN places p ON p.number = o.place WHERE 1 = 1");
    if !phases.is_empty() {
        sql += " AND o.phase IN (SELECT value FROM json_each(?1))";
    }
    if phases.last().is_some_and(|last| *last < FIRST_FINAL) {
        // Said literally, so that SQLite takes the small index of what hasn't ended.
        sql += " AND o.phase < 3";
    }
    sql += " AND (?2 IS NULL OR p.cell = ?2) AND (?3 IS NULL OR p.connection = ?3) ORDER BY o.id DESC LIMIT ?4";
    let limit = if filter.limit == 0 { -1 } else { i64::from(filter.limit) };
    let phases = Value::from(phases).to_string();
    ids(on, &sql, params![phases, filter.cell, filter.connection, limit])
}

fn ids(on: &Connection, sql: &str, params: impl Params) -> Result<Vec<OperationId>, Failure> {
    let mut statement = on.prepare_cached(sql)?;
    let ids = statement.query_map(params, |row| row.get(0).map(|id| OperationId(uuid::Uuid::from_bytes(id))))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// What is known of the ledger as a whole.
pub(crate) fn header(on: &Connection) -> Result<Header, Failure> {
    let snapshot = on.unchecked_transaction()?;
    known(&snapshot)
}

pub(crate) fn known(on: &Connection) -> Result<Header, Failure> {
    let mut statement = on.prepare_cached(
        "SELECT h.secret_check, h.restored_wall, h.restored_awake, h.restored_boot, e.wall, e.awake, e.boot \
         FROM header h LEFT JOIN events e ON e.sequence = (SELECT max(sequence) FROM events)",
    )?;
    let at = |row: &rusqlite::Row<'_>, from| row.get::<_, Option<i64>>(from)?.map(|_| stamp(row, from)).transpose();
    Ok(statement
        .query_row([], |row| Ok(Header { secret_check: row.get(0)?, restored: at(row, 1)?, newest: at(row, 4)? }))?)
}

/// Notes the secret of a ledger that has none yet; the one that is noted then.
pub(crate) fn adopt(on: &Connection, secret_check: &str) -> Result<String, Failure> {
    on.execute("UPDATE header SET secret_check = ?1 WHERE secret_check = ''", [secret_check])?;
    Ok(on.query_row("SELECT secret_check FROM header", [], |row| row.get(0))?)
}

/// Notes a restore.
pub(crate) fn note_restored(on: &Connection, at: Stamp, secret_check: &str) -> Result<(), Failure> {
    on.execute(
        "UPDATE header SET secret_check = ?1, restored_wall = ?2, restored_awake = ?3, restored_boot = ?4",
        params![secret_check, at.wall_ms, signed(at.boot_ms), signed(at.boot)],
    )?;
    Ok(())
}
