//! Between records and rows.
//!
//! A row of `events` holds what one append wrote at one moment. Two things keep it small, because
//! bytes per operation are what a ledger costs for years: `began` leaves out what the operation's own
//! row says, and events that many operations share word for word are kept once, in `texts`.

use hapax_core::identity::{Fingerprint, OperationKey};
use hapax_core::ledger::{Index, Phase};
use hapax_core::protocol::{Event, Record, Stamp};
use serde_json::{Map, Value};

use crate::error::Failure;

/// Who an operation is; what `began` says too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) connection: String,
    pub(crate) account: String,
    pub(crate) cell: String,
    pub(crate) key: String,
    pub(crate) fingerprint: Fingerprint,
}

impl Identity {
    pub(crate) fn of(index: &Index) -> Self {
        Self {
            connection: index.connection.clone(),
            account: index.account.clone(),
            cell: index.cell.clone(),
            key: index.key.as_str().to_owned(),
            fingerprint: index.fingerprint,
        }
    }

    pub(crate) fn fields(&self) -> Map<String, Value> {
        let fields = [
            ("connection", self.connection.clone()),
            ("account", self.account.clone()),
            ("cell", self.cell.clone()),
            ("key", self.key.clone()),
            ("fingerprint", self.fingerprint.to_string()),
        ];
        fields.into_iter().map(|(name, text)| (name.to_owned(), Value::String(text))).collect()
    }
}

/// One row of `events`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Revision of its first event.
    pub(crate) revision: u64,
    pub(crate) at: Stamp,
    pub(crate) said: String,
    /// The end of it, if that may be shared with other operations.
    pub(crate) common: Option<String>,
}

/// Makes rows of records, the first of which makes revision `first`. A new row begins where the
/// stamp changes.
pub(crate) fn lines(records: &[Record], first: u64, omit: &Map<String, Value>) -> Result<Vec<Line>, Failure> {
    let mut revision = first;
    let mut lines = Vec::new();
    for moment in records.chunk_by(|one, other| one.at == other.at) {
        lines.push(line(moment, revision, omit)?);
        revision += moment.len() as u64;
    }
    Ok(lines)
}

pub(crate) fn line(moment: &[Record], revision: u64, omit: &Map<String, Value>) -> Result<Line, Failure> {
    let own = moment.iter().rposition(|record| !is_common(&record.event)).map_or(0, |last| last + 1);
    let said = array(&moment[..own], omit)?;
    let common = if own < moment.len() { Some(array(&moment[own..], omit)?) } else { None };
    let at = moment.first().map_or_else(Stamp::default, |record| record.at);
    Ok(Line { revision, at, said, common })
}

/// Events that say the same for many operations.
fn is_common(event: &Event) -> bool {
    matches!(event, Event::Leased { .. } | Event::Yielded { .. } | Event::Departed(_) | Event::Restored { .. })
}

fn array(records: &[Record], omit: &Map<String, Value>) -> Result<String, Failure> {
    let texts: Result<Vec<String>, Failure> = records.iter().map(|record| text(&record.event, omit)).collect();
    Ok(format!("[{}]", texts?.join(",")))
}

fn text(event: &Event, omit: &Map<String, Value>) -> Result<String, Failure> {
    let unwritable = |error: serde_json::Error| Failure::Damaged(format!("an event can't be written as JSON: {error}"));
    if !matches!(event, Event::Began(_)) {
        return serde_json::to_string(event).map_err(unwritable);
    }
    let mut value = serde_json::to_value(event).map_err(unwritable)?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, said| omit.get(name) != Some(said));
    }
    Ok(value.to_string())
}

/// Puts two arrays of events together: the row's own and the shared one.
pub(crate) fn join(said: &str, common: Option<&str>) -> String {
    match common {
        None => said.to_owned(),
        Some(common) if said == "[]" => common.to_owned(),
        Some(common) => format!("{},{}", &said[..said.len() - 1], &common[1..]),
    }
}

/// Reads the records of one row.
pub(crate) fn records(text: &str, at: Stamp, omitted: &Map<String, Value>) -> Result<Vec<Record>, Failure> {
    let unreadable = |error: serde_json::Error| Failure::Damaged(format!("an event can't be read: {error}"));
    let values: Vec<Value> = serde_json::from_str(text).map_err(unreadable)?;
    values
        .into_iter()
        .map(|mut value| {
            if let Value::Object(fields) = &mut value
                && fields.get("event").and_then(Value::as_str) == Some("began")
            {
                for (name, said) in omitted {
                    fields.entry(name.clone()).or_insert_with(|| said.clone());
                }
            }
            serde_json::from_value(value).map(|event| Record { at, event }).map_err(unreadable)
        })
        .collect()
}

/// The number by which a phase is stored.
pub(crate) const fn phase_number(phase: Phase) -> i64 {
    match phase {
        Phase::Held => 0,
        Phase::Open => 1,
        Phase::Person => 2,
        Phase::Succeeded => 3,
        Phase::Refused => 4,
    }
}

/// The first phase number of those that are final; the partial index of the schema says the same.
pub(crate) const FIRST_FINAL: i64 = 3;

/// A fingerprint as 33 bytes.
pub(crate) fn print_bytes(print: Fingerprint) -> [u8; 33] {
    let mut bytes = [print.version; 33];
    bytes[1..].copy_from_slice(&print.digest);
    bytes
}

/// Counts of 64 bits as the signed ones that SQLite has, bit for bit.
pub(crate) const fn signed(count: u64) -> i64 {
    count.cast_signed()
}

/// And back.
pub(crate) const fn unsigned(stored: i64) -> u64 {
    stored.cast_unsigned()
}

/// A short hash of what must be found: enough to find, never enough to decide.
pub(crate) fn key_hash(connection: &str, cell: &str, key: &OperationKey) -> i64 {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in [connection, cell, key.as_str()] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let digest: [u8; 32] = hasher.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}
