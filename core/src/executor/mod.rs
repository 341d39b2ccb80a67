//! The executor: load, fold, next, do, append if unchanged.
//!
//! It reaches storage, clock, randomness and the network only through what is handed in.

mod attempt;
mod begin;
mod bells;
mod build;
mod carry;
mod drive;
mod error;
mod journal;
mod look;
mod people;
mod plan;
mod prepare;
mod probe;
mod recover;
mod retention;
mod services;
mod view;
mod work;

use std::sync::{Arc, Mutex};

use crate::cell::{Connection, SharedCell};
use crate::clock::SharedClock;
use crate::identity::NamespaceSecret;
use crate::ledger::{OperationId, SharedLedger};
use crate::policy::Policy;
use crate::protocol::Stamp;
use crate::transport::SharedTransport;

use bells::Bells;
use services::Services;

pub use begin::RunRequest;
pub use build::ExecutorBuilder;
pub use drive::RunReport;
pub use error::ExecutorError;
pub use people::PersonSays;
pub use plan::Plan;
pub use probe::{Point, Probe};
pub use recover::RecoverReport;
pub use view::{Evidence, OperationView, TimelineEntry};

/// Runs intents once. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Executor {
    inner: Arc<Inner>,
}

struct Inner {
    ledger: SharedLedger,
    clock: SharedClock,
    transport: SharedTransport,
    secret: NamespaceSecret,
    services: Services,
    policy: Policy,
    probe: Arc<dyn Probe>,
    /// Rung whenever this process appended something to an operation, so that its callers look again.
    bells: Bells,
    /// When due work that nobody serves was last looked for.
    swept: Mutex<Option<Stamp>>,
}

impl Executor {
    /// Where operations are kept.
    pub fn ledger(&self) -> &SharedLedger {
        &self.inner.ledger
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    /// The connections that it serves.
    pub fn connections(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.inner.services.connections()
    }

    /// The cell of this id, if some connection's integration has it.
    pub fn cell(&self, id: &str) -> Option<&SharedCell> {
        self.inner.services.cell(id)
    }

    /// The operation that a caller's key names, if there is one.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`].
    pub async fn operation_of(
        &self,
        connection: &str,
        cell: &str,
        key: &crate::identity::OperationKey,
    ) -> Result<Option<OperationId>, ExecutorError> {
        let by = crate::ledger::By::Key { connection, cell, key };
        Ok(self.inner.ledger.load(by).await.map_err(ExecutorError::Ledger)?.map(|stored| stored.operation))
    }
}
