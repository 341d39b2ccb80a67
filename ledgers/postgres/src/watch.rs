//! Tells callers that another process has moved their operation on.
//!
//! One question is asked for all who wait, whatever their number. `LISTEN` would say it sooner, and needs a session, which
//! a pooler in transaction mode doesn't give; and a commit that notifies holds a lock that all others of the server wait
//! for while it flushes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hapax_core::ledger::OperationId;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::read;
use crate::readers::Readers;

/// Between two questions.
const EVERY: Duration = Duration::from_millis(25);

/// Who waits for which operation.
pub(crate) struct Watch {
    readers: Arc<Readers>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    callers: Vec<Caller>,
    is_asked_for: bool,
}

struct Caller {
    operation: Uuid,
    /// The revision that they know.
    seen: u64,
    tell: oneshot::Sender<()>,
}

impl Watch {
    pub(crate) fn new(readers: Arc<Readers>) -> Arc<Self> {
        Arc::new(Self { readers, waiting: Mutex::default() })
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
            tokio::spawn(self.ask_for_all());
        }
        // A question that broke off tells nobody anything either.
        let _ = told.await;
    }

    /// Asks as long as somebody waits.
    async fn ask_for_all(self: Arc<Self>) {
        loop {
            tokio::time::sleep(EVERY).await;
            let Some(operations) = self.waited_for() else { return };
            let operations = operations.as_slice();
            match self.readers.read(|link| async move { read::revisions(&link, operations).await }).await {
                Ok(revisions) => self.tell(|caller| revisions.get(&caller.operation) != Some(&caller.seen)),
                Err(error) => {
                    tracing::debug!(%error, "operations of other processes can't be watched");
                    self.tell(|_| true);
                }
            }
        }
    }

    /// Operations that somebody waits for; none: nobody does, and the next one who does asks again.
    fn waited_for(&self) -> Option<Vec<Uuid>> {
        let mut waiting = self.waiting();
        waiting.callers.retain(|caller| !caller.tell.is_closed());
        if waiting.callers.is_empty() {
            waiting.is_asked_for = false;
            return None;
        }
        let mut operations: Vec<Uuid> = waiting.callers.iter().map(|caller| caller.operation).collect();
        operations.sort_unstable();
        operations.dedup();
        Some(operations)
    }

    fn tell(&self, concerns: impl Fn(&Caller) -> bool) {
        let mut waiting = self.waiting();
        for caller in std::mem::take(&mut waiting.callers) {
            if concerns(&caller) {
                // One that is gone doesn't need it.
                let _ = caller.tell.send(());
            } else {
                waiting.callers.push(caller);
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
