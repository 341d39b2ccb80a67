//! The SQLite ledger keeps the contract of all ledgers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hapax_ledger_sqlite::SqliteLedger;

#[tokio::test(flavor = "multi_thread")]
async fn the_sqlite_ledger_keeps_the_contract() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let number = AtomicU32::new(0);
    hapax_conformance::ledger::contract(|| {
        let name = format!("{}.ledger", number.fetch_add(1, Ordering::Relaxed));
        Arc::new(SqliteLedger::create(folder.path().join(name)).expect("a ledger can be made"))
    })
    .await;
}
