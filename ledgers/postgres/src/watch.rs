//! Tells callers that another process has moved their operation on.
//!
//! One question is asked for all who wait, whatever their number. `LISTEN` would say it sooner, and needs a session, which
//! a pooler in transaction mode doesn't give; and a commit that notifies holds a lock that all others of the server wait
//! for while it flushes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hapax_core::ledger::{LedgerError, OperationId};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::read;
use crate::readers::Readers;
use crate::steps;

/// Between two questions.
const EVERY: Duration = Duration::from_millis(25);

/// What is asked.
pub(crate) trait Revisions: Send + Sync + 'static {
    /// The revisions of operations; one that isn't there has none.
    fn revisions(&self, of: &[Uuid]) -> impl Future<Output = Result<HashMap<Uuid, u64>, LedgerError>> + Send;
}

impl Revisions for Readers {
    async fn revisions(&self, of: &[Uuid]) -> Result<HashMap<Uuid, u64>, LedgerError> {
        self.read(|link| async move { read::revisions(&link, of).await }).await
    }
}

/// Who waits for which operation.
pub(crate) struct Watch<Of> {
    of: Arc<Of>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// In the order in which they came.
    callers: Vec<Caller>,
    /// The first so many are in the question that is under way; what it says is not about the others.
    asked: usize,
    is_asked_for: bool,
}

struct Caller {
    operation: Uuid,
    /// The revision that they know.
    seen: u64,
    tell: oneshot::Sender<()>,
}

impl<Of: Revisions> Watch<Of> {
    pub(crate) fn new(of: Arc<Of>) -> Arc<Self> {
        Arc::new(Self { of, waiting: Mutex::default() })
    }

    /// Ends when the operation is at another revision, and when that can't be known: then the caller asks, and hears why.
    pub(crate) async fn moved_on(self: Arc<Self>, operation: OperationId, seen: u64) {
        let (tell, told) = oneshot::channel();
        let begins = {
            let mut waiting = self.waiting();
            waiting.callers.push(Caller { operation: operation.0, seen, tell });
            !std::mem::replace(&mut waiting.is_asked_for, true)
        };
        if begins {
            steps::spawn(Asking { of: self, ended: false }.ask_for_all());
        }
        // A question that broke off tells nobody anything either.
        let _ = told.await;
    }

    /// Operations that somebody waits for; none: nobody does, and the next one who does asks again.
    fn waited_for(&self) -> Option<Vec<Uuid>> {
        let mut waiting = self.waiting();
        waiting.callers.retain(|caller| !caller.tell.is_closed());
        if waiting.callers.is_empty() {
            waiting.is_asked_for = false;
            return None;
        }
        waiting.asked = waiting.callers.len();
        let mut operations: Vec<Uuid> = waiting.callers.iter().map(|caller| caller.operation).collect();
        operations.sort_unstable();
        operations.dedup();
        Some(operations)
    }

    /// Tells those who were asked for and whom it concerns.
    fn tell(&self, concerns: impl Fn(&Caller) -> bool) {
        let mut waiting = self.waiting();
        let asked = std::mem::take(&mut waiting.asked);
        for (number, caller) in std::mem::take(&mut waiting.callers).into_iter().enumerate() {
            if number < asked && concerns(&caller) {
                // One that is gone doesn't need it.
                let _ = caller.tell.send(());
            } else {
                waiting.callers.push(caller);
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        steps::point();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Questions that are asked one after the other. However that ends, the next caller begins anew.
struct Asking<Of: Revisions> {
    of: Arc<Watch<Of>>,
    ended: bool,
}

impl<Of: Revisions> Asking<Of> {
    /// Asks as long as somebody waits.
    async fn ask_for_all(mut self) {
        loop {
            steps::sleep(EVERY).await;
            let Some(operations) = self.of.waited_for() else {
                self.ended = true;
                return;
            };
            match self.of.of.revisions(&operations).await {
                Ok(revisions) => self.of.tell(|caller| revisions.get(&caller.operation) != Some(&caller.seen)),
                Err(error) => {
                    tracing::debug!(%error, "operations of other processes can't be watched");
                    self.of.tell(|_| true);
                }
            }
        }
    }
}

impl<Of: Revisions> Drop for Asking<Of> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut waiting = self.of.waiting();
        // Nobody asks for those who wait: they are told to do it themselves.
        *waiting = Waiting::default();
    }
}
