use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, SharedIntegration, Wire};
use hapax_core::clock::SharedClock;
use hapax_core::ledger::SharedLedger;
use hapax_core::transport::{Request, Response, SharedTransport};
use hapax_core::words::Fault;

/// Wrappers around what the kit hands to an executor. A planted bug is one of them; the core has no switches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bends {
    /// Around every cell.
    pub cell: Option<fn(SharedCell) -> SharedCell>,
    /// Around the transport.
    pub transport: Option<fn(SharedTransport) -> SharedTransport>,
    /// Around the ledger.
    pub ledger: Option<fn(SharedLedger) -> SharedLedger>,
    /// Around the clock.
    pub clock: Option<fn(SharedClock) -> SharedClock>,
}

impl Bends {
    /// With this around every cell.
    pub const fn cell(bend: fn(SharedCell) -> SharedCell) -> Self {
        Self { cell: Some(bend), transport: None, ledger: None, clock: None }
    }

    /// With this around the transport.
    pub const fn transport(bend: fn(SharedTransport) -> SharedTransport) -> Self {
        Self { cell: None, transport: Some(bend), ledger: None, clock: None }
    }

    /// With this around the ledger.
    pub const fn ledger(bend: fn(SharedLedger) -> SharedLedger) -> Self {
        Self { cell: None, transport: None, ledger: Some(bend), clock: None }
    }

    /// With this around the clock.
    pub const fn clock(bend: fn(SharedClock) -> SharedClock) -> Self {
        Self { cell: None, transport: None, ledger: None, clock: Some(bend) }
    }
}

/// An integration whose cells are bent.
pub struct BentIntegration {
    below: SharedIntegration,
    cells: Vec<SharedCell>,
}

impl BentIntegration {
    /// Bends every cell, one bend after the other.
    pub fn over(below: SharedIntegration, bends: &[fn(SharedCell) -> SharedCell]) -> SharedIntegration {
        let bend = |cell: SharedCell| bends.iter().fold(cell, |cell, bend| bend(cell));
        let cells = below.cells().into_iter().map(bend).collect();
        Arc::new(Self { below, cells })
    }
}

#[async_trait]
impl Integration for BentIntegration {
    fn name(&self) -> &'static str {
        self.below.name()
    }

    fn base_url(&self) -> &'static str {
        self.below.base_url()
    }

    fn schemes(&self) -> &'static [&'static str] {
        self.below.schemes()
    }

    fn credentials(&self) -> &'static [CredentialField] {
        self.below.credentials()
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        self.below.authorize(connection, request)
    }

    fn code(&self, response: &Response) -> Option<Code> {
        self.below.code(response)
    }

    fn names(&self, response: &Response) -> Option<String> {
        self.below.names(response)
    }

    fn is_absent(&self, response: &Response) -> bool {
        self.below.is_absent(response)
    }

    fn scope(&self, connection: &Connection) -> String {
        self.below.scope(connection)
    }

    // A stand-in has no rate to keep to, and runs are many.
    fn requests_per_second(&self) -> Option<u32> {
        None
    }

    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        self.below.refresh(wire).await
    }

    fn reject(&self, wire: &Wire) -> bool {
        self.below.reject(wire)
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        self.below.whoami(wire).await
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        self.below.probe(wire, need).await
    }

    fn cells(&self) -> Vec<SharedCell> {
        self.cells.clone()
    }
}
