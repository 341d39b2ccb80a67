//! What goes into and comes out of a sealed ledger as a whole passes its seals here; operations pass those of
//! [`SealedLedger`].

use std::sync::Arc;

use hapax_core::ledger::{Header, Index, LedgerError, SharedLedger, Stored};
use hapax_ledger_sealed::{Keys, SealedLedger, Seals, mark, unmark};
use tokio::sync::{mpsc, oneshot};

use super::Store;

/// How many operations may wait on their way.
const AHEAD: usize = 64;

pub(super) fn over(below: SharedLedger, keys: &Keys) -> SharedLedger {
    Arc::new(SealedLedger::new(below, keys.clone()))
}

/// Whether it is sealed, and with these keys.
pub(super) async fn check(below: SharedLedger, keys: &Keys) -> Result<(), LedgerError> {
    SealedLedger::open(below, keys.clone()).await.map(drop)
}

pub(super) async fn export(
    store: &Store,
    keys: &Keys,
    header: oneshot::Sender<Header>,
    operations: mpsc::Sender<(Stored, Index)>,
) -> Result<(), LedgerError> {
    let (known, knows) = oneshot::channel();
    let (to, mut from) = mpsc::channel::<(Stored, Index)>(AHEAD);
    // What it owns goes when it ends, so that the ledger hears that nobody takes more.
    let opening = async move {
        if let Ok(known) = knows.await {
            let _nobody_listens = header.send(without_mark(known));
        }
        while let Some((mut stored, index)) = from.recv().await {
            keys.open(stored.operation, &mut stored.records)?;
            if operations.send((stored, index)).await.is_err() {
                break;
            }
        }
        Ok(())
    };
    let (read, opened) = tokio::join!(store.export(known, to), opening);
    read.and(opened)
}

fn without_mark(header: Header) -> Header {
    let secret_check = unmark(&header.secret_check).unwrap_or_default().to_owned();
    Header { secret_check, ..header }
}

pub(super) async fn import(
    store: &Store,
    keys: &Keys,
    header: Header,
    mut operations: mpsc::Receiver<Option<(Stored, Index)>>,
) -> Result<u64, LedgerError> {
    let header = Header { secret_check: mark(&header.secret_check), ..header };
    let (to, from) = mpsc::channel(AHEAD);
    let sealing = async move {
        while let Some(mut next) = operations.recv().await {
            if let Some((stored, _)) = &mut next {
                keys.seal(stored.operation, 0, &mut stored.records)?;
            }
            if to.send(next).await.is_err() {
                break;
            }
        }
        Ok(())
    };
    let (taken, sealed) = tokio::join!(store.import(header, from), sealing);
    sealed.and(taken)
}

/// How much is sealed with which key, and what doesn't open.
pub(super) async fn count(store: &Store, keys: &Keys) -> Result<(Seals, Vec<String>), LedgerError> {
    let (known, _nobody_listens) = oneshot::channel();
    let (to, mut from) = mpsc::channel::<(Stored, Index)>(AHEAD);
    let counting = async move {
        let (mut seals, mut problems) = (Seals::new(), Vec::new());
        while let Some((mut stored, _)) = from.recv().await {
            match keys.open(stored.operation, &mut stored.records) {
                Ok(of_it) => of_it.into_iter().for_each(|(key, count)| *seals.entry(key).or_default() += count),
                Err(broken) => problems.push(broken.to_string()),
            }
        }
        (seals, problems)
    };
    let (read, counted) = tokio::join!(store.export(known, to), counting);
    read.map(|()| counted)
}
