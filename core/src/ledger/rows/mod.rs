//! Between records and rows, for ledgers that keep them in tables of a database.
//!
//! A row of events holds what one append wrote at one moment. Two things keep it small, because
//! bytes per operation are what a ledger costs for years: `began` leaves out what the operation's own
//! row says, and the end of a row that many operations share word for word can be kept once.

mod began;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Index, Phase};
use crate::identity::Fingerprint;
use crate::protocol::{Event, Final, Record, Stamp, fold};
use began::{BEGINS, Began};

/// What is stored can't be what a ledger wrote; the text says what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Damaged(pub String);

/// Who an operation is; what `began` says too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// What an operation began as, from the text that is kept beside it, or, where none is, this.
    ///
    /// # Errors
    /// [`Damaged`] if the text isn't [`Self::text`] of an identity.
    pub fn or_first(&self, first: Option<&str>) -> Result<Cow<'_, Self>, Damaged> {
        let Some(text) = first else { return Ok(Cow::Borrowed(self)) };
        serde_json::from_str(text)
            .map(Cow::Owned)
            .map_err(|error| Damaged(format!("an identity can't be read: {error}")))
    }

    /// A JSON object with the fields of `began` that say the same.
    ///
    /// # Errors
    /// [`Damaged`] if it can't be written as JSON.
    pub fn text(&self) -> Result<String, Damaged> {
        serde_json::to_string(self).map_err(unwritable)
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
/// stamp changes. `began` leaves out the fields that `omit` says too.
///
/// # Errors
/// [`Damaged`] if an event can't be written as JSON.
pub fn lines(records: &[Record], first: u64, omit: &Identity) -> Result<Vec<Line>, Damaged> {
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
pub fn line(moment: &[Record], revision: u64, omit: &Identity) -> Result<Line, Damaged> {
    let own = moment.iter().rposition(|record| !is_common(&record.event)).map_or(0, |last| last + 1);
    let said = array(&moment[..own], omit)?;
    let common = if own < moment.len() { Some(array(&moment[own..], omit)?) } else { None };
    let at = moment.first().map_or_else(Stamp::default, |record| record.at);
    Ok(Line { revision, at, said, common })
}

/// Events that say the same for many operations. A lease names its owner, who is another one each time.
fn is_common(event: &Event) -> bool {
    matches!(event, Event::Departed(_) | Event::Restored { .. })
}

fn array(records: &[Record], omit: &Identity) -> Result<String, Damaged> {
    // Only at the beginning of a row is it put back, and only there does it belong.
    let text = |(place, record): (usize, &Record)| match &record.event {
        Event::Began(intent) if place == 0 => serde_json::to_string(&Began::of(intent, omit)),
        event => serde_json::to_string(event),
    };
    let texts: Result<Vec<String>, serde_json::Error> = records.iter().enumerate().map(text).collect();
    Ok(format!("[{}]", texts.map_err(unwritable)?.join(",")))
}

fn unwritable(error: serde_json::Error) -> Damaged {
    Damaged(format!("an event can't be written as JSON: {error}"))
}

/// Puts two arrays of events together: the row's own and the shared one.
///
/// # Errors
/// [`Damaged`] if one of them is no array.
pub fn join(said: &str, common: Option<&str>) -> Result<String, Damaged> {
    let is_array = |text: &str| text.len() >= 2 && text.starts_with('[') && text.ends_with(']');
    if !is_array(said) || !common.is_none_or(is_array) {
        return Err(Damaged("a row of events holds no list of events".to_owned()));
    }
    Ok(match common {
        None => said.to_owned(),
        Some(common) if said == "[]" => common.to_owned(),
        Some(common) => format!("{},{}", &said[..said.len() - 1], &common[1..]),
    })
}

/// Reads the records of one row. What `began` left out, which only the first of a row does, is in `omitted`.
///
/// # Errors
/// [`Damaged`] if it isn't what [`line()`] wrote.
pub fn records(text: &str, at: Stamp, omitted: &Identity) -> Result<Vec<Record>, Damaged> {
    let unreadable = |error: serde_json::Error| Damaged(format!("an event can't be read: {error}"));
    let record = |event| Record { at, event };
    if !text.starts_with(BEGINS) {
        match serde_json::from_str::<Vec<Event>>(text) {
            Ok(events) => return Ok(events.into_iter().map(record).collect()),
            // The members of an object have no order that means anything.
            Err(_) if began::is_first(text) => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    // By itself, since it is most of what is read, and whoever reads it as one of many kinds copies all of it first.
    let mut first = serde_json::Deserializer::from_str(&text[1..]).into_iter::<Began<'_>>();
    let began = first.next().ok_or_else(|| Damaged("a row is cut".to_owned()))?.map_err(unreadable)?;
    let others: Vec<Event> = match &text[1 + first.byte_offset()..] {
        "]" => Vec::new(),
        behind => {
            let behind = behind.strip_prefix(',').filter(|behind| *behind != "]");
            let behind = behind.ok_or_else(|| Damaged("a row is no array of events".to_owned()))?;
            serde_json::from_str(&["[", behind].concat()).map_err(unreadable)?
        }
    };
    let began = Event::Began(began.intent(omitted)?);
    Ok([began].into_iter().chain(others).map(record).collect())
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
    use serde_json::Value;

    use super::*;
    use crate::identity::OperationKey;
    use crate::protocol::Intent;

    fn intent() -> Intent {
        Intent {
            connection: "c".to_owned(),
            account: "a".to_owned(),
            cell: "toy.pay".to_owned(),
            version: 1,
            key: OperationKey::new("k").expect("a key"),
            args: std::sync::Arc::new(serde_json::json!({ "event": "began", "key": "of the arguments" })),
            fingerprint: Fingerprint { version: 1, digest: [7; 32] },
            good_until_ms: Some(5),
            similar: vec!["another".to_owned()],
            stand_in: true,
        }
    }

    fn identity(of: &Intent) -> Identity {
        Identity {
            connection: of.connection.clone(),
            account: of.account.clone(),
            cell: of.cell.clone(),
            key: of.key.as_str().to_owned(),
            fingerprint: of.fingerprint,
        }
    }

    fn written(events: &[Event], omit: &Identity) -> String {
        let record = |event: &Event| Record { at: Stamp::default(), event: event.clone() };
        line(&events.iter().map(record).collect::<Vec<_>>(), 1, omit).expect("it is JSON").said
    }

    fn read(text: &str, omitted: &Identity) -> Vec<Event> {
        let records = records(text, Stamp::default(), omitted).expect("it was written here");
        records.into_iter().map(|record| record.event).collect()
    }

    #[test]
    fn what_began_leaves_out_is_put_back() {
        let held = Event::Asked { why: "because".to_owned() };
        let events = [Event::Began(intent()), held.clone()];
        let omit = identity(&intent());
        let text = written(&events, &omit);
        assert!(text.starts_with(BEGINS) && !text.contains("toy.pay"), "{text}");
        assert_eq!(read(&text, &omit), events);
        let other_order = serde_json::from_str::<Value>(&text).expect("JSON").to_string();
        assert!(!other_order.starts_with(BEGINS), "{other_order}");
        assert_eq!(read(&other_order, &omit), events);
        let alone = [Event::Began(intent())];
        assert_eq!(read(&written(&alone, &omit), &omit), alone);
        let behind = [Event::Asked { why: "because".to_owned() }, Event::Began(intent()), Event::Began(intent())];
        assert_eq!(read(&written(&behind, &omit), &omit), behind);
    }

    #[test]
    fn what_is_cut_is_damaged() {
        let omit = identity(&intent());
        let text = written(&[Event::Began(intent()), Event::Asked { why: "because".to_owned() }], &omit);
        for end in 0..text.len() {
            assert!(records(&text[..end], Stamp::default(), &omit).is_err(), "{}", &text[..end]);
        }
        let alone = written(&[Event::Began(intent())], &omit);
        for bad in [alone.replace("}]", "},]"), alone.replace("}]", "}]]"), format!("{alone}[]")] {
            assert!(records(&bad, Stamp::default(), &omit).is_err(), "{bad}");
        }
    }

    #[test]
    fn began_says_itself_what_its_row_says_differently() {
        let other = |change: fn(&mut Identity)| {
            let mut omit = identity(&intent());
            change(&mut omit);
            omit
        };
        let others = [
            other(|omit| omit.connection = "d".to_owned()),
            other(|omit| omit.account = "b".to_owned()),
            other(|omit| omit.cell = "toy.book".to_owned()),
            other(|omit| omit.key = "l".to_owned()),
            other(|omit| omit.fingerprint.digest = [8; 32]),
        ];
        for omit in others {
            assert_eq!(read(&written(&[Event::Began(intent())], &omit), &omit), [Event::Began(intent())]);
        }
    }

    #[test]
    fn a_row_says_the_same_as_the_event() {
        let nothing = Identity { fingerprint: Fingerprint { version: 0, digest: [0; 32] }, ..identity(&intent()) };
        let nothing = Identity { connection: "?".to_owned(), account: "?".to_owned(), ..nothing };
        let nothing = Identity { cell: "?".to_owned(), key: "?".to_owned(), ..nothing };
        let whole = Event::Began(intent());
        let plain = Intent { good_until_ms: None, similar: Vec::new(), stand_in: false, ..intent() };
        for event in [whole, Event::Began(plain)] {
            let row: Value = serde_json::from_str(&written(std::slice::from_ref(&event), &nothing)).expect("JSON");
            assert_eq!(row, serde_json::json!([event]));
        }
    }

    #[test]
    fn arrays_are_joined_whatever_is_empty() {
        assert_eq!(join("[]", Some("[1,2]")).as_deref(), Ok("[1,2]"));
        assert_eq!(join("[0]", Some("[1,2]")).as_deref(), Ok("[0,1,2]"));
        assert_eq!(join("[[]]", Some("[1]")).as_deref(), Ok("[[],1]"));
        assert_eq!(join("[0]", None).as_deref(), Ok("[0]"));
    }

    #[test]
    fn what_is_no_array_is_damage_and_no_panic() {
        for (said, common) in [("", Some("[1]")), ("[1]", Some("")), ("[", Some("[1]")), ("[1]", Some("ä")), ("", None)]
        {
            assert!(join(said, common).is_err(), "{said:?} and {common:?}");
        }
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
