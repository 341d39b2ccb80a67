//! Files of the SQLite ledger that were cut, zeroed, or had bits turned: each operation is read as it was, or the ledger
//! says that something is wrong.

use std::collections::BTreeMap;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::identity::OperationKey;
use hapax_core::ledger::{By, Filter, Ledger, LedgerError, OperationId, Phase, Serves, SharedLedger, Stored};
use hapax_core::protocol::{Event, Stamp};
use hapax_ledger_sqlite::{Options, SqliteLedger};
use tokio::runtime::{Builder, Runtime};

use crate::bytes::{EXECUTIONS, LONGEST, Tape};

/// A file is written, opened and read in some milliseconds.
const FILES: usize = EXECUTIONS / 20;

const IMPATIENT: Options = Options { lock_patience: Duration::ZERO, queue: 16, readers: 1, leads_in_memory: 8 };

/// SQLite's, of new files.
const PAGE: usize = 4096;

/// What a disk loses at once.
const SECTOR: usize = 512;

/// A ledger that was closed, and what is in it.
struct Sound {
    bytes: Vec<u8>,
    operations: BTreeMap<OperationId, (Draft, Stored)>,
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

async fn sound(folder: &Path) -> Sound {
    let path = folder.join("sound.ledger");
    // A part of what leads to operations is in its table, a part follows from their rows alone.
    let ledger: SharedLedger = Arc::new(SqliteLedger::create_with(&path, IMPATIENT).expect("it can be made"));
    let mut operations = BTreeMap::new();
    for number in 0..12 {
        let mut draft = Draft::new(&format!("order:{number}"));
        // The same file each time, so that a test that failed fails again.
        draft.id = format!("0192f0c1-7a3b-7cc0-8000-{number:012x}").parse().expect("an id");
        draft.begin(&ledger).await.expect("it works");
        if number % 3 == 0 {
            draft = draft.in_phase(Phase::Person).due_at(5);
            ledger.append(draft.append(3, [leased()])).await.expect("it works");
        }
        let stored = ledger.load(By::Id(draft.id)).await.expect("it works").expect("it is there");
        operations.insert(draft.id, (draft, stored));
    }
    drop(ledger);
    Sound { bytes: fs::read(&path).expect("it is closed"), operations }
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// Its end is missing.
    Cut,
    /// Sectors or pages hold zeros.
    Zeroed,
    /// A page holds what belongs to another one.
    Misplaced,
    /// A few bits are others.
    Turned,
}

fn damaged(sound: &[u8], tape: &mut Tape<'_>) -> (Damage, Vec<u8>) {
    let mut bytes = sound.to_vec();
    let pages = bytes.len() / PAGE;
    let damage = match tape.below(4) {
        0 => {
            let at = if tape.below(2) == 0 { tape.below(pages) * PAGE } else { tape.below(bytes.len()) };
            bytes.truncate(at);
            Damage::Cut
        }
        1 => {
            let size = if tape.below(2) == 0 { SECTOR } else { PAGE };
            let at = tape.below(bytes.len() / size) * size;
            bytes[at..at + size].fill(0);
            Damage::Zeroed
        }
        2 => {
            let (from, to) = (tape.below(pages) * PAGE, tape.below(pages) * PAGE);
            bytes.copy_within(from..from + PAGE, to);
            Damage::Misplaced
        }
        _ => {
            for _ in 0..=tape.below(4) {
                let at = tape.below(bytes.len());
                bytes[at] ^= 1 << tape.below(8);
            }
            Damage::Turned
        }
    };
    (damage, bytes)
}

/// What a ledger says of an operation.
type Said = Result<Option<Stored>, LedgerError>;

/// All that a ledger says.
#[derive(Default)]
struct Heard {
    /// What is not as it was, by how it was asked for.
    wrong: Vec<String>,
    /// Whether more is wrong than words inside an operation: it is gone, or another one, or longer or shorter.
    is_mistaken: bool,
    /// Whether anything was an error, or the ledger's own check found something.
    is_told: bool,
}

impl Heard {
    fn of(&mut self, how: &str, said: Said, was: &Stored) {
        match said {
            Err(_) => self.is_told = true,
            Ok(Some(found)) if found.operation == was.operation && found.records == was.records => {}
            Ok(found) => {
                let same = |found: &Stored| {
                    found.operation == was.operation
                        && found.records.len() == was.records.len()
                        && key(found) == key(was)
                };
                self.is_mistaken |= !found.as_ref().is_some_and(same);
                self.wrong.push(format!("{how}: {found:?}"));
            }
        }
    }
}

fn key(stored: &Stored) -> Option<&OperationKey> {
    match &stored.records.first()?.event {
        Event::Began(intent) => Some(&intent.key),
        _ => None,
    }
}

/// Opens and reads; whatever can be asked is asked.
async fn heard(path: &Path, sound: &Sound) -> Heard {
    let mut heard = Heard::default();
    let ledger = match SqliteLedger::open_with(path, IMPATIENT) {
        Ok(ledger) => ledger,
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains("ledger"), "{said}");
            return Heard { is_told: true, ..heard };
        }
    };
    for (id, (draft, was)) in &sound.operations {
        heard.of("by id", ledger.load(By::Id(*id)).await, was);
        let index = &draft.index;
        let by = By::Key { connection: &index.connection, cell: &index.cell, key: &index.key };
        heard.of("by key", ledger.look_up(by).await.map(|(_, found)| found), was);
    }
    match ledger.list(&Filter::default()).await {
        Err(_) => heard.is_told = true,
        Ok(ids) => {
            let all: Vec<OperationId> = sound.operations.keys().rev().copied().collect();
            if ids != all {
                heard.is_mistaken = true;
                heard.wrong.push(format!("listed: {ids:?}"));
            }
        }
    }
    let serves = [Serves { connection: "stripe-live".to_owned(), cell: "stripe.charge".to_owned() }];
    heard.is_told |= ledger.due(&serves, Stamp::scripted(1_000_000), 100).await.is_err();
    heard.is_told |= ledger.next_due(&serves, Stamp::scripted(1)).await.is_err();
    heard.is_told |= ledger.header().await.is_err();
    heard.is_told |= ledger.verify().await.map_or(true, |verified| !verified.is_sound());
    heard
}

/// What must hold of what was heard. Known and let pass: a load by itself can miss an operation whose key lies in what was
/// zeroed or misplaced, since SQLite's pages have no checksums; and a bit that is turned inside a text is another text.
fn hold(damage: Damage, heard: &Heard) {
    if heard.is_told || heard.wrong.is_empty() {
        return;
    }
    assert!(damage == Damage::Turned && !heard.is_mistaken, "{damage:?} was believed: {:?}", heard.wrong);
}

#[test]
fn a_damaged_file_is_read_as_it_was_or_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = AssertUnwindSafe(runtime());
    let sound = AssertUnwindSafe(runtime.block_on(sound(folder.path())));
    let path = folder.path().join("damaged.ledger");
    bolero::check!().with_iterations(FILES).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let (damage, bytes) = damaged(&sound.bytes, &mut Tape::new(bytes));
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{beside}", path.display()));
        }
        fs::write(&path, &bytes).expect("it can be written");
        let heard = runtime.block_on(heard(&path, &sound));
        hold(damage, &heard);
    });
}

/// Ledgers that lose an operation, mistake one for another, and believe what was cut.
#[test]
fn what_believes_a_damaged_file_is_found() {
    let (runtime, folder) = (runtime(), tempfile::tempdir().expect("a folder"));
    let sound = runtime.block_on(sound(folder.path()));
    let all: Vec<&Stored> = sound.operations.values().map(|(_, stored)| stored).collect();
    let fails = |damage: Damage, said: Said, is_told: bool| {
        let mut heard = Heard { is_told, ..Heard::default() };
        heard.of("by key", said, all[0]);
        std::panic::catch_unwind(|| hold(damage, &heard)).is_err()
    };
    let mut other_words = all[0].clone();
    other_words.records[1] = all[1].records[1].clone();
    let mut cut = all[0].clone();
    cut.records.pop();
    assert!(fails(Damage::Turned, Ok(None), false), "one is gone");
    assert!(fails(Damage::Turned, Ok(Some(all[1].clone())), false), "one is another");
    assert!(fails(Damage::Turned, Ok(Some(cut)), false), "one is shorter");
    assert!(fails(Damage::Zeroed, Ok(Some(other_words.clone())), false), "one says something else");
    assert!(!fails(Damage::Turned, Ok(Some(other_words)), false));
    assert!(!fails(Damage::Cut, Ok(None), true));
    assert!(!fails(Damage::Cut, Ok(Some(all[0].clone())), false));
}
