//! The ledger that the configuration names, whichever it is.

use std::sync::Arc;

use hapax_core::clock::SharedClock;
use hapax_core::ledger::{Header, Index, LedgerError, SharedLedger, Stored};
use hapax_ledger_postgres::PostgresLedger;
use hapax_ledger_sqlite::SqliteLedger;
use tokio::sync::{mpsc, oneshot};

use crate::config::LedgerPlace;
use crate::exit::Failure;

/// An open ledger.
pub(crate) enum OpenLedger {
    File(Arc<SqliteLedger>),
    Postgres(Arc<PostgresLedger>),
}

/// What a check of the whole ledger found.
pub(crate) struct Verified {
    pub(crate) operations: u64,
    pub(crate) events: u64,
    pub(crate) problems: Vec<String>,
}

impl OpenLedger {
    /// Makes a new one where nothing is.
    pub(crate) async fn create(place: &LedgerPlace) -> Result<(), Failure> {
        match place {
            LedgerPlace::File(path) => drop(SqliteLedger::create(path)?),
            LedgerPlace::Postgres(at) => drop(PostgresLedger::create(at.address()?, at.options).await?),
        }
        Ok(())
    }

    /// Opens the one that is there. `restored` lets in one that comes from elsewhere, which is then to be noted.
    pub(crate) async fn open(place: &LedgerPlace, restored: bool) -> Result<Self, Failure> {
        Ok(match place {
            LedgerPlace::File(path) => Self::File(Arc::new(SqliteLedger::open(path)?)),
            LedgerPlace::Postgres(at) => {
                let (address, options) = (at.address()?, at.options);
                let opened = match restored {
                    true => PostgresLedger::open_restored(address, options).await,
                    false => PostgresLedger::open(address, options).await,
                };
                Self::Postgres(Arc::new(opened?))
            }
        })
    }

    /// Says that all that a restore concerns is noted, so that others are let in again.
    pub(crate) async fn settle_down(&self) -> Result<(), LedgerError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Postgres(ledger) => ledger.settle_down().await,
        }
    }

    /// As the core wants it.
    pub(crate) fn shared(&self) -> SharedLedger {
        match self {
            Self::File(ledger) => Arc::clone(ledger) as SharedLedger,
            Self::Postgres(ledger) => Arc::clone(ledger) as SharedLedger,
        }
    }

    /// The clock that all who share this ledger go by; none: each machine's own.
    pub(crate) fn clock(&self) -> Option<SharedClock> {
        match self {
            Self::File(_) => None,
            Self::Postgres(ledger) => Some(ledger.clock()),
        }
    }

    /// Hands over everything that it holds.
    pub(crate) async fn export(
        &self,
        header: oneshot::Sender<Header>,
        operations: mpsc::Sender<(Stored, Index)>,
    ) -> Result<(), LedgerError> {
        match self {
            Self::File(ledger) => ledger.export(header, operations).await,
            Self::Postgres(ledger) => ledger.export(header, operations).await,
        }
    }

    /// Takes in everything that another one handed over.
    pub(crate) async fn import(
        &self,
        header: Header,
        operations: mpsc::Receiver<Option<(Stored, Index)>>,
    ) -> Result<u64, LedgerError> {
        match self {
            Self::File(ledger) => ledger.import(header, operations).await,
            Self::Postgres(ledger) => ledger.import(header, operations).await,
        }
    }

    /// Reads everything and compares.
    pub(crate) async fn verify(&self) -> Result<Verified, LedgerError> {
        Ok(match self {
            Self::File(ledger) => {
                let found = ledger.verify().await?;
                Verified { operations: found.operations, events: found.events, problems: found.problems }
            }
            Self::Postgres(ledger) => {
                let found = ledger.verify().await?;
                Verified { operations: found.operations, events: found.events, problems: found.problems }
            }
        })
    }
}
