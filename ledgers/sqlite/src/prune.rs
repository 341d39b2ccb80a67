//! Retention: arguments and receipts of old operations that ended are removed, the tombstone stays.

use hapax_core::ledger::{OperationId, Pruned, Retention};
use hapax_core::protocol::{Record, redact};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::append::{settle, write_line};
use crate::codec::{self, FIRST_FINAL, Identity, signed};
use crate::error::Failure;
use crate::names::Names;
use crate::read::{self, Row, rows};

/// At most so many operations are looked at, and rewritten in one transaction.
const PART: usize = 200;

/// What may lose what it holds. Chosen without the lock of writers; under it, each one is judged again.
pub(crate) struct Part {
    /// Their numbers.
    pub(crate) chosen: Vec<i64>,
    /// Where the next part goes on; none: it was the last.
    pub(crate) next: Option<OperationId>,
}

/// The next operations that are old enough, in the order of ids.
pub(crate) fn choose(on: &Connection, retention: &Retention) -> Result<Part, Failure> {
    let snapshot = on.unchecked_transaction()?;
    let after = retention.after.unwrap_or(OperationId(uuid::Uuid::nil()));
    let only = retention.only.map(|only| only.0.into_bytes());
    // Places last: there are few, and each operation is compared with its own.
    let mut statement = snapshot.prepare_cached(
        "SELECT o.number, o.id FROM operations o CROSS JOIN json_each(?2) k \
         WHERE o.id > ?1 AND (?3 IS NULL OR o.id = ?3) AND o.phase >= ?4 AND o.due_ms IS NULL AND o.pruned = 0 \
           AND k.value ->> 0 = o.place \
           AND (SELECT e.wall FROM events e WHERE e.operation = o.number ORDER BY e.revision DESC LIMIT 1) \
               <= k.value ->> 1 \
         ORDER BY o.id LIMIT ?5",
    )?;
    let kept = kept(&snapshot, retention)?;
    let found = statement.query_map(params![after.0.as_bytes(), kept, only, FIRST_FINAL, PART as i64], |row| {
        Ok((row.get::<_, i64>(0)?, OperationId(uuid::Uuid::from_bytes(row.get(1)?))))
    })?;
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let next = if found.len() < PART { None } else { found.last().map(|(_, id)| *id) };
    Ok(Part { chosen: found.into_iter().map(|(number, _)| number).collect(), next })
}

/// For each place that doesn't keep for ever, its number and the latest time of a last record that it doesn't keep.
fn kept(on: &Connection, retention: &Retention) -> Result<String, Failure> {
    let mut statement = on.prepare_cached("SELECT number, connection, cell FROM places")?;
    let mut kept = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (number, connection, cell): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if let Some(until) = retention.until_wall_ms(&connection, &cell) {
            kept.push(Value::from(vec![number, until]));
        }
    }
    Ok(Value::Array(kept).to_string())
}

/// How many of these would be pruned.
pub(crate) fn count(on: &Connection, retention: &Retention, part: &Part) -> Result<Pruned, Failure> {
    let snapshot = on.unchecked_transaction()?;
    let mut pruned = Pruned { operations: 0, next: part.next };
    for number in &part.chosen {
        pruned.operations += u64::from(taken(&snapshot, retention, *number)?.is_some());
    }
    Ok(pruned)
}

/// Prunes those that still may be, inside a transaction that has the write lock.
pub(crate) fn part(on: &Connection, names: &mut Names, retention: &Retention, part: &Part) -> Result<Pruned, Failure> {
    let mut pruned = Pruned { operations: 0, next: part.next };
    // Seen by nobody else: the flag is down again when the transaction ends.
    on.execute("UPDATE header SET pruning = 1", [])?;
    for number in &part.chosen {
        if let Some((row, records)) = taken(on, retention, *number)? {
            one(on, names, &row, records)?;
            pruned.operations += 1;
        }
    }
    on.execute("UPDATE header SET pruning = 0", [])?;
    Ok(pruned)
}

/// The operation with its records, if it loses what it holds.
fn taken(on: &Connection, retention: &Retention, number: i64) -> Result<Option<(Row, Vec<Record>)>, Failure> {
    let row = on
        .prepare_cached(rows!("WHERE o.number = ?1 AND o.phase >= ?2 AND o.due_ms IS NULL AND o.pruned = 0"))?
        .query_row(params![number, FIRST_FINAL], read::row)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    let records = read::records(on, &row)?;
    let takes = retention.takes(&row.identity.connection, &row.identity.cell, &records);
    Ok(takes.then_some((row, records)))
}

/// Rewrites the rows of one operation in place, so that the order of the journal stays.
fn one(on: &Connection, names: &mut Names, row: &Row, mut records: Vec<Record>) -> Result<(), Failure> {
    let lines = read::stored_lines(on, row.number)?;
    redact(&mut records);
    let omit = row.omitted()?;
    for (position, line) in lines.iter().enumerate() {
        let from = index(line.revision);
        let end = match lines.get(position + 1) {
            Some(next) => index(next.revision),
            // What redacting added belongs to the last moment.
            None => records.len(),
        };
        let slice = records.get(from..end).unwrap_or_default();
        let moment = slice.iter().take_while(|record| record.at == line.at).count();
        rewrite(on, names, line.sequence, &slice[..moment], line.revision, &omit)?;
        for more in codec::lines(&slice[moment..], line.revision + moment as u64, &omit)? {
            write_line(on, names, row.number, &more)?;
        }
    }
    on.prepare_cached("UPDATE operations SET revision = ?2, pruned = 1 WHERE number = ?1")?
        .execute(params![row.number, signed(records.len() as u64)])?;
    Ok(())
}

fn rewrite(
    on: &Connection,
    names: &mut Names,
    sequence: i64,
    moment: &[Record],
    revision: u64,
    omit: &Identity,
) -> Result<(), Failure> {
    let (said, common) = settle(on, names, &codec::line(moment, revision, omit)?)?;
    on.prepare_cached("UPDATE events SET said = ?2, common = ?3 WHERE sequence = ?1")?
        .execute(params![sequence, said, common])?;
    Ok(())
}

fn index(revision: u64) -> usize {
    usize::try_from(revision - 1).unwrap_or(usize::MAX)
}
