//! The SQLite ledger keeps the contract of all ledgers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hapax_ledger_sqlite::{Options, SqliteLedger};

async fn keeps_the_contract(options: Options) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let number = AtomicU32::new(0);
    hapax_conformance::ledger::contract(|| {
        let name = format!("{}.ledger", number.fetch_add(1, Ordering::Relaxed));
        Arc::new(SqliteLedger::create_with(folder.path().join(name), options).expect("a ledger can be made"))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sqlite_ledger_keeps_the_contract() {
    keeps_the_contract(Options::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_does_so_while_leads_are_carried_over() {
    keeps_the_contract(Options { leads_in_memory: 0, ..Options::default() }).await;
}
