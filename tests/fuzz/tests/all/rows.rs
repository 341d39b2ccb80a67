//! Rows of a ledger: what is read is what stands there, or an error.

use hapax_conformance::ledger::samples::{Draft, every_event, every_finding, every_verdict, looked};
use hapax_core::ledger::rows::{Identity, join, line, lines, records};
use hapax_core::protocol::{Event, Heard, Record, Stamp};
use serde_json::Value;

use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed_text};

/// How rows are read; another one stands for a reader with a bug.
type Read = fn(&str, Stamp, &Identity) -> Option<Vec<Record>>;

fn sound(text: &str, at: Stamp, omitted: &Identity) -> Option<Vec<Record>> {
    records(text, at, omitted).ok()
}

/// What a ledger writes: every event, verdict and finding.
fn valid() -> (Vec<Record>, Identity) {
    let draft = Draft::new("order-1");
    let mut events = every_event(&draft.intent);
    events.extend(every_verdict().into_iter().map(|verdict| Event::Heard(Heard { attempt: 0, verdict })));
    events.extend(every_finding().into_iter().map(|found| Event::Looked(looked(found))));
    (events.into_iter().map(|event| draft.record(event)).collect(), Identity::of(&draft.index))
}

/// Words that say which variant it is. Known and let pass: serde also takes the number of a variant for its word, and a list
/// of a variant's fields for an object of them.
const TAGS: [&str; 5] = ["event", "verdict", "found", "hold", "decision"];

/// Whether all that is in `read` stands in `written`: what a record says and its row doesn't is made up.
fn stands_in(read: &Value, written: &Value) -> bool {
    match (read, written) {
        (Value::Object(read), Value::Object(written)) => read.iter().all(|(name, value)| match written.get(name) {
            None => value == &Value::Bool(false),
            Some(Value::Number(_)) if TAGS.contains(&name.as_str()) && value.is_string() => true,
            Some(other) => stands_in(value, other),
        }),
        (Value::Object(read), Value::Array(written)) => read.values().all(|value| written.contains(value)),
        (Value::Array(read), Value::Array(written)) => {
            read.len() == written.len() && read.iter().zip(written).all(|(one, other)| stands_in(one, other))
        }
        _ => read == written,
    }
}

/// What must hold of a text that a row is read from.
fn hold(text: &str, at: Stamp, omitted: &Identity, read: Read) {
    let Some(found) = read(text, at, omitted) else { return };
    let written: Vec<Value> = serde_json::from_str(text).expect("what is no JSON array can't be read");
    assert_eq!(found.len(), written.len(), "as many records as the row has");
    for (record, mut written) in found.iter().zip(written) {
        if let (Event::Began(_), Some(fields)) = (&record.event, written.as_object_mut()) {
            let whole = serde_json::to_value(omitted).expect("an identity is JSON");
            for (name, said) in whole.as_object().expect("an identity is an object") {
                fields.entry(name.clone()).or_insert_with(|| said.clone());
            }
        }
        let again = serde_json::to_value(&record.event).expect("an event is JSON");
        assert!(stands_in(&again, &written), "{again} was read from {written}");
    }
    if found.is_empty() {
        return;
    }
    let kept = line(&found, 1, omitted).expect("it can be written");
    let whole = join(&kept.said, kept.common.as_deref()).expect("two arrays");
    assert_eq!(read(&whole, at, omitted).as_ref(), Some(&found), "written and read again it is the same");
}

#[test]
fn what_a_row_says_is_read_or_refused() {
    let (valid, omitted) = valid();
    let texts: Vec<String> = valid.chunks(3).map(|some| written(some, &omitted)).collect();
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let text = tape.pick(&texts).clone();
        hold(&changed_text(&text, &mut tape), Stamp::scripted(7), &omitted, sound);
    });
}

fn written(some: &[Record], omitted: &Identity) -> String {
    let kept = line(some, 1, omitted).expect("it can be written");
    join(&kept.said, kept.common.as_deref()).expect("two arrays")
}

#[test]
fn a_row_that_ends_early_is_an_error() {
    let (valid, omitted) = valid();
    let text = written(&valid, &omitted);
    let cuts = (0..text.len()).filter(|cut| text.is_char_boundary(*cut));
    for cut in cuts {
        assert!(sound(&text[..cut], Stamp::scripted(7), &omitted).is_none(), "cut at {cut}");
    }
}

#[test]
fn records_come_back_however_they_are_cut_into_rows() {
    let (valid, omitted) = valid();
    bolero::check!().with_iterations(EXECUTIONS / 10).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let mut chosen: Vec<Record> = (0..=tape.below(6)).map(|_| tape.pick(&valid).clone()).collect();
        for record in &mut chosen {
            record.at = Stamp::scripted(u64::from(tape.byte() % 3));
        }
        let mut read = Vec::new();
        for (number, row) in lines(&chosen, 1, &omitted).expect("they can be written").into_iter().enumerate() {
            assert!(number > 0 || row.revision == 1);
            assert_eq!(row.revision, read.len() as u64 + 1, "revisions have no gap");
            let text = join(&row.said, row.common.as_deref()).expect("two arrays");
            read.extend(records(&text, row.at, &omitted).expect("it can be read"));
        }
        assert_eq!(read, chosen);
    });
}

/// A reader that takes an unknown event for none, one that repairs a row that ends early, and one that reads lists without
/// their last record.
#[test]
fn a_reader_that_makes_something_up_is_found() {
    fn skips(text: &str, at: Stamp, omitted: &Identity) -> Option<Vec<Record>> {
        let values: Vec<Value> = serde_json::from_str(text).ok()?;
        Some(values.iter().filter_map(|one| records(&format!("[{one}]"), at, omitted).ok()).flatten().collect())
    }
    fn repairs(text: &str, at: Stamp, omitted: &Identity) -> Option<Vec<Record>> {
        sound(text, at, omitted).or_else(|| sound(&format!("{text}]"), at, omitted))
    }
    fn loses(text: &str, at: Stamp, omitted: &Identity) -> Option<Vec<Record>> {
        let mut found = sound(text, at, omitted)?;
        found.pop();
        Some(found)
    }
    let (valid, omitted) = valid();
    let text = written(&valid, &omitted);
    let unknown = text.replacen("\"noted\"", "\"notes\"", 1);
    let torn = &text[..text.len() - 1];
    for (name, reader, input) in
        [("skips", skips as Read, unknown.as_str()), ("repairs", repairs, torn), ("loses", loses, text.as_str())]
    {
        let failed = std::panic::catch_unwind(|| hold(input, Stamp::scripted(7), &omitted, reader)).is_err();
        assert!(failed, "{name} was not found");
    }
}
