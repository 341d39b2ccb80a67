//! A sealed ledger keeps the contract of all ledgers, whichever it lies over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hapax_conformance::ledger::contract;
use hapax_core::ledger::{MemoryLedger, SharedLedger};
use hapax_ledger_sealed::{Keys, SealedLedger};
use hapax_ledger_sqlite::SqliteLedger;

fn sealed(below: SharedLedger) -> SharedLedger {
    Arc::new(SealedLedger::new(below, Keys::parse(&Keys::generate()).expect("a key")))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_ledger_in_memory_keeps_the_contract() {
    contract(|| sealed(Arc::new(MemoryLedger::new()))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_sqlite_ledger_keeps_the_contract() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let number = AtomicU32::new(0);
    contract(|| {
        let name = format!("{}.ledger", number.fetch_add(1, Ordering::Relaxed));
        sealed(Arc::new(SqliteLedger::create(folder.path().join(name)).expect("a ledger can be made")))
    })
    .await;
}
