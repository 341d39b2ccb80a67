use std::sync::{Arc, Mutex};

use super::bells::Bells;
use super::probe::NoProbe;
use super::services::Services;
use super::{Executor, ExecutorError, Inner, Probe};
use crate::cell::Connection;
use crate::clock::{SharedClock, SystemClock};
use crate::identity::NamespaceSecret;
use crate::ledger::SharedLedger;
use crate::policy::Policy;
use crate::transport::SharedTransport;

/// Puts an executor together.
pub struct ExecutorBuilder {
    ledger: SharedLedger,
    transport: SharedTransport,
    secret: NamespaceSecret,
    clock: SharedClock,
    connections: Vec<Connection>,
    policy: Policy,
    probe: Arc<dyn Probe>,
    accept_secret: bool,
}

impl Executor {
    /// Begins to put an executor together from where operations are kept, how requests are sent,
    /// and the secret that tokens are derived from.
    pub fn builder(ledger: SharedLedger, transport: SharedTransport, secret: NamespaceSecret) -> ExecutorBuilder {
        ExecutorBuilder {
            ledger,
            transport,
            secret,
            clock: Arc::new(SystemClock::new()),
            connections: Vec::new(),
            policy: Policy::default(),
            probe: Arc::new(NoProbe),
            accept_secret: false,
        }
    }
}

impl ExecutorBuilder {
    /// With another clock; a scaled one only with stand-ins.
    pub fn clock(mut self, clock: SharedClock) -> Self {
        self.clock = clock;
        self
    }

    /// With one more connection.
    pub fn connection(mut self, connection: Connection) -> Self {
        self.connections.push(connection);
        self
    }

    /// With a policy.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// With a probe, for crash suites.
    pub fn probe(mut self, probe: Arc<dyn Probe>) -> Self {
        self.probe = probe;
        self
    }

    /// Even if the ledger was used with another secret: only to call [`Executor::note_restored`].
    pub fn accept_other_secret(mut self) -> Self {
        self.accept_secret = true;
        self
    }

    /// The executor.
    ///
    /// # Errors
    /// [`ExecutorError`] says what is wrong with the parts or the ledger; nothing was sent.
    pub async fn build(self) -> Result<Executor, ExecutorError> {
        let real = self.connections.iter().find(|connection| !connection.stand_in);
        if let Some(real) = real.filter(|_| self.clock.is_stand_in_only()) {
            return Err(ExecutorError::ClockNotAllowed(real.name.clone()));
        }
        let services = Services::new(self.connections, &self.policy, &self.secret)?;
        let check = self.secret.check_value();
        let header = self.ledger.header().await.map_err(ExecutorError::Ledger)?;
        let known = match header.secret_check.is_empty() {
            true => self.ledger.adopt(&check).await.map_err(ExecutorError::Ledger)?,
            false => header.secret_check,
        };
        if known != check && !self.accept_secret {
            return Err(ExecutorError::OtherSecret);
        }
        let inner = Inner {
            ledger: self.ledger,
            clock: self.clock,
            transport: self.transport,
            secret: self.secret,
            services,
            policy: self.policy,
            probe: self.probe,
            bells: Bells::default(),
            swept: Mutex::new(None),
        };
        Ok(Executor { inner: Arc::new(inner) })
    }
}
