//! One append, inside a transaction that has the write lock: check everything, then write.

use hapax_core::ledger::{Append, Appended, LedgerError, OperationId};
use rusqlite::{Connection, params};

use crate::codec::{self, Identity, Line, key_check, phase_number, print_bytes, print_hash, signed};
use crate::error::Failure;
use crate::leads::{self, Asked, Fresh};
use crate::names::{Names, Place};
use crate::read::{self, Row};

/// What one append needs, inside a transaction that has the write lock.
pub(crate) struct Writing<'a> {
    pub(crate) on: &'a Connection,
    pub(crate) names: &'a mut Names,
    pub(crate) fresh: Fresh<'a>,
}

/// Writes the append, or says why not.
pub(crate) fn append(writing: &mut Writing<'_>, append: &Append) -> Result<Appended, Failure> {
    let on = writing.on;
    let held = read::row_by_id(on, append.operation)?;
    if held.as_ref().map_or(0, |row| row.revision) != append.seen || (append.seen == 0 && held.is_some()) {
        return Err(Failure::Answer(LedgerError::Moved));
    }
    let identity = Identity::of(&append.index);
    let renamed = held.as_ref().is_none_or(|row| !same_key(&row.identity, &identity));
    if renamed && key_is_taken(writing, append)? {
        return Err(Failure::Answer(LedgerError::Moved));
    }
    let claimed = claim_is_held(writing, append)?;
    let similar = match held {
        None => similar(writing, append)?,
        Some(_) => Vec::new(),
    };
    if append.refuse_similar && !similar.is_empty() {
        return Err(Failure::Answer(LedgerError::Similar(similar)));
    }

    let place = writing.names.place(on, &identity)?;
    let revision = append.seen + append.records.len() as u64;
    let number = match &held {
        None => insert(writing, append, &identity, place, revision)?,
        Some(row) => row.number,
    };
    let claim = match &held {
        Some(row) if claimed => row.claim,
        _ => claim(writing, append, place, number)?,
    };
    match &held {
        Some(row) => update(writing, append, row, &identity, place, Standing { revision, claim })?,
        None => claimed_at_once(on, number, claim)?,
    }
    for line in codec::lines(&append.records, append.seen + 1, &identity)? {
        write_line(on, writing.names, number, &line)?;
    }
    Ok(Appended { revision, similar })
}

fn check(identity: &Identity) -> i64 {
    key_check(&identity.connection, &identity.cell, &identity.key)
}

fn same_key(one: &Identity, other: &Identity) -> bool {
    one.connection == other.connection && one.cell == other.cell && one.key == other.key
}

fn key_is_taken(writing: &Writing<'_>, append: &Append) -> Result<bool, Failure> {
    let index = &append.index;
    let row = read::row_by_key(writing.on, &writing.fresh, &index.connection, &index.cell, &index.key)?;
    Ok(row.is_some())
}

/// Whether this operation holds its claim already. Another one that holds it is the answer.
fn claim_is_held(writing: &Writing<'_>, append: &Append) -> Result<bool, Failure> {
    let Some(claim) = &append.index.claim else { return Ok(false) };
    match read::claimant(writing.on, &writing.fresh, &append.index.account, claim)? {
        None => Ok(false),
        Some(holder) if holder == append.operation => Ok(true),
        Some(holder) => Err(Failure::Answer(LedgerError::Claimed(holder))),
    }
}

/// Other operations with equal arguments that began since then.
fn similar(writing: &Writing<'_>, append: &Append) -> Result<Vec<OperationId>, Failure> {
    let index = &append.index;
    let asked = Asked::alike(print_hash(index.fingerprint), append.similar_since_ms);
    let mut similar = Vec::new();
    for number in leads::find_all(writing.on, &writing.fresh, asked)? {
        let Some(row) = read::row_by_number(writing.on, number)? else { continue };
        let identity = &row.identity;
        if identity.fingerprint == index.fingerprint
            && identity.account == index.account
            && identity.cell == index.cell
            && identity.key != index.key.as_str()
        {
            similar.push(row.id);
        }
    }
    similar.sort_unstable();
    Ok(similar)
}

fn insert(
    writing: &mut Writing<'_>,
    append: &Append,
    identity: &Identity,
    place: Place,
    revision: u64,
) -> Result<i64, Failure> {
    let index = &append.index;
    let began_ms = append.records.first().map_or(i64::MIN, |first| first.at.wall_ms);
    writing
        .on
        .prepare_cached(
            "INSERT INTO operations (id, place, key, fingerprint, began_ms, phase, due_ms, revision, key_check) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            append.operation.0.as_bytes(),
            place.number,
            identity.key,
            print_bytes(identity.fingerprint),
            began_ms,
            phase_number(index.phase),
            index.due_ms,
            signed(revision),
            check(identity),
        ])?;
    let number = writing.on.last_insert_rowid();
    writing.fresh.operation(number, identity, began_ms);
    Ok(number)
}

/// What an append makes of an operation's row besides its index.
struct Standing {
    revision: u64,
    claim: Option<i64>,
}

fn update(
    writing: &mut Writing<'_>,
    append: &Append,
    row: &Row,
    identity: &Identity,
    place: Place,
    now: Standing,
) -> Result<(), Failure> {
    let (on, index) = (writing.on, &append.index);
    on.prepare_cached("UPDATE operations SET phase = ?2, due_ms = ?3, revision = ?4, claim = ?5 WHERE number = ?1")?
        .execute(params![row.number, phase_number(index.phase), index.due_ms, signed(now.revision), now.claim])?;
    if row.identity != *identity {
        // The first event left out what the row said when it was written: keep that beside it.
        let first = row.identity.text()?;
        on.prepare_cached(
            "UPDATE operations SET place = ?2, key = ?3, fingerprint = ?4, first = coalesce(first, ?5), key_check = ?6 \
             WHERE number = ?1",
        )?
        .execute(params![
            row.number,
            place.number,
            identity.key,
            print_bytes(identity.fingerprint),
            first,
            check(identity)
        ])?;
        writing.fresh.renamed(on, row.number, identity, row.began_ms)?;
    }
    Ok(())
}

/// Writes the claim of the index, which nobody holds; its sequence. One that the operation held before counts no more once
/// its row says another sequence, or none.
fn claim(writing: &mut Writing<'_>, append: &Append, place: Place, number: i64) -> Result<Option<i64>, Failure> {
    let (on, index) = (writing.on, &append.index);
    let Some(claim) = &index.claim else { return Ok(None) };
    on.prepare_cached("INSERT INTO claims (operation, account, claim) VALUES (?1, ?2, ?3)")?.execute(params![
        number,
        place.account,
        claim
    ])?;
    let sequence = on.last_insert_rowid();
    writing.fresh.claim(sequence, &index.account, claim);
    Ok(Some(sequence))
}

fn claimed_at_once(on: &Connection, number: i64, claim: Option<i64>) -> Result<(), Failure> {
    if claim.is_some() {
        on.prepare_cached("UPDATE operations SET claim = ?2 WHERE number = ?1")?.execute(params![number, claim])?;
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
