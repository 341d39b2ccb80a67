use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::protocol::Stamp;
use tokio::sync::Notify;

/// True time in one run: it flows fast, and it can be made to jump, so that a day costs nothing.
#[derive(Debug)]
pub struct WorldTime {
    base: ScaledClock,
    began_boot_ms: u64,
    began_wall_ms: i64,
    jumped_ms: AtomicU64,
    /// When time jumped, by the base's wall, and by how much.
    jumps: Mutex<Vec<(i64, u64)>>,
    moved: Notify,
}

impl WorldTime {
    /// Milliseconds since 1970 at which every run begins.
    pub const BEGIN_MS: i64 = 1_800_000_000_000;

    /// How much faster than real time it flows. An attempt's deadline of 80 s is 4 s of real time, which a loaded
    /// machine keeps; and the transport, which looks at its gate once a second of real time, notices a jump inside
    /// settle.
    pub const FACTOR: u32 = 20;

    /// Time at its beginning.
    pub fn new() -> Arc<Self> {
        let base = ScaledClock::new(Self::FACTOR);
        let (now, moved) = (base.now(), Notify::new());
        let (began_boot_ms, began_wall_ms) = (now.boot_ms, now.wall_ms);
        Arc::new(Self {
            base,
            began_boot_ms,
            began_wall_ms,
            jumped_ms: AtomicU64::new(0),
            jumps: Mutex::default(),
            moved,
        })
    }

    /// Milliseconds since the run began.
    pub fn elapsed_ms(&self) -> u64 {
        self.base.now().boot_ms.saturating_sub(self.began_boot_ms) + self.jumped_ms.load(Ordering::SeqCst)
    }

    /// Milliseconds since 1970.
    pub fn wall_ms(&self) -> i64 {
        Self::BEGIN_MS + i64::try_from(self.elapsed_ms()).unwrap_or(i64::MAX / 2)
    }

    /// Milliseconds since 1970 in the run, for a moment in real microseconds since 1970: what a server says
    /// that lives in real time.
    pub fn of_real(&self, real_us: i64) -> i64 {
        let past_us = (real_us - ScaledClock::ORIGIN_MS * 1_000) * i64::from(Self::FACTOR);
        let wall_ms = ScaledClock::ORIGIN_MS + past_us / 1_000;
        let jumps = self.jumps.lock().unwrap_or_else(PoisonError::into_inner);
        // The base's wall counts whole milliseconds of real time.
        let before = wall_ms - i64::from(Self::FACTOR);
        let jumped: u64 = jumps.iter().filter(|(at, _)| *at <= before).map(|(_, ms)| ms).sum();
        Self::BEGIN_MS + wall_ms - self.began_wall_ms + i64::try_from(jumped).unwrap_or(i64::MAX / 2)
    }

    /// Lets so many milliseconds pass at once.
    pub fn jump(&self, ms: u64) {
        self.jumps.lock().unwrap_or_else(PoisonError::into_inner).push((self.base.now().wall_ms, ms));
        self.jumped_ms.fetch_add(ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }

    /// The provider's clock, which is right.
    pub fn provider(self: &Arc<Self>) -> hapax_standin::clock::Clock {
        let time = Arc::clone(self);
        Arc::new(move || time.wall_ms())
    }

    /// Waits until so much of the run has passed.
    async fn reach(&self, elapsed_ms: u64) {
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            // Registered before the clock is read, so that a jump in between is not missed.
            moved.as_mut().enable();
            let left = elapsed_ms.saturating_sub(self.elapsed_ms());
            if left == 0 {
                return;
            }
            tokio::select! {
                () = &mut moved => {}
                () = self.base.sleep(left) => {}
            }
        }
    }
}

/// How long the machine had been up when the run began.
const BOOT_MS: u64 = 1_000_000;

/// The clock of the machine that hapax runs on: true time, with a wall clock that somebody may set wrong.
#[derive(Debug)]
pub struct SteppedClock {
    time: Arc<WorldTime>,
    step_ms: AtomicI64,
}

impl SteppedClock {
    /// A clock that is right.
    pub fn new(time: Arc<WorldTime>) -> Arc<Self> {
        Arc::new(Self { time, step_ms: AtomicI64::new(0) })
    }

    /// Moves the wall clock alone; a negative number moves it back.
    pub fn step(&self, by_ms: i64) {
        self.step_ms.fetch_add(by_ms, Ordering::SeqCst);
    }

    /// How much of the run had passed at a stamp of this clock, whatever its wall said.
    pub fn elapsed_of(stamp: Stamp) -> u64 {
        stamp.boot_ms.saturating_sub(BOOT_MS)
    }

    /// Sets the wall clock right again.
    pub fn correct(&self) {
        self.step_ms.store(0, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for SteppedClock {
    fn now(&self) -> Stamp {
        let elapsed = self.time.elapsed_ms();
        let wall_ms = WorldTime::BEGIN_MS + i64::try_from(elapsed).unwrap_or(i64::MAX / 2);
        Stamp { wall_ms: wall_ms + self.step_ms.load(Ordering::SeqCst), boot_ms: BOOT_MS + elapsed, boot: 1 }
    }

    async fn sleep(&self, ms: u64) {
        self.time.reach(self.time.elapsed_ms().saturating_add(ms)).await;
    }

    fn real(&self, ms: u64) -> Duration {
        self.time.base.real(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sleeper_wakes_when_time_jumps() {
        let time = WorldTime::new();
        let clock = SteppedClock::new(time.clone());
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep(86_400_000).await }
        });
        tokio::task::yield_now().await;
        time.jump(86_400_000);
        sleeper.await.expect("it wakes");
        clock.step(-3_600_000);
        let now = clock.now();
        assert!(now.boot_ms >= 87_400_000);
        assert!(now.wall_ms < WorldTime::BEGIN_MS + 86_400_000 - 3_000_000);
    }
}
