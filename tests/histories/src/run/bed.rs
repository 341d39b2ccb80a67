//! What a run lies on: providers behind proxies, a ledger, and places for workers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hapax_core::identity::NamespaceSecret;
use hapax_ledger_postgres::PostgresLedger;
use hapax_ledger_sealed::Keys;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{Effect, FaultProxy, Server};
use secrecy::ExposeSecret;
use tempfile::TempDir;

use super::Plan;
use super::Store;
use super::cells::{Job, Key, jobs};
use super::clock::{SCALE, Time};
use super::record::{Record, lock};
use super::seat::Seat;
use crate::history::{Entry, Event, History};
use crate::worker::{Account, Place, Setup};

/// A provider, and the way to it.
pub(crate) struct Provider {
    pub(crate) integration: &'static str,
    pub(crate) jobs: Vec<Job>,
    pub(crate) server: Server,
    pub(crate) proxy: FaultProxy,
}

pub(crate) struct Bed {
    pub(crate) record: Arc<Record>,
    pub(crate) providers: Vec<Provider>,
    pub(crate) seats: Vec<Arc<Seat>>,
    /// The way from each worker to its database, where the ledger is in one.
    pub(crate) ways: Vec<FaultProxy>,
    pub(crate) secret: NamespaceSecret,
    /// Without a bug, and past every proxy.
    pub(crate) setup: Setup,
    /// Keys that were called with, in their order.
    keys: Mutex<Vec<Key>>,
    numbers: AtomicU64,
    is_over: AtomicBool,
    /// While it is held no worker is started: the ledger is changed under them.
    pub(crate) still: tokio::sync::RwLock<()>,
    folder: TempDir,
}

impl Bed {
    /// Makes everything anew. No worker runs yet.
    pub(crate) async fn new(plan: &Plan, program: &Path) -> Result<Self, String> {
        let time = Time::start();
        let record = Arc::new(Record::new(time));
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let providers = providers(time).await?;
        let place = made(plan, folder.path()).await?;
        let secret = NamespaceSecret::generate();
        let accounts = providers.iter().map(|provider| Account {
            integration: provider.integration.to_owned(),
            // The same for all workers: what a token is worth depends on where it was sent.
            base_url: provider.proxy.url(),
        });
        let setup = Setup {
            scale: SCALE,
            secret: secret.expose().to_owned(),
            ledger: place,
            seals: plan.is_sealed().then(|| Keys::generate().expose_secret().to_owned()),
            accounts: accounts.collect(),
            planted: None,
        };
        let mut bed = Self {
            record,
            providers,
            seats: Vec::new(),
            ways: Vec::new(),
            secret,
            setup,
            keys: Mutex::default(),
            numbers: AtomicU64::new(1),
            is_over: AtomicBool::new(false),
            still: tokio::sync::RwLock::new(()),
            folder,
        };
        for number in 1..=plan.workers {
            bed.add_seat(plan, program, number).await?;
        }
        Ok(bed)
    }

    async fn add_seat(&mut self, plan: &Plan, program: &Path, number: usize) -> Result<(), String> {
        let mut setup = self.setup.clone();
        if let Place::Schema { port, schema } = &setup.ledger {
            let way = FaultProxy::start(&format!("postgres://127.0.0.1:{port}")).await;
            let way = way.map_err(|error| format!("the way to the database: {error}"))?;
            setup.ledger = Place::Schema { port: way.address().port(), schema: schema.clone() };
            self.ways.push(way);
        }
        setup.planted = plan.bug;
        let name = format!("w{number}");
        let log = self.path(&format!("{name}.log"));
        self.seats.push(Arc::new(Seat::new(name, program.to_owned(), setup, log, self.record.clone())));
        Ok(())
    }

    /// Starts a worker, if none is there, unless the ledger is being changed under them.
    pub(crate) async fn start(&self, seat: &Seat) {
        let _still = self.still.read().await;
        seat.start().await;
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What workers said when they broke.
    pub(crate) fn logs(&self) -> String {
        let logs = self.seats.iter().map(|seat| (&seat.name, self.path(&format!("{}.log", seat.name))));
        let texts = logs.filter_map(|(name, path)| Some((name, std::fs::read_to_string(path).ok()?)));
        texts.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}: {text}")).collect()
    }

    /// A key that nobody has called with.
    pub(crate) fn fresh(&self, job: Job) -> Key {
        let key = Key { job, number: self.numbers.fetch_add(1, Ordering::Relaxed) };
        lock(&self.keys).push(key.clone());
        key
    }

    pub(crate) fn keys(&self) -> Vec<Key> {
        lock(&self.keys).clone()
    }

    /// Whether callers and breakers are to end.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn provider(&self, job: Job) -> &Provider {
        let found = self.providers.iter().find(|one| one.integration == job.integration());
        found.expect("each job has its provider")
    }

    /// The effects of a key, as a person finds them who looks at the provider.
    pub(crate) fn effects_of(&self, key: &Key) -> Vec<Effect> {
        let mark = key.mark(&self.secret);
        self.provider(key.job).server.effects().matching(|one| one.kind == key.job.effect && one.carries(&mark))
    }

    /// All that was seen: what was written down, and what the providers count.
    pub(crate) fn history(&self, remarks: Vec<String>) -> History {
        let mut entries = self.record.entries();
        let keys: Vec<(String, Key)> = self.keys().into_iter().map(|key| (key.mark(&self.secret), key)).collect();
        for provider in &self.providers {
            let counts = |effect: &Effect| provider.jobs.iter().any(|job| job.effect == effect.kind);
            let effects = provider.server.effects().matching(counts);
            entries.extend(effects.iter().map(|effect| self.entry(effect, &keys)));
        }
        let mut history = History { remarks, entries };
        history.sort();
        history
    }

    fn entry(&self, effect: &Effect, keys: &[(String, Key)]) -> Entry {
        let of = |(mark, key): &&(String, Key)| effect.kind == key.job.effect && effect.carries(mark);
        let key = keys.iter().find(of).map(|(_, key)| key);
        let event = Event::Effect {
            key: key.map(Key::name),
            intent: key.and_then(|key| key.intent_of(effect)).map(str::to_owned),
            object: effect.object.clone(),
            token: effect.token.clone(),
        };
        Entry { at_ms: self.record.time.of_wall(effect.at_ms), event }
    }
}

async fn providers(time: Time) -> Result<Vec<Provider>, String> {
    let mut providers: Vec<Provider> = Vec::new();
    for job in jobs() {
        if let Some(known) = providers.iter_mut().find(|one| one.integration == job.integration()) {
            known.jobs.push(job);
            continue;
        }
        let clock = Arc::new(move || time.wall_ms());
        let server = hapax_catalog::start_stand_in(job.integration(), 0, clock).await;
        let server = server.map_err(|error| error.to_string())?;
        let proxy = FaultProxy::start(&server.url()).await.map_err(|error| error.to_string())?;
        providers.push(Provider { integration: job.integration(), jobs: vec![job], server, proxy });
    }
    Ok(providers)
}

/// Makes the ledger.
async fn made(plan: &Plan, folder: &Path) -> Result<Place, String> {
    match plan.store {
        Store::File => {
            let path = folder.join("ledger");
            SqliteLedger::create(&path).map_err(|error| error.to_string())?;
            Ok(Place::File(path))
        }
        Store::Postgres { port } => {
            let schema = format!("run_{}_{}", std::process::id(), super::next_number());
            let place = Place::Schema { port, schema };
            let made = PostgresLedger::create(place.address()?, Place::OPTIONS).await;
            made.map_err(|error| error.to_string())?;
            Ok(place)
        }
    }
}
