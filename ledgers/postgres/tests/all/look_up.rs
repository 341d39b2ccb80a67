//! What every call begins with is asked for many callers at once, and each gets the answer of a caller alone.

use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::{By, Index, LedgerError, SharedLedger, Stored};
use hapax_ledger_postgres::{Options, PostgresLedger};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::support::{PATIENT, address, cluster, fresh, fresh_schema, is_there, shared};

/// What is not answered within this time is not answered at all.
const FOR_EVER: Duration = Duration::from_secs(30);

async fn look_up(ledger: &SharedLedger, index: &Index) -> Result<Option<Stored>, LedgerError> {
    let by = By::Key { connection: &index.connection, cell: &index.cell, key: &index.key };
    let answer = timeout(FOR_EVER, ledger.look_up(by)).await.expect("everybody is answered");
    answer.map(|(_, stored)| stored)
}

/// On statements that are prepared, and on others.
async fn ledgers() -> [SharedLedger; 2] {
    let mut made = Vec::new();
    for prepared in [false, true] {
        let options = Options { prepared, ..PATIENT };
        let ledger = PostgresLedger::create(address(cluster().await, &fresh_schema()), options).await;
        made.push(shared(&std::sync::Arc::new(ledger.expect("it can be made"))));
    }
    made.try_into().unwrap_or_else(|_| unreachable!("there are two"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_of_many_callers_finds_what_was_there_when_it_asked_and_nothing_else() {
    if !is_there("looking up for many callers at once") {
        return;
    }
    for ledger in ledgers().await {
        let mut callers = JoinSet::new();
        for caller in 0..64 {
            let ledger = SharedLedger::clone(&ledger);
            callers.spawn(async move {
                for number in 0..6 {
                    let draft = Draft::new(&format!("order:{caller}:{number}"));
                    assert!(look_up(&ledger, &draft.index).await.expect("it works").is_none(), "nobody made it");
                    draft.begin(&ledger).await.expect("it works");
                    let found = look_up(&ledger, &draft.index).await.expect("it works").expect("it is there");
                    assert_eq!((found.operation, found.records.len()), (draft.id, 3));
                    ledger.append(draft.append(3, [leased()])).await.expect("it works");
                    let found = look_up(&ledger, &draft.index).await.expect("it works").expect("it is there");
                    assert_eq!((found.operation, found.records.len()), (draft.id, 4), "an answer from before");
                }
            });
        }
        while let Some(done) = callers.join_next().await {
            done.expect("each caller found its own");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_who_ask_for_the_same_all_get_it_and_those_who_go_away_take_nobody_along() {
    if !is_there("callers who look up the same, and who go away") {
        return;
    }
    for ledger in ledgers().await {
        let draft = Draft::new("order:1");
        draft.begin(&ledger).await.expect("it works");
        let mut callers = JoinSet::new();
        for caller in 0..200 {
            let (ledger, index) = (SharedLedger::clone(&ledger), draft.index.clone());
            let asking = callers.spawn(async move { look_up(&ledger, &index).await });
            if caller % 2 == 0 {
                asking.abort();
            }
        }
        let mut answered = 0;
        while let Some(done) = callers.join_next().await {
            let Ok(found) = done else { continue };
            assert_eq!(found.expect("it works").map(|found| found.records.len()), Some(3));
            answered += 1;
        }
        assert!(answered >= 100, "{answered} were answered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_damaged_operation_is_the_trouble_of_those_who_ask_for_it() {
    if !is_there("looking up a damaged operation among others") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let ledger = shared(&ledger);
    let drafts = ["order:sound", "order:cut", "order:without its text"].map(Draft::new);
    for draft in &drafts {
        draft.begin(&ledger).await.expect("it works");
    }
    for (draft, what) in drafts[1..].iter().zip(["said = '['", "common = 9999"]) {
        let damage = format!(
            "SET session_replication_role = replica; UPDATE {schema}.events SET {what} WHERE operation = '{}'",
            draft.id
        );
        cluster().await.sql("postgres", &damage).await.expect("it can be damaged");
    }
    let mut callers = JoinSet::new();
    for caller in 0..100 {
        let ledger = SharedLedger::clone(&ledger);
        let index = drafts[caller % 3].index.clone();
        callers.spawn(async move { (caller % 3 == 0, look_up(&ledger, &index).await) });
    }
    while let Some(done) = callers.join_next().await {
        let (is_sound, found) = done.expect("no panic");
        match is_sound {
            true => assert_eq!(found.expect("it is sound").map(|found| found.records.len()), Some(3)),
            false => assert!(matches!(found, Err(LedgerError::Unusable { .. })), "damage was read as {found:?}"),
        }
    }
}

/// Beyond what is read at first, the rest is read too.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_is_read_to_its_end() {
    if !is_there("long histories") {
        return;
    }
    for ledger in ledgers().await {
        let draft = Draft::new("order:long").claiming("ch_long");
        draft.begin(&ledger).await.expect("it works");
        for revision in 3..100 {
            ledger.append(draft.append(revision, [leased()])).await.expect("it works");
            let found = look_up(&ledger, &draft.index).await.expect("it works").expect("it is there");
            assert_eq!(found.records.len() as u64, revision + 1);
        }
        let Index { connection, cell, key, account, .. } = &draft.index;
        for by in [By::Id(draft.id), By::Key { connection, cell, key }, By::Claim { account, id: "ch_long" }] {
            let found = ledger.load(by.clone()).await.expect("it works").expect("it is there");
            assert_eq!(found.records.len(), 100, "{by:?}");
        }
    }
}
