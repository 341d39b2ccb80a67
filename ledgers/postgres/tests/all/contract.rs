//! The PostgreSQL ledger keeps the contract of all ledgers.

use std::sync::Arc;

use hapax_conformance::ledger::contract;
use hapax_ledger_postgres::{Options, PostgresLedger};

use super::support::{PATIENT, address, cluster, fresh_schema, is_there};

async fn keeps(options: Options) {
    let cluster = cluster().await;
    contract(|| {
        let made = PostgresLedger::create(address(cluster, &fresh_schema()), options);
        let made = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(made));
        Arc::new(made.expect("a ledger can be made"))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_postgres_ledger_keeps_the_contract() {
    if is_there("the contract") {
        keeps(PATIENT).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn so_does_one_with_prepared_statements_and_several_writers() {
    if is_there("the contract with prepared statements") {
        keeps(Options { prepared: true, writers: 3, ..PATIENT }).await;
    }
}
