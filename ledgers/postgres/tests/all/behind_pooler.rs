//! Behind a PgBouncer in transaction mode, which is killed under work; and behind one in another mode.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapax_conformance::ledger::contract;
use hapax_conformance::ledger::samples::Draft;
use hapax_core::ledger::{By, Ledger, LedgerError, OperationId};
use hapax_core::protocol::Event;
use hapax_ledger_postgres::{Options, PostgresLedger};

use super::crash::grow;
use super::pooler::Pooler;
use super::support::{PATIENT, address_at, assert_sound, cluster, fresh, fresh_schema, pooler_is_there, shared};

async fn in_front(mode: &str, size: u32) -> Pooler {
    Pooler::start(cluster().await, mode, size).expect("a pooler")
}

/// Fewer connections to the server than a ledger alone would hold.
#[tokio::test(flavor = "multi_thread")]
async fn the_contract_is_kept_over_two_connections_of_a_pooler() {
    if !pooler_is_there("the contract behind a pooler") {
        return;
    }
    let pooler = in_front("transaction", 2).await;
    let options = Options { writers: 2, readers: 3, ..PATIENT };
    contract(|| {
        let made = PostgresLedger::create(address_at(pooler.port(), &fresh_schema()), options);
        let made = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(made));
        Arc::new(made.expect("a ledger can be made"))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_twice_when_the_pooler_is_killed_under_work() {
    if !pooler_is_there("a pooler that is killed") {
        return;
    }
    let mut pooler = in_front("transaction", 3).await;
    let schema = fresh_schema();
    let options = Options { writers: 2, ..PATIENT };
    let made = PostgresLedger::create(address_at(pooler.port(), &schema), options).await;
    let ledger = Arc::new(made.expect("it can be made"));
    let told = Arc::new(Mutex::new(HashMap::<OperationId, u64>::new()));
    let note = {
        let told = Arc::clone(&told);
        move |id, revision| {
            told.lock().expect("nobody panicked").insert(id, revision);
        }
    };
    let growing = tokio::spawn(grow(shared(&ledger), 16, note));
    let confirmed = || told.lock().expect("nobody panicked").len();
    let mut rounds = 0;
    // Until one of its deaths hit a commit, which a few do at the latest.
    while rounds < 3 || (ledger.counters().settled == 0 && rounds < 60) {
        rounds += 1;
        let so_far = confirmed();
        while confirmed() < so_far + 5 && !growing.is_finished() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        assert!(!growing.is_finished(), "a caller was given an error though the pooler came back");
        tokio::task::block_in_place(|| pooler.kill().and_then(|()| pooler.go_on())).expect("it comes back");
    }
    growing.abort();
    let confirmed = told.lock().expect("nobody panicked").clone();
    assert!(ledger.counters().settled > 0, "no commit was hit in {rounds} rounds, so this proves nothing");
    for (id, revision) in &confirmed {
        let held = ledger.load(By::Id(*id)).await.expect("loading works").expect("it was confirmed").records;
        assert!(held.len() as u64 >= *revision, "{id} was confirmed at {revision} and is at {}", held.len());
        // Each step once and in its place.
        for (seen, record) in (3..).zip(&held[3..]) {
            let Event::Noted { name, .. } = &record.event else { panic!("{record:?} is out of place") };
            assert_eq!(*name, format!("{seen}"), "{id}");
        }
    }
    assert!(assert_sound(&ledger).await >= confirmed.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_is_away_is_told_and_one_that_is_back_is_used() {
    if !pooler_is_there("a pooler that is away") {
        return;
    }
    let mut pooler = in_front("transaction", 2).await;
    let address = address_at(pooler.port(), &fresh_schema());
    let quick = Options { patience: Duration::from_secs(1), ..PATIENT };
    let ledger = Arc::new(PostgresLedger::create(address.clone(), quick).await.expect("it can be made"));
    Draft::new("before").begin(&shared(&ledger)).await.expect("it works");
    pooler.kill().expect("it can be killed");
    let away = Draft::new("away").begin(&shared(&ledger)).await;
    assert!(matches!(away, Err(LedgerError::Unusable { .. })), "{away:?}");
    ledger.header().await.expect_err("nobody is there");
    pooler.go_on().expect("it comes back");
    Draft::new("away").begin(&shared(&ledger)).await.expect("it was not written");
    let wrong = PostgresLedger::open(address.password(&"wrong".to_owned().into()), quick).await;
    let told = wrong.expect_err("it is the wrong password").to_string();
    assert!(told.contains("doesn't let us in") && !told.contains("wrong"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_transaction_mode_is_seen_and_prepared_statements_are_refused_if_it_loses_them() {
    if !pooler_is_there("prepared statements behind a pooler") {
        return;
    }
    let pooler = in_front("transaction", 2).await;
    let address = address_at(pooler.port(), &fresh_schema());
    let ledger = PostgresLedger::create(address.clone(), PATIENT).await.expect("it can be made");
    let health = ledger.health().await.expect("it can be asked");
    assert!(health.pooler_seen, "{health:?}");
    let prepared = PostgresLedger::open(address.clone(), Options { prepared: true, ..PATIENT }).await;
    // From 1.21 on it can follow them, if it is told to.
    match health.pooler_follows {
        true => drop(prepared.expect("it follows them")),
        false => {
            let told = prepared.expect_err("a statement of one may be run for another").to_string();
            assert!(told.contains("doesn't follow prepared statements") && told.contains("take prepared_s"), "{told}");
        }
    }
    // What was tried is not left behind for others to meet, in any of its connections.
    let left = "SELECT count(*) FROM pg_prepared_statements WHERE name ~ '^s[0-9]+$'";
    let held = Pooler::sql(&pooler, left, 2);
    assert_eq!(held.expect("it can be asked"), ["0", "0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_session_mode_is_as_good_as_none() {
    if !pooler_is_there("a pooler in session mode") {
        return;
    }
    let pooler = in_front("session", 8).await;
    let options = Options { prepared: true, ..PATIENT };
    let made = PostgresLedger::create(address_at(pooler.port(), &fresh_schema()), options).await;
    let ledger = Arc::new(made.expect("its connections are nobody else's"));
    for number in 0..3 {
        Draft::new(&format!("order:{number}")).begin(&shared(&ledger)).await.expect("it works");
    }
    let health = ledger.health().await.expect("it can be asked");
    assert!(!health.pooler_seen, "{health:?}");
    assert_eq!(assert_sound(&ledger).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_statement_mode_is_refused_at_the_start() {
    if !pooler_is_there("a pooler in statement mode") {
        return;
    }
    let (_, schema) = fresh().await;
    let pooler = in_front("statement", 2).await;
    for refused in [
        PostgresLedger::open(address_at(pooler.port(), &schema), PATIENT).await,
        PostgresLedger::create(address_at(pooler.port(), &fresh_schema()), PATIENT).await,
    ] {
        let told = refused.expect_err("nothing can be written together").to_string();
        assert!(told.contains("set its pool_mode to transaction or session"), "{told}");
    }
}
