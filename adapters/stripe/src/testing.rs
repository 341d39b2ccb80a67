//! A scripted Stripe for unit tests: it gives the answers it was given, in order, and keeps what it
//! was asked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::cell::{Cell, Connection, Context, Credentials, Shot, Wire, erase};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::identity::{Form, Names, NamespaceSecret, OperationKey, Seed};
use hapax_core::protocol::{Receipt, Stamp};
use hapax_core::transport::{Body, Gate, Request, Response, Transport};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};
use url::Url;

pub(crate) const SECRET_KEY: &str = "sk_test_verysecret123";

/// A connection whose requests are answered from a script.
pub(crate) struct Desk {
    script: Arc<Script>,
    wire: Wire,
    clock: SharedClock,
    cell: &'static str,
    notes: BTreeMap<String, String>,
    former: BTreeMap<String, String>,
    number: u32,
    key: &'static str,
}

struct Script {
    answers: Mutex<VecDeque<Result<Response, Fault>>>,
    asked: Mutex<Vec<Request>>,
}

impl Script {
    fn answer(&self, request: Request) -> Result<Response, Fault> {
        self.asked.lock().expect("lock").push(request);
        self.answers.lock().expect("lock").pop_front().expect("one more answer in the script")
    }
}

#[async_trait]
impl Transport for Script {
    async fn ask(&self, _base: &Url, request: Request, _within: Duration) -> Result<Response, Fault> {
        self.answer(request)
    }

    async fn shoot(&self, _base: &Url, request: Request, _gate: Gate) -> Result<Response, Fault> {
        self.answer(request)
    }
}

pub(crate) fn response(status: u16, body: &Value) -> Response {
    Response { status, headers: Vec::new(), body: body.to_string().into_bytes() }
}

/// An answer with an error in Stripe's envelope.
pub(crate) fn error(status: u16, kind: &str, code: &str) -> (u16, Value) {
    let code = if code.is_empty() { Value::Null } else { json!(code) };
    (status, json!({"error": {"type": kind, "code": code, "message": "words of Stripe's"}}))
}

impl Desk {
    pub(crate) fn new(cell: &'static str, answers: impl IntoIterator<Item = (u16, Value)>) -> Self {
        let answers = answers.into_iter().map(|(status, body)| Ok(response(status, &body))).collect();
        Self::scripted(cell, answers)
    }

    pub(crate) fn losing(cell: &'static str) -> Self {
        Self::scripted(cell, VecDeque::from([Err(Fault::Lost("reset".to_owned()))]))
    }

    fn scripted(cell: &'static str, answers: VecDeque<Result<Response, Fault>>) -> Self {
        let script = Arc::new(Script { answers: Mutex::new(answers), asked: Mutex::default() });
        let credentials = Credentials::none().with("api_key", SECRET_KEY.into());
        let connection = Connection::new("stripe", crate::integration(), credentials).expect("a connection");
        let clock: SharedClock = Arc::new(SystemClock::new());
        let wire = Wire::new(Arc::new(connection), script.clone(), clock.clone());
        let (notes, former) = (BTreeMap::new(), BTreeMap::new());
        Self { script, wire, clock, cell, notes, former, number: 0, key: "order:1042" }
    }

    pub(crate) fn noting(mut self, intent: &str) -> Self {
        self.notes.insert("intent".to_owned(), intent.to_owned());
        self
    }

    pub(crate) fn superseding(mut self, intent: &str) -> Self {
        self.former.insert("intent".to_owned(), intent.to_owned());
        self
    }

    /// With the key of the step that counts replaced so many times.
    pub(crate) fn replaced(mut self, number: u32) -> Self {
        self.number = number;
        self
    }

    /// Another operation of the same cell.
    pub(crate) fn keyed(mut self, key: &'static str) -> Self {
        self.key = key;
        self
    }

    pub(crate) fn names(&self) -> Names {
        let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
        let key = OperationKey::new(self.key).expect("a key");
        let seed = Seed::new(secret, "stripe", self.cell, key);
        Names::new(seed, Form::Uuid, Form::Text(32), 0, self.number)
            .with_notes(self.notes.clone(), self.former.clone())
            .with_since(Some(Stamp::scripted(1_700_000_000_000)))
    }

    pub(crate) fn mark(&self) -> String {
        self.names().mark()
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn context(&self) -> Context {
        Context::new(self.names(), self.wire.clone())
    }

    /// The one shot, through the erased cell, so that the echo is compared.
    pub(crate) async fn attempt<C: Cell>(&self, cell: C, args: &C::Args) -> Answer<Receipt> {
        let names = self.names();
        let gate = Gate::new(self.clock.clone(), self.clock.now(), 80_000);
        let shot = Shot::new(&names, &self.wire, C::SPEC, gate);
        erase(cell).attempt(shot, &json_of(args)).await
    }

    /// A look, through the erased cell.
    pub(crate) async fn find<C: Cell>(&self, cell: C, args: &C::Args) -> Result<Finding<Receipt>, Fault> {
        erase(cell).find(&self.context(), &json_of(args)).await
    }

    /// What was asked so far, as method and target.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.script.asked.lock().expect("lock");
        asked.iter().map(|request| format!("{} {}", request.method.as_str(), request.target())).collect()
    }

    /// One of the requests.
    pub(crate) fn request(&self, number: usize) -> Request {
        self.script.asked.lock().expect("lock")[number].clone()
    }
}

pub(crate) fn json_of(args: &impl serde::Serialize) -> Value {
    serde_json::to_value(args).expect("arguments are JSON")
}

/// The key of a request.
pub(crate) fn key_of(request: &Request) -> String {
    let found = request.headers.iter().find(|(name, _)| name == "Idempotency-Key");
    found.expect("every POST has a key").1.clone()
}

/// The pairs of a request's form.
pub(crate) fn form_of(request: &Request) -> BTreeMap<String, String> {
    match &request.body {
        Body::Form(pairs) => pairs.iter().cloned().collect(),
        _ => panic!("{request:?} has no form"),
    }
}

/// Which word an answer is.
pub(crate) fn word<R>(answer: &Answer<R>) -> &'static str {
    match answer {
        Answer::Happened(_) => "happened",
        Answer::Refused(_, hapax_core::words::Covers::Attempt) => "refused",
        Answer::Refused(_, hapax_core::words::Covers::Record) => "refused on record",
        Answer::NotDone(..) => "not done",
        Answer::Taken(_) => "taken",
        Answer::Unclear(Fault::Adrift(_)) => "adrift",
        Answer::Unclear(Fault::KeyBurnt(_)) => "key burnt",
        Answer::Unclear(Fault::Echo(_)) => "echo",
        Answer::Unclear(_) => "unclear",
    }
}
