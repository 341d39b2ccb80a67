//! The machine's clock, for servers of others: their time can't be made to jump, and ours can.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::{Clock, SystemClock};
use hapax_core::protocol::Stamp;

/// The machine's clock, which can be put forward. Nothing is under way then, so no deadline is cut short.
#[derive(Default)]
pub struct Forward {
    machine: SystemClock,
    by_ms: AtomicU64,
}

impl Forward {
    /// A clock that is right.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets so many milliseconds pass at once.
    pub fn forward(&self, ms: u64) {
        self.by_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for Forward {
    fn now(&self) -> Stamp {
        let (now, by_ms) = (self.machine.now(), self.by_ms.load(Ordering::SeqCst));
        let wall_ms = now.wall_ms + i64::try_from(by_ms).unwrap_or(i64::MAX / 2);
        Stamp { wall_ms, boot_ms: now.boot_ms + by_ms, boot: now.boot }
    }

    async fn sleep(&self, ms: u64) {
        self.machine.sleep(ms).await;
    }

    fn real(&self, ms: u64) -> Duration {
        self.machine.real(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}
