use std::sync::Arc;

use hapax_core::clock::SharedClock;
use hapax_core::ledger::{Header, Index, LedgerError, SharedLedger, Stored};
use hapax_ledger_postgres::PostgresLedger;
use hapax_ledger_sealed::Seals;
use hapax_ledger_sqlite::SqliteLedger;
use tokio::sync::{mpsc, oneshot};

use super::Verified;
use crate::config::LedgerPlace;
use crate::exit::Failure;

/// What a ledger lies in.
pub(crate) enum Store {
    File(Arc<SqliteLedger>),
    Postgres(Arc<PostgresLedger>),
}

impl Store {
    pub(super) async fn create(place: &LedgerPlace) -> Result<(), Failure> {
        match place {
            LedgerPlace::File(path) => drop(SqliteLedger::create(path)?),
            LedgerPlace::Postgres(at) => drop(PostgresLedger::create(at.address()?, at.options).await?),
        }
        Ok(())
    }

    pub(super) async fn open(place: &LedgerPlace, restored: bool) -> Result<Self, Failure> {
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

    pub(super) async fn settle_down(&self) -> Result<(), LedgerError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Postgres(ledger) => ledger.settle_down().await,
        }
    }

    /// With what is sealed as it lies there.
    pub(super) fn shared(&self) -> SharedLedger {
        match self {
            Self::File(ledger) => Arc::clone(ledger) as SharedLedger,
            Self::Postgres(ledger) => Arc::clone(ledger) as SharedLedger,
        }
    }

    pub(super) fn clock(&self) -> Option<SharedClock> {
        match self {
            Self::File(_) => None,
            Self::Postgres(ledger) => Some(ledger.clock()),
        }
    }

    pub(super) async fn export(
        &self,
        header: oneshot::Sender<Header>,
        operations: mpsc::Sender<(Stored, Index)>,
    ) -> Result<(), LedgerError> {
        match self {
            Self::File(ledger) => ledger.export(header, operations).await,
            Self::Postgres(ledger) => ledger.export(header, operations).await,
        }
    }

    pub(super) async fn import(
        &self,
        header: Header,
        operations: mpsc::Receiver<Option<(Stored, Index)>>,
    ) -> Result<u64, LedgerError> {
        match self {
            Self::File(ledger) => ledger.import(header, operations).await,
            Self::Postgres(ledger) => ledger.import(header, operations).await,
        }
    }

    pub(super) async fn verify(&self) -> Result<Verified, LedgerError> {
        let (operations, events, problems) = match self {
            Self::File(ledger) => {
                let found = ledger.verify().await?;
                (found.operations, found.events, found.problems)
            }
            Self::Postgres(ledger) => {
                let found = ledger.verify().await?;
                (found.operations, found.events, found.problems)
            }
        };
        Ok(Verified { operations, events, seals: Seals::new(), problems })
    }
}
