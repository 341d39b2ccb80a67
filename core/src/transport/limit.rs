use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::clock::SharedClock;
use crate::protocol::{Elapsed, Stamp};

/// Keeps one connection to the provider's rate, and still while a Retry-After holds.
///
/// It is waited for before a departure is journaled, so that waiting never eats an attempt's
/// deadline.
pub struct Limiter {
    rate: Option<DefaultDirectRateLimiter>,
    held: Mutex<Option<(Stamp, u64)>>,
}

impl Limiter {
    /// At most so many requests per second; none is no limit.
    pub fn new(per_second: Option<u32>) -> Self {
        let rate = per_second.and_then(NonZeroU32::new).map(|rate| RateLimiter::direct(Quota::per_second(rate)));
        Self { rate, held: Mutex::new(None) }
    }

    /// Nothing leaves for so many milliseconds of this clock.
    pub fn hold(&self, clock: &SharedClock, ms: u64) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some((clock.now(), ms));
    }

    /// Milliseconds that the hold still lasts.
    pub fn held_ms(&self, clock: &SharedClock) -> u64 {
        let held = *self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.map_or(0, |(since, ms)| ms.saturating_sub(Elapsed::between(since, clock.now()).at_least_ms))
    }

    /// Waits until a request may leave.
    pub async fn ready(&self, clock: &SharedClock) {
        loop {
            match self.held_ms(clock) {
                0 => break,
                ms => clock.sleep(ms).await,
            }
        }
        if let Some(rate) = &self.rate {
            rate.until_ready().await;
        }
    }
}
