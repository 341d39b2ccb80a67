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
use super::support::{PATIENT, address_at, assert_sound, cluster, fresh_schema, pooler_is_there, shared, tell};

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
async fn probe_modes() {
    for mode in ["transaction", "session", "statement"] {
        for prepared in [false, true] {
            let pooler = in_front(mode, 2).await;
            let address = address_at(pooler.port(), &fresh_schema());
            let made =
                PostgresLedger::create(address, Options { prepared, patience: Duration::from_secs(3), ..PATIENT })
                    .await;
            match made {
                Ok(ledger) => {
                    tell(&format!("{mode} {prepared}: {:?}", ledger.health().await));
                    let ledger = Arc::new(ledger);
                    for n in 0..5 {
                        let r = Draft::new(&format!("{n}")).begin(&shared(&ledger)).await;
                        tell(&format!("   {:?}", r));
                    }
                }
                Err(e) => tell(&format!("{mode} {prepared}: {e}")),
            }
        }
    }
}
