use std::time::Duration;

/// How a ledger is used. The defaults suit a service behind a pooler or without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long to wait for a lock of another process, for a lost connection to come back, and for the answer of a
    /// commit, each.
    pub patience: Duration,
    /// How many appends may wait for the writers; callers beyond that wait to hand theirs over.
    pub queue: usize,
    /// How many writers take from that queue, each with a connection of its own, at least 1. A second one works while
    /// the first waits for its flush.
    pub writers: usize,
    /// How many connections reads share, at least 1.
    pub readers: usize,
    /// Whether statements are prepared once per connection. Only without a pooler, or with one that follows prepared
    /// statements through transaction mode (PgBouncer from 1.21 with `max_prepared_statements`).
    pub prepared: bool,
    /// Whether a replica that takes over has everything that was confirmed, because it is synchronous. Without that a
    /// fail-over is a restored ledger.
    pub lossless_failover: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(10),
            queue: 4096,
            writers: 1,
            readers: 2,
            prepared: false,
            lossless_failover: false,
        }
    }
}
