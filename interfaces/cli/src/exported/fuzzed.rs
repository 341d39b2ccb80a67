//! An export is taken whole or not at all, whatever was done to its file; a refusal says first that nothing was imported,
//! and holds nothing of what stands there. `docs/internals/fuzzing.md` has the other targets.

use std::panic::catch_unwind;
use std::path::Path;

use hapax_conformance::ledger::samples::{Draft, every_event, leased};
use hapax_core::ledger::{Header, Phase, Stored};
use sha2::{Digest, Sha256};

use super::*;
use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed};

/// Personal data in the arguments of every operation.
const NAME: &str = "ada.lovelace@example.com";

/// Two files are written and read in some milliseconds.
const FILES: usize = EXECUTIONS / 20;

fn drafts() -> Vec<(Draft, Stored)> {
    let numbers = 0..4;
    numbers
        .map(|number| {
            let args = serde_json::json!({ "to": NAME, "number": number });
            let mut draft = Draft::with(&format!("order:{number}"), args).in_phase(Phase::Open);
            // The same file each time, so that a test that failed fails again.
            draft.id = format!("0192f0c1-7a3b-7cc0-8000-{number:012x}").parse().expect("an id");
            let mut events = draft.first().records;
            events.push(draft.record(leased()));
            let stored = Stored { operation: draft.id, records: events };
            (draft, stored)
        })
        .collect()
}

/// A whole export.
fn written(drafts: &[(Draft, Stored)]) -> Vec<u8> {
    let header = Header { secret_check: "0123".to_owned(), restored: None, newest: Some(Stamp::scripted(5)) };
    let mut writer = Writer::begin(Vec::new(), header).expect("it can be written");
    for (draft, stored) in drafts {
        writer.operation(stored.clone(), draft.index.clone()).expect("it can be written");
    }
    writer.end().expect("it can be written").0
}

/// Counts and digests again, as somebody who changed the file would, or a program with a mistake.
fn ended_again(bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    lines.pop();
    let text = lines.concat();
    let mut end = Tally::default();
    for line in &lines {
        end.line(line);
        if let Ok(Line::Operation(operation)) = serde_json::from_slice(line) {
            end.operation(operation.records.len());
        }
    }
    let mut whole = text;
    whole.extend(serde_json::to_vec(&Line::End(end.end())).expect("it is JSON"));
    whole.push(b'\n');
    whole
}

/// What was handed over, if the file was whole.
type Taken = Result<(Whole, Vec<Operation>), String>;

/// How a file is read; another one stands for a reader with a bug.
type Read = fn(&Path) -> Taken;

fn sound(path: &Path) -> Taken {
    let mut taken = Vec::new();
    let whole = read(path, |operation| {
        taken.push(operation);
        true
    });
    whole.map(|whole| (whole, taken)).map_err(|failure| failure.message)
}

fn hold(path: &Path, bytes: &[u8], reader: Read) {
    std::fs::write(path, bytes).expect("it can be written");
    let (whole, taken) = match reader(path) {
        Ok(taken) => taken,
        Err(message) => {
            assert!(message.starts_with("nothing was imported: "), "{message}");
            assert!(!message.contains(NAME), "{message}");
            return;
        }
    };
    // What was taken is what the file says, counted and digested.
    let last = bytes.split_inclusive(|byte| *byte == b'\n').next_back().unwrap_or_default();
    let digest: String =
        Sha256::digest(&bytes[..bytes.len() - last.len()]).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(whole.end.sha256, digest, "a file that was changed was taken");
    let Ok(Line::End(end)) = serde_json::from_slice(last) else { panic!("a file without an end was taken") };
    assert_eq!(whole.end, end, "a file that says something else was taken");
    assert_eq!(whole.end.operations, taken.len() as u64, "as many as it says");
    assert!(taken.is_sorted_by(|one, next| one.id < next.id), "each once, in their order");
    let events: usize = taken.iter().map(|one| one.records.len()).sum();
    assert_eq!(whole.end.events, events as u64, "as many events as it says");
    for one in &taken {
        let Some(hapax_core::protocol::Event::Began(intent)) = one.records.first().map(|record| &record.event) else {
            panic!("an operation that never began was taken")
        };
        let state = hapax_core::protocol::fold(&one.records);
        assert!(state.intent.is_some() && intent.cell == one.index.cell, "found by what it isn't");
    }
}

#[test]
fn an_export_is_taken_whole_or_not_at_all() {
    let drafts = drafts();
    let valid = written(&drafts);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.export");
    hold(&path, &valid, sound);
    assert_eq!(sound(&path).expect("it is whole").1.len(), drafts.len());
    bolero::check!().with_iterations(FILES).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let mut lines: Vec<Vec<u8>> = valid.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        match tape.below(6) {
            0 => lines = vec![changed(&valid, &mut tape)],
            1 => lines.swap(tape.below(5), tape.below(5)),
            2 => drop(lines.remove(tape.below(lines.len()))),
            _ => {
                let at = tape.below(lines.len());
                lines[at] = changed(lines[at].trim_ascii_end(), &mut tape);
                lines[at].push(b'\n');
            }
        }
        let text = lines.concat();
        hold(&path, &text, sound);
        hold(&path, &ended_again(&text), sound);
    });
}

/// Every event that a ledger may hold comes through.
#[test]
fn every_event_is_taken_as_it_was() {
    let draft = Draft::new("order:every");
    let events = every_event(&draft.intent);
    assert!(matches!(events[0], hapax_core::protocol::Event::Began(_)));
    let records = events.into_iter().map(|event| draft.record(event)).collect();
    let bytes = written(&[(draft.clone(), Stored { operation: draft.id, records })]);
    let folder = tempfile::tempdir().expect("a folder");
    hold(&folder.path().join("ledger.export"), &bytes, sound);
}

/// Readers that take what was cut off, what was changed, and say what they could not read.
#[test]
fn a_reader_that_takes_what_is_not_whole_is_found() {
    fn takes_what_was_cut_off(path: &Path) -> Taken {
        let text = std::fs::read(path).expect("it is there");
        let whole = ended_again(&text);
        std::fs::write(path, whole).expect("it can be written");
        sound(path)
    }
    fn says_what_it_read(path: &Path) -> Taken {
        let text = std::fs::read_to_string(path).expect("it is there");
        Err(format!("nothing was imported: what is {text}?"))
    }
    let valid = written(&drafts());
    let changed = String::from_utf8(valid.clone()).expect("it is text").replacen("\"number\":", "\"numbre\":", 1);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.export");
    hold(&path, changed.as_bytes(), sound);
    for (name, reader) in [("what was changed", takes_what_was_cut_off as Read), ("what it read", says_what_it_read)] {
        assert!(catch_unwind(|| hold(&path, changed.as_bytes(), reader)).is_err(), "{name} was not found");
    }
}
