//! A ledger that can't be used says what is wrong and what to do, and is never taken for an empty one.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::{By, Ledger, LedgerError, SharedLedger};
use hapax_ledger_sqlite::{Options, SCHEMA_VERSION, SqliteLedger};
use rusqlite::Connection;
use tempfile::TempDir;

const IMPATIENT: Options =
    Options { lock_patience: Duration::from_millis(100), queue: 16, readers: 2, leads_in_memory: 768 };

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    (folder, path)
}

/// A ledger with so many operations of four events in it.
async fn filled(path: &Path, operations: u32) -> (SharedLedger, Vec<Draft>) {
    let ledger: SharedLedger = Arc::new(SqliteLedger::create(path).expect("it can be made"));
    let mut drafts = Vec::new();
    for number in 0..operations {
        let draft = Draft::new(&format!("order:{number}"));
        draft.begin(&ledger).await.expect("it works");
        ledger.append(draft.append(3, [leased()])).await.expect("it works");
        drafts.push(draft);
    }
    (ledger, drafts)
}

/// The refusal says this, names the file, and reads well after what every caller puts before it.
fn assert_says(error: &LedgerError, words: &str) {
    let text = format!("nothing was sent: {error}");
    assert!(text.contains(words), "{words:?} is not in {text:?}");
    assert!(text.starts_with("nothing was sent: the ledger"), "{text:?}");
    assert!(!text.contains(". ") && !text.ends_with('.'), "it is one sentence: {text:?}");
    if let LedgerError::Unusable { hint, .. } = error {
        assert!(hint.len() > 15, "it doesn't say what to do: {text:?}");
    }
}

fn refused(path: &Path) -> LedgerError {
    SqliteLedger::open_with(path, IMPATIENT).expect_err("it can't be opened")
}

#[test]
fn a_missing_file_is_missing_and_stays_so() {
    let (folder, path) = place();
    let error = refused(&path);
    assert!(matches!(error, LedgerError::Missing(_)), "{error:?}");
    assert_says(&error, "does not exist");
    assert_eq!(fs::read_dir(folder.path()).expect("it can be read").count(), 0, "opening made a file");
}

#[test]
fn a_missing_folder_is_named() {
    let (folder, _) = place();
    let path = folder.path().join("unmounted/hapax.ledger");
    assert_says(&refused(&path), "the folder");
    assert_says(&SqliteLedger::create(&path).expect_err("there is no folder"), "does not exist");
    assert_says(&refused(folder.path()), "is a folder");
}

#[tokio::test]
async fn nothing_is_overwritten() {
    let (_folder, path) = place();
    drop(filled(&path, 3).await);
    let before = fs::read(&path).expect("it can be read");
    assert_says(&SqliteLedger::create(&path).expect_err("it exists"), "exists already");
    assert_eq!(fs::read(&path).expect("it can be read"), before);
    fs::write(&path, b"").expect("it can be written");
    assert_says(&SqliteLedger::create(&path).expect_err("an empty file exists too"), "exists already");
}

#[test]
fn an_empty_file_is_no_empty_ledger() {
    let (_folder, path) = place();
    fs::write(&path, b"").expect("it can be written");
    assert_says(&refused(&path), "is empty, which a ledger never is");
    assert_eq!(fs::metadata(&path).expect("it is there").len(), 0, "opening wrote to it");
}

#[test]
fn what_is_no_ledger_is_refused_untouched() {
    let (folder, path) = place();
    fs::write(&path, "not a database, but long enough to be looked at ".repeat(200)).expect("it can be written");
    let before = fs::read(&path).expect("it can be read");
    assert_says(&refused(&path), "is not a ledger");
    assert_eq!(fs::read(&path).expect("it can be read"), before);

    let foreign = folder.path().join("bookmarks.sqlite");
    for application in [0, 1234] {
        let connection = Connection::open(&foreign).expect("it can be made");
        connection.execute_batch("CREATE TABLE IF NOT EXISTS bookmarks (url TEXT)").expect("SQL works");
        connection.pragma_update(None, "application_id", application).expect("SQL works");
        connection.pragma_update(None, "user_version", 1).expect("SQL works");
        drop(connection);
        let before = fs::read(&foreign).expect("it can be read");
        assert_says(&refused(&foreign), "of another program");
        assert_eq!(fs::read(&foreign).expect("it can be read"), before);
    }
}

#[tokio::test]
async fn a_newer_format_is_refused_untouched() {
    let (_folder, path) = place();
    drop(filled(&path, 1).await);
    let connection = Connection::open(&path).expect("it can be opened");
    connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).expect("SQL works");
    drop(connection);
    let before = fs::read(&path).expect("it can be read");
    assert_says(&refused(&path), "newer hapax");
    assert_eq!(fs::read(&path).expect("it can be read"), before);
}

#[tokio::test]
async fn a_lock_of_another_program_is_told_and_passes() {
    let (_folder, path) = place();
    drop(filled(&path, 1).await);
    let ledger: SharedLedger = Arc::new(SqliteLedger::open_with(&path, IMPATIENT).expect("it can be opened"));
    let other = Connection::open(&path).expect("it can be opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody is in the way");
    let draft = Draft::new("while locked");
    assert_says(&draft.begin(&ledger).await.expect_err("it is locked"), "holds");
    assert!(ledger.load(By::Id(draft.id)).await.expect("reading goes on").is_none(), "it was written after all");
    other.execute_batch("ROLLBACK").expect("SQL works");
    draft.begin(&ledger).await.expect("the lock is gone");
    drop((ledger, other));

    let exclusive = Connection::open(&path).expect("it can be opened");
    exclusive.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT").expect("nobody is in the way");
    assert_says(&refused(&path), "holds");
    drop(exclusive);
    SqliteLedger::open(&path).expect("the lock is gone");
}

#[tokio::test]
async fn a_file_that_was_removed_or_replaced_takes_nothing() {
    let (folder, path) = place();
    let (ledger, _) = filled(&path, 1).await;
    let aside = folder.path().join("aside");
    fs::rename(&path, &aside).expect("it can be renamed");
    let draft = Draft::new("order:new");
    assert!(matches!(draft.begin(&ledger).await, Err(LedgerError::Missing(_))), "it wrote to a file that is gone");
    assert!(matches!(ledger.header().await, Err(LedgerError::Missing(_))), "it read from a file that is gone");
    fs::copy(&aside, &path).expect("it can be copied");
    assert_says(&draft.begin(&ledger).await.expect_err("it is another file"), "was replaced");
    fs::rename(&aside, &path).expect("it can be renamed");
    draft.begin(&ledger).await.expect("the right file is back");
}

#[tokio::test]
async fn damage_is_told_and_nothing_is_made_up() {
    let (_folder, path) = place();
    let (ledger, drafts) = filled(&path, 200).await;
    drop(ledger);
    let whole = fs::read(&path).expect("it can be read");
    let pages = whole.len() / 4096;
    let mut noticed = 0;
    for page in 1..pages {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xA5);
        fs::write(&path, &bytes).expect("it can be written");
        let Ok(ledger) = SqliteLedger::open_with(&path, IMPATIENT) else {
            noticed += 1;
            continue;
        };
        let sound = ledger.verify().await.is_ok_and(|verified| verified.is_sound());
        assert!(!sound, "page {page} is rubbish and nobody noticed");
        noticed += 1;
        for draft in &drafts {
            match ledger.load(By::Id(draft.id)).await {
                Ok(Some(stored)) => assert_eq!(stored.records.len(), 4, "a shorter history, page {page}"),
                Ok(None) => panic!("an operation is gone without a word, page {page}"),
                Err(error) => assert_says(&error, "damaged"),
            }
        }
    }
    assert_eq!(noticed, pages - 1);
    fs::write(&path, &whole[..4096 * (pages / 2)]).expect("it can be written");
    let told = match SqliteLedger::open_with(&path, IMPATIENT) {
        Err(_) => true,
        Ok(ledger) => !ledger.verify().await.is_ok_and(|verified| verified.is_sound()),
    };
    assert!(told, "half of the file is missing and nobody noticed");
    let mut file = fs::OpenOptions::new().write(true).open(&path).expect("it can be opened");
    file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&[0; 100])).expect("it can be written");
    drop(file);
    assert_says(&refused(&path), "is not a ledger");
}

#[tokio::test]
async fn a_torn_log_leaves_whole_appends() {
    let (folder, path) = place();
    // Open, so that the log isn't folded into the file: what a kill or the loss of power leaves.
    let (ledger, drafts) = filled(&path, 20).await;
    let with = |end: &str| PathBuf::from(format!("{}{end}", path.display()));
    let (file, log) = (fs::read(&path).expect("it is there"), fs::read(with("-wal")).expect("it is there"));
    drop(ledger);
    let torn = folder.path().join("torn.ledger");
    let torn_log = folder.path().join("torn.ledger-wal");
    let mut lengths = Vec::new();
    for part in 0..=40 {
        let end = log.len() * part / 40;
        fs::write(&torn, &file).expect("it can be written");
        fs::write(&torn_log, &log[..end]).expect("it can be written");
        let Ok(ledger) = SqliteLedger::open_with(&torn, IMPATIENT) else {
            assert!(part < 10, "only a log without even the schema can't be opened");
            continue;
        };
        let verified = ledger.verify().await.expect("it can be read");
        assert!(verified.is_sound(), "{:?}", verified.problems);
        let mut events = 0;
        for draft in &drafts {
            let held = ledger.load(By::Id(draft.id)).await.expect("loading works").map_or(0, |it| it.records.len());
            assert!([0, 3, 4].contains(&held), "half an append is there: {held}");
            events += held;
        }
        lengths.push(events);
        drop(ledger);
        let _ = fs::remove_file(&torn_log);
        let _ = fs::remove_file(folder.path().join("torn.ledger-shm"));
    }
    assert_eq!(lengths.last(), Some(&80), "the whole log holds everything that was confirmed");
    assert!(lengths.is_sorted() && lengths[0] < 80, "{lengths:?}");
}

/// A small file system of its own, if this user may mount one.
struct Mount(TempDir);

impl Mount {
    fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path()).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(folder))
    }

    fn read_only(&self) {
        let done = Command::new("mount").args(["-o", "remount,ro"]).arg(self.0.path()).output();
        assert!(done.expect("mount runs").status.success(), "it can't be remounted");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).output();
    }
}

#[tokio::test]
async fn a_full_disk_is_told_and_passes() {
    // Without the right to mount, the test of the same name inside the crate stands in for this one.
    let Some(mount) = Mount::new("1500k") else { return };
    let path = mount.0.path().join("hapax.ledger");
    let (ledger, drafts) = filled(&path, 10).await;
    let ballast = mount.0.path().join("ballast");
    let mut file = fs::File::create(&ballast).expect("it can be made");
    while file.write_all(&[1; 4096]).is_ok() {}
    drop(file);
    let mut written = Vec::new();
    let error = loop {
        let draft = Draft::new(&format!("more:{}", written.len()));
        match draft.begin(&ledger).await {
            Ok(_) => written.push(draft),
            Err(error) => break error,
        }
        assert!(written.len() < 1000, "the disk never got full");
    };
    assert_says(&error, "full");
    for draft in drafts.iter().chain(&written) {
        assert!(ledger.load(By::Id(draft.id)).await.expect("reading goes on").is_some());
    }
    fs::remove_file(&ballast).expect("it can be removed");
    Draft::new("after").begin(&ledger).await.expect("there is space again");
    drop(ledger);
    let ledger = SqliteLedger::open(&path).expect("it can be opened");
    let verified = ledger.verify().await.expect("it can be read");
    assert!(verified.is_sound(), "{:?}", verified.problems);
    assert_eq!(verified.operations, 11 + written.len() as u64);
}

#[tokio::test]
async fn a_read_only_ledger_is_told() {
    if let Some(mount) = Mount::new("4m") {
        let path = mount.0.path().join("hapax.ledger");
        drop(filled(&path, 1).await);
        mount.read_only();
        assert_says(&refused(&path), "can only be read");
        let error = SqliteLedger::create(mount.0.path().join("new")).expect_err("nothing can be made there");
        assert_says(&error, "can only be read");
        return;
    }
    let (folder, path) = place();
    drop(filled(&path, 1).await);
    let rights = |of: &Path, read_only: bool| {
        let mut rights = fs::metadata(of).expect("it is there").permissions();
        rights.set_readonly(read_only);
        fs::set_permissions(of, rights).expect("rights can be set");
    };
    rights(&path, true);
    assert_says(&refused(&path), "can only be read");
    rights(&path, false);
    rights(folder.path(), true);
    let error = refused(&path);
    rights(folder.path(), false);
    assert_says(&error, "be");
}
