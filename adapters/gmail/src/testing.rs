//! A scripted Google for unit tests: it gives the answers it was given, in order, and keeps what it
//! was asked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::cell::{Cell, Connection, Context, Credentials, SharedCell, Shot, Step, Wire};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::identity::{Form, Names, NamespaceSecret, OperationKey, Seed};
use hapax_core::protocol::{Receipt, Stamp};
use hapax_core::transport::{Gate, Request, Response, Transport};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};
use url::Url;

use crate::{Gmail, Mail, Mailbox, SendCell};

pub(crate) const TOKEN: &str = "ya29.verysecret";

/// When the scripted operation began.
pub(crate) const BEGAN_MS: i64 = 1_790_000_000_000;

/// A connection whose requests are answered from a script.
pub(crate) struct Desk {
    script: Arc<Script>,
    wire: Wire,
    clock: SharedClock,
    cell: SharedCell,
    notes: BTreeMap<String, String>,
    former: BTreeMap<String, String>,
}

pub(crate) struct Script {
    answers: Mutex<VecDeque<Result<Response, Fault>>>,
    asked: Mutex<Vec<(Url, Request)>>,
}

impl Script {
    pub(crate) fn of(answers: impl IntoIterator<Item = (u16, Value)>) -> Arc<Self> {
        let answers = answers.into_iter().map(|(status, body)| Ok(response(status, &body))).collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn answer(&self, base: &Url, request: Request) -> Result<Response, Fault> {
        self.asked.lock().expect("lock").push((base.clone(), request));
        self.answers.lock().expect("lock").pop_front().expect("one more answer in the script")
    }

    /// What was asked so far, as method and target.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("lock");
        asked.iter().map(|(_, request)| format!("{} {}", request.method.as_str(), request.target())).collect()
    }

    /// One of the requests, and the address that it went to.
    pub(crate) fn request(&self, number: usize) -> (Url, Request) {
        self.asked.lock().expect("lock")[number].clone()
    }
}

#[async_trait]
impl Transport for Script {
    async fn ask(&self, base: &Url, request: Request, _within: Duration) -> Result<Response, Fault> {
        self.answer(base, request)
    }

    async fn shoot(&self, base: &Url, request: Request, _gate: Gate) -> Result<Response, Fault> {
        self.answer(base, request)
    }
}

pub(crate) fn response(status: u16, body: &Value) -> Response {
    Response { status, headers: Vec::new(), body: body.to_string().into_bytes() }
}

/// An answer with an error in Google's envelope.
pub(crate) fn error(status: u16, reason: &str) -> (u16, Value) {
    let message = "words about jane@example.com";
    let errors = json!([{ "domain": "global", "reason": reason, "message": message }]);
    (status, json!({ "error": { "code": status, "status": "STATUS", "message": message, "errors": errors } }))
}

/// The mail that tests send.
pub(crate) fn mail() -> Mail {
    let jane: Mailbox = Mailbox::named("jane@example.com".parse().expect("an address"), "Jané");
    Mail::to(jane, "Grüße", "It is due.")
}

impl Desk {
    pub(crate) fn new(answers: impl IntoIterator<Item = (u16, Value)>) -> Self {
        Self::with(Script::of(answers), Credentials::none().with("access_token", TOKEN.into()))
    }

    /// A desk whose first answer is lost.
    pub(crate) fn losing() -> Self {
        let desk = Self::new([]);
        desk.script.answers.lock().expect("lock").push_back(Err(Fault::Lost("reset".to_owned())));
        desk
    }

    pub(crate) fn with(script: Arc<Script>, credentials: Credentials) -> Self {
        let clock: SharedClock = Arc::new(SystemClock::new());
        let gmail = Arc::new(Gmail::new(script.clone(), clock.clone()));
        let connection = Arc::new(Connection::new("gmail", gmail, credentials).expect("a connection"));
        let cell = connection.integration.cells().remove(0);
        let wire = Wire::new(connection, script.clone(), clock.clone());
        Self { script, wire, clock, cell, notes: BTreeMap::new(), former: BTreeMap::new() }
    }

    /// With draft and thread journaled.
    pub(crate) fn noting(mut self) -> Self {
        self.notes.insert("draft".to_owned(), "r1".to_owned());
        self.notes.insert("thread".to_owned(), "t1".to_owned());
        self
    }

    /// With the draft alone journaled.
    pub(crate) fn noting_the_draft(mut self) -> Self {
        self.notes.insert("draft".to_owned(), "r1".to_owned());
        self
    }

    pub(crate) fn superseding(mut self) -> Self {
        self.former.insert("draft".to_owned(), "r0".to_owned());
        self
    }

    pub(crate) fn names(&self) -> Names {
        let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
        let seed = Seed::new(secret, "gmail", "gmail.send", OperationKey::new("order:1042").expect("a key"));
        Names::new(seed, Form::Uuid, Form::Text(32), 0, 0)
            .with_notes(self.notes.clone(), self.former.clone())
            .with_since(Some(Stamp::scripted(u64::try_from(BEGAN_MS).expect("after 1970"))))
    }

    pub(crate) fn mark(&self) -> String {
        self.names().mark()
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    fn context(&self) -> Context {
        Context::new(self.names(), self.wire.clone())
    }

    pub(crate) async fn prepare(&self, mail: &Mail) -> Result<Step<Receipt>, Fault> {
        self.cell.prepare(&self.context(), &json_of(mail)).await
    }

    /// The one shot, through the erased cell, so that the echo is compared.
    pub(crate) async fn attempt(&self, mail: &Mail) -> Answer<Receipt> {
        let names = self.names();
        let gate = Gate::new(self.clock.clone(), self.clock.now(), 80_000);
        self.cell.attempt(Shot::new(&names, &self.wire, SendCell::SPEC, gate), &json_of(mail)).await
    }

    pub(crate) async fn find(&self, mail: &Mail) -> Result<Finding<Receipt>, Fault> {
        self.cell.find(&self.context(), &json_of(mail)).await
    }

    pub(crate) async fn fetch(&self, mail: &Mail, id: &str) -> Result<Option<Receipt>, Fault> {
        self.cell.fetch(&self.context(), &json_of(mail), id).await
    }
}

pub(crate) fn json_of(args: &impl serde::Serialize) -> Value {
    serde_json::to_value(args).expect("arguments are JSON")
}

/// Which word an answer is.
pub(crate) fn word<R>(answer: &Answer<R>) -> &'static str {
    match answer {
        Answer::Happened(_) => "happened",
        Answer::Refused(_, hapax_core::words::Covers::Attempt) => "refused",
        Answer::Refused(_, hapax_core::words::Covers::Record) => "refused on record",
        Answer::NotDone(..) => "not done",
        Answer::Taken(_) => "taken",
        Answer::Unclear(Fault::Echo(_)) => "echo",
        Answer::Unclear(_) => "unclear",
    }
}
