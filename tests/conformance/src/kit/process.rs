use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hapax_core::cell::{Connection, Credentials, SharedIntegration};
use hapax_core::clock::SharedClock;
use hapax_core::executor::{Executor, ExecutorError, RecoverReport, RunReport, RunRequest};
use hapax_core::identity::NamespaceSecret;
use hapax_core::ledger::SharedLedger;
use hapax_core::policy::Policy;
use hapax_core::transport::HttpTransport;
use tokio::runtime::{Builder, Handle, Runtime};

use super::bend::{Bends, BentIntegration};
use super::reach::Reach;
use super::stops::Stops;

/// How long a killed process may take to be gone: what it does at this moment goes on to its next await.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// Name of the one connection.
pub const CONNECTION: &str = "kit";
/// Its account, named, so that rotated credentials are the same account.
pub const ACCOUNT: &str = "kit-account";

/// How a process is configured; as the others, unless something is said.
#[derive(Clone, Default)]
pub struct Options {
    /// Another address than the proxy's.
    pub base_url: Option<String>,
    /// Other credentials.
    pub credentials: Option<Credentials>,
    /// Another account.
    pub account: Option<String>,
    /// Nobody said which account it is, so that other credentials count as another one.
    pub unnamed: bool,
    /// Another policy.
    pub policy: Policy,
    /// Further bends of the cells: a new version of the adapter.
    pub upgrade: Option<fn(hapax_core::cell::SharedCell) -> hapax_core::cell::SharedCell>,
    /// A transport that differs: the encoding of a new version.
    pub transport: Option<fn(hapax_core::transport::SharedTransport) -> hapax_core::transport::SharedTransport>,
}

/// Everything that a process is made of.
pub struct Parts {
    pub(crate) integration: SharedIntegration,
    pub(crate) credentials: Credentials,
    pub(crate) met: Vec<String>,
    pub(crate) bends: Bends,
    pub(crate) ledger: SharedLedger,
    pub(crate) clock: SharedClock,
    pub(crate) secret: NamespaceSecret,
    pub(crate) base_url: String,
    pub(crate) reach: Arc<Reach>,
    pub(crate) options: Options,
}

/// One process of the user's: an executor in a runtime of its own. Killing it drops everything that it was doing where
/// it stands, its sockets included.
pub struct Process {
    runtime: Mutex<Option<Runtime>>,
    handle: Handle,
    executor: Executor,
    stops: Arc<Stops>,
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    /// What the executor says of its parts, as text.
    pub async fn start(parts: Parts) -> Result<Self, String> {
        let Parts { integration, credentials, met, bends, ledger, clock, secret, base_url, reach, options } = parts;
        let mut bent: Vec<_> = bends.cell.into_iter().collect();
        bent.extend(options.upgrade);
        let integration = BentIntegration::over(integration, &bent);
        let credentials = options.credentials.unwrap_or(credentials);
        let connection = Connection::new(CONNECTION, integration, credentials).map_err(|error| error.to_string())?;
        let connection = connection.at(&options.base_url.unwrap_or(base_url)).map_err(|error| error.to_string())?;
        let account = options.account.as_deref().unwrap_or(ACCOUNT);
        let mut connection = if options.unnamed { connection } else { connection.account(account) };
        account.clone_into(&mut connection.account);
        let connection = connection.stand_in().meets(met);
        let mut transport: hapax_core::transport::SharedTransport = Arc::new(HttpTransport::new());
        for bend in bends.transport.into_iter().chain(options.transport) {
            transport = bend(transport);
        }
        let clock = bends.clock.map_or(clock.clone(), |bend| bend(clock));
        let ledger = bends.ledger.map_or(ledger.clone(), |bend| bend(ledger));
        let stops = Stops::new(reach);
        let builder = Executor::builder(ledger, transport, secret)
            .clock(clock)
            .connection(connection)
            .policy(options.policy)
            .probe(stops.clone());
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|e| e.to_string())?;
        let built = runtime.spawn(builder.build()).await;
        match built {
            Ok(Ok(executor)) => {
                let handle = runtime.handle().clone();
                Ok(Self { runtime: Mutex::new(Some(runtime)), handle, executor, stops })
            }
            Ok(Err(error)) => {
                runtime.shutdown_background();
                Err(error.to_string())
            }
            Err(error) => {
                runtime.shutdown_background();
                Err(error.to_string())
            }
        }
    }

    /// Where it is to stand still.
    pub fn stops(&self) -> &Stops {
        &self.stops
    }

    /// Its executor, for calls that need no runtime of its own.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Does something inside the process. None: the process was killed, or what it did panicked.
    pub async fn inside<T: Send + 'static>(&self, what: impl Future<Output = T> + Send + 'static) -> Option<T> {
        self.handle.spawn(what).await.ok()
    }

    /// Calls it. None: the process was killed meanwhile.
    pub async fn run(&self, request: RunRequest) -> Option<Result<RunReport, ExecutorError>> {
        let executor = self.executor.clone();
        self.inside(async move { executor.run(request).await }).await
    }

    /// Lets it take up what is due.
    pub async fn recover(&self, wait_ms: u64) -> Option<Result<RecoverReport, ExecutorError>> {
        let executor = self.executor.clone();
        self.inside(async move { executor.recover(1_000, wait_ms).await }).await
    }

    /// Kills it, whoever still waits for it. It is gone afterwards, so that nothing of it is written after what the run
    /// does next.
    pub fn kill(&self) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            // A runtime can't be waited for inside another one.
            let killer = std::thread::spawn(move || runtime.shutdown_timeout(GONE_WITHIN));
            // It panics only if the runtime does, which is gone then too.
            let _ = killer.join();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
