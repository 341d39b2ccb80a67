use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::clock::SharedClock;
use crate::protocol::{Elapsed, Stamp};
use crate::words::Fault;

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
    ///
    /// # Errors
    /// [`Fault::NotSent`] at once if the provider asked for a wait of more than
    /// [`Limiter::LONGEST_WAIT_MS`]: whoever waits has better to do, and may come again.
    pub async fn ready(&self, clock: &SharedClock) -> Result<(), Fault> {
        loop {
            match self.held_ms(clock) {
                0 => break,
                ms if ms > Self::LONGEST_WAIT_MS => {
                    return Err(Fault::NotSent(format!("the provider asked to wait {} s", ms.div_ceil(1000))));
                }
                ms => clock.sleep(ms).await,
            }
        }
        if let Some(rate) = &self.rate {
            rate.until_ready().await;
        }
        Ok(())
    }

    /// Longest hold that is waited for, in milliseconds of the clock.
    pub const LONGEST_WAIT_MS: u64 = 60_000;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::ScaledClock;

    #[tokio::test]
    async fn a_short_hold_is_waited_for_and_a_long_one_is_said() {
        let clock: SharedClock = Arc::new(ScaledClock::new(100));
        let limiter = Limiter::new(None);
        limiter.hold(&clock, 7_200_000);
        let Err(Fault::NotSent(why)) = limiter.ready(&clock).await else { panic!("waited for two hours") };
        assert!(why.starts_with("the provider asked to wait 7"), "{why}");
        limiter.hold(&clock, 2_000);
        assert_eq!(limiter.ready(&clock).await, Ok(()));
        assert_eq!(limiter.held_ms(&clock), 0);
    }
}
