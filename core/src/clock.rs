//! Time comes in from outside, so that tests jump over a day in no time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::protocol::Stamp;

/// Where time comes from.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// The present moment by every clock.
    fn now(&self) -> Stamp;

    /// Sleeps for so many milliseconds of this clock.
    async fn sleep(&self, ms: u64);

    /// How much real time this much of the clock's time takes; for socket time-outs.
    fn real(&self, ms: u64) -> Duration;

    /// Whether only connections that are marked as stand-ins may use this clock.
    fn is_stand_in_only(&self) -> bool;
}

/// A shared clock.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's clocks: the wall, and `CLOCK_BOOTTIME` on Linux, which counts sleep. Elsewhere the
/// second is the platform's monotonic clock, which may not count sleep.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    boot: u64,
}

impl SystemClock {
    /// The machine's clocks.
    pub fn new() -> Self {
        Self { boot: boot_identity() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Stamp {
        Stamp { wall_ms: wall_ms(), boot_ms: boot_ms(), boot: self.boot }
    }

    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }

    fn real(&self, ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        false
    }
}

/// The machine's clocks, running faster: a day passes in seconds. For connections marked as
/// stand-ins only. All processes with the same factor agree on the time.
#[derive(Clone, Copy, Debug)]
pub struct ScaledClock {
    factor: u32,
    boot: u64,
}

impl ScaledClock {
    /// Milliseconds since 1970 at which scaled time equals real time.
    pub const ORIGIN_MS: i64 = 1_767_225_600_000;

    /// A clock that runs `factor` times as fast (at least 1, at most 100,000).
    pub fn new(factor: u32) -> Self {
        Self { factor: factor.clamp(1, 100_000), boot: boot_identity() }
    }
}

#[async_trait]
impl Clock for ScaledClock {
    fn now(&self) -> Stamp {
        let factor = i64::from(self.factor);
        Stamp {
            wall_ms: Self::ORIGIN_MS + (wall_ms() - Self::ORIGIN_MS) * factor,
            boot_ms: boot_ms() * u64::from(self.factor),
            boot: self.boot,
        }
    }

    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(self.real(ms)).await;
    }

    fn real(&self, ms: u64) -> Duration {
        Duration::from_micros(ms.saturating_mul(1000) / u64::from(self.factor)).max(Duration::from_micros(100))
    }

    fn is_stand_in_only(&self) -> bool {
        self.factor > 1
    }
}

// This module is the wrapper that `clippy.toml` sends everybody else to.
#[allow(clippy::disallowed_methods)]
fn wall_ms() -> i64 {
    match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

fn boot_ms() -> u64 {
    #[cfg(target_os = "linux")]
    let clock = rustix::time::ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = rustix::time::ClockId::Monotonic;
    let time = rustix::time::clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1000 + u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000
}

/// Which boot of which machine this is. Where the system doesn't say, every process counts as its
/// own, which costs precision and never safety.
fn boot_identity() -> u64 {
    let mut hasher = DefaultHasher::new();
    match std::fs::read_to_string("/proc/sys/kernel/random/boot_id") {
        Ok(id) => id.trim().hash(&mut hasher),
        Err(_) => uuid::Uuid::new_v4().hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_scaled_clock_jumps_over_a_day() {
        let clock = ScaledClock::new(86_400);
        let before = clock.now();
        clock.sleep(86_400_000).await;
        let elapsed = crate::protocol::Elapsed::between(before, clock.now());
        assert!(elapsed.at_least_ms >= 80_000_000, "{elapsed:?}");
        assert!(clock.is_stand_in_only());
        assert!(!SystemClock::new().is_stand_in_only());
    }
}
