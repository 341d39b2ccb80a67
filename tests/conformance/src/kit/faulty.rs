use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hapax_core::ledger::{
    Append, Appended, By, Filter, Header, Layer, Ledger, LedgerError, OperationId, Serves, SharedLedger, Stored,
};
use hapax_core::protocol::Stamp;

/// How a ledger is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// No room left: nothing is written, everything is read.
    Full,
    /// Somebody holds it: nothing is written or read.
    Locked,
    /// It can't be written: nothing is written, everything is read.
    ReadOnly,
    /// What is handed over is written, and the answer is an error all the same.
    WritesAndFails,
    /// It is written, nobody knows, and nothing is read from then on.
    WritesInDoubt,
    /// It isn't written, nobody knows, and it is written when the ledger heals.
    WritesLate,
}

/// When it breaks: from the n-th append on, counted from 1 and from when it was said, for so many appends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Script {
    broken: Broken,
    from: u64,
    times: u64,
}

/// A ledger that breaks when it is told to, and heals again. The ledger below is the truth.
pub struct FaultyLedger {
    below: SharedLedger,
    state: Arc<Control>,
}

/// Breaks and heals the ledgers of one run. Clones are the same.
#[derive(Debug, Default)]
pub struct Control {
    script: Mutex<Option<Script>>,
    appends: AtomicU64,
    refused: AtomicU64,
    /// What is on its way although whoever sent it heard nothing.
    late: Mutex<Vec<Append>>,
}

impl Control {
    /// Breaks from the n-th append on (1 is the next one).
    pub fn break_at(&self, broken: Broken, from: u64) {
        self.break_for(broken, from, u64::MAX);
    }

    /// Breaks for so many appends.
    pub fn break_for(&self, broken: Broken, from: u64, times: u64) {
        self.appends.store(0, Ordering::SeqCst);
        *self.script() = Some(Script { broken, from, times });
    }

    /// Heals.
    pub fn heal(&self) {
        *self.script() = None;
    }

    /// How often something was refused.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::SeqCst)
    }

    fn script(&self) -> std::sync::MutexGuard<'_, Option<Script>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at_append(&self) -> Option<Broken> {
        let script = (*self.script())?;
        let number = self.appends.fetch_add(1, Ordering::SeqCst) + 1;
        let broken = number >= script.from && number - script.from < script.times;
        broken.then(|| self.refuse(script.broken))
    }

    fn at_read(&self) -> Result<(), LedgerError> {
        let Some(script) = *self.script() else { return Ok(()) };
        let appends = self.appends.load(Ordering::SeqCst);
        let fails = match script.broken {
            Broken::Locked => appends + 1 >= script.from,
            Broken::WritesInDoubt => appends >= script.from,
            _ => false,
        };
        if fails { Err(error(self.refuse(Broken::Locked))) } else { Ok(()) }
    }

    fn arrived(&self) -> Vec<Append> {
        if self.script().is_some() {
            return Vec::new();
        }
        std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn refuse(&self, broken: Broken) -> Broken {
        self.refused.fetch_add(1, Ordering::SeqCst);
        broken
    }
}

fn error(broken: Broken) -> LedgerError {
    let (what, hint) = match broken {
        Broken::Full => ("the disk is full", "free some space"),
        Broken::Locked => ("another program holds it locked", "close that program"),
        Broken::ReadOnly => ("it can only be read", "let this user write it"),
        Broken::WritesAndFails => ("the disk failed", "check the disk"),
        Broken::WritesInDoubt | Broken::WritesLate => ("the answer was lost", "try the same again"),
    };
    let (what, hint) = (what.to_owned(), hint.to_owned());
    match broken {
        Broken::WritesInDoubt | Broken::WritesLate => LedgerError::InDoubt { what, hint },
        _ => LedgerError::Unusable { what, hint },
    }
}

impl FaultyLedger {
    /// Over this ledger.
    pub fn over(below: SharedLedger, state: Arc<Control>) -> Self {
        Self { below, state }
    }

    /// What comes late is there before anything else is done.
    async fn let_arrive(&self) {
        for append in self.state.arrived() {
            // Whether it still fits is the ledger's business.
            let _ = self.below.append(append).await;
        }
    }

    async fn reads(&self) -> Result<(), LedgerError> {
        self.let_arrive().await;
        self.state.at_read()
    }
}

#[async_trait]
impl Layer for FaultyLedger {
    fn below(&self) -> &dyn Ledger {
        &*self.below
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        self.let_arrive().await;
        match self.state.at_append() {
            None => self.below.append(append).await,
            Some(broken @ (Broken::WritesAndFails | Broken::WritesInDoubt)) => {
                // Whatever came of it, the caller does not hear.
                let _ = self.below.append(append).await;
                Err(error(broken))
            }
            Some(Broken::WritesLate) => {
                self.state.late.lock().unwrap_or_else(PoisonError::into_inner).push(append);
                Err(error(Broken::WritesLate))
            }
            Some(broken) => Err(error(broken)),
        }
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        self.reads().await?;
        self.below.load(by).await
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        self.reads().await?;
        self.below.due(serves, now, limit).await
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        self.reads().await?;
        self.below.next_due(serves, after).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        self.reads().await?;
        self.below.list(filter).await
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        self.reads().await?;
        self.below.header().await
    }
}
