//! What every run lies on: paused time, a ledger in memory, an executor.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::cell::{Connection, Credentials};
use hapax_core::clock::Clock;
use hapax_core::executor::{Executor, RunReport, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::{MemoryLedger, SharedLedger};
use hapax_core::policy::Policy;
use hapax_core::protocol::Stamp;
use hapax_core::words::Outcome;
use serde_json::{Value, json};

use super::provider::Provider;
use super::toy::toy;

/// Tokio's paused time as a clock: it jumps ahead when everything waits.
pub(crate) struct PausedClock {
    start: tokio::time::Instant,
    stand_ins_only: bool,
}

#[async_trait]
impl Clock for PausedClock {
    fn now(&self) -> Stamp {
        let ms = self.start.elapsed().as_millis() as u64;
        Stamp { wall_ms: 1_800_000_000_000 + ms as i64, boot_ms: ms, boot: 7 }
    }

    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }

    fn real(&self, ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        self.stand_ins_only
    }
}

/// The bed.
pub(crate) struct Bed {
    pub(crate) provider: Arc<Provider>,
    pub(crate) ledger: Arc<MemoryLedger>,
    pub(crate) secret: NamespaceSecret,
    pub(crate) clock: Arc<PausedClock>,
}

impl Bed {
    pub(crate) fn new() -> Self {
        Self {
            provider: Provider::new(),
            ledger: Arc::new(MemoryLedger::new()),
            secret: NamespaceSecret::generate(),
            clock: Arc::new(PausedClock { start: tokio::time::Instant::now(), stand_ins_only: true }),
        }
    }

    /// A connection to the toy.
    pub(crate) fn connection() -> Connection {
        let connection = Connection::new("toy", toy(), Credentials::none()).expect("a connection");
        connection.account("acme").stand_in()
    }

    pub(crate) async fn executor(&self) -> Executor {
        self.executor_with(Policy::default(), Self::connection(), self.ledger.clone()).await
    }

    /// One whose connection is not marked as a stand-in.
    pub(crate) async fn executor_at_the_provider(&self) -> Executor {
        let connection = Connection::new("toy", toy(), Credentials::none()).expect("a connection").account("acme");
        let clock = Arc::new(PausedClock { start: self.clock.start, stand_ins_only: false });
        let builder = Executor::builder(self.ledger.clone(), self.provider.clone(), self.secret.clone()).clock(clock);
        builder.connection(connection).build().await.expect("an executor")
    }

    pub(crate) async fn executor_with(&self, policy: Policy, connection: Connection, ledger: SharedLedger) -> Executor {
        let builder = Executor::builder(ledger, self.provider.clone(), self.secret.clone()).clock(self.clock.clone());
        builder.connection(connection).policy(policy).build().await.expect("an executor")
    }
}

/// A request for an effect of this amount.
pub(crate) fn request(cell: &str, key: &str, amount: i64) -> RunRequest {
    RunRequest::new("toy", cell, OperationKey::new(key).expect("a key"), json!({ "amount": amount }))
}

/// The receipt's id, if it succeeded.
pub(crate) fn id(report: &RunReport) -> Option<&str> {
    report.receipt().and_then(|receipt| receipt["id"].as_str())
}

pub(crate) fn is_refused(report: &RunReport) -> bool {
    matches!(report.outcome, Outcome::Refused { .. })
}

/// What an unknown outcome says.
pub(crate) fn why(report: &RunReport) -> String {
    match &report.outcome {
        Outcome::Unknown { why, .. } => why.clone(),
        other => panic!("{other:?} is known"),
    }
}

pub(crate) fn unknown_next(report: &RunReport) -> hapax_core::words::Next {
    match &report.outcome {
        Outcome::Unknown { next, .. } => next.clone(),
        other => panic!("{other:?} is known"),
    }
}

pub(crate) fn receipt_in(report: &RunReport) -> Option<Value> {
    match &report.outcome {
        Outcome::Unknown { receipt, .. } => receipt.clone(),
        _ => None,
    }
}
