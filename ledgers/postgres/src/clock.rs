//! Time by the database's clock, so that leases and due times of all hosts are by one clock.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::{Clock, SystemClock};
use hapax_core::protocol::Stamp;

/// What a measurement may be off by for each second that has passed since: quartz is better than that.
const DRIFT_PER_SECOND_US: u64 = 200;

/// A clock whose wall time is the database's. It is measured with every append and every question for the header, and
/// counted on by this machine's clock since boot in between; a step of this machine's own wall clock doesn't touch it.
#[derive(Debug)]
pub struct DatabaseClock {
    system: SystemClock,
    measured: Mutex<Option<Measured>>,
}

/// The database's wall clock less this machine's clock since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measured {
    offset_ms: i64,
    /// Half of what the question took.
    within_ms: u64,
    at_boot_ms: u64,
}

impl Measured {
    fn of(before: Stamp, database_ms: i64, after: Stamp) -> Self {
        let took = after.boot_ms.saturating_sub(before.boot_ms);
        let middle = before.boot_ms + took / 2;
        let offset_ms = database_ms.saturating_sub(i64::try_from(middle).unwrap_or(i64::MAX));
        Self { offset_ms, within_ms: took / 2 + 1, at_boot_ms: after.boot_ms }
    }

    fn within_at(self, boot_ms: u64) -> u64 {
        let age_s = boot_ms.saturating_sub(self.at_boot_ms) / 1000;
        self.within_ms + age_s * DRIFT_PER_SECOND_US / 1000
    }

    /// Whether the newer one is better, or says that the database's clock was stepped.
    fn gives_way_to(self, newer: Self) -> bool {
        let within = self.within_at(newer.at_boot_ms);
        let apart = self.offset_ms.abs_diff(newer.offset_ms);
        newer.within_ms <= within || apart > within + newer.within_ms
    }
}

impl DatabaseClock {
    pub(crate) fn new() -> Self {
        Self { system: SystemClock::new(), measured: Mutex::new(None) }
    }

    /// The present by this machine alone, to measure with.
    pub(crate) fn local(&self) -> Stamp {
        self.system.now()
    }

    /// Notes what the database's clock said between two moments of ours.
    pub(crate) fn note(&self, before: Stamp, database_ms: i64) {
        let newer = Measured::of(before, database_ms, self.local());
        let mut held = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none_or(|held| held.gives_way_to(newer)) {
            *held = Some(newer);
        }
    }

    /// How far this machine's wall clock is ahead of the database's, in milliseconds.
    pub fn ahead_ms(&self) -> i64 {
        self.local().wall_ms.saturating_sub(self.now().wall_ms)
    }
}

#[async_trait]
impl Clock for DatabaseClock {
    fn now(&self) -> Stamp {
        let local = self.local();
        let held = *self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        match held {
            Some(Measured { offset_ms, .. }) => {
                let boot_ms = i64::try_from(local.boot_ms).unwrap_or(i64::MAX);
                Stamp { wall_ms: boot_ms.saturating_add(offset_ms), ..local }
            }
            None => local,
        }
    }

    async fn sleep(&self, ms: u64) {
        self.system.sleep(ms).await;
    }

    fn real(&self, ms: u64) -> Duration {
        self.system.real(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(boot_ms: u64) -> Stamp {
        Stamp { wall_ms: 0, boot_ms, boot: 1 }
    }

    #[test]
    fn a_slow_answer_does_not_replace_a_quick_one_unless_the_clock_was_stepped() {
        let quick = Measured::of(at(1_000), 900_000, at(1_002));
        assert_eq!((quick.offset_ms, quick.within_ms), (898_999, 2));
        let slow = Measured::of(at(2_000), 901_100, at(2_400));
        assert!(!quick.gives_way_to(slow));
        assert!(slow.gives_way_to(quick));
        let stepped = Measured::of(at(3_000), 960_000, at(3_400));
        assert!(quick.gives_way_to(stepped));
    }

    #[test]
    fn the_wall_is_the_databases_and_the_boot_is_ours() {
        let clock = DatabaseClock::new();
        let before = clock.local();
        clock.note(before, before.wall_ms - 3_600_000);
        assert!((3_599_000..3_601_000).contains(&clock.ahead_ms()), "{}", clock.ahead_ms());
        assert_eq!(clock.now().boot, before.boot);
    }
}
