//! Between records and rows, for ledgers that keep them in tables of a database.
//!
//! A row of events holds what one append wrote at one moment. Two things keep it small, because
//! bytes per operation are what a ledger costs for years: `began` leaves out what the operation's own
//! row says, and the end of a row that many operations share word for word can be kept once.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{Index, Phase};
use crate::identity::Fingerprint;
use crate::protocol::{Event, Final, Record, Stamp, fold};

/// What is stored can't be what a ledger wrote; the text says what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Damaged(pub String);

/// Who an operation is; what `began` says too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the connection.
    pub connection: String,
    /// Account at the provider.
    pub account: String,
    /// `stripe.charge`.
    pub cell: String,
    /// The caller's key.
    pub key: String,
    /// Fingerprint of the arguments.
    pub fingerprint: Fingerprint,
}

impl Identity {
    /// What the index says of it.
    pub fn of(index: &Index) -> Self {
        Self {
            connection: index.connection.clone(),
            account: index.account.clone(),
            cell: index.cell.clone(),
            key: index.key.as_str().to_owned(),
            fingerprint: index.fingerprint,
        }
    }

    /// The fields of `began` that say the same.
    pub fn fields(&self) -> Map<String, Value> {
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

/// One row of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Revision of its first event.
    pub revision: u64,
    /// When all of it happened.
    pub at: Stamp,
    /// JSON array of events.
    pub said: String,
    /// The end of it, if that may be shared with other operations.
    pub common: Option<String>,
}

/// Makes rows of records, the first of which makes revision `first`. A new row begins where the
/// stamp changes. `began` leaves out the fields in `omit` that say the same.
///
/// # Errors
/// [`Damaged`] if an event can't be written as JSON.
pub fn lines(records: &[Record], first: u64, omit: &Map<String, Value>) -> Result<Vec<Line>, Damaged> {
    let mut revision = first;
    let mut lines = Vec::new();
    for moment in records.chunk_by(|one, other| one.at == other.at) {
        lines.push(line(moment, revision, omit)?);
        revision += moment.len() as u64;
    }
    Ok(lines)
}

/// The row of records of one moment.
///
/// # Errors
/// As [`lines`].
pub fn line(moment: &[Record], revision: u64, omit: &Map<String, Value>) -> Result<Line, Damaged> {
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

fn array(records: &[Record], omit: &Map<String, Value>) -> Result<String, Damaged> {
    let texts: Result<Vec<String>, Damaged> = records.iter().map(|record| text(&record.event, omit)).collect();
    Ok(format!("[{}]", texts?.join(",")))
}

fn text(event: &Event, omit: &Map<String, Value>) -> Result<String, Damaged> {
    let unwritable = |error: serde_json::Error| Damaged(format!("an event can't be written as JSON: {error}"));
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
pub fn join(said: &str, common: Option<&str>) -> String {
    match common {
        None => said.to_owned(),
        Some(common) if said == "[]" => common.to_owned(),
        Some(common) => format!("{},{}", &said[..said.len() - 1], &common[1..]),
    }
}

/// Reads the records of one row.
///
/// # Errors
/// [`Damaged`] if it isn't what [`line()`] wrote.
pub fn records(text: &str, at: Stamp, omitted: &Map<String, Value>) -> Result<Vec<Record>, Damaged> {
    let unreadable = |error: serde_json::Error| Damaged(format!("an event can't be read: {error}"));
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
pub const fn phase_number(phase: Phase) -> i64 {
    match phase {
        Phase::Held => 0,
        Phase::Open => 1,
        Phase::Person => 2,
        Phase::Succeeded => 3,
        Phase::Refused => 4,
    }
}

/// The first phase number of those that are final; schemas say the same.
pub const FIRST_FINAL: i64 = 3;

/// The phase of a stored number; none: no ledger wrote it.
pub fn phase_of(number: i64) -> Option<Phase> {
    Phase::ALL.into_iter().find(|phase| phase_number(*phase) == number)
}

/// A fingerprint as 33 bytes: its version, and the digest.
pub fn print_bytes(print: Fingerprint) -> [u8; 33] {
    let mut bytes = [print.version; 33];
    bytes[1..].copy_from_slice(&print.digest);
    bytes
}

/// Counts of 64 bits as the signed ones that databases have, bit for bit.
pub const fn signed(count: u64) -> i64 {
    count.cast_signed()
}

/// And back.
pub const fn unsigned(stored: i64) -> u64 {
    stored.cast_unsigned()
}

/// A digest of words that must be found; each is preceded by its length, so that no two lists of words
/// are one text.
pub fn digest(words: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for word in words {
        hasher.update((word.len() as u64).to_le_bytes());
        hasher.update(word);
    }
    hasher.finalize().into()
}

/// What an operation is found by, compared with what its events say: what doesn't fit, in words.
pub fn misfits(records: &[Record], phase: Phase, fingerprint: Fingerprint) -> Vec<&'static str> {
    let state = fold(records);
    let fits = match state.outcome {
        Some(Final::Succeeded(_)) => phase == Phase::Succeeded,
        Some(Final::Refused(_)) => phase == Phase::Refused,
        None => !phase.is_final(),
    };
    let mut found = Vec::new();
    if !fits {
        found.push("stands elsewhere than its events say");
    }
    if state.intent.is_some_and(|intent| intent.fingerprint != fingerprint) {
        found.push("has another fingerprint than its events say");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_joined_whatever_is_empty() {
        assert_eq!(join("[]", Some("[1,2]")), "[1,2]");
        assert_eq!(join("[0]", Some("[1,2]")), "[0,1,2]");
        assert_eq!(join("[[]]", Some("[1]")), "[[],1]");
        assert_eq!(join("[0]", None), "[0]");
    }

    #[test]
    fn a_digest_knows_where_a_word_ends() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_eq!(digest(&[b"ab", b"c"]), digest(&[b"ab", b"c"]));
    }

    #[test]
    fn numbers_of_phases_lead_back() {
        for phase in Phase::ALL {
            assert_eq!(phase_of(phase_number(phase)), Some(phase));
            assert_eq!(phase_number(phase) >= FIRST_FINAL, phase.is_final());
        }
        assert_eq!(phase_of(5), None);
    }
}
