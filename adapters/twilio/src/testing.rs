//! A scripted Twilio for unit tests: it gives the answers it was given, in order, and keeps what it
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

pub(crate) const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub(crate) const TOKEN: &str = "verysecrettoken123";
/// The first departure; looks reach back ten minutes before it.
const SINCE_MS: u64 = 1_700_000_000_000;
/// A time after that, as Twilio writes it, and one of the day before.
pub(crate) const AFTER: &str = "Tue, 14 Nov 2023 22:13:25 +0000";
pub(crate) const BEFORE: &str = "Mon, 13 Nov 2023 22:13:25 +0000";

/// A connection whose requests are answered from a script.
pub(crate) struct Desk {
    script: Arc<Script>,
    wire: Wire,
    clock: SharedClock,
    cell: &'static str,
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

/// An answer with an error in Twilio's envelope.
pub(crate) fn error(status: u16, code: u32) -> (u16, Value) {
    let more = format!("https://www.twilio.com/docs/errors/{code}");
    (status, json!({"code": code, "message": "words of Twilio's", "more_info": more, "status": status}))
}

pub(crate) fn sid(prefix: &str, number: u8) -> String {
    format!("{prefix}{number:032x}")
}

impl Desk {
    pub(crate) fn new(cell: &'static str, answers: impl IntoIterator<Item = (u16, Value)>) -> Self {
        let answers = answers.into_iter().map(|(status, body)| Ok(response(status, &body))).collect();
        let credentials = Credentials::none().with("account_sid", ACCOUNT.into()).with("auth_token", TOKEN.into());
        Self::scripted(cell, answers, credentials)
    }

    pub(crate) fn losing(cell: &'static str) -> Self {
        let credentials = Credentials::none().with("account_sid", ACCOUNT.into()).with("auth_token", TOKEN.into());
        Self::scripted(cell, VecDeque::from([Err(Fault::Lost("reset".to_owned()))]), credentials)
    }

    fn scripted(cell: &'static str, answers: VecDeque<Result<Response, Fault>>, credentials: Credentials) -> Self {
        let script = Arc::new(Script { answers: Mutex::new(answers), asked: Mutex::default() });
        let connection = Connection::new("twilio", crate::integration(), credentials).expect("a connection");
        let clock: SharedClock = Arc::new(SystemClock::new());
        let wire = Wire::new(Arc::new(connection), script.clone(), clock.clone());
        Self { script, wire, clock, cell }
    }

    pub(crate) fn names(&self) -> Names {
        let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
        let key = OperationKey::new("order:1042").expect("a key");
        let seed = Seed::new(secret, "twilio", self.cell, key);
        Names::new(seed, Form::Uuid, Form::Text(32), 0, 0).with_since(Some(Stamp::scripted(SINCE_MS)))
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
        let gate = Gate::new(self.clock.clone(), self.clock.now(), 30_000);
        let shot = Shot::new(&names, &self.wire, C::SPEC, gate);
        erase(cell).attempt(shot, &json_of(args)).await
    }

    /// A look, through the erased cell.
    pub(crate) async fn find<C: Cell>(&self, cell: C, args: &C::Args) -> Result<Finding<Receipt>, Fault> {
        erase(cell).find(&self.context(), &json_of(args)).await
    }

    /// A read by id, through the erased cell.
    pub(crate) async fn fetch<C: Cell>(&self, cell: C, args: &C::Args, id: &str) -> Result<Option<Receipt>, Fault> {
        erase(cell).fetch(&self.context(), &json_of(args), id).await
    }

    /// What was asked so far, as method and target, without what all paths begin with.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.script.asked.lock().expect("lock");
        let short = |target: String| target.replace(&format!("/2010-04-01/Accounts/{ACCOUNT}"), "");
        asked.iter().map(|request| format!("{} {}", request.method.as_str(), short(request.target()))).collect()
    }

    /// One of the requests.
    pub(crate) fn request(&self, number: usize) -> Request {
        self.script.asked.lock().expect("lock")[number].clone()
    }
}

pub(crate) fn json_of(args: &impl serde::Serialize) -> Value {
    serde_json::to_value(args).expect("arguments are JSON")
}

/// The pairs of a request's form; of those with one name the last.
pub(crate) fn form_of(request: &Request) -> BTreeMap<String, String> {
    match &request.body {
        Body::Form(pairs) => pairs.iter().cloned().collect(),
        _ => panic!("{request:?} has no form"),
    }
}

/// One page of a list, with where the next one is.
pub(crate) fn page(kind: &str, records: Vec<Value>, next: Option<&str>) -> (u16, Value) {
    let mut page = json!({"page": 0, "page_size": 200, "next_page_uri": next});
    page[kind] = Value::Array(records);
    (200, page)
}

/// Which word an answer is.
pub(crate) fn word<R>(answer: &Answer<R>) -> &'static str {
    match answer {
        Answer::Happened(_) => "happened",
        Answer::Refused(..) => "refused",
        Answer::NotDone(..) => "not done",
        Answer::Taken(_) => "taken",
        Answer::Unclear(Fault::Adrift(_)) => "adrift",
        Answer::Unclear(Fault::KeyBurnt(_)) => "key burnt",
        Answer::Unclear(Fault::Echo(_)) => "echo",
        Answer::Unclear(_) => "unclear",
    }
}
