use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;

use crate::clock::Clock;
use crate::protocol::Stamp;

/// A clock that a test moves. Sleeping moves it too.
#[derive(Debug)]
pub struct HandClock(AtomicU64);

impl HandClock {
    /// A clock that stands at so many milliseconds since 1970.
    pub fn at(ms: u64) -> Self {
        Self(AtomicU64::new(ms))
    }

    /// Moves it forward.
    pub fn forward(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Stamp {
        Stamp::scripted(self.0.load(Ordering::SeqCst))
    }

    async fn sleep(&self, ms: u64) {
        self.forward(ms);
    }

    fn real(&self, ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}
