//! A network to the database that falls silent, without a connection that is closed.

use std::sync::Arc;
use std::time::Duration;

use hapax_conformance::ledger::samples::Draft;
use hapax_core::ledger::{By, Ledger, LedgerError};
use hapax_ledger_postgres::{Options, PostgresLedger};
use tokio::task::JoinSet;

use super::relay::Relay;
use super::support::{PATIENT, address_at, assert_sound, cluster, fresh_schema, is_there, shared};

/// More than share a transaction, by far.
const CALLERS: u32 = 2_000;

/// Connections that may be tried while it is silent: the writer's own, and those that look whether a commit counts; not one
/// for each batch of callers, or even for each of them.
const TRIED: usize = 5;

async fn through(relay: &Relay) -> Arc<PostgresLedger> {
    let hasty = Options { patience: Duration::from_millis(500), ..PATIENT };
    let made = PostgresLedger::create(address_at(relay.port(), &fresh_schema()), hasty).await;
    Arc::new(made.expect("it can be made"))
}

fn drafts() -> Vec<Draft> {
    (0..CALLERS).map(|number| Draft::new(&format!("order:{number}"))).collect()
}

/// Callers who each begin an operation, all at once, and what they were told.
async fn begin(ledger: &Arc<PostgresLedger>, drafts: &[Draft]) -> Vec<Result<(), LedgerError>> {
    let mut callers = JoinSet::new();
    for draft in drafts {
        let (ledger, draft) = (shared(ledger), draft.clone());
        callers.spawn(async move { draft.begin(&ledger).await.map(|_| ()) });
    }
    callers.join_all().await
}

/// Each caller is told within the patience, and what was not confirmed is there once or not at all.
async fn falls_silent(after_a_commit: bool) {
    let relay = Relay::to(cluster().await.port()).await;
    let ledger = through(&relay).await;
    Draft::new("before").begin(&shared(&ledger)).await.expect("it works");
    let before = relay.connections();
    if after_a_commit {
        relay.is_silent_after_a_commit()
    } else {
        relay.is_silent(true)
    }
    let drafts = drafts();
    let told = begin(&ledger, &drafts).await;
    relay.has_fallen_silent().await;
    let tried = relay.connections() - before;
    for told in &told {
        let error = told.as_ref().expect_err("it is silent").to_string();
        let in_doubt = error.contains("the answer to a commit was lost");
        assert!(in_doubt || error.contains("did not answer in time"), "{error}");
    }
    let in_doubt = told.iter().filter(|told| format!("{told:?}").contains("commit was lost")).count();
    assert!((in_doubt > 0) == after_a_commit && in_doubt <= 256, "{in_doubt} of {CALLERS}");
    assert!(tried <= TRIED, "{tried} connections were tried while it was silent");
    let read = ledger.load(By::Id(drafts[0].id)).await.expect_err("it is silent").to_string();
    assert!(read.contains("did not answer in time"), "{read}");
    relay.is_silent(false);
    let moved = begin(&ledger, &drafts).await.into_iter().filter_map(Result::err);
    // The commit that nobody heard of counted after all, if the server got it whole.
    let moved: Vec<_> = moved.inspect(|error| assert!(matches!(error, LedgerError::Moved), "{error}")).collect();
    assert!([0, in_doubt].contains(&moved.len()), "{} of {in_doubt} are there", moved.len());
    assert_eq!(assert_sound(&ledger).await, u64::from(CALLERS) + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_over_a_network_that_falls_silent_are_told_within_the_patience() {
    if is_there("a silent network") {
        falls_silent(false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_whose_commit_goes_into_silence_are_told_within_the_patience() {
    if is_there("a network that falls silent after a commit") {
        falls_silent(true).await;
    }
}
