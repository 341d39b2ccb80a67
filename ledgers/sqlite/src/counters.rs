use std::sync::atomic::{AtomicU64, Ordering};

/// What the writer has done since the ledger was opened by this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Transactions committed; each is one flush of the write-ahead log.
    pub commits: u64,
    /// Appends written by them.
    pub appends: u64,
}

/// The same, shared between the writer and whoever asks.
#[derive(Default)]
pub(crate) struct Tally {
    commits: AtomicU64,
    appends: AtomicU64,
}

impl Tally {
    pub(crate) fn committed(&self, appends: u64) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.appends.fetch_add(appends, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Counters {
        Counters { commits: self.commits.load(Ordering::Relaxed), appends: self.appends.load(Ordering::Relaxed) }
    }
}
