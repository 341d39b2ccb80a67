//! What every call begins with, asked for many callers at once.
//!
//! While a question is under way, the next callers gather and go into one after it. There is no timer: a lonely caller is
//! asked for at once. An answer is never older than the call that gets it, since a question takes those who came before it
//! left.

//!
//! Nothing here knows what is asked. Tests of the order of steps (`schedules.rs`) give something that counts; everybody
//! else gives the [`ByKeys`](crate::by_keys::ByKeys).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_core::ledger::LedgerError;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::steps;

/// At most so many keys in one question, so that its answer doesn't keep the first of them for long.
const MOST: usize = 256;

/// What is asked.
pub(crate) trait Question: Send + Sync + 'static {
    /// What everybody hears.
    type Head: Clone + Send + Sync + 'static;
    /// What a key leads to.
    type One: Clone + Send + Sync + 'static;

    /// Asks for keys in their order, none of them twice. What can't be read is the trouble of those alone who asked for it.
    fn ask(&self, keys: Vec<Uuid>) -> impl Future<Output = Answer<Self>> + Send;
}

/// To a question: the head, and what the keys lead to.
pub(crate) type Answer<Of> =
    Result<(<Of as Question>::Head, HashMap<Uuid, Result<<Of as Question>::One, LedgerError>>), LedgerError>;

/// To a caller: the head, and what its key leads to.
type Found<Of> = (<Of as Question>::Head, Option<<Of as Question>::One>);

pub(crate) struct LookUps<Of: Question> {
    of: Of,
    /// At most so many questions are under way.
    most: usize,
    waiting: Mutex<Waiting<Of>>,
}

struct Waiting<Of: Question> {
    callers: Vec<Caller<Of>>,
    /// How many questions are under way.
    asking: usize,
}

struct Caller<Of: Question> {
    key: Uuid,
    tell: oneshot::Sender<Result<Found<Of>, LedgerError>>,
}

impl<Of: Question> LookUps<Of> {
    pub(crate) fn new(of: Of, most: usize) -> Arc<Self> {
        Arc::new(Self { of, most: most.max(1), waiting: Mutex::new(Waiting { callers: Vec::new(), asking: 0 }) })
    }

    /// None: nobody asked to the end, because the runtime is stopping.
    pub(crate) async fn by_key(self: &Arc<Self>, key: Uuid) -> Option<Result<Found<Of>, LedgerError>> {
        let (tell, told) = oneshot::channel();
        let begins = {
            let mut waiting = self.waiting();
            waiting.callers.push(Caller { key, tell });
            let begins = waiting.asking < self.most;
            waiting.asking += usize::from(begins);
            begins
        };
        if begins {
            // In a task of its own: a caller who goes away must not take the others' answers along.
            steps::spawn(Asking { of: Arc::clone(self), ended: false }.ask_for_all());
        }
        told.await.ok()
    }

    async fn ask(&self, callers: &[Caller<Of>]) -> Answer<Of> {
        let mut keys: Vec<Uuid> = callers.iter().map(|caller| caller.key).collect();
        // Two may ask for the same, whose rows must not come twice.
        keys.sort_unstable();
        keys.dedup();
        self.of.ask(keys).await
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<Of>> {
        steps::point();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that is under way. However it ends, the next one can begin.
struct Asking<Of: Question> {
    of: Arc<LookUps<Of>>,
    ended: bool,
}

impl<Of: Question> Asking<Of> {
    /// Asks as long as somebody waits.
    async fn ask_for_all(mut self) {
        while let Some(callers) = self.next() {
            let answer = self.of.ask(&callers).await;
            for Caller { key, tell } in callers {
                let found = answer
                    .as_ref()
                    .map_err(Clone::clone)
                    .and_then(|(head, ones)| Ok((head.clone(), ones.get(&key).cloned().transpose()?)));
                steps::point();
                // One that is gone doesn't need it.
                let _ = tell.send(found);
            }
        }
    }

    /// Those who wait; none: this question is over, and the next one who comes begins another.
    fn next(&mut self) -> Option<Vec<Caller<Of>>> {
        let mut waiting = self.of.waiting();
        let most = waiting.callers.len().min(MOST);
        if most == 0 {
            waiting.asking -= 1;
            self.ended = true;
            return None;
        }
        Some(waiting.callers.drain(..most).collect())
    }
}

impl<Of: Question> Drop for Asking<Of> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut waiting = self.of.waiting();
        waiting.asking -= 1;
        // The last one to break off leaves nobody behind who would wait for ever.
        if waiting.asking == 0 {
            waiting.callers.clear();
        }
    }
}
