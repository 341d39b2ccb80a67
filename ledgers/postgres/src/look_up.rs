//! What every call begins with, asked for many callers at once.
//!
//! While a question is under way, the next callers gather and go into one after it. There is no timer: a lonely caller is
//! asked for at once. An answer is never older than the call that gets it, since a question takes those who came before it
//! left.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_core::ledger::{Header, LedgerError};
use tokio::sync::oneshot;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::error::Failure;
use crate::link::Link;
use crate::read::{self, Whole};
use crate::readers::Readers;
use crate::shared::Shared;

/// In a subselect, so that the planner doesn't know how many keys there are: it would plan for each number anew.
pub(crate) const OF_KEYS: &str = read::beginnings!(
    "unnest((SELECT $1)) AS w (hash) \
     CROSS JOIN LATERAL (SELECT i.operation FROM hapax.keys i WHERE i.hash = w.hash OFFSET 0) k",
    ", w.hash",
    "w.hash"
);

/// The column after those of an operation.
const HASH: usize = 18;

/// At most so many keys in one question, so that its answer doesn't keep the first of them for long.
const MOST: usize = 256;

/// The ledger as a whole, and the operation that a key leads to, which may be cut.
pub(crate) type Found = (Header, Option<Arc<Whole>>);

/// Operations by the digests of their keys. One that is damaged is its callers' trouble alone.
type Wholes = HashMap<Uuid, Result<Arc<Whole>, LedgerError>>;

pub(crate) struct LookUps {
    shared: Arc<Shared>,
    readers: Arc<Readers>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    callers: Vec<Caller>,
    /// How many questions are under way.
    asking: usize,
}

struct Caller {
    key: Uuid,
    tell: oneshot::Sender<Result<Found, LedgerError>>,
}

impl LookUps {
    pub(crate) fn new(shared: Arc<Shared>, readers: Arc<Readers>) -> Arc<Self> {
        Arc::new(Self { shared, readers, waiting: Mutex::default() })
    }

    /// None: nobody asked to the end, because the runtime is stopping.
    pub(crate) async fn by_key(self: &Arc<Self>, key: Uuid) -> Option<Result<Found, LedgerError>> {
        let (tell, told) = oneshot::channel();
        let begins = {
            let mut waiting = self.waiting();
            waiting.callers.push(Caller { key, tell });
            let begins = waiting.asking < self.shared.options.readers.max(1);
            waiting.asking += usize::from(begins);
            begins
        };
        if begins {
            // In a task of its own: a caller who goes away must not take the others' answers along.
            tokio::spawn(Asking { of: Arc::clone(self), ended: false }.ask_for_all());
        }
        told.await.ok()
    }

    async fn ask(&self, callers: &[Caller]) -> Result<(Header, Wholes), LedgerError> {
        let mut keys: Vec<Uuid> = callers.iter().map(|caller| caller.key).collect();
        // Two may ask for the same, whose rows must not come twice.
        keys.sort_unstable();
        keys.dedup();
        let (keys, clock) = (keys.as_slice(), &self.shared.clock);
        let asked = self.readers.read(|link| async move {
            let before = clock.local();
            // Both questions leave before the first is answered.
            let ((header, database_ms), rows) = tokio::try_join!(read::header(&link), by_keys(&link, keys))?;
            clock.note(before, database_ms);
            Ok((header, rows))
        });
        let (header, rows) = asked.await?;
        let told = |failure: Failure| failure.tell(&self.shared.shown);
        let mut found = HashMap::new();
        for (hash, rows) in rows {
            if let Some(whole) = read::wholes(&rows).map(|mut wholes| wholes.pop()).transpose() {
                found.insert(hash, whole.map(Arc::new).map_err(told));
            }
        }
        Ok((header, found))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that is under way. However it ends, the next one can begin.
struct Asking {
    of: Arc<LookUps>,
    ended: bool,
}

impl Asking {
    /// Asks as long as somebody waits.
    async fn ask_for_all(mut self) {
        while let Some(callers) = self.next() {
            let answer = self.of.ask(&callers).await;
            for Caller { key, tell } in callers {
                let found = answer
                    .as_ref()
                    .map_err(Clone::clone)
                    .and_then(|(header, wholes)| Ok((header.clone(), wholes.get(&key).cloned().transpose()?)));
                // One that is gone doesn't need it.
                let _ = tell.send(found);
            }
        }
    }

    /// Those who wait; none: this question is over, and the next one who comes begins another.
    fn next(&mut self) -> Option<Vec<Caller>> {
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

impl Drop for Asking {
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

/// Rows by the digest of the key that led to them.
async fn by_keys(link: &Link, keys: &[Uuid]) -> Result<Vec<(Uuid, Vec<Row>)>, Failure> {
    let mut found: Vec<(Uuid, Vec<Row>)> = Vec::new();
    for row in link.query(OF_KEYS, &[(&keys, Type::UUID_ARRAY)]).await? {
        let hash = row.try_get(HASH)?;
        match found.last_mut().filter(|(last, _)| *last == hash) {
            Some((_, rows)) => rows.push(row),
            None => found.push((hash, vec![row])),
        }
    }
    Ok(found)
}
