//! One cluster for all tests of this program, and a schema for each ledger.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hapax_core::ledger::{By, Ledger, OperationId, SharedLedger};
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};
use tokio::sync::OnceCell;

/// Tests must not take longer to be told about a database that is gone than people would wait for.
pub(crate) const PATIENT: Options = Options {
    patience: std::time::Duration::from_secs(20),
    queue: 4096,
    writers: 1,
    readers: 2,
    prepared: false,
    lossless_failover: false,
};

/// Whether there is a PostgreSQL; if not, says what is left out.
pub(crate) fn is_there(test: &str) -> bool {
    let there = available();
    if !there {
        tell(&format!("left out: {test}: no PostgreSQL is installed (initdb, pg_ctl, psql)"));
    }
    there
}

/// Whether there is a PgBouncer and what it leads to; if not, says what is left out.
pub(crate) fn pooler_is_there(test: &str) -> bool {
    let there = super::pooler::program().is_some();
    if !there {
        tell(&format!("left out: {test}: no PgBouncer is installed (pgbouncer)"));
    }
    there && is_there(test)
}

/// Past the test harness, which would keep it to the end.
pub(crate) fn tell(line: &str) {
    use std::io::Write;
    let mut out = std::io::stderr().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).expect("somebody listens");
}

/// The cluster that tests share which leave it alone. Each test has a runtime of its own, so what belongs to one is
/// made anew; the cluster itself is no more than a child process and a port.
pub(crate) async fn cluster() -> &'static Cluster {
    static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();
    CLUSTER.get_or_init(own_cluster).await
}

/// A cluster that a test may crash.
pub(crate) async fn own_cluster() -> Cluster {
    Cluster::start().await.expect("a cluster can be made")
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A schema that nobody else uses.
pub(crate) fn fresh_schema() -> String {
    format!("ledger_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Where a ledger in this schema is, through this port.
pub(crate) fn address_at(port: u16, schema: &str) -> Address {
    let url = format!("postgres://{USER}@127.0.0.1:{port}/postgres?sslmode=disable");
    let address = Address::parse(&url.into()).expect("it is an address");
    address.password(&PASSWORD.to_owned().into()).schema(schema).expect("it is a name")
}

pub(crate) fn address(cluster: &Cluster, schema: &str) -> Address {
    address_at(cluster.port(), schema)
}

/// A new ledger on the shared cluster, and its schema.
pub(crate) async fn fresh() -> (Arc<PostgresLedger>, String) {
    let schema = fresh_schema();
    let ledger = PostgresLedger::create(address(cluster().await, &schema), PATIENT).await;
    (Arc::new(ledger.expect("it can be made")), schema)
}

pub(crate) fn shared(ledger: &Arc<PostgresLedger>) -> SharedLedger {
    Arc::clone(ledger) as SharedLedger
}

pub(crate) async fn revision(ledger: &PostgresLedger, id: OperationId) -> Option<usize> {
    let stored = ledger.load(By::Id(id)).await.expect("loading works");
    stored.map(|stored| stored.records.len())
}

pub(crate) async fn assert_sound(ledger: &PostgresLedger) -> u64 {
    let verified = ledger.verify().await.expect("it can be read to the end");
    assert!(verified.is_sound(), "{:?}", verified.problems);
    verified.operations
}
