use std::sync::atomic::{AtomicU64, Ordering};

/// What the connections for shots have done since the transport was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Connections opened.
    pub opened: u64,
    /// Shots begun on a connection that an earlier shot left behind.
    pub reused: u64,
    /// Idle connections thrown away: too old, closed by the other side, or with something unread.
    pub discarded: u64,
    /// Bytes of shots that the kernel took, with the encryption around them.
    pub written: u64,
}

/// Counts for [`Stats`].
#[derive(Default)]
pub(super) struct Counters {
    opened: AtomicU64,
    reused: AtomicU64,
    discarded: AtomicU64,
    written: AtomicU64,
}

impl Counters {
    pub(super) fn opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn reused(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn discarded(&self, lines: usize) {
        self.discarded.fetch_add(lines as u64, Ordering::Relaxed);
    }

    pub(super) fn wrote(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
        metrics::counter!("hapax_bytes_written_total").increment(bytes);
    }

    pub(super) fn read(&self) -> Stats {
        Stats {
            opened: self.opened.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
            discarded: self.discarded.load(Ordering::Relaxed),
            written: self.written.load(Ordering::Relaxed),
        }
    }
}
