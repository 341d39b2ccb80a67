//! One append, inside a transaction that has the write lock: check everything, then write.

use hapax_core::ledger::{Append, Appended, LedgerError, OperationId};
use rusqlite::{Connection, params};

use crate::codec::{self, Identity, Line, key_hash, phase_number, print_bytes, signed};
use crate::error::Failure;
use crate::names::{Names, Place};
use crate::read::{self, Row};

/// Writes the append, or says why not.
pub(crate) fn append(on: &Connection, names: &mut Names, append: &Append) -> Result<Appended, Failure> {
    let held = read::row_by_id(on, append.operation)?;
    if held.as_ref().map_or(0, |row| row.revision) != append.seen || (append.seen == 0 && held.is_some()) {
        return Err(Failure::Answer(LedgerError::Moved));
    }
    let renamed = held.as_ref().is_none_or(|row| !same_key(&row.identity, append));
    if renamed && key_is_taken(on, append)? {
        return Err(Failure::Answer(LedgerError::Moved));
    }
    let claimed = claim_is_held(on, append)?;
    let similar = match held {
        None => similar(on, append)?,
        Some(_) => Vec::new(),
    };
    if append.refuse_similar && !similar.is_empty() {
        return Err(Failure::Answer(LedgerError::Similar(similar)));
    }

    let identity = Identity::of(&append.index);
    let place = names.place(on, &identity)?;
    let revision = append.seen + append.records.len() as u64;
    let number = match &held {
        None => insert(on, append, place, revision)?,
        Some(row) => update(on, append, row, &identity, place, revision)?,
    };
    if renamed {
        on.prepare_cached("INSERT OR IGNORE INTO keys (hash, operation) VALUES (?1, ?2)")?
            .execute(params![hash(append), number])?;
    }
    if !claimed {
        claim(on, append, place, number, held.as_ref().is_some_and(|row| row.holds_claim))?;
    }
    for line in codec::lines(&append.records, append.seen + 1, &identity)? {
        write_line(on, names, number, &line)?;
    }
    Ok(Appended { revision, similar })
}

fn hash(append: &Append) -> i64 {
    key_hash(&append.index.connection, &append.index.cell, &append.index.key)
}

fn same_key(identity: &Identity, append: &Append) -> bool {
    let index = &append.index;
    identity.connection == index.connection && identity.cell == index.cell && identity.key == index.key.as_str()
}

fn key_is_taken(on: &Connection, append: &Append) -> Result<bool, Failure> {
    let index = &append.index;
    Ok(read::row_by_key(on, &index.connection, &index.cell, &index.key)?.is_some())
}

/// Whether this operation holds its claim already. Another one that holds it is the answer.
fn claim_is_held(on: &Connection, append: &Append) -> Result<bool, Failure> {
    let Some(claim) = &append.index.claim else { return Ok(false) };
    match read::claimant(on, &append.index.account, claim)? {
        None => Ok(false),
        Some(holder) if holder == append.operation => Ok(true),
        Some(holder) => Err(Failure::Answer(LedgerError::Claimed(holder))),
    }
}

/// Other operations with equal arguments that began since then.
fn similar(on: &Connection, append: &Append) -> Result<Vec<OperationId>, Failure> {
    let index = &append.index;
    let print = print_bytes(index.fingerprint);
    let mut statement = on.prepare_cached(
        "SELECT o.id FROM operations o JOIN places p ON p.number = o.place JOIN accounts a ON a.number = p.account \
         WHERE substr(o.fingerprint, 2, 8) = substr(?1, 2, 8) AND o.began_ms >= ?2 AND o.fingerprint = ?1 \
           AND a.account = ?3 AND p.cell = ?4 AND o.key <> ?5 \
         ORDER BY o.id",
    )?;
    let ids = statement
        .query_map(params![print, append.similar_since_ms, index.account, index.cell, index.key.as_str()], |row| {
            row.get(0).map(|id: uuid::Bytes| OperationId(uuid::Uuid::from_bytes(id)))
        })?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn insert(on: &Connection, append: &Append, place: Place, revision: u64) -> Result<i64, Failure> {
    let index = &append.index;
    on.prepare_cached(
        "INSERT INTO operations (id, place, key, fingerprint, began_ms, phase, due_ms, revision, holds_claim) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        append.operation.0.as_bytes(),
        place.number,
        index.key.as_str(),
        print_bytes(index.fingerprint),
        append.records.first().map_or(i64::MIN, |first| first.at.wall_ms),
        phase_number(index.phase),
        index.due_ms,
        signed(revision),
        index.claim.is_some(),
    ])?;
    Ok(on.last_insert_rowid())
}

fn update(
    on: &Connection,
    append: &Append,
    row: &Row,
    identity: &Identity,
    place: Place,
    revision: u64,
) -> Result<i64, Failure> {
    let index = &append.index;
    on.prepare_cached(
        "UPDATE operations SET phase = ?2, due_ms = ?3, revision = ?4, holds_claim = ?5 WHERE number = ?1",
    )?
    .execute(params![
        row.number,
        phase_number(index.phase),
        index.due_ms,
        signed(revision),
        index.claim.is_some()
    ])?;
    if row.identity != *identity {
        // The first event left out what the row said when it was written: keep that beside it.
        let first = row.identity.text()?;
        on.prepare_cached(
            "UPDATE operations SET place = ?2, key = ?3, fingerprint = ?4, first = coalesce(first, ?5) WHERE number = ?1",
        )?
        .execute(params![row.number, place.number, identity.key, print_bytes(identity.fingerprint), first])?;
    }
    Ok(row.number)
}

/// Makes the claim of the index the operation's only one.
fn claim(on: &Connection, append: &Append, place: Place, number: i64, held_one: bool) -> Result<(), Failure> {
    if held_one {
        on.prepare_cached("DELETE FROM claims WHERE operation = ?1")?.execute([number])?;
    }
    if let Some(claim) = &append.index.claim {
        on.prepare_cached("INSERT INTO claims (account, claim, operation) VALUES (?1, ?2, ?3)")?.execute(params![
            place.account,
            claim,
            number
        ])?;
    }
    Ok(())
}

pub(crate) fn write_line(on: &Connection, names: &mut Names, number: i64, line: &Line) -> Result<(), Failure> {
    let (said, common) = settle(on, names, line)?;
    on.prepare_cached(
        "INSERT INTO events (operation, revision, wall, awake, boot, said, common) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        number,
        signed(line.revision),
        line.at.wall_ms,
        signed(line.at.boot_ms),
        signed(line.at.boot),
        said,
        common
    ])?;
    Ok(())
}

/// What goes into the row itself, and the number of what is shared.
pub(crate) fn settle(on: &Connection, names: &mut Names, line: &Line) -> Result<(String, Option<i64>), Failure> {
    let number = match &line.common {
        Some(text) => names.text(on, text)?,
        None => None,
    };
    match number {
        Some(_) => Ok((line.said.clone(), number)),
        None => Ok((codec::join(&line.said, line.common.as_deref())?, None)),
    }
}
