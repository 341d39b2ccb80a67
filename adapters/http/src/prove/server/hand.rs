//! Sends the example's requests by hand, past the executor.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hapax_conformance::kit::{ACCOUNT, CONNECTION};
use hapax_core::capability::CellSpec;
use hapax_core::cell::{Connection, Context, CredentialField, ErasedCell as _, Shot, Wire};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::identity::{Names, NamespaceSecret, OperationKey, Seed};
use hapax_core::protocol::Receipt;
use hapax_core::transport::{Gate, HttpTransport};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::Value;

use super::TestServer;
use crate::cell::DeclaredCell;
use crate::declaration::CellDeclaration;
use crate::example::Example;
use crate::{Declared, Problem};

/// Sends for one cell.
pub(super) struct Hand {
    pub(super) cell: Arc<DeclaredCell>,
    pub(super) connection: Arc<Connection>,
    wire: Wire,
    clock: SharedClock,
    secret: NamespaceSecret,
    example: Example,
    number: AtomicU64,
}

/// One intent, with its tokens.
pub(super) struct Intent {
    pub(super) names: Names,
    pub(super) args: Value,
}

impl Hand {
    pub(super) fn new(
        declared: &Declared,
        cell: Arc<DeclaredCell>,
        written: &CellDeclaration,
        server: &TestServer,
    ) -> Result<Self, Problem> {
        let at_file = |why: String| declared.problem(&(0..0), why);
        let has = |field: &CredentialField| server.credentials.get(field.name).is_some();
        if let Some(missing) = declared.integration.credentials.iter().find(|field| !field.optional && !has(field)) {
            let why =
                format!("the credential {} is missing: set {} in the environment", missing.name, missing.variable);
            return Err(at_file(why));
        }
        let connection = Connection::new(CONNECTION, declared.integration(), server.credentials.clone());
        let connection = connection.and_then(|known| known.at(server.base_url.as_str()));
        let needs = declared.integration.cells.iter().flat_map(|cell| cell.spec.published().1);
        let met = needs.map(|need| need.words().to_owned()).collect::<Vec<_>>();
        let connection = connection.map_err(|error| at_file(error.to_string()))?.account(ACCOUNT).meets(met);
        let clock: SharedClock = Arc::new(SystemClock::new());
        let example = Example::needed(declared, cell.spec.id, written)?;
        // Another one in every proof, so that an earlier one's records are none of this one's.
        let number = u64::try_from(clock.now().wall_ms / 1_000).unwrap_or(0) * 1_000;
        let connection = Arc::new(connection);
        let wire = Wire::new(connection.clone(), Arc::new(HttpTransport::new()), clock.clone());
        let secret = NamespaceSecret::generate();
        Ok(Self { cell, connection, wire, clock, secret, example, number: AtomicU64::new(number) })
    }

    pub(super) fn spec(&self) -> &'static CellSpec {
        self.cell.spec
    }

    /// Another intent each time.
    pub(super) fn intent(&self) -> Intent {
        self.intent_for(&self.key())
    }

    /// Another key each time.
    pub(super) fn key(&self) -> OperationKey {
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        OperationKey::new(number.to_string()).unwrap_or_else(|_| unreachable!("digits are a key"))
    }

    /// The intent of a key.
    pub(super) fn intent_for(&self, key: &OperationKey) -> Intent {
        let args = self.example.intent(key.as_str().parse().unwrap_or(0)).unwrap_or_default();
        Intent { names: self.names(key), args }
    }

    /// An intent that the example says is refused.
    pub(super) fn refused(&self) -> Option<Intent> {
        let intent = self.intent();
        let args = self.example.refused(&intent.args)?;
        Some(Intent { args, ..intent })
    }

    /// The tokens of an intent with other arguments.
    pub(super) fn reused(&self, intent: &Intent) -> Intent {
        Intent { names: intent.names.clone(), args: self.example.other(&intent.args) }
    }

    fn names(&self, key: &OperationKey) -> Names {
        let seed = Seed::new(self.secret.clone(), ACCOUNT, self.spec().id, key.clone());
        let (token, mark) = self.spec().forms();
        Names::new(seed, token, mark, 0, 0)
    }

    pub(super) fn secret(&self) -> &NamespaceSecret {
        &self.secret
    }

    /// Sends the request that counts.
    pub(super) async fn send(&self, intent: &Intent) -> Answer<Receipt> {
        self.cell.attempt(self.shot(intent), &intent.args).await
    }

    /// Sends it for the whole body of its answer.
    pub(super) async fn answer(&self, intent: &Intent) -> Answer<Value> {
        self.cell.answer(self.shot(intent), &intent.args).await
    }

    fn shot<'a>(&'a self, intent: &'a Intent) -> Shot<'a> {
        let within_ms = u64::try_from(self.spec().answers_within.as_millis()).unwrap_or(u64::MAX);
        let gate = Gate::new(self.clock.clone(), self.clock.now(), within_ms);
        Shot::new(&intent.names, &self.wire, self.spec(), gate)
    }

    /// Asks whether it happened.
    pub(super) async fn look(&self, intent: &Intent) -> Result<Finding<Receipt>, Fault> {
        self.cell.find(&self.context(intent), &intent.args).await
    }

    /// How many records the look shows, whosever they are.
    pub(super) async fn shown(&self, intent: &Intent) -> Result<usize, Fault> {
        self.cell.shown(&self.context(intent), &intent.args).await
    }

    /// Reads one record.
    pub(super) async fn fetch(&self, intent: &Intent, id: &str) -> Result<Option<Receipt>, Fault> {
        self.cell.fetch(&self.context(intent), &intent.args, id).await
    }

    fn context(&self, intent: &Intent) -> Context {
        Context::new(intent.names.clone(), self.wire.clone())
    }

    /// Milliseconds on the machine's clock.
    pub(super) fn now_ms(&self) -> u64 {
        self.clock.now().boot_ms
    }
}

/// An answer for people.
pub(super) fn words(answer: &Answer<Receipt>) -> String {
    match answer {
        Answer::Happened(_) => "it is carried out".to_owned(),
        Answer::Refused(refusal, _) => format!("it is refused as {} ({})", refusal.code, refusal.message),
        Answer::NotDone(why, _) => format!("it is turned away ({why})"),
        Answer::Taken(why, _) => format!("its token counts as spent ({why})"),
        Answer::Unclear(fault) => {
            format!("what it gets is neither a success nor anything that a row speaks of ({fault})")
        }
    }
}
