//! Callers in one process hear of what another one writes.

use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::Ledger;
use hapax_ledger_postgres::PostgresLedger;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::support::{PATIENT, address, cluster, fresh, is_there, shared};

/// What is not told within this time is not told at all.
const FOR_EVER: Duration = Duration::from_secs(30);
/// Long enough for some questions.
const A_WHILE: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_another_process_is_told_when_it_writes() {
    if !is_there("watching what other processes do") {
        return;
    }
    let (ours, schema) = fresh().await;
    let theirs = PostgresLedger::open(address(cluster().await, &schema), PATIENT).await.expect("it can be opened");
    let drafts: Vec<Draft> = (0..20).map(|number| Draft::new(&format!("order:{number}"))).collect();
    for draft in &drafts {
        draft.begin(&shared(&ours)).await.expect("it works");
    }
    let mut waiting = JoinSet::new();
    for (number, draft) in drafts.iter().enumerate() {
        let (ours, operation) = (shared(&ours), draft.id);
        waiting.spawn(async move {
            ours.moved_on(operation, 3).expect("it can tell").await;
            number
        });
    }
    assert!(timeout(A_WHILE, waiting.join_next()).await.is_err(), "somebody was told of nothing");
    for number in [7, 3] {
        theirs.append(drafts[number].append(3, [leased()])).await.expect("it works");
        let told = timeout(FOR_EVER, waiting.join_next()).await.expect("somebody is told");
        assert_eq!(told.expect("somebody waits").expect("no panic"), number);
    }
    assert!(timeout(A_WHILE, waiting.join_next()).await.is_err(), "somebody was told of what others wait for");
    // Whoever knows less than is there waits for nothing, and so does whoever waits for nothing that is there.
    for (operation, seen) in [(drafts[7].id, 3), (Draft::new("order:unknown").id, 1)] {
        timeout(FOR_EVER, ours.moved_on(operation, seen).expect("it can tell")).await.expect("they are told at once");
    }
    waiting.shutdown().await;
    // Nobody waits now, and the next one who does is served again.
    tokio::time::sleep(A_WHILE).await;
    let last = ours.moved_on(drafts[0].id, 3).expect("it can tell");
    theirs.append(drafts[0].append(3, [leased()])).await.expect("it works");
    timeout(FOR_EVER, last).await.expect("the next one is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_is_told_if_it_cannot_be_known_any_more() {
    if !is_there("watching a ledger that goes away") {
        return;
    }
    let (ours, schema) = fresh().await;
    let draft = Draft::new("order:1");
    draft.begin(&shared(&ours)).await.expect("it works");
    let waits = ours.moved_on(draft.id, 3).expect("it can tell");
    cluster().await.sql("postgres", &format!("DROP SCHEMA {schema} CASCADE")).await.expect("it is gone");
    timeout(FOR_EVER, waits).await.expect("they are told to ask for themselves");
}
