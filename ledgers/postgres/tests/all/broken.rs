//! Every way in which a ledger can't be used is told, and none is taken for an empty one.

use std::sync::Arc;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::{Ledger, LedgerError, Retention};
use hapax_core::protocol::Stamp;
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_standin::third_party::postgres::{PASSWORD, USER};

use super::support::{
    PATIENT, address, address_at, assert_sound, cluster, fresh, fresh_schema, is_there, own_cluster, revision, shared,
};

#[track_caller]
fn assert_says(error: &LedgerError, text: &str) {
    let told = error.to_string();
    assert!(told.contains(text), "{told:?} should contain {text:?}");
    assert!(!told.contains(PASSWORD), "{told}");
}

async fn refused(address: Address) -> LedgerError {
    PostgresLedger::open(address, PATIENT).await.expect_err("it can't be used")
}

#[tokio::test]
async fn what_is_not_there_is_missing_and_what_is_there_is_not_overwritten() {
    if !is_there("missing ledgers") {
        return;
    }
    let cluster = cluster().await;
    let nowhere = refused(address(cluster, "nobody_made_this")).await;
    assert!(matches!(nowhere, LedgerError::Missing(_)), "{nowhere:?}");
    let (_, schema) = fresh().await;
    let again = PostgresLedger::create(address(cluster, &schema), PATIENT).await.expect_err("it is there");
    assert_says(&again, "is never overwritten");
    // A schema that somebody else had to make, and that is empty, will do.
    let prepared = fresh_schema();
    cluster.sql("postgres", &format!("CREATE SCHEMA {prepared}")).await.expect("it can be made");
    PostgresLedger::create(address(cluster, &prepared), PATIENT).await.expect("it is empty");
}

#[tokio::test]
async fn a_wrong_password_a_wrong_database_and_nobody_there_are_told() {
    if !is_there("what can be wrong with an address") {
        return;
    }
    let cluster = cluster().await;
    let wrong = address(cluster, "hapax").password(&"wrong".to_owned().into());
    assert_says(&refused(wrong).await, "doesn't let us in");
    let url = format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/nothing?sslmode=disable", cluster.port());
    assert_says(&refused(Address::parse(&url.into()).expect("an address")).await, "does not exist");
    assert_says(&refused(address_at(1, "hapax")).await, "can't be reached");
}

#[tokio::test]
async fn a_newer_format_and_a_role_without_rights_are_told() {
    if !is_there("newer formats") {
        return;
    }
    let (_, schema) = fresh().await;
    let cluster = cluster().await;
    let sql = |text: &str| text.replace('$', &schema);
    cluster.sql("postgres", &sql("UPDATE $.header SET format = 99")).await.expect("SQL works");
    assert_says(&refused(address(cluster, &schema)).await, "written by a newer hapax");
    cluster.sql("postgres", &sql("UPDATE $.header SET format = 1")).await.expect("SQL works");
    cluster.sql("postgres", &sql("CREATE ROLE r_$ LOGIN PASSWORD 'p'")).await.expect("SQL works");
    let url = format!("postgres://r_{schema}:p@127.0.0.1:{}/postgres?sslmode=disable", cluster.port());
    let as_role = || Address::parse(&url.clone().into()).and_then(|one| one.schema(&schema)).expect("an address");
    assert_says(&refused(as_role()).await, "may not do that");
    // What the documentation lists is enough, and not more.
    let grants = include_str!("../../grants.sql")
        .replace("hapax_app", &format!("r_{schema}"))
        .replace("SCHEMA hapax", &sql("SCHEMA $"))
        .replace("hapax.", &sql("$."));
    cluster.sql("postgres", &grants).await.expect("they can be granted");
    let ledger = Arc::new(PostgresLedger::open(as_role(), PATIENT).await.expect("it may"));
    let draft = Draft::new("order:1").claiming("ch_1");
    draft.begin(&shared(&ledger)).await.expect("it may append");
    ledger.append(Draft { ..draft.clone() }.claiming("ch_2").append(3, [leased()])).await.expect("it may");
    ledger.adopt("check").await.expect("it may adopt");
    ledger.prune(&Retention::of_all(Stamp::scripted(10_000_000), 0)).await.expect("it may prune");
    ledger.due(&[], Stamp::scripted(1), 1).await.expect("it may take work");
    ledger.note_restored(Stamp::scripted(1), "check").await.expect("it may note a restore");
    assert_sound(&ledger).await;
    assert!(ledger.health().await.expect("it may ask").knows_origin, "a put-back backup would not be noticed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_commit_that_is_off_is_raised_and_told() {
    if !is_there("synchronous_commit") {
        return;
    }
    let cluster = own_cluster().await;
    cluster.sql("postgres", "ALTER ROLE postgres SET synchronous_commit = off").await.expect("SQL works");
    let ledger = PostgresLedger::create(address(&cluster, "hapax"), PATIENT).await.expect("it can be made");
    let ledger = Arc::new(ledger);
    let health = ledger.health().await.expect("it can be asked");
    assert_eq!((health.synchronous_commit.as_str(), health.fsync, health.pooler_seen), ("off", true, false));
    assert!(health.is_supported && health.knows_origin && health.clock_ahead_ms.abs() < 30_000, "{health:?}");
    // Without the raise, what the log writer has not flushed yet goes with the server.
    for number in 0..20 {
        let draft = Draft::new(&format!("order:{number}"));
        draft.begin(&shared(&ledger)).await.expect("it works");
        if number % 10 == 9 {
            cluster.crash().await.expect("it comes back");
        }
        assert_eq!(revision(&ledger, draft.id).await, Some(3));
    }
    assert_eq!(assert_sound(&ledger).await, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_cluster_or_timeline_is_a_restored_ledger_until_it_is_noted() {
    if !is_there("restored ledgers") {
        return;
    }
    let (ledger, schema) = fresh().await;
    ledger.adopt("check").await.expect("it works");
    let draft = Draft::new("order:1");
    draft.begin(&shared(&ledger)).await.expect("it works");
    let cluster = cluster().await;
    for (moved, says) in [("system = system - 1", "another cluster"), ("timeline = timeline - 1", "another timeline")] {
        cluster.sql("postgres", &format!("UPDATE {schema}.header SET {moved}")).await.expect("SQL works");
        assert_says(&refused(address(cluster, &schema)).await, says);
        // Who was there before is refused too, in the middle of its work.
        let append = ledger.append(draft.append(3, [leased()])).await.expect_err("it was put back");
        assert_says(&append, says);
        let let_in = PostgresLedger::open_restored(address(cluster, &schema), PATIENT).await.expect("on purpose");
        let_in.note_restored(Stamp::scripted(5), "check").await.expect("it can be noted");
        let early = PostgresLedger::open(address(cluster, &schema), PATIENT).await.expect_err("it isn't at home yet");
        assert_says(&early, says);
        let_in.settle_down().await.expect("it can be noted");
        assert_eq!(let_in.header().await.expect("it is there").restored, Some(Stamp::scripted(5)));
        PostgresLedger::open(address(cluster, &schema), PATIENT).await.expect("it is at home again");
    }
    cluster.sql("postgres", &format!("UPDATE {schema}.header SET timeline = timeline - 1")).await.expect("SQL works");
    let trusting = Options { lossless_failover: true, ..PATIENT };
    PostgresLedger::open(address(cluster, &schema), trusting).await.expect("the replica had everything");
    PostgresLedger::open(address(cluster, &schema), PATIENT).await.expect("that was noted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_that_goes_back_while_it_is_used_is_refused() {
    if !is_there("ledgers that go back") {
        return;
    }
    let (ledger, schema) = fresh().await;
    Draft::new("order:1").begin(&shared(&ledger)).await.expect("it works");
    Draft::new("order:2").begin(&shared(&ledger)).await.expect("it works");
    // As a copy of the disk of before would have it, on the same cluster and timeline.
    let back = format!("SELECT setval('{schema}.events_sequence', 1, false)");
    cluster().await.sql("postgres", &back).await.expect("SQL works");
    let refused = Draft::new("order:3").begin(&shared(&ledger)).await.expect_err("it went back");
    assert_says(&refused, "went back to an earlier state");
    ledger.note_restored(Stamp::scripted(5), "check").await.expect("it can be noted");
    Draft::new("order:3").begin(&shared(&ledger)).await.expect("it was noted");
}

#[tokio::test(flavor = "multi_thread")]
async fn verifying_finds_what_does_not_fit() {
    if !is_there("verifying") {
        return;
    }
    for (sql, words) in [
        ("UPDATE $.operations SET phase = 3", "stands elsewhere"),
        ("UPDATE $.operations SET revision = 9", "events instead of 9"),
        ("UPDATE $.operations SET fingerprint = fingerprint || '' , key = 'other'", "doesn't lead to it"),
        ("BEGIN; SET LOCAL hapax_ledger.pruning = 'on'; UPDATE $.events SET revision = 2; COMMIT", "has no event 1"),
        ("BEGIN; SET LOCAL hapax_ledger.pruning = 'on'; UPDATE $.events SET said = '[{}]'; COMMIT", "can't be read"),
        ("INSERT INTO $.keys VALUES (gen_random_uuid(), gen_random_uuid())", "rows of keys lead to no operation"),
        ("DELETE FROM $.claims", "the claim of operation"),
    ] {
        let (ledger, schema) = fresh().await;
        Draft::new("order:1").claiming("ch_1").begin(&shared(&ledger)).await.expect("it works");
        assert_sound(&ledger).await;
        cluster().await.sql("postgres", &sql.replace('$', &schema)).await.expect(sql);
        let problems = ledger.verify().await.expect("it can be read").problems.join("\n");
        assert!(problems.contains(words), "{sql}: {problems:?}");
    }
}
