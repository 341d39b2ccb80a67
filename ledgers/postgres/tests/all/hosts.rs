//! Several hosts on one ledger, each with connections of its own, and hosts whose clocks differ.

use std::sync::Arc;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::clock::Clock;
use hapax_core::ledger::{Ledger, LedgerError, OperationId};
use hapax_ledger_postgres::PostgresLedger;
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::support::{PATIENT, address, assert_sound, cluster, fresh, is_there, own_cluster, shared};

async fn hosts(count: usize) -> Vec<Arc<PostgresLedger>> {
    let (first, schema) = fresh().await;
    let mut hosts = vec![first];
    for _ in 1..count {
        let one = PostgresLedger::open(address(cluster().await, &schema), PATIENT).await.expect("it can be opened");
        hosts.push(Arc::new(one));
    }
    hosts
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_share_keys_and_claims() {
    if !is_there("hosts that share keys") {
        return;
    }
    let hosts = hosts(4).await;
    let mut tasks = JoinSet::new();
    for (host, ledger) in hosts.iter().enumerate() {
        let ledger = shared(ledger);
        tasks.spawn(async move {
            let mut won = Vec::new();
            let mut inner = JoinSet::new();
            // Each begins somewhere else, and all at once: in one batch there are many.
            for number in (host * 25..host * 25 + 100).map(|number| number % 100) {
                let ledger = Arc::clone(&ledger);
                inner.spawn(async move {
                    let key = Draft::new(&format!("order:{number}")).begin(&ledger).await;
                    let mine = Draft::new(&format!("{host}:{number}")).claiming(&format!("ch_{number}"));
                    let claim = mine.begin(&ledger).await;
                    assert!(matches!(key, Ok(_) | Err(LedgerError::Moved)), "{key:?}");
                    assert!(matches!(claim, Ok(_) | Err(LedgerError::Claimed(_))), "{claim:?}");
                    (number, u32::from(key.is_ok()), u32::from(claim.is_ok()))
                });
            }
            while let Some(one) = inner.join_next().await {
                won.push(one.expect("no panic"));
            }
            won
        });
    }
    let mut keys = [0; 100];
    let mut claims = [0; 100];
    for won in tasks.join_all().await {
        for (number, key, claim) in won {
            keys[number] += key;
            claims[number] += claim;
        }
    }
    assert_eq!((keys, claims), ([1; 100], [1; 100]), "each goes to one of the hosts");
    assert_eq!(assert_sound(&hosts[0]).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_hosts_at_the_same_moment_one_sees_the_other() {
    if !is_there("similar ones of two hosts") {
        return;
    }
    let hosts = hosts(2).await;
    for round in 0..40 {
        let barrier = Arc::new(Barrier::new(2));
        let agent = |host: usize| {
            let (ledger, barrier) = (shared(&hosts[host]), Arc::clone(&barrier));
            let draft = Draft::with(&format!("{host}:{round}"), json!({"charge": round}));
            tokio::spawn(async move {
                barrier.wait().await;
                (draft.id, draft.begin(&ledger).await.expect("different keys don't conflict").similar)
            })
        };
        let (one, other) = (agent(0), agent(1));
        let (one, other) = (one.await.expect("no panic"), other.await.expect("no panic"));
        let saw = [one.1 == [other.0], other.1 == [one.0]];
        assert!(saw[0] != saw[1], "in round {round} {} saw the other", if saw[0] { "each" } else { "neither" });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_of_hosts_that_cross_do_not_wait_in_a_circle() {
    if !is_there("batches that cross") {
        return;
    }
    let hosts = hosts(3).await;
    let drafts: Arc<Vec<Draft>> = Arc::new((0..40).map(|number| Draft::new(&format!("order:{number}"))).collect());
    for draft in drafts.iter() {
        draft.begin(&shared(&hosts[0])).await.expect("it works");
    }
    let mut tasks = JoinSet::new();
    for (host, ledger) in hosts.iter().enumerate() {
        for number in 0..drafts.len() {
            let (ledger, drafts) = (shared(ledger), Arc::clone(&drafts));
            // One host in this order, the next one in that.
            let at = if host % 2 == 0 { number } else { drafts.len() - 1 - number };
            tasks.spawn(async move { (at, ledger.append(drafts[at].append(3, [leased()])).await) });
        }
    }
    let mut wins = vec![0; drafts.len()];
    for (at, answer) in tasks.join_all().await {
        assert!(matches!(answer, Ok(_) | Err(LedgerError::Moved)), "{answer:?}");
        wins[at] += usize::from(answer.is_ok());
    }
    assert_eq!(wins, vec![1; drafts.len()]);
    assert_eq!(assert_sound(&hosts[1]).await, 40);
}

#[tokio::test]
async fn all_hosts_have_the_time_of_the_database() {
    if !is_there("the clock of the database") {
        return;
    }
    let (ledger, _) = fresh().await;
    Draft::new(&OperationId::fresh().to_string()).begin(&shared(&ledger)).await.expect("it works");
    let asked = cluster().await.sql("postgres", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").await;
    let database: i64 = asked.expect("it can be asked").parse().expect("a number");
    let ours = ledger.clock().now().wall_ms;
    assert!(ours >= database && ours < database + 30_000, "{ours} against {database}");
}

/// A host that only waits for work asks for the header and writes nothing.
#[tokio::test]
async fn a_host_that_only_reads_keeps_the_time_of_the_database() {
    if !is_there("the clock of the database, read without writing") {
        return;
    }
    // A clock of the database that can be set: what is asked for without its schema is found here first.
    const SETTABLE: &str = "CREATE SCHEMA settable; \
         CREATE TABLE settable.ahead (by interval); INSERT INTO settable.ahead VALUES ('0 s'); \
         CREATE FUNCTION settable.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS \
           'SELECT pg_catalog.clock_timestamp() + by FROM settable.ahead'; \
         ALTER ROLE postgres SET search_path = settable, pg_catalog, public";
    let cluster = own_cluster().await;
    cluster.sql("postgres", SETTABLE).await.expect("SQL works");
    let ledger = PostgresLedger::create(address(&cluster, "hapax"), PATIENT).await.expect("it can be made");
    ledger.header().await.expect("it can be read");
    assert!(ledger.clock().ahead_ms().abs() < 30_000, "{}", ledger.clock().ahead_ms());
    cluster.sql("postgres", "UPDATE settable.ahead SET by = '1 hour'").await.expect("SQL works");
    ledger.header().await.expect("it can be read");
    let behind = -ledger.clock().ahead_ms();
    assert!((3_570_000..3_630_000).contains(&behind), "{behind}");
}
