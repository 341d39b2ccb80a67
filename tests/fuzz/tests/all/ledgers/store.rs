//! The ledgers that are played to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hapax_core::ledger::{MemoryLedger, SharedLedger};
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};
use tempfile::TempDir;

use super::planted::{Bug, Planted};

pub(super) enum Store {
    Memory,
    Sqlite,
    Postgres(Box<Cluster>),
    Planted(Bug),
}

/// One ledger.
pub(super) enum Stored {
    Unkept(SharedLedger),
    File(TempDir, Arc<SqliteLedger>),
    Database(Address, Arc<PostgresLedger>),
}

/// A cluster, if PostgreSQL is installed; if not, says what is left out.
pub(super) async fn cluster() -> Option<Cluster> {
    if available() {
        return Some(Cluster::start().await.expect("a cluster can be made"));
    }
    use std::io::Write;
    let line = b"left out: random calls of the ledger on PostgreSQL: none is installed (initdb, pg_ctl, psql)\n";
    std::io::stderr().lock().write_all(line).expect("somebody listens");
    None
}

/// As few connections as it works with: a ledger is made for each sequence.
fn options() -> Options {
    Options { readers: 1, ..Options::default() }
}

impl Store {
    /// An empty ledger.
    pub(super) async fn fresh(&self) -> Stored {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        match self {
            Self::Memory => Stored::Unkept(Arc::new(MemoryLedger::new())),
            Self::Planted(bug) => Stored::Unkept(Arc::new(Planted::with(*bug))),
            Self::Sqlite => {
                let folder = tempfile::tempdir().expect("a folder");
                let ledger = SqliteLedger::create(folder.path().join("ledger")).expect("a ledger");
                Stored::File(folder, Arc::new(ledger))
            }
            Self::Postgres(cluster) => {
                let url = format!("postgres://{USER}@127.0.0.1:{}/postgres?sslmode=disable", cluster.port());
                let address = Address::parse(&url.into()).expect("an address").password(&PASSWORD.to_owned().into());
                let schema = format!("fuzz_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
                let address = address.schema(&schema).expect("a name");
                let ledger = PostgresLedger::create(address.clone(), options()).await.expect("a ledger");
                Stored::Database(address, Arc::new(ledger))
            }
        }
    }
}

impl Stored {
    pub(super) fn ledger(&self) -> SharedLedger {
        match self {
            Self::Unkept(ledger) => ledger.clone(),
            Self::File(_, ledger) => ledger.clone(),
            Self::Database(_, ledger) => ledger.clone(),
        }
    }

    /// Opens it again, as another process would, while nobody uses it.
    pub(super) async fn reopen(&mut self) {
        match self {
            Self::Unkept(_) => {}
            Self::File(folder, ledger) => {
                *ledger = Arc::new(SqliteLedger::open(folder.path().join("ledger")).expect("it opens again"));
            }
            Self::Database(address, ledger) => {
                let again = PostgresLedger::open(address.clone(), options()).await;
                *ledger = Arc::new(again.expect("it opens again"));
            }
        }
    }

    /// The ledger's own check.
    pub(super) async fn verify(&self) -> Result<(), String> {
        let problems = match self {
            Self::Unkept(_) => Vec::new(),
            Self::File(_, ledger) => ledger.verify().await.map_err(|error| error.to_string())?.problems,
            Self::Database(_, ledger) => ledger.verify().await.map_err(|error| error.to_string())?.problems,
        };
        if problems.is_empty() { Ok(()) } else { Err(format!("verify: {problems:?}")) }
    }
}
