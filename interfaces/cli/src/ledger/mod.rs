//! The ledger that the configuration names, whichever it is.

mod seals;
mod store;

use hapax_core::clock::SharedClock;
use hapax_core::ledger::{Header, Index, LedgerError, SharedLedger, Stored};
use hapax_ledger_sealed::{Keys, Seals, unmark};
use tokio::sync::{mpsc, oneshot};

use crate::config::Config;
use crate::exit::Failure;

pub(crate) use store::Store;

/// An open ledger.
pub(crate) struct OpenLedger {
    pub(crate) store: Store,
    /// None: it isn't sealed.
    pub(crate) keys: Option<Keys>,
}

/// What a check of the whole ledger found.
pub(crate) struct Verified {
    pub(crate) operations: u64,
    pub(crate) events: u64,
    /// How much is sealed with which key.
    pub(crate) seals: Seals,
    pub(crate) problems: Vec<String>,
}

impl OpenLedger {
    /// Makes a new one where nothing is.
    pub(crate) async fn create(config: &Config) -> Result<(), Failure> {
        // What can't be sealed as it is wanted is not even begun.
        config.ledger_keys()?;
        Store::create(&config.ledger).await
    }

    /// Opens the one that is there. `restored` lets in one that comes from elsewhere, which is then to be noted.
    pub(crate) async fn open(config: &Config, restored: bool) -> Result<Self, Failure> {
        let keys = config.ledger_keys()?;
        let store = Store::open(&config.ledger, restored).await?;
        match &keys {
            Some(keys) => seals::check(store.shared(), keys).await?,
            None => refuse_sealed(&store.shared().header().await?)?,
        }
        Ok(Self { store, keys })
    }

    /// Says that all that a restore concerns is noted, so that others are let in again.
    pub(crate) async fn settle_down(&self) -> Result<(), LedgerError> {
        self.store.settle_down().await
    }

    /// As the core wants it.
    pub(crate) fn shared(&self) -> SharedLedger {
        match &self.keys {
            Some(keys) => seals::over(self.store.shared(), keys),
            None => self.store.shared(),
        }
    }

    /// The clock that all who share this ledger go by; none: each machine's own.
    pub(crate) fn clock(&self) -> Option<SharedClock> {
        self.store.clock()
    }

    /// Hands over everything that it holds, with its seals opened.
    pub(crate) async fn export(
        &self,
        header: oneshot::Sender<Header>,
        operations: mpsc::Sender<(Stored, Index)>,
    ) -> Result<(), LedgerError> {
        match &self.keys {
            Some(keys) => seals::export(&self.store, keys, header, operations).await,
            None => self.store.export(header, operations).await,
        }
    }

    /// Takes in everything that another one handed over.
    pub(crate) async fn import(
        &self,
        header: Header,
        operations: mpsc::Receiver<Option<(Stored, Index)>>,
    ) -> Result<u64, LedgerError> {
        match &self.keys {
            Some(keys) => seals::import(&self.store, keys, header, operations).await,
            None => self.store.import(header, operations).await,
        }
    }

    /// Reads everything and compares.
    pub(crate) async fn verify(&self) -> Result<Verified, LedgerError> {
        let mut found = self.store.verify().await?;
        // What is damaged already can't be read to its end.
        if let (Some(keys), true) = (&self.keys, found.problems.is_empty()) {
            (found.seals, found.problems) = seals::count(&self.store, keys).await?;
        }
        Ok(found)
    }
}

fn refuse_sealed(header: &Header) -> Result<(), Failure> {
    if header.secret_check.is_empty() || unmark(&header.secret_check).is_none() {
        return Ok(());
    }
    let hint = "say key_env or key_file under [ledger]; without its key nothing in it can be read";
    Err(Failure::of_ledger(&format!("the ledger is sealed, and the configuration names no key; {hint}")))
}
