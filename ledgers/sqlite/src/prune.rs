//! Retention: arguments and receipts of old operations that ended are removed, the tombstone stays.

use hapax_core::protocol::{Record, redact};
use rusqlite::{Connection, params};

use crate::append::{settle, write_line};
use crate::codec::{self, FIRST_FINAL, Identity, signed};
use crate::error::Failure;
use crate::names::Names;
use crate::read::{self, Row, rows};

/// At most so many operations are rewritten in one transaction.
const PART: u32 = 200;

/// What one transaction did.
pub(crate) struct Part {
    pub(crate) pruned: u64,
    /// Where the next one goes on; none: it was the last.
    pub(crate) next: Option<i64>,
}

/// Prunes some operations with a number above `after`.
pub(crate) fn part(on: &Connection, names: &mut Names, before_wall_ms: i64, after: i64) -> Result<Part, Failure> {
    let rows: Vec<Row> = on
        .prepare_cached(rows!(
            "WHERE o.number > ?1 AND o.phase >= ?2 AND o.due_ms IS NULL AND o.pruned = 0 \
             AND (SELECT e.wall FROM events e WHERE e.operation = o.number ORDER BY e.revision DESC LIMIT 1) < ?3 \
             ORDER BY o.number LIMIT ?4"
        ))?
        .query_map(params![after, FIRST_FINAL, before_wall_ms, PART], read::row)?
        .collect::<Result<_, _>>()?;
    // Seen by nobody else: the flag is down again when the transaction ends.
    on.execute("UPDATE header SET pruning = 1", [])?;
    for row in &rows {
        one(on, names, row)?;
    }
    on.execute("UPDATE header SET pruning = 0", [])?;
    let next = if rows.len() < PART as usize { None } else { rows.last().map(|row| row.number) };
    Ok(Part { pruned: rows.len() as u64, next })
}

/// Rewrites the rows of one operation in place, so that the order of the journal stays.
fn one(on: &Connection, names: &mut Names, row: &Row) -> Result<(), Failure> {
    let lines = read::stored_lines(on, row.number)?;
    let mut records = read::records(on, row)?;
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
