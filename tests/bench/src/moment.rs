//! Time that is measured. Nothing here decides whether something is sent.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A moment of the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Instant);

impl Moment {
    /// The present one.
    #[allow(
        clippy::disallowed_methods,
        reason = "the bench measures durations of seconds; no machine sleeps through them"
    )]
    pub fn now() -> Self {
        Self(Instant::now())
    }

    /// How long ago it was.
    pub fn elapsed(self) -> Duration {
        Self::now().0.duration_since(self.0)
    }

    /// The moment so much later.
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0 + wait)
    }
}

/// Nanoseconds since 1970: what makes the keys of one slot differ from those of all others.
#[allow(clippy::disallowed_methods, reason = "a name, not a time: nothing is compared with it")]
pub fn unique_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or_default()
}
