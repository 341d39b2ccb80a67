//! A ledger that is away, or ahead of our clock: said once, asked again after longer and longer pauses.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::Instant;

use crate::exit::Failure;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(30);

/// How it is with the ledger.
#[derive(Default)]
pub(super) struct Away {
    since: Option<Instant>,
    failures: u32,
    /// Reading works again, but nothing has been written yet.
    cannot_write: bool,
    said: Option<String>,
}

impl Away {
    /// It failed. Whether that is news.
    pub(super) fn failed(&mut self, failure: &Failure, writing: bool) -> bool {
        self.since.get_or_insert_with(Instant::now);
        self.failures = self.failures.saturating_add(1);
        self.cannot_write |= writing;
        // How far our clock is behind changes from one time to the next, and is no news.
        let said = if failure.code == "ledger" { &failure.message } else { failure.code };
        self.said.replace(said.to_owned()).as_deref() != Some(said)
    }

    /// Something was written, or there is nothing to write.
    pub(super) fn writes(&mut self) {
        self.cannot_write = false;
    }

    /// It can be read. How long it was away, if it is back with that.
    pub(super) fn reads(&mut self) -> Option<Duration> {
        if self.cannot_write {
            return None;
        }
        let since = self.since.take()?;
        *self = Self::default();
        Some(since.elapsed())
    }

    /// Whether it isn't known yet that it is back.
    pub(super) fn is_careful(&self) -> bool {
        self.since.is_some()
    }

    /// How long to leave it alone: doubled each time, and different for each worker.
    pub(super) fn pause(&self) -> Duration {
        let longest = FIRST.saturating_mul(1 << self.failures.saturating_sub(1).min(16)).min(LONGEST);
        longest / 2 + up_to(longest / 2)
    }
}

/// A random part of this time.
pub(super) fn up_to(most: Duration) -> Duration {
    let random = u32::try_from(RandomState::new().hash_one(0) >> 32).unwrap_or(u32::MAX);
    most.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn it_is_said_once_and_pauses_grow() {
        let failure = |why: &str| Failure { exit: Exit::Ledger, code: "ledger", message: why.to_owned() };
        let mut away = Away::default();
        assert_eq!(away.reads(), None, "it wasn't away");
        assert!(away.failed(&failure("gone"), false));
        assert!(away.pause() <= FIRST);
        assert!(!away.failed(&failure("gone"), false));
        assert!(away.failed(&failure("another reason"), false));
        for _ in 0..40 {
            away.failed(&failure("gone"), false);
        }
        assert!((LONGEST / 2..=LONGEST).contains(&away.pause()), "{:?}", away.pause());
        assert!(away.reads().is_some());
        assert!(!away.is_careful());
    }

    #[test]
    fn one_that_can_be_read_but_not_written_is_not_back() {
        let mut away = Away::default();
        away.failed(&Failure::internal("full"), true);
        assert_eq!(away.reads(), None);
        assert!(away.is_careful());
        away.writes();
        assert!(away.reads().is_some());
    }
}
