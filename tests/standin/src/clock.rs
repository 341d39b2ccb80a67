//! The provider's clock.
//!
//! A stand-in never asks the system for the time: it asks the clock that it was given, so that a test can let a day
//! pass between two requests, or let all its time run a thousand times faster.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Milliseconds since the Unix epoch, as the provider sees them.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The clock of the machine.
pub fn real() -> Clock {
    Arc::new(now_ms)
}

tokio::task_local! {
    /// When what is done here was due.
    static DUE: i64;
}

/// Does something of its own accord, late: a test's clock leaps, and a provider's doesn't. It sees the moment at which it
/// was due, so that what it makes is as old as it would be.
pub(crate) async fn as_of<T>(due_ms: i64, doing: impl Future<Output = T>) -> T {
    DUE.scope(due_ms, doing).await
}

/// This clock, but for what is done [`as_of`] another moment.
pub(crate) fn or_due(clock: Clock) -> Clock {
    Arc::new(move || DUE.try_with(|due| *due).unwrap_or_else(|_| clock()))
}

/// A clock that begins at the machine's present time and from there runs `factor` times as fast.
pub fn scaled(factor: i64) -> Clock {
    let start = now_ms();
    Arc::new(move || start + (now_ms() - start) * factor)
}

/// A clock that stands still until a test moves it.
#[derive(Clone, Debug)]
pub struct Scripted(Arc<AtomicI64>);

impl Scripted {
    /// Starts at `at_ms`.
    pub fn at(at_ms: i64) -> Self {
        Self(Arc::new(AtomicI64::new(at_ms)))
    }

    /// Moves the clock by `by_ms`; a negative number moves it back.
    pub fn advance(&self, by_ms: i64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    /// The clock to hand to a stand-in.
    pub fn clock(&self) -> Clock {
        let at = Arc::clone(&self.0);
        Arc::new(move || at.load(Ordering::SeqCst))
    }
}

/// The one place in this crate where the machine is asked for the time.
#[allow(clippy::disallowed_methods, reason = "the wrapper that everything else goes through")]
fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
