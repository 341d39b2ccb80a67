//! Callers, the provider that counts, the ledger, and what must be true of each answer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hapax_core::identity::NamespaceSecret;
use hapax_core::ledger::{Filter, OperationId, Phase, SharedLedger};
use hapax_core::words::Outcome;
use hapax_histories::worker::{Account, Answer, Place, Setup, Told, Want, open};
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};
use hapax_standin::{Provider, RateLimit, Reply, Request, Server, Twists, World};
use hapax_stripe::standin::StandIn;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::json;

use crate::service::{LONG, Service};

/// How many callers there are at once: few in the ordinary test command.
pub(crate) fn callers() -> u64 {
    let said = std::env::var("HAPAX_OVERLOAD_CALLERS").ok();
    said.map_or(200, |said| said.parse().expect("HAPAX_OVERLOAD_CALLERS is a number"))
}

/// Stripe behind a rate limit, counting what comes.
struct Limited {
    stripe: StandIn,
    world: World,
    limit: Option<Mutex<RateLimit>>,
    requests: Arc<AtomicU64>,
}

#[async_trait::async_trait]
impl Provider for Limited {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        self.requests.fetch_add(1, Ordering::SeqCst);
        if let Some(limit) = &self.limit {
            let taken = limit.lock().unwrap_or_else(PoisonError::into_inner).take("", self.world.now_ms());
            if let Err(exceeded) = taken {
                let seconds = exceeded.retry_after_s().to_string();
                return self.stripe.error(429, None).with_header("Retry-After", &seconds);
            }
        }
        self.stripe.handle(request, twists).await
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        self.stripe.error(status, code)
    }

    fn reset(&self) {
        self.stripe.reset();
    }
}

/// A provider, a ledger, and what a process needs to know of them.
pub(crate) struct Site {
    pub(crate) provider: Server,
    pub(crate) setup: Setup,
    pub(crate) cluster: Option<Cluster>,
    /// How many requests have come to the provider.
    requests: Arc<AtomicU64>,
    folder: tempfile::TempDir,
}

/// What is said of the place before it is there.
#[derive(Default)]
pub(crate) struct Wanted {
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
        let requests = Arc::<AtomicU64>::default();
        let world = World::new(1);
        let limit = wanted.per_second.map(|most| Mutex::new(RateLimit::new(most, 1_000)));
        let stripe = StandIn::new(world.clone());
        let limited = Limited { stripe, world: world.clone(), limit, requests: requests.clone() };
        let provider = Server::start(Arc::new(limited), world, 0).await.expect("a provider");
        let folder = tempfile::tempdir().expect("a folder");
        let (ledger, cluster) = match wanted.postgres {
            None => (file(&folder), None),
            Some(lines) => schema(lines).await,
        };
        let account = Account { integration: "stripe".to_owned(), base_url: provider.url() };
        let secret = NamespaceSecret::generate().expose().to_owned();
        let setup = Setup { scale: 1, secret, ledger, accounts: vec![account], planted: None };
        Some(Self { provider, setup, cluster, requests, folder })
    }

    /// A ledger in a file.
    pub(crate) async fn file() -> Self {
        Self::open("", Wanted::default()).await.expect("nothing is needed for it")
    }

    pub(crate) fn ledger_file(&self) -> std::path::PathBuf {
        self.folder.path().join("hapax.ledger")
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// How often this caller's charge happened.
    pub(crate) fn effects(&self, number: u64) -> usize {
        self.provider.effects().matching(|effect| effect.kind == "charge" && effect.amount == amount(number)).len()
    }

    /// How often each amount was charged.
    pub(crate) fn charges(&self) -> BTreeMap<i64, u32> {
        let mut all = BTreeMap::new();
        for effect in self.provider.effects().of("charge") {
            *all.entry(effect.amount).or_default() += 1;
        }
        all
    }

    /// Operations in this phase.
    pub(crate) async fn phase(&self, phase: Phase) -> Vec<OperationId> {
        let ledger: SharedLedger = open(&self.setup.ledger).await.expect("the ledger can be used");
        ledger.list(&Filter { phases: vec![phase], ..Filter::default() }).await.expect("it can be listed")
    }

    /// Waits until nothing is open any more.
    pub(crate) async fn is_done(&self) {
        let ledger: SharedLedger = open(&self.setup.ledger).await.expect("the ledger can be used");
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

fn amount(number: u64) -> i64 {
    1_000 + i64::try_from(number).expect("a small number")
}

/// What a caller wants: its own charge, once.
pub(crate) fn want(number: u64, wait_ms: u64) -> Want {
    Want::Run {
        connection: "stripe".to_owned(),
        cell: "stripe.charge".to_owned(),
        key: format!("order:{number}"),
        args: json!({ "amount": { "amount": amount(number), "currency": "EUR" }, "payment_method": "pm_card_visa" }),
        good_until_ms: None,
        wait_ms,
    }
}

/// What callers were told, by their numbers.
#[derive(Default)]
pub(crate) struct Answers(BTreeMap<u64, Answer>);

/// How many were told what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) succeeded: usize,
    pub(crate) unknown: usize,
    pub(crate) nothing_sent: usize,
}

impl Answers {
    /// Gathers so many answers: one for each who asked, and no second one for anybody.
    pub(crate) async fn gather(service: &mut Service, callers: u64) -> Self {
        let mut answers = Self::default();
        for _ in 0..callers {
            answers.add(service.told().await);
        }
        answers
    }

    pub(crate) fn add(&mut self, Told { id, answer }: Told) {
        assert!(self.0.insert(id, answer).is_none(), "{id} was answered twice");
    }

    /// Holds each answer against what the provider counts now.
    pub(crate) fn hold(&self, site: &Site) -> Counts {
        let mut counts = Counts::default();
        for (number, answer) in &self.0 {
            let effects = site.effects(*number);
            match answer {
                Answer::Report(report) => match &report.outcome {
                    Outcome::Succeeded { receipt } => {
                        counts.succeeded += 1;
                        assert_eq!((effects, &receipt["amount"]["amount"]), (1, &json!(amount(*number))), "{number}");
                    }
                    Outcome::Unknown { .. } => {
                        counts.unknown += 1;
                        assert!(effects <= 1, "{number}");
                    }
                    Outcome::Refused { reason } => panic!("{number} was refused: {reason:?}"),
                },
                Answer::Error { text, .. } => {
                    counts.nothing_sent += 1;
                    assert!(text.starts_with("nothing was sent: "), "{number}: {text}");
                    assert_eq!(effects, 0, "{number} was told that nothing was sent: {text}");
                }
                Answer::Inbox(_) => panic!("{number} asked for something else"),
            }
        }
        counts
    }

    /// How many were told of a success.
    pub(crate) fn succeeded(&self) -> usize {
        let is_success = |answer: &&Answer| matches!(answer, Answer::Report(report) if matches!(report.outcome, Outcome::Succeeded { .. }));
        self.0.values().filter(is_success).count()
    }

    /// Leaves out those who were told of no operation, or of one that may never exist, and have called again since.
    pub(crate) fn forget_the_unwritten(&mut self) {
        self.0.retain(|_, answer| matches!(answer, Answer::Report(report) if report.revision > 0));
    }

    /// Adds what others were told.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// What a caller was told that was told of no outcome, for whoever reads why a test fails.
    pub(crate) fn sample(&self) -> String {
        let odd = self.0.iter().find(|(_, answer)| {
            !matches!(answer, Answer::Report(report) if matches!(report.outcome, Outcome::Succeeded { .. }))
        });
        format!("{odd:?}")
    }

    /// Everything is finished: what was told of stays true, each operation in the ledger has its one effect, and nothing
    /// else has happened.
    pub(crate) async fn hold_for_ever(&self, site: &Site) -> Counts {
        site.is_done().await;
        let counts = self.hold(site);
        let (charges, done) = (site.charges(), site.phase(Phase::Succeeded).await);
        assert!(charges.values().all(|times| *times == 1), "each effect once: {charges:?}");
        assert_eq!(charges.len(), done.len(), "what is in the ledger has happened, and nothing else");
        for (number, answer) in &self.0 {
            if let Answer::Report(report) = answer {
                // Of one that the ledger never held, the caller was told that it may never exist.
                let is_held = done.contains(&report.operation);
                assert!(is_held || report.revision == 0, "{number}: {report:?}");
                assert_eq!(site.effects(*number), usize::from(is_held), "{number}: {report:?}");
            }
        }
        counts
    }
}

/// Past the test harness, which would keep it to the end.
pub(crate) fn tell(line: &str) {
    use std::io::Write;
    writeln!(std::io::stderr().lock(), "{line}").expect("somebody listens");
}
