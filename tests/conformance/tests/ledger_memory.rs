//! The memory ledger, which is the reference, keeps the contract.

use std::sync::Arc;

use hapax_core::ledger::MemoryLedger;

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_ledger_keeps_the_contract() {
    hapax_conformance::ledger::contract(|| Arc::new(MemoryLedger::new())).await;
}
