//! What lies around the process: the provider that counts, the ledger, and how many callers there are.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hapax_core::identity::NamespaceSecret;
use hapax_core::ledger::{Filter, OperationId, Phase, SharedLedger};
use hapax_histories::worker::{Account, Place, Setup, Want, open};
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};
use hapax_standin::{Handle, Kind, Server};
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::api::Api;
use crate::service::LONG;

/// How many callers there are at once.
pub(crate) fn callers() -> u64 {
    let said = std::env::var("HAPAX_OVERLOAD_CALLERS").ok();
    said.map_or(CALLERS, |said| said.parse().expect("HAPAX_OVERLOAD_CALLERS is a number"))
}

/// In the ordinary test command.
const CALLERS: u64 = 400;

/// A provider, a ledger, and what a process needs to know of them.
pub(crate) struct Site {
    pub(crate) provider: Server,
    pub(crate) setup: Setup,
    pub(crate) cluster: Option<Cluster>,
    api: Api,
    /// Is reached by each request that could have an effect.
    sent: Handle,
    folder: tempfile::TempDir,
}

/// What is said of the place before it is there.
#[derive(Default)]
pub(crate) struct Wanted {
    /// What is called.
    pub(crate) api: Api,
    /// How much faster than real time everything runs.
    pub(crate) scale: Option<u32>,
    /// At most so many requests a second.
    pub(crate) per_second: Option<usize>,
    /// A ledger in PostgreSQL with these lines in its configuration.
    pub(crate) postgres: Option<&'static str>,
}

impl Site {
    /// `None`, which is said, where PostgreSQL is wanted and not installed.
    pub(crate) async fn open(what: &str, wanted: Wanted) -> Option<Self> {
        // The provider has a connection for each caller, in this process.
        let mut files = getrlimit(Resource::Nofile);
        files.current = files.maximum;
        setrlimit(Resource::Nofile, files).expect("as many files as are allowed");
        if wanted.postgres.is_some() && !available() {
            tell(&format!("left out: {what}: no PostgreSQL is installed (initdb, pg_ctl, psql)"));
            return None;
        }
        let (api, scale) = (wanted.api, wanted.scale.unwrap_or(1));
        let provider = api.serve(wanted.per_second, scale).await;
        // It changes nothing about a request that lists nothing, and is counted.
        let sent = provider.injections().add(api.shot().always(), Kind::ListHorizon { ms: i64::MAX });
        let folder = tempfile::tempdir().expect("a folder");
        let (ledger, cluster) = match wanted.postgres {
            None => (file(&folder), None),
            Some(lines) => schema(lines).await,
        };
        let account = Account { integration: api.integration().to_owned(), base_url: provider.url() };
        let secret = NamespaceSecret::generate().expose().to_owned();
        let setup = Setup { scale, secret, ledger, seals: None, accounts: vec![account], planted: None };
        Some(Self { provider, setup, cluster, api, sent, folder })
    }

    /// A ledger in a file.
    pub(crate) async fn file() -> Self {
        Self::open("", Wanted::default()).await.expect("nothing is needed for it")
    }

    pub(crate) fn ledger_file(&self) -> PathBuf {
        self.folder.path().join("hapax.ledger")
    }

    /// How many requests have come to the provider that could have an effect.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.times_reached().into()
    }

    /// Has so many requests hang that count.
    pub(crate) fn hang(&self, times: u64, after_effect: bool) -> Handle {
        let times = u32::try_from(times).expect("a small number");
        self.provider.injections().add(self.api.shot().times(times), Kind::Hang { after_effect })
    }

    /// How often each caller's intent has happened.
    pub(crate) fn effects(&self) -> BTreeMap<u64, u32> {
        let mut all = BTreeMap::new();
        for number in self.provider.effects().all().iter().filter_map(|effect| self.api.number(effect)) {
            *all.entry(number).or_default() += 1;
        }
        all
    }

    /// Whether a receipt is of this caller's intent.
    pub(crate) fn is_of(&self, receipt: &serde_json::Value, number: u64) -> bool {
        self.api.is_of(receipt, number)
    }

    /// What a caller wants: its own effect, once.
    pub(crate) fn want(&self, number: u64, wait_ms: u64) -> Want {
        Want::Run {
            connection: self.api.integration().to_owned(),
            cell: self.api.cell().to_owned(),
            key: format!("order:{number}"),
            args: self.api.args(number),
            good_until_ms: None,
            wait_ms,
        }
    }

    /// Operations in this phase.
    pub(crate) async fn phase(&self, phase: Phase) -> Vec<OperationId> {
        let ledger: SharedLedger = open(&self.setup).await.expect("the ledger can be used");
        ledger.list(&Filter { phases: vec![phase], ..Filter::default() }).await.expect("it can be listed")
    }

    /// All operations.
    pub(crate) async fn all(&self) -> Vec<OperationId> {
        let ledger: SharedLedger = open(&self.setup).await.expect("the ledger can be used");
        ledger.list(&Filter::default()).await.expect("it can be listed")
    }

    /// All that the ledger in its file holds fits together.
    pub(crate) async fn is_sound(&self) {
        let ledger = SqliteLedger::open(self.ledger_file()).expect("it can be opened");
        let verified = ledger.verify().await.expect("it can be read");
        assert!(verified.is_sound(), "{:?}", verified.problems);
    }

    /// Waits until nothing is open any more.
    pub(crate) async fn is_done(&self) {
        let ledger: SharedLedger = open(&self.setup).await.expect("the ledger can be used");
        let filter = Filter { phases: vec![Phase::Open], ..Filter::default() };
        let done = async {
            while !ledger.list(&filter).await.expect("it can be listed").is_empty() {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(LONG, done).await.expect("everything is finished");
    }
}

fn file(folder: &tempfile::TempDir) -> Place {
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    Place::File(path)
}

async fn schema(lines: &str) -> (Place, Option<Cluster>) {
    let cluster = Cluster::start_with(lines).await.expect("a cluster can be made");
    let url = format!("postgres://{USER}@127.0.0.1:{}/postgres?sslmode=disable", cluster.port());
    let address = Address::parse(&url.into()).expect("it is an address").password(&PASSWORD.to_owned().into());
    let address = address.schema("overload").expect("it is a name");
    drop(PostgresLedger::create(address, Options::default()).await.expect("it can be made"));
    (Place::Schema { port: cluster.port(), schema: "overload".to_owned() }, Some(cluster))
}

/// Past the test harness, which would keep it to the end.
pub(crate) fn tell(line: &str) {
    use std::io::Write;
    writeln!(std::io::stderr().lock(), "{line}").expect("somebody listens");
}
