use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use hapax_core::ledger::OperationId;
use hapax_core::ledger::rows::misfits;
use hapax_core::protocol::{Event, Final, fold};

use super::{End, Head, Line, NOT_YET_NOTED, Operation, Tally, VERSION};
use crate::exit::Failure;

/// A longer line is no operation of ours; it bounds the memory.
const LINE_MAX: u64 = 256 << 20;

/// What a whole export says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) head: Head,
    pub(crate) end: End,
}

impl Whole {
    /// The check value of a ledger that took in just this, and hasn't noted it: which export, and which secret is its.
    pub(crate) fn not_yet_noted(&self) -> String {
        format!("{NOT_YET_NOTED}{} {}", self.end.sha256, self.head.secret_check)
    }
}

/// Reads a file to its end, hands over each operation, and says whether it was a whole export: whatever it handed over
/// counts only then. Stops, with an error, when `each` says false.
pub(crate) fn read(path: &Path, mut each: impl FnMut(Operation) -> bool) -> Result<Whole, Failure> {
    let mut lines = Lines::open(path)?;
    let head = match lines.next()? {
        Some(Line::Ledger(head)) if head.version == VERSION => head,
        Some(Line::Ledger(head)) => {
            return Err(
                lines.bad(&format!("has version {} of the format, and this program knows {VERSION}", head.version))
            );
        }
        _ => return Err(lines.bad("doesn't begin as an export")),
    };
    let mut last = None;
    loop {
        let before = lines.tally_so_far();
        match lines.next()? {
            Some(Line::Operation(operation)) => {
                lines.check(&operation, last)?;
                last = Some(operation.id);
                lines.tally.operation(operation.records.len());
                if !each(*operation) {
                    return Err(lines.bad("was not read to its end"));
                }
            }
            Some(Line::End(end)) => {
                if end != before {
                    return Err(lines.bad("was changed: its count or checksum doesn't fit"));
                }
                return match lines.next() {
                    Ok(None) => Ok(Whole { head, end }),
                    _ => Err(lines.bad("goes on after its end")),
                };
            }
            Some(Line::Ledger(_)) => return Err(lines.bad("begins twice")),
            None => return Err(lines.bad("was cut off: its end is missing")),
        }
    }
}

struct Lines<'a> {
    path: &'a Path,
    from: BufReader<File>,
    number: u64,
    tally: Tally,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.is_file(), file)));
        match opened {
            Ok((true, file)) => {
                Ok(Self { path, from: BufReader::with_capacity(1 << 16, file), number: 0, tally: Tally::default() })
            }
            Ok((false, _)) => Err(bad(path, "is no file, and an export is read twice")),
            Err(error) => Err(bad(path, &format!("can't be read ({error})"))),
        }
    }

    /// The next line; none at the end of the file.
    fn next(&mut self) -> Result<Option<Line>, Failure> {
        self.number += 1;
        let mut text = Vec::new();
        let read = (&mut self.from).take(LINE_MAX).read_until(b'\n', &mut text);
        read.map_err(|error| self.bad(&format!("can't be read ({error})")))?;
        match text.last() {
            None => return Ok(None),
            Some(b'\n') => {}
            Some(_) => return Err(self.bad("was cut off in the middle of a line")),
        }
        self.tally.line(&text);
        // The parser's own words may repeat what stands there, which is personal data.
        let line = serde_json::from_slice(&text);
        line.map(Some).map_err(|error| self.bad(&format!("can't be understood at column {}", error.column())))
    }

    fn tally_so_far(&self) -> End {
        Tally { operations: self.tally.operations, events: self.tally.events, bytes: self.tally.bytes.clone() }.end()
    }

    /// Whether a ledger can have held this.
    fn check(&self, operation: &Operation, last: Option<OperationId>) -> Result<(), Failure> {
        let Operation { id, index, records } = operation;
        if last.is_some_and(|last| last >= *id) {
            return Err(self.bad("has operations out of order"));
        }
        let state = fold(records);
        let is_first = matches!(records.first().map(|record| &record.event), Some(Event::Began(_)));
        let Some(intent) = state.intent.as_ref().filter(|_| is_first) else {
            return Err(self.bad("has an operation that never began"));
        };
        let same = intent.connection == index.connection
            && intent.account == index.account
            && intent.cell == index.cell
            && intent.key == index.key;
        let claims_its_own = index
            .claim
            .as_ref()
            .is_none_or(|claim| matches!(&state.outcome, Some(Final::Succeeded(receipt)) if receipt.id == *claim));
        if !same || !claims_its_own || !misfits(records, index.phase, index.fingerprint).is_empty() {
            return Err(self.bad("has an operation that is found by something else than its events say"));
        }
        Ok(())
    }

    fn bad(&self, what: &str) -> Failure {
        bad(self.path, &format!("{what} (line {})", self.number))
    }
}

fn bad(path: &Path, what: &str) -> Failure {
    let shown = path.display();
    let hint = "make the export again with `hapax ledger export`, or copy the file again";
    Failure::input("bad-export", format!("nothing was imported: {shown} {what}; {hint}"))
}
