use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_core::capability::{CellSpec, Mark};
use hapax_core::cell::SharedCell;
use hapax_core::executor::{ExecutorError, RunReport, RunRequest};
use hapax_core::identity::{Form, NamespaceSecret, OperationKey, Seed};
use hapax_core::ledger::{By, LedgerError, MemoryLedger, SharedLedger, Stored};
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{Effect, Fault as ProxyFault, FaultProxy, Handle, Kind, Reply, Server, When, World};
use tempfile::TempDir;

use super::bend::Bends;
use super::faulty::{Control, FaultyLedger};
use super::process::{ACCOUNT, CONNECTION, Options, Parts, Process};
use super::reach::Reach;
use super::subject::{CellSubject, End, Sample, Site, Subject};
use super::time::{SteppedClock, WorldTime};
use super::violation::{Invariant, Played, Violation, hold};

/// One intent of a run.
#[derive(Clone, Debug)]
pub struct Intent {
    /// The caller's key.
    pub key: OperationKey,
    /// Its arguments.
    pub sample: Sample,
    /// The mark that the core derives for it.
    pub mark: String,
    /// How many effects it may have: more than one only after a failed fate.
    pub allowed: usize,
}

/// What was once said to a caller.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) key: OperationKey,
    pub(crate) report: RunReport,
}

/// Where the ledger of a run is.
pub(crate) enum Store {
    File(#[allow(dead_code, reason = "dropping it removes the folder")] TempDir, PathBuf),
    Memory(Arc<MemoryLedger>),
}

/// One run of one fault over one cell: a fresh provider, proxy, ledger and time.
pub struct Run {
    /// The adapter.
    pub subject: Arc<dyn Subject>,
    /// The cell under test.
    pub cell: Arc<dyn CellSubject>,
    /// What the facts promise of it.
    pub spec: &'static CellSpec,
    /// The seed.
    pub seed: u64,
    /// True time.
    pub time: Arc<WorldTime>,
    /// The clock of the user's machine.
    pub clock: Arc<SteppedClock>,
    /// The provider.
    pub server: Server,
    /// What lies between.
    pub proxy: FaultProxy,
    /// Breaks the ledger.
    pub ledger: Arc<Control>,
    /// What was reached.
    pub reach: Arc<Reach>,
    pub(crate) bends: Bends,
    pub(crate) store: Mutex<Store>,
    /// Opened once, to read what is really written.
    truth: Mutex<Option<SharedLedger>>,
    pub(crate) secret: NamespaceSecret,
    pub(crate) intents: Mutex<Vec<Intent>>,
    pub(crate) said: Mutex<Vec<Said>>,
    pub(crate) texts: Mutex<Vec<String>>,
    pub(crate) end: Mutex<End>,
    pub(crate) loud: Mutex<Option<&'static str>>,
    pub(crate) quiet: Mutex<bool>,
    pub(crate) late: Mutex<bool>,
    pub(crate) forgets: Mutex<bool>,
    pub(crate) met: Mutex<Vec<(String, Handle)>>,
}

/// Locks, whatever happened to somebody else who did.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    /// Makes everything anew.
    ///
    /// # Errors
    /// What could not be started.
    pub async fn new(
        subject: Arc<dyn Subject>,
        cell: Arc<dyn CellSubject>,
        seed: u64,
        bends: Bends,
        reach: Arc<Reach>,
    ) -> Result<Self, String> {
        let time = WorldTime::new();
        let world = World::with_clock(seed, time.provider());
        let server = subject.start(world).await.map_err(|error| format!("the stand-in: {error}"))?;
        let proxy = FaultProxy::start(&server.url()).await.map_err(|error| format!("the proxy: {error}"))?;
        let spec = registered(&*subject, cell.id()).ok_or_else(|| format!("{} isn't registered", cell.id()))?.spec();
        let secret = NamespaceSecret::parse(&format!("{seed:064x}")).map_err(|error| error.to_string())?;
        Ok(Self {
            subject,
            cell,
            spec,
            seed,
            clock: SteppedClock::new(time.clone()),
            time,
            server,
            proxy,
            ledger: Arc::default(),
            reach,
            bends,
            store: Mutex::new(on_disk()?),
            truth: Mutex::default(),
            secret,
            intents: Mutex::default(),
            said: Mutex::default(),
            texts: Mutex::default(),
            end: Mutex::new(End::Any),
            loud: Mutex::new(None),
            quiet: Mutex::new(false),
            late: Mutex::new(false),
            forgets: Mutex::new(false),
            met: Mutex::default(),
        })
    }

    /// Where the provider is, past every fault.
    pub fn site(&self) -> Site {
        Site { url: self.server.url() }
    }

    /// A fresh intent, with what it needs at the provider.
    ///
    /// # Errors
    /// What could not be set up.
    pub async fn intent(&self) -> Result<Intent, Violation> {
        let number = self.number();
        let sample = self.cell.intent(&self.site(), number).await.map_err(set_up)?;
        Ok(self.watch(sample, number))
    }

    /// A number that no other intent of this seed has.
    pub fn number(&self) -> u64 {
        self.seed * 1_000 + lock(&self.intents).len() as u64
    }

    /// Watches the effects of an intent from now on.
    pub fn watch(&self, sample: Sample, number: u64) -> Intent {
        let text = format!("kit:{}:{number}", self.cell.id());
        let key = OperationKey::new(text).unwrap_or_else(|_| unreachable!("a key of letters, digits and colons"));
        let form = self.spec.queries().find_map(|query| match query.mark {
            Mark::Planted(_, form) => Some(form),
            _ => None,
        });
        let seed = Seed::new(self.secret.clone(), ACCOUNT, self.cell.id(), key.clone());
        let intent = Intent { key, sample, mark: seed.mark(form.unwrap_or(Form::Text(32))), allowed: 1 };
        lock(&self.intents).push(intent.clone());
        intent
    }

    /// Lets an intent have so many effects.
    pub fn allow_effects(&self, intent: &Intent, allowed: usize) {
        for known in lock(&self.intents).iter_mut().filter(|known| known.key == intent.key) {
            known.allowed = allowed;
        }
    }

    /// How this run is expected to end.
    pub fn expect(&self, end: End) {
        *lock(&self.end) = end;
    }

    /// From here on more than one effect is possible within a named assumption; it must be loud, not silent.
    pub fn assume(&self, assumption: &'static str) {
        *lock(&self.loud) = Some(assumption);
    }

    /// The same where it can come after the last look, so that nobody can notice.
    pub fn assume_unseen(&self, assumption: &'static str) {
        self.assume(assumption);
        *lock(&self.quiet) = true;
    }

    /// A request of ours is held up on its way, so effects after the deadline are not ours to prevent.
    pub fn held_up(&self) {
        *lock(&self.late) = true;
    }

    /// The ledger forgets what was in it, so requests can't be counted against it.
    pub fn forgets(&self) {
        *lock(&self.forgets) = true;
    }

    /// A process as users have it.
    ///
    /// # Errors
    /// Why it did not start.
    pub async fn process(&self) -> Result<Process, Violation> {
        self.process_with(Options::default()).await
    }

    /// A process with something different.
    ///
    /// # Errors
    /// Why it did not start.
    pub async fn process_with(&self, options: Options) -> Result<Process, Violation> {
        self.try_process(options).await.map_err(|why| Violation::new(Invariant::Runs, format!("no process: {why}")))
    }

    /// The same, for a process that may well not start.
    ///
    /// # Errors
    /// Why it did not.
    pub async fn try_process(&self, options: Options) -> Result<Process, String> {
        let below = self.open().map_err(|error| error.to_string())?;
        let started = Process::start(Parts {
            integration: self.subject.integration(),
            credentials: self.subject.credentials(),
            met: self.subject.met(),
            bends: self.bends,
            ledger: Arc::new(FaultyLedger::over(below, self.ledger.clone())),
            clock: self.clock.clone(),
            secret: self.secret.clone(),
            base_url: self.proxy.url(),
            reach: self.reach.clone(),
            options,
        })
        .await;
        if let Err(why) = &started {
            lock(&self.texts).push(why.clone());
        }
        started
    }

    /// Calls a process with an intent and remembers what it said. None: the process was killed.
    pub async fn call(&self, process: &Process, intent: &Intent) -> Option<Result<RunReport, ExecutorError>> {
        self.call_for(process, intent, WAIT_MS).await
    }

    /// The same, waiting for so long.
    pub async fn call_for(
        &self,
        process: &Process,
        intent: &Intent,
        wait_ms: u64,
    ) -> Option<Result<RunReport, ExecutorError>> {
        let said = process.run(self.request(intent).wait_ms(wait_ms)).await?;
        self.note(&intent.key, &said);
        Some(said)
    }

    /// What a caller asks for.
    pub fn request(&self, intent: &Intent) -> RunRequest {
        RunRequest::new(CONNECTION, self.cell.id(), intent.key.clone(), intent.sample.args.clone()).wait_ms(WAIT_MS)
    }

    /// Remembers what was said to somebody.
    pub fn note(&self, key: &OperationKey, said: &Result<RunReport, ExecutorError>) {
        match said {
            Ok(report) => {
                lock(&self.texts).push(serde_json::to_string(report).unwrap_or_default());
                lock(&self.said).push(Said { key: key.clone(), report: report.clone() });
            }
            Err(error) => lock(&self.texts).push(error.to_string()),
        }
    }

    /// Breaks the way to the provider for the request that counts.
    pub fn on_shot(&self, fault: ProxyFault) -> Handle {
        self.through(self.shot(), fault)
    }

    /// Breaks the way to the provider.
    pub fn through(&self, when: When, fault: ProxyFault) -> Handle {
        let handle = self.proxy.inject(when, fault.clone());
        lock(&self.met).push((format!("{fault:?}").chars().take(40).collect(), handle.clone()));
        handle
    }

    /// Breaks the provider itself, for the request that counts.
    pub fn inside_shot(&self, kind: Kind) -> Handle {
        self.inside(self.shot(), kind)
    }

    /// Breaks the provider itself.
    pub fn inside(&self, when: When, kind: Kind) -> Handle {
        if let (Some(_), Some(fault)) = (self.subject.server(), at_the_wire(&*self.cell, &kind)) {
            return self.through(when, fault);
        }
        let handle = self.server.injections().add(when, kind.clone());
        lock(&self.met).push((format!("{kind:?}").chars().take(40).collect(), handle.clone()));
        handle
    }

    /// The next request that counts.
    pub fn shot(&self) -> When {
        let (method, path) = self.cell.routes().shot;
        When::on(method, path)
    }

    /// The next question; none if the cell has none.
    pub fn look(&self) -> Option<When> {
        self.cell.routes().look.map(|(method, path)| When::on(method, path))
    }

    /// How many requests that count came to the proxy.
    pub fn shots(&self) -> usize {
        let (method, path) = self.cell.routes().shot;
        self.proxy.count(method, path)
    }

    /// The effects of an intent.
    pub fn effects(&self, intent: &Intent) -> Vec<Effect> {
        self.happenings().into_iter().filter(|one| self.cell.is_effect(one, &intent.sample, &intent.mark)).collect()
    }

    /// Everything that has happened at the provider. Where its records can't be read the run has nothing to go by.
    fn happenings(&self) -> Vec<Effect> {
        if self.subject.server().is_none() {
            return self.server.effects().all();
        }
        let read = || self.subject.records(&self.site());
        let records = tokio::task::block_in_place(read).unwrap_or_else(|why| panic!("the server's records: {why}"));
        records.into_iter().map(|(effect, real_us)| Effect { at_ms: self.time.of_real(real_us), ..effect }).collect()
    }

    /// Fails the run unless the intent has so many effects by now.
    ///
    /// # Errors
    /// That there are more, which counts on any machine; or fewer, which is what one that stands still brings about.
    pub fn happened(&self, intent: &Intent, times: usize) -> Played {
        let seen = self.effects(intent).len();
        let broken = if seen > times { Invariant::OneEffect } else { Invariant::AsTheFaultSays };
        hold(broken, seen == times, format!("{seen} effects where the fault makes {times}"))
    }

    /// Lifts every fault.
    pub fn lift(&self) {
        self.proxy.clear();
        self.server.injections().clear();
        self.ledger.heal();
        self.clock.correct();
    }

    /// The ledger without wrappers: what is really written.
    pub(crate) fn truth(&self) -> Result<SharedLedger, LedgerError> {
        let mut opened = lock(&self.truth);
        if opened.is_none() {
            *opened = Some(self.open()?);
        }
        opened.clone().ok_or_else(|| unreachable!("it was opened just now"))
    }

    /// The same with a connection of its own.
    fn open(&self) -> Result<SharedLedger, LedgerError> {
        match &*lock(&self.store) {
            Store::File(_, path) => Ok(Arc::new(SqliteLedger::open(path)?)),
            Store::Memory(ledger) => Ok(ledger.clone()),
        }
    }

    /// Goes on in memory, from which a backup can be taken and put back.
    pub fn in_memory(&self) -> Arc<MemoryLedger> {
        let ledger = Arc::new(MemoryLedger::new());
        *lock(&self.truth) = None;
        *lock(&self.store) = Store::Memory(ledger.clone());
        ledger
    }

    /// Loses the ledger's file. None: it is not in a file.
    pub fn lose_the_file(&self) -> Option<()> {
        let Store::File(_, path) = &*lock(&self.store) else { return None };
        *lock(&self.truth) = None;
        for end in ["", "-wal", "-shm"] {
            let mut name = path.clone().into_os_string();
            name.push(end);
            // The two beside it may not be there.
            let _ = std::fs::remove_file(name);
        }
        Some(())
    }

    /// Begins with a new, empty ledger.
    ///
    /// # Errors
    /// Why there is none.
    pub fn empty_ledger(&self) -> Played {
        self.forgets();
        *lock(&self.truth) = None;
        *lock(&self.store) = on_disk().map_err(set_up)?;
        Ok(())
    }

    /// What the ledger holds of an intent.
    pub(crate) async fn stored(&self, intent: &Intent) -> Result<Option<Stored>, LedgerError> {
        let by = By::Key { connection: CONNECTION, cell: self.cell.id(), key: &intent.key };
        self.truth()?.load(by).await
    }
}

/// What a fault inside a provider looks like at the wire of one that can't be told to break; none: like nothing
/// that a wire can do.
fn at_the_wire(cell: &dyn CellSubject, kind: &Kind) -> Option<ProxyFault> {
    let junk = |bytes: &[u8]| {
        ProxyFault::ReplyAfterCommit(Reply { status: 200, headers: Vec::new(), body: bytes.to_vec() }.into())
    };
    Some(match kind {
        Kind::ErrorBefore { status, .. } => ProxyFault::Reply(cell.error_reply(*status).into()),
        Kind::ErrorAfter { status, .. } => ProxyFault::ReplyAfterCommit(cell.error_reply(*status).into()),
        Kind::RateLimited { .. } => ProxyFault::Reply(cell.error_reply(429).into()),
        Kind::Unauthorized => ProxyFault::Reply(cell.error_reply(401).into()),
        Kind::Hang { after_effect: false } => ProxyFault::DelayRequest,
        Kind::Hang { after_effect: true } => ProxyFault::DelayReply,
        Kind::ForeignHtml => {
            junk(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>Please sign in to the network</p>")
        }
        Kind::EmptyBody => ProxyFault::CutAfterCommit,
        Kind::TruncatedJson { bytes } => ProxyFault::TruncateReply { body_bytes: *bytes },
        _ => return None,
    })
}

/// Milliseconds that callers wait: long enough for a prompt answer, shorter than a deadline.
pub const WAIT_MS: u64 = 30_000;

/// What could not be set up is no fault of the cell, and still no proof.
pub(crate) fn set_up(why: String) -> Violation {
    Violation::new(Invariant::Runs, format!("could not be set up: {why}"))
}

/// The cell of this id, as its integration registers it.
pub(crate) fn registered(subject: &dyn Subject, id: &str) -> Option<SharedCell> {
    subject.integration().cells().into_iter().find(|cell| cell.spec().id == id)
}

fn on_disk() -> Result<Store, String> {
    let folder = TempDir::with_prefix("hapax-kit-").map_err(|error| error.to_string())?;
    let path = folder.path().join("hapax.ledger");
    SqliteLedger::create(&path).map_err(|error| error.to_string())?;
    Ok(Store::File(folder, path))
}
