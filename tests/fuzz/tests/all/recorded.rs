//! Valid answers of providers, recorded from the stand-ins when the test begins, and given again with one of them changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::cell::{Connection, Context, Credentials, SharedCell, SharedIntegration, Shot, Step, Wire};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::identity::{Names, NamespaceSecret, OperationKey, Seed};
use hapax_core::protocol::Receipt;
use hapax_core::transport::{Gate, HttpTransport, Limiter, Request, Response, SharedTransport, Transport};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::Value;
use url::Url;

use crate::jobs::{self, Job, Site};

/// What one cell was called with and what the provider answered.
pub(crate) struct Recording {
    pub(crate) job: Job,
    args: Value,
    notes: BTreeMap<String, String>,
    began: hapax_core::protocol::Stamp,
    pub(crate) attempt: Vec<Response>,
    pub(crate) find: Vec<Response>,
    connection: Arc<Connection>,
    cell: SharedCell,
    clock: SharedClock,
}

/// Keeps what a transport answers.
struct Recorder {
    real: HttpTransport,
    heard: Mutex<Vec<Response>>,
}

impl Recorder {
    fn keep(&self, heard: &Result<Response, Fault>) {
        let heard = heard.as_ref().expect("a stand-in answers").clone();
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
    }

    fn take(&self) -> Vec<Response> {
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Transport for Recorder {
    async fn ask(&self, base: &Url, request: Request, within: Duration) -> Result<Response, Fault> {
        let heard = self.real.ask(base, request, within).await;
        self.keep(&heard);
        heard
    }

    async fn shoot(&self, base: &Url, request: Request, gate: Gate) -> Result<Response, Fault> {
        let heard = self.real.shoot(base, request, gate).await;
        self.keep(&heard);
        heard
    }
}

/// Gives answers in their order, and none after the last.
pub(crate) struct Player {
    answers: Mutex<std::vec::IntoIter<Response>>,
}

impl Player {
    pub(crate) fn of(answers: Vec<Response>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter()) })
    }

    fn next(&self) -> Result<Response, Fault> {
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).next();
        next.ok_or_else(|| Fault::Lost("nothing more was recorded".to_owned()))
    }
}

#[async_trait]
impl Transport for Player {
    async fn ask(&self, _: &Url, _: Request, _: Duration) -> Result<Response, Fault> {
        self.next()
    }

    async fn shoot(&self, _: &Url, _: Request, _: Gate) -> Result<Response, Fault> {
        self.next()
    }
}

/// Recordings of all cells.
pub(crate) async fn all() -> Vec<Recording> {
    let mut all = Vec::new();
    for job in jobs::all() {
        all.push(record(job).await);
    }
    all
}

fn connection(job: Job, integration: SharedIntegration, url: &str) -> Connection {
    let fields = hapax_catalog::stand_in_credentials(job.integration()).iter();
    let credentials =
        fields.fold(Credentials::none(), |known, (name, secret)| known.with(name, (*secret).to_owned().into()));
    let needs: Vec<String> = job.needs().split(", ").map(|word| word.trim_matches('"').to_owned()).collect();
    let connection = Connection::new("fuzzed", integration, credentials).expect("a connection");
    connection.at(url).expect("an address").stand_in().meets(needs)
}

async fn record(job: Job) -> Recording {
    let clock: SharedClock = Arc::new(SystemClock::new());
    let time = clock.clone();
    let server = hapax_catalog::start_stand_in(job.integration(), 0, Arc::new(move || time.now().wall_ms));
    let server = server.await.expect("a stand-in");
    let site = Site { url: server.url(), now_ms: clock.now().wall_ms };
    let args = jobs::intent(job, &site, 1).await.args;
    let integration = hapax_catalog::integration(job.integration()).expect("an integration");
    let connection = Arc::new(connection(job, integration, &server.url()));
    let cell = connection.integration.cells().into_iter().find(|cell| cell.spec().id == job.cell).expect("a cell");
    let args = cell.check(&args).expect("the job's arguments fit");
    let recorder = Arc::new(Recorder { real: HttpTransport::new(), heard: Mutex::default() });
    let mut recording = Recording {
        job,
        args,
        notes: BTreeMap::new(),
        began: clock.now(),
        attempt: Vec::new(),
        find: Vec::new(),
        connection,
        cell,
        clock,
    };
    loop {
        match recording.prepare(recorder.clone()).await {
            Ok(Step::Note(name, value)) => drop(recording.notes.insert(name.to_owned(), value)),
            Ok(Step::Ready) => break,
            other => panic!("{}: {other:?}", job.cell),
        }
    }
    recorder.take();
    let answer = recording.attempt(recorder.clone()).await;
    assert!(matches!(answer, Answer::Happened(_)), "{}: {answer:?}", job.cell);
    recording.attempt = recorder.take();
    let found = recording.find(recorder.clone()).await;
    recording.find = recorder.take();
    drop(found);
    recording
}

impl Recording {
    /// A connection of its own each time, without a rate: that is kept in real time, and nobody is asked.
    fn wire(&self, transport: SharedTransport) -> Wire {
        let url = self.connection.base_url.as_str();
        let mut connection = connection(self.job, self.connection.integration.clone(), url);
        connection.limiter = Arc::new(Limiter::new(None));
        Wire::new(Arc::new(connection), transport, self.clock.clone())
    }

    fn names(&self) -> Names {
        let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
        let key = OperationKey::new("order:1042").expect("a key");
        let spec = self.cell.spec();
        let seed = Seed::new(secret, &self.connection.name, spec.id, key);
        let (token, mark) = spec.forms();
        let names = Names::new(seed, token, mark, 0, 0).with_notes(self.notes.clone(), BTreeMap::new());
        names.with_since(Some(self.began))
    }

    async fn prepare(&self, transport: SharedTransport) -> Result<Step<Receipt>, Fault> {
        self.cell.prepare(&Context::new(self.names(), self.wire(transport)), &self.args).await
    }

    /// The one shot.
    pub(crate) async fn attempt(&self, transport: SharedTransport) -> Answer<Receipt> {
        let (names, wire) = (self.names(), self.wire(transport));
        if let Err(fault) = self.connection.integration.refresh(&wire).await {
            return Answer::NotDone(fault.to_string(), None);
        }
        let gate = Gate::new(self.clock.clone(), self.clock.now(), 80_000);
        self.cell.attempt(Shot::new(&names, &wire, self.cell.spec(), gate), &self.args).await
    }

    /// A look.
    pub(crate) async fn find(&self, transport: SharedTransport) -> Result<Finding<Receipt>, Fault> {
        self.cell.find(&Context::new(self.names(), self.wire(transport)), &self.args).await
    }

    /// Whether a text holds one of the credentials.
    pub(crate) fn tells_a_secret(&self, text: &str) -> bool {
        let fields = hapax_catalog::stand_in_credentials(self.job.integration());
        let is_secret = |secret: &str| secret.len() >= 12;
        fields.iter().any(|(_, secret)| is_secret(secret) && text.contains(secret))
    }
}
