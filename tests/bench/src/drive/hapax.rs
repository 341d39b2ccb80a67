use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::cell::{Cell, Connection, Credentials};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::executor::{Executor, RunReport, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::{LedgerError, Serves, SharedLedger};
use hapax_core::transport::{HttpTransport, SharedTransport};
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_ledger_sqlite::SqliteLedger;
use tokio::task::JoinSet;

use super::Fill;
use super::fill::Instant;
use crate::cell::{Charge, ChargeCell, integration};
use crate::keys::Order;
use crate::load::{Committed, Target};
use crate::moment::{Moment, unique_now};

/// How long a caller waits for an answer that comes at once.
const PATIENCE_MS: u64 = 120_000;
/// Less than the executor waits before it tries again.
const BRIEFLY_MS: u64 = 300;
const DAY_MS: i64 = 24 * 3_600_000;
/// The connection's name.
const CONNECTION: &str = "bench";

/// What executors over one ledger share.
struct Parts {
    provider: String,
    ledger: SharedLedger,
    clock: SharedClock,
}

/// The call guarded by hapax: executor, ledger and transport as the command line puts them together.
pub(super) struct Guarded {
    executor: Executor,
    parts: Parts,
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
            Err(LedgerError::Missing(_)) => PostgresLedger::create(address, options).await,
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
        let parts = Parts { provider: provider.to_owned(), ledger, clock };
        let executor = parts.executor(Arc::new(HttpTransport::new())).await?;
        Ok(Self { executor, parts, counters })
    }
}

impl Parts {
    async fn executor(&self, transport: SharedTransport) -> Result<Executor, String> {
        let connection = Connection::new(CONNECTION, integration(), Credentials::none())
            .and_then(|connection| connection.at(&self.provider))
            .map_err(|error| error.to_string())?
            .account("bench");
        // A ledger is opened again in a run; with another secret it would count as restored.
        let secret = NamespaceSecret::parse(&"5ec7e7".repeat(11)[..64]).map_err(|error| error.to_string())?;
        let builder = Executor::builder(Arc::clone(&self.ledger), transport, secret);
        let built = builder.clock(Arc::clone(&self.clock)).connection(connection).build().await;
        built.map_err(|error| error.to_string())
    }

    /// Makes so many operations; each caller waits for so many milliseconds at most.
    async fn make(&self, count: u64, transport: SharedTransport, wait_ms: u64) -> Result<(), String> {
        let executor = self.executor(transport).await?;
        let (seed, next) = (unique_now(), Arc::new(AtomicU64::new(0)));
        let mut makers: JoinSet<Result<(), String>> = JoinSet::new();
        for _ in 0..MAKERS {
            let (executor, next) = (executor.clone(), Arc::clone(&next));
            makers.spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return Ok(());
                    }
                    run(&executor, &Order::Random.key(seed, number), wait_ms).await?;
                }
            });
        }
        while let Some(made) = makers.join_next().await {
            made.map_err(|error| error.to_string())??;
        }
        Ok(())
    }
}

/// How many make operations at the same time, when a ledger is filled.
const MAKERS: u64 = 256;

/// Runs one operation; a caller waits for so many milliseconds.
async fn run(executor: &Executor, key: &str, wait_ms: u64) -> Result<RunReport, String> {
    let args = serde_json::to_value(Charge::of(key)).map_err(|error| error.to_string())?;
    let key = OperationKey::new(key).map_err(|error| error.to_string())?;
    let request = RunRequest::new(CONNECTION, ChargeCell::SPEC.id, key, args).wait_ms(wait_ms);
    executor.run(request).await.map_err(|error| error.to_string())
}

#[async_trait]
impl Target for Guarded {
    async fn call(&self, key: &str) -> Result<(), String> {
        let report = run(&self.executor, key, PATIENCE_MS).await?;
        report.receipt().map(drop).ok_or_else(|| format!("{:?}", report.outcome))
    }

    async fn fill(&self, fill: Fill) -> Result<u64, String> {
        self.parts.make(fill.finished, Arc::new(Instant::answers()), PATIENCE_MS).await?;
        // Its caller is gone before the next try would be made.
        self.parts.make(fill.open, Arc::new(Instant::loses()), BRIEFLY_MS).await?;
        let began = Moment::now();
        while self.due().await? < fill.open {
            if began.elapsed() > Duration::from_millis(PATIENCE_MS) {
                return Err("what was left open is not all due".to_owned());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        Ok(fill.finished + fill.open)
    }

    async fn due(&self) -> Result<u64, String> {
        let serves = Serves { connection: CONNECTION.to_owned(), cell: ChargeCell::SPEC.id.to_owned() };
        let mut at = self.parts.clock.now();
        // What is open will be due when its attempts are settled; a day later all of it is.
        at.wall_ms = at.wall_ms.saturating_add(DAY_MS);
        let due = self.parts.ledger.due(&[serves], at, u32::MAX).await;
        due.map(|due| due.len() as u64).map_err(|error| error.to_string())
    }

    fn committed(&self) -> Committed {
        (self.counters)()
    }
}
