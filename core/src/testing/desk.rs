use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Script;
use crate::cell::{Connection, Context, SharedCell, Shot, Step, Wire};
use crate::clock::{SharedClock, SystemClock};
use crate::identity::{Names, NamespaceSecret, OperationKey, Seed};
use crate::protocol::{Receipt, Stamp};
use crate::transport::{Body, Gate, Request};
use crate::words::{Answer, Covers, Fault, Finding};

/// A connection whose requests are answered from a script, and the verbs of one cell on it.
///
/// Every verb goes through the erased cell, so that echoes are compared as the executor does it.
pub struct Desk {
    script: Arc<Script>,
    wire: Wire,
    cell: SharedCell,
    clock: SharedClock,
    notes: BTreeMap<String, String>,
    former: BTreeMap<String, String>,
    named: Option<String>,
    epoch: u32,
    number: u32,
    key: &'static str,
}

impl Desk {
    /// When the scripted operation began, in milliseconds since 1970: 2023-11-14 22:13:20 UTC.
    pub const BEGAN_MS: i64 = 1_700_000_000_000;

    /// A desk for a cell, by its id, on this connection.
    ///
    /// # Panics
    /// If the connection's integration has no such cell.
    pub fn new(connection: Connection, cell: &str, script: Arc<Script>) -> Self {
        Self::by(Arc::new(SystemClock::new()), connection, cell, script)
    }

    /// The same by another clock.
    ///
    /// # Panics
    /// As [`Desk::new`].
    pub fn by(clock: SharedClock, connection: Connection, cell: &str, script: Arc<Script>) -> Self {
        let cells = connection.integration.cells();
        let cell = cells.into_iter().find(|known| known.spec().id == cell).expect("a cell of this integration");
        let wire = Wire::new(Arc::new(connection), script.clone(), clock.clone());
        let (notes, former) = (BTreeMap::new(), BTreeMap::new());
        Self { script, wire, cell, clock, notes, former, named: None, epoch: 0, number: 0, key: "order:1042" }
    }

    /// With a note journaled.
    pub fn noting(mut self, name: &str, value: &str) -> Self {
        self.notes.insert(name.to_owned(), value.to_owned());
        self
    }

    /// After an answer that named this object as the one on which the token was spent.
    pub fn naming(mut self, object: &str) -> Self {
        self.named = Some(object.to_owned());
        self
    }

    /// In the second epoch, with a note of the first.
    pub fn superseding(mut self, name: &str, value: &str) -> Self {
        self.former.insert(name.to_owned(), value.to_owned());
        self.epoch = 1;
        self
    }

    /// With the key of the step that counts replaced so many times.
    pub fn replaced(mut self, number: u32) -> Self {
        self.number = number;
        self
    }

    /// Another operation of the same cell.
    pub fn keyed(mut self, key: &'static str) -> Self {
        self.key = key;
        self
    }

    /// The operation's names.
    ///
    /// # Panics
    /// If the key is none.
    pub fn names(&self) -> Names {
        let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
        let key = OperationKey::new(self.key).expect("a key");
        let spec = self.cell.spec();
        let seed = Seed::new(secret, &self.wire.connection().name, spec.id, key);
        let (token, mark) = spec.forms();
        Names::new(seed, token, mark, self.epoch, self.number)
            .with_notes(self.notes.clone(), self.former.clone())
            .with_named(self.named.clone())
            .with_since(Some(Stamp::scripted(Self::BEGAN_MS.unsigned_abs())))
    }

    /// The operation's mark.
    pub fn mark(&self) -> String {
        self.names().mark()
    }

    /// The connection.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// The script.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// What `prepare` and `find` get.
    pub fn context(&self) -> Context {
        Context::new(self.names(), self.wire.clone())
    }

    /// The next harmless step.
    ///
    /// # Errors
    /// As [`crate::cell::Cell::prepare`].
    pub async fn prepare(&self, args: &impl serde::Serialize) -> Result<Step<Receipt>, Fault> {
        self.cell.prepare(&self.context(), &json_of(args)).await
    }

    /// The one shot, after the refresh that comes before a departure.
    pub async fn attempt(&self, args: &impl serde::Serialize) -> Answer<Receipt> {
        if let Err(fault) = self.wire.connection().integration.refresh(&self.wire).await {
            return Answer::NotDone(fault.to_string(), None);
        }
        let names = self.names();
        let gate = Gate::new(self.clock.clone(), self.clock.now(), 80_000);
        self.cell.attempt(Shot::new(&names, &self.wire, self.cell.spec(), gate), &json_of(args)).await
    }

    /// A look.
    ///
    /// # Errors
    /// As [`crate::cell::Cell::find`].
    pub async fn find(&self, args: &impl serde::Serialize) -> Result<Finding<Receipt>, Fault> {
        self.cell.find(&self.context(), &json_of(args)).await
    }

    /// A read by the provider's id.
    ///
    /// # Errors
    /// As [`crate::cell::Cell::follow`].
    pub async fn follow(&self, args: &impl serde::Serialize, id: &str) -> Result<Option<Receipt>, Fault> {
        self.cell.follow(&self.context(), &json_of(args), id).await
    }

    /// As [`crate::cell::Cell::fetch`].
    pub async fn fetch(&self, args: &impl serde::Serialize, id: &str) -> Result<Option<Receipt>, Fault> {
        self.cell.fetch(&self.context(), &json_of(args), id).await
    }

    /// What was asked so far, as method and target.
    pub fn asked(&self) -> Vec<String> {
        self.script.asked()
    }

    /// One of the requests.
    ///
    /// # Panics
    /// If there were fewer.
    pub fn request(&self, number: usize) -> Request {
        self.script.request(number).1
    }

    /// The last request.
    ///
    /// # Panics
    /// If there was none.
    pub fn last(&self) -> Request {
        self.script.last()
    }
}

/// Arguments as the ledger has them.
///
/// # Panics
/// If they are no JSON.
pub fn json_of(args: &impl serde::Serialize) -> Value {
    serde_json::to_value(args).expect("arguments are JSON")
}

/// The pairs of a request's form; of those with one name the last.
///
/// # Panics
/// If it has none.
pub fn form_of(request: &Request) -> BTreeMap<String, String> {
    match &request.body {
        Body::Form(pairs) => pairs.iter().cloned().collect(),
        _ => panic!("{request:?} has no form"),
    }
}

/// The JSON of a request.
///
/// # Panics
/// If it has none.
pub fn body_of(request: &Request) -> Value {
    match &request.body {
        Body::Json(body) => body.clone(),
        _ => panic!("{request:?} has no JSON"),
    }
}

/// Which word an answer is.
pub fn word<R>(answer: &Answer<R>) -> &'static str {
    match answer {
        Answer::Happened(_) => "happened",
        Answer::Refused(_, Covers::Attempt) => "refused",
        Answer::Refused(_, Covers::Record) => "refused on record",
        Answer::NotDone(..) => "not done",
        Answer::Taken(..) => "taken",
        Answer::Unclear(Fault::Adrift(_)) => "adrift",
        Answer::Unclear(Fault::KeyBurnt(_)) => "key burnt",
        Answer::Unclear(Fault::Echo(_)) => "echo",
        Answer::Unclear(_) => "unclear",
    }
}
