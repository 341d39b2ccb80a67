use std::sync::atomic::{AtomicU64, Ordering};

/// What the writers have done since the ledger was opened by this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Transactions committed that wrote appends; each is one flush at the database.
    pub commits: u64,
    /// Appends written by them.
    pub appends: u64,
    /// Commits whose answer was lost and that were settled by reading.
    pub settled: u64,
}

/// The same, shared between the writers and whoever asks.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    commits: AtomicU64,
    appends: AtomicU64,
    settled: AtomicU64,
}

impl Tally {
    pub(crate) fn committed(&self, appends: usize) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.appends.fetch_add(appends as u64, Ordering::Relaxed);
    }

    pub(crate) fn settled(&self) {
        self.settled.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Counters {
        Counters {
            commits: self.commits.load(Ordering::Relaxed),
            appends: self.appends.load(Ordering::Relaxed),
            settled: self.settled.load(Ordering::Relaxed),
        }
    }
}
