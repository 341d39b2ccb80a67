//! What can only be tested from inside: the settings of the writer's connection, and a ledger that is
//! changed behind its back.

use std::path::Path;
use std::sync::Arc;

use hapax_conformance::ledger::samples::Draft;
use hapax_core::ledger::{By, Filter, Ledger, LedgerError, SharedLedger};
use hapax_core::protocol::{Event, Final, fold};
use hapax_core::words::Refusal;
use rusqlite::Connection;

use crate::file;
use crate::{Options, SqliteLedger};

fn pragma(connection: &Connection, name: &str) -> String {
    let value = connection.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0));
    format!("{:?}", value.expect("the pragma exists"))
}

#[test]
fn the_writer_flushes_at_each_commit() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    let connection = file::open(&path, &Options::default()).expect("it can be opened");
    let expected = [("journal_mode", "Text(\"wal\")"), ("synchronous", "Integer(2)"), ("foreign_keys", "Integer(1)")];
    for (name, value) in expected {
        assert_eq!(pragma(&connection, name), value, "{name}");
    }
}

#[test]
fn the_file_is_for_its_owner_alone_and_says_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    }
    let connection = Connection::open(&path).expect("sqlite3 can open it");
    assert_eq!(pragma(&connection, "application_id"), format!("Integer({})", crate::APPLICATION_ID));
    let changed = connection.execute("UPDATE events SET said = '[]'", []);
    assert!(changed.is_ok(), "there is nothing to change yet");
}

#[tokio::test]
async fn events_are_append_only_for_every_program() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    let ledger: SharedLedger = Arc::new(SqliteLedger::create(&path).expect("it can be made"));
    Draft::new("order:1").begin(&ledger).await.expect("it works");
    let connection = Connection::open(&path).expect("sqlite3 can open it");
    connection.execute("INSERT INTO leads (hash, began, target) VALUES (1, 0, 1)", []).expect("SQL works");
    connection.execute("INSERT INTO claims (operation, account, claim) VALUES (1, 1, 'ch_1')", []).expect("SQL works");
    for sql in [
        "UPDATE events SET said = '[]'",
        "DELETE FROM events",
        "DELETE FROM operations",
        "DELETE FROM leads",
        "UPDATE claims SET operation = 1",
        "DELETE FROM claims",
    ] {
        let error = connection.execute(sql, []).expect_err(sql).to_string();
        assert!(error.contains("append-only") || error.contains("never deleted"), "{sql}: {error}");
    }
    let views: i64 = connection
        .query_row("SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM operations_readable)", [], |row| {
            row.get(0)
        })
        .expect("the views for people work");
    assert_eq!(views, 3 + 1);
}

#[tokio::test]
async fn verifying_finds_what_doesnt_fit() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (sql, words) in [
        ("UPDATE operations SET phase = 3", "stands elsewhere"),
        ("UPDATE operations SET revision = 4", "3 events instead of 4"),
        ("UPDATE operations SET fingerprint = zeroblob(33)", "another fingerprint"),
        ("UPDATE operations SET key = 'other' WHERE number = 1", "leads to 0 operations"),
        ("UPDATE operations SET key = 'other' WHERE number = 4", "was changed"),
        ("UPDATE header SET pruning = 1; UPDATE events SET revision = 2", "has no event 1"),
        ("UPDATE header SET pruning = 1; UPDATE events SET said = '[{}]'", "can't be read"),
        ("PRAGMA foreign_keys = OFF; UPDATE operations SET place = 9", "refers to nothing"),
    ] {
        let path = folder.path().join(words);
        let options = Options { leads_in_memory: 0, ..Options::default() };
        let ledger = Arc::new(SqliteLedger::create_with(&path, options).expect("it can be made"));
        let draft = Draft::new("order:1");
        let closed = Event::Closed { reason: Refusal::new("expired", "too late") };
        let superseded = Event::Superseded { by: "ada".to_owned(), epoch: 0, intent: draft.intent.clone() };
        let append = draft.append(0, [Event::Began(draft.intent.clone()), closed, superseded]);
        ledger.append(append).await.expect("it works");
        for number in 2..5 {
            // What leads to the first is carried over meanwhile: it can be compared with its row.
            ledger.append(Draft::new(&format!("order:{number}")).first()).await.expect("it works");
        }
        assert!(ledger.verify().await.expect("it can be read").is_sound());
        Connection::open(&path).and_then(|on| on.execute_batch(sql)).expect("SQL works");
        let problems = ledger.verify().await.expect("it can be read").problems.join("\n");
        assert!(problems.contains(words), "{sql}: {problems:?}");
    }
}

/// A file of the first format, with what its program left.
fn of_format_1(path: &Path) {
    drop(SqliteLedger::create(path).expect("it can be made"));
    std::fs::File::create(path).expect("it can be emptied");
    let connection = Connection::open(path).expect("sqlite3 can open it");
    let parts = [include_str!("../migrations/0001_first.sql"), include_str!("../tests/format-1.sql")];
    for sql in parts {
        connection.execute_batch(sql).expect("SQL works");
    }
    connection.pragma_update(None, "application_id", crate::APPLICATION_ID).expect("it can be set");
    connection.pragma_update(None, "user_version", 1).expect("it can be set");
}

#[tokio::test]
async fn a_ledger_of_the_first_format_goes_on() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    of_format_1(&path);
    let ledger = SqliteLedger::open(&path).expect("it is brought forward");
    let verified = ledger.verify().await.expect("it can be read");
    assert!(verified.is_sound(), "{:?}", verified.problems);
    assert_eq!((verified.operations, verified.events), (8, 32));

    let all = ledger.list(&Filter::default()).await.expect("listing works");
    assert_eq!(all.len(), 8);
    for id in all {
        let stored = ledger.load(By::Id(id)).await.expect("loading works").expect("it is there");
        let Some(Event::Began(intent)) = stored.records.first().map(|first| &first.event) else { panic!("{stored:?}") };
        let again = |key: &str| Draft::with(key, (*intent.args).clone()).at_place("bench", "bench", "bench.charge");
        let refused = ledger.append(again(intent.key.as_str()).first()).await;
        assert!(matches!(refused, Err(LedgerError::Moved)), "its key was free: {refused:?}");
        let alike = ledger.append(again(&format!("like {id}")).first()).await.expect("the key is new");
        assert_eq!(alike.similar, [id], "arguments were forgotten");
        if let Some(Final::Succeeded(receipt)) = fold(&stored.records).outcome {
            let found = ledger.load(By::Claim { account: "bench", id: &receipt.id }).await.expect("loading works");
            assert_eq!(found.map(|found| found.operation), Some(id));
            let taken = ledger.append(again(&format!("claims of {id}")).claiming(&receipt.id).first()).await;
            assert!(matches!(taken, Err(LedgerError::Claimed(holder)) if holder == id), "{taken:?}");
        }
    }
    drop(ledger);
    let again = SqliteLedger::open(&path).expect("it is of this format now");
    assert!(again.verify().await.expect("it can be read").is_sound());
}

#[tokio::test]
async fn a_full_disk_is_told_and_passes() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    let options = Options::default();
    let connection = file::open(&path, &options).expect("it can be opened");
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).expect("it is known");
    connection.query_row(&format!("PRAGMA max_page_count = {}", pages + 4), [], |_| Ok(())).expect("it can be set");
    let ledger = Arc::new(SqliteLedger::start(&path, connection, options).expect("it starts"));
    let shared: SharedLedger = Arc::clone(&ledger) as SharedLedger;
    let mut written = 0;
    let error = loop {
        match Draft::new(&format!("order:{written}")).begin(&shared).await {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 1000, "it never got full");
    };
    assert!(error.to_string().contains("is full"), "{error}");
    let verified = ledger.verify().await.expect("it can be read");
    assert!(verified.is_sound(), "{:?}", verified.problems);
    assert_eq!(verified.operations, written);
    drop((ledger, shared));
    let again: SharedLedger = Arc::new(SqliteLedger::open(&path).expect("it can be opened"));
    Draft::new("after").begin(&again).await.expect("there is space again");
}

#[tokio::test]
async fn an_append_that_can_not_be_written_does_not_hurt_those_beside_it() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    let connection = file::open(&path, &Options::default()).expect("it can be opened");
    let sql = "CREATE TEMP TRIGGER no BEFORE INSERT ON main.operations WHEN new.key = 'order:7' \
               BEGIN SELECT RAISE(ABORT, 'not this one'); END";
    connection.execute_batch(sql).expect("SQL works");
    let ledger = Arc::new(SqliteLedger::start(&path, connection, Options::default()).expect("it starts"));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let shared: SharedLedger = Arc::clone(&ledger) as SharedLedger;
        tasks.spawn(async move { Draft::new(&format!("order:{number}")).begin(&shared).await });
    }
    let refused: Vec<_> = tasks.join_all().await.into_iter().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].to_string().contains("not this one"), "{refused:?}");
    let verified = ledger.verify().await.expect("it can be read");
    assert!(verified.is_sound(), "{:?}", verified.problems);
    assert_eq!((verified.operations, ledger.counters().appends), (19, 19));
}
