use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::cell::{Connection, Credentials};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::executor::Executor;
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::SharedLedger;
use hapax_core::transport::HttpTransport;
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_ledger_sqlite::SqliteLedger;

use crate::cell::{Charge, ChargeCell, integration};
use crate::load::{Committed, Target};

/// The connection's name.
const CONNECTION: &str = "bench";

/// The call guarded by hapax: executor, ledger and transport as the command line puts them together.
pub(super) struct Guarded {
    executor: Executor,
    counters: Box<dyn Fn() -> Committed + Send + Sync>,
}

impl Guarded {
    pub(super) async fn on_sqlite(provider: &str, path: &Path) -> Result<Self, String> {
        let made = if path.exists() { SqliteLedger::open(path) } else { SqliteLedger::create(path) };
        let ledger = Arc::new(made.map_err(|error| error.to_string())?);
        let counted = Arc::clone(&ledger);
        let counters = move || {
            let now = counted.counters();
            Committed { commits: now.commits, appends: now.appends }
        };
        Self::over(provider, ledger, Arc::new(SystemClock::new()), Box::new(counters)).await
    }

    pub(super) async fn on_postgres(provider: &str, url: String, schema: &str, prepared: bool) -> Result<Self, String> {
        let address = Address::parse(&url.into()).map_err(|error| error.to_string())?;
        let address = address.schema(schema).map_err(|error| error.to_string())?;
        let options = Options { prepared, ..Options::default() };
        let ledger = match PostgresLedger::open(address.clone(), options).await {
            Err(hapax_core::ledger::LedgerError::Missing(_)) => PostgresLedger::create(address, options).await,
            opened => opened,
        };
        let ledger = Arc::new(ledger.map_err(|error| error.to_string())?);
        let (counted, clock) = (Arc::clone(&ledger), ledger.clock());
        let counters = move || {
            let now = counted.counters();
            Committed { commits: now.commits, appends: now.appends }
        };
        Self::over(provider, ledger, clock, Box::new(counters)).await
    }

    async fn over(
        provider: &str,
        ledger: SharedLedger,
        clock: SharedClock,
        counters: Box<dyn Fn() -> Committed + Send + Sync>,
    ) -> Result<Self, String> {
        let connection = Connection::new(CONNECTION, integration(), Credentials::none())
            .and_then(|connection| connection.at(provider))
            .map_err(|error| error.to_string())?
            .account("bench");
        let builder = Executor::builder(ledger, Arc::new(HttpTransport::new()), NamespaceSecret::generate());
        let built = builder.clock(clock).connection(connection).build().await;
        Ok(Self { executor: built.map_err(|error| error.to_string())?, counters })
    }
}

#[async_trait]
impl Target for Guarded {
    async fn call(&self, key: &str) -> Result<(), String> {
        let args = Charge::of(key);
        let key = OperationKey::new(key).map_err(|error| error.to_string())?;
        let report = self.executor.run_cell::<ChargeCell>(CONNECTION, key, &args).await;
        let report = report.map_err(|error| error.to_string())?;
        report.receipt().map(drop).ok_or_else(|| format!("{:?}", report.outcome))
    }

    fn committed(&self) -> Committed {
        (self.counters)()
    }
}
