//! What was confirmed is there, in how many commits and in how many bytes.

use std::sync::Arc;

use hapax_conformance::ledger::samples::{Draft, happened, leased};
use hapax_core::ledger::{By, Filter, Index, Ledger, LedgerError, OperationId, Phase, Serves};
use hapax_core::protocol::{Event, Heard, Receipt, Stamp, Verdict};
use hapax_ledger_postgres::{Counters, Options, PostgresLedger};
use serde_json::json;
use tokio::task::JoinSet;

use super::support::{PATIENT, address, assert_sound, cluster, fresh, fresh_schema, is_there, revision, shared, tell};

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    if !is_there("reopening") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let draft = Draft::new("order:1").claiming("ch_1").due_at(7);
    draft.begin(&shared(&ledger)).await.expect("it works");
    drop(ledger);
    let again = PostgresLedger::open(address(cluster().await, &schema), PATIENT).await.expect("it can be opened");
    assert_eq!(revision(&again, draft.id).await, Some(3));
    assert_eq!(assert_sound(&again).await, 1);
    let refused = again.append(Draft::new("order:1").first()).await;
    assert!(matches!(refused, Err(LedgerError::Moved)), "the key was forgotten: {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_who_come_together_share_the_commit() {
    if !is_there("group commit") {
        return;
    }
    let (ledger, _) = fresh().await;
    let mut callers = JoinSet::new();
    for caller in 0..32 {
        let ledger = shared(&ledger);
        callers.spawn(async move {
            for number in 0..25 {
                Draft::new(&format!("order:{caller}:{number}")).begin(&ledger).await.expect("it works");
            }
        });
    }
    callers.join_all().await;
    let Counters { commits, appends, .. } = ledger.counters();
    assert_eq!(appends, 32 * 25);
    assert!(appends >= 8 * commits, "{appends} appends took {commits} commits");
    assert_eq!(assert_sound(&ledger).await, 32 * 25);
}

#[tokio::test]
async fn a_lonely_caller_pays_two_commits_for_an_operation_and_none_for_a_refusal_or_a_look() {
    if !is_there("two commits") {
        return;
    }
    let (ledger, _) = fresh().await;
    for number in 0..5 {
        let draft = Draft::new(&format!("order:{number}"));
        draft.begin(&shared(&ledger)).await.expect("it works");
        ledger.append(draft.append(3, [happened("ch")])).await.expect("it works");
        draft.begin(&shared(&ledger)).await.expect_err("it exists");
        revision(&ledger, draft.id).await.expect("it is there");
    }
    assert_eq!(ledger.counters(), Counters { commits: 10, appends: 10, settled: 0 });
}

/// 200 bytes of arguments, 200 of receipt, a key like a UUID. A call begins with a look.
async fn whole_operation(ledger: &hapax_core::ledger::SharedLedger, number: u64) {
    let id = OperationId::fresh().to_string();
    let args = json!({"text": "x".repeat(130), "reference": id, "n": number});
    let draft = Draft::with(&id, args);
    let Index { connection, cell, key, .. } = &draft.index;
    ledger.look_up(By::Key { connection, cell, key }).await.expect("it works");
    draft.begin(ledger).await.expect("it works");
    let claim = format!("ch_{}", &id[12..]);
    let body = json!({"id": claim, "text": "y".repeat(150)});
    let verdict = Verdict::Happened { receipt: Receipt { id: claim.clone(), body: Arc::new(body) } };
    let mut done = draft.in_phase(Phase::Succeeded).claiming(&claim);
    done.at.wall_ms += 40;
    ledger.append(done.append(3, [Event::Heard(Heard { attempt: 0, verdict })])).await.expect("it works");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_operation_takes_at_most_a_kibibyte_and_a_half() {
    const OPERATIONS: u64 = 3_000;
    if !is_there("bytes of an operation") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let mut callers = JoinSet::new();
    for caller in 0..30 {
        let ledger = shared(&ledger);
        callers.spawn(async move {
            for number in 0..OPERATIONS / 30 {
                whole_operation(&ledger, number + caller).await;
            }
        });
    }
    callers.join_all().await;
    let of = |table: &str| format!("pg_total_relation_size('{schema}.{table}')");
    let tables = ["operations", "events", "keys", "claims", "texts", "places"].map(of).join("+");
    // What an update leaves behind is used again once vacuum was there, as it is in every ledger that lives on: here
    // half of the rows are written after it.
    let cluster = cluster().await;
    cluster.sql("postgres", &format!("VACUUM {schema}.operations")).await.expect("it can be vacuumed");
    let size = async || -> u64 {
        let text = cluster.sql("postgres", &format!("SELECT {tables}")).await.expect("it can be asked");
        text.parse().expect("a number")
    };
    let before = size().await;
    let mut callers = JoinSet::new();
    for caller in 0..30 {
        let ledger = shared(&ledger);
        callers.spawn(async move {
            for number in 0..OPERATIONS / 30 {
                whole_operation(&ledger, number + caller).await;
            }
        });
    }
    callers.join_all().await;
    let after = size().await;
    let bytes = (after - before) / OPERATIONS;
    tell(&format!("bytes per finished operation: first {}, after a vacuum {bytes}", before / OPERATIONS));
    assert!(bytes <= 1536, "an operation takes {bytes} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn due_work_among_ten_thousand_open_operations_is_found_by_its_index() {
    if !is_there("due work among many") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let draft = Draft::new("last").due_at(5);
    draft.begin(&shared(&ledger)).await.expect("it works");
    // Rows only: what is due is found without events.
    let many = format!(
        "INSERT INTO {schema}.operations (id, began_ms, due_ms, alike, place, revision, phase, fingerprint, key) \
         SELECT gen_random_uuid(), 0, 1000 + n, n, 1, 1, 1, sha256(n::text::bytea) || '\\x00', n::text \
         FROM generate_series(1, 10000) n; ANALYZE {schema}.operations"
    );
    let cluster = cluster().await;
    cluster.sql("postgres", &many).await.expect("they can be made");
    drop(ledger);
    let again = PostgresLedger::open(address(cluster, &schema), PATIENT).await.expect("it can be opened");
    let serves = [Serves { connection: "stripe-live".to_owned(), cell: "stripe.charge".to_owned() }];
    assert_eq!(again.due(&serves, Stamp::scripted(999), 100).await.expect("due works"), [draft.id]);
    assert_eq!(again.due(&serves, Stamp::scripted(1_100), 100).await.expect("due works").len(), 100);
    let waiting = Filter { phases: vec![Phase::Open], ..Filter::default() };
    assert_eq!(again.list(&waiting).await.expect("listing works").len(), 10_001);
    let plan = format!(
        "EXPLAIN SELECT o.id FROM {schema}.operations o WHERE o.due_ms IS NOT NULL AND o.due_ms <= 1100 \
         AND o.place = ANY (ARRAY[1]) ORDER BY o.due_ms, o.id LIMIT 100 FOR UPDATE OF o SKIP LOCKED"
    );
    let told = cluster.sql("postgres", &plan).await.expect("it can be explained");
    assert!(told.contains("operations_due"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn due_work_that_somebody_is_writing_to_is_left_to_them() {
    if !is_there("due work that is locked") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let (one, other) = (Draft::new("one").due_at(1), Draft::new("other").due_at(2));
    one.begin(&shared(&ledger)).await.expect("it works");
    other.begin(&shared(&ledger)).await.expect("it works");
    let held =
        format!("BEGIN; SELECT 1 FROM {schema}.operations WHERE id = '{}' FOR UPDATE; SELECT pg_sleep(600)", one.id);
    let cluster = cluster().await;
    let busy = tokio::spawn(async move { cluster.sql("postgres", &held).await });
    let serves = [Serves { connection: "stripe-live".to_owned(), cell: "stripe.charge".to_owned() }];
    let mut seen = Vec::new();
    while seen != [other.id] {
        seen = ledger.due(&serves, Stamp::scripted(9), 9).await.expect("due works");
        assert!(!busy.is_finished(), "it was never left out: {seen:?}");
    }
    let end = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%{}%' AND pid <> pg_backend_pid()",
        one.id
    );
    cluster.sql("postgres", &end).await.expect("it can be ended");
    busy.await.expect("no panic").expect_err("it was ended");
    // Its lock goes a moment after it.
    while seen != [one.id, other.id] {
        seen = ledger.due(&serves, Stamp::scripted(9), 9).await.expect("due works");
    }
}

#[tokio::test]
async fn events_are_append_only_for_every_program() {
    if !is_there("append-only") {
        return;
    }
    let (ledger, schema) = fresh().await;
    Draft::new("order:1").begin(&shared(&ledger)).await.expect("it works");
    let cluster = cluster().await;
    for sql in
        ["UPDATE $.events SET said = '[]'", "DELETE FROM $.events", "DELETE FROM $.operations", "DELETE FROM $.keys"]
    {
        let error = cluster.sql("postgres", &sql.replace('$', &schema)).await.expect_err(sql).to_string();
        assert!(error.contains("append-only") || error.contains("never deleted"), "{sql}: {error}");
    }
    let views = format!(
        "SELECT (SELECT count(*) FROM {schema}.journal) || ' ' || (SELECT phase FROM {schema}.operations_readable)"
    );
    assert_eq!(cluster.sql("postgres", &views).await.expect("the views for people work"), "3 open");
}

#[tokio::test]
async fn a_late_append_to_its_own_lease_counts_once() {
    if !is_there("leases") {
        return;
    }
    let (ledger, _) = fresh().await;
    let draft = Draft::new("order:1");
    draft.begin(&shared(&ledger)).await.expect("it works");
    let twice = tokio::join!(ledger.append(draft.append(3, [leased()])), ledger.append(draft.append(3, [leased()])));
    assert_eq!(u8::from(twice.0.is_ok()) + u8::from(twice.1.is_ok()), 1, "{twice:?}");
    assert_eq!(revision(&ledger, draft.id).await, Some(4));
}

/// What the server counts of a schema's tables: rows written, and rows read by going through a whole table. A session tells
/// when it ends at the latest.
async fn counted(schema: &str, written: u64) -> u64 {
    let sql = format!(
        "SELECT sum(n_tup_ins), sum(seq_tup_read) FROM pg_stat_user_tables \
         WHERE schemaname = '{schema}' AND relname IN ('operations', 'events', 'keys', 'claims')"
    );
    for _ in 0..600 {
        let text = cluster().await.sql("postgres", &sql).await.expect("it can be asked");
        let (inserted, read) = text.split_once('|').expect("two numbers");
        if inserted.parse::<u64>().expect("a number") >= written {
            return read.parse().expect("a number");
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the server never counted {written} rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_from_when_the_tables_were_empty_never_go_through_all_rows() {
    const OPERATIONS: u64 = 200;
    if !is_there("plans of prepared statements") {
        return;
    }
    let schema = fresh_schema();
    let options = Options { prepared: true, ..PATIENT };
    let made = PostgresLedger::create(address(cluster().await, &schema), options).await.expect("it can be made");
    let ledger = shared(&Arc::new(made));
    for number in 0..OPERATIONS {
        whole_operation(&ledger, number).await;
    }
    drop(ledger);
    // Of each operation: its row, its key, its claim, and events of two appends.
    let read = counted(&schema, 5 * OPERATIONS).await;
    assert!(read <= OPERATIONS, "{read} rows were gone through for {OPERATIONS} operations");
}
