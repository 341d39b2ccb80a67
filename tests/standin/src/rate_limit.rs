use std::collections::{HashMap, VecDeque};

/// So many requests within a time, for each key on its own: account, token, channel.
///
/// The window slides: a request counts from when it came until the window is over. One that was refused takes nothing,
/// unless that is said.
#[derive(Clone, Debug)]
pub struct RateLimit {
    most: usize,
    window_ms: i64,
    counts_refused: bool,
    lately: HashMap<String, VecDeque<i64>>,
}

/// What is left after a request that was let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// How many more can follow at once.
    pub remaining: usize,
    /// When the first of those that count counts no more, in milliseconds of the provider's time.
    pub reset_ms: i64,
}

/// One request too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// After how many milliseconds a request would be let in, if nothing else came: at least 1.
    pub retry_after_ms: i64,
}

impl LimitExceeded {
    /// The wait in whole seconds, rounded up, as `Retry-After` has it.
    pub fn retry_after_s(&self) -> i64 {
        self.retry_after_ms.div_euclid(1_000) + i64::from(self.retry_after_ms.rem_euclid(1_000) > 0)
    }
}

impl RateLimit {
    /// At most this many requests in any window of this length; `most` is at least 1.
    pub fn new(most: usize, window_ms: i64) -> Self {
        Self { most: most.max(1), window_ms, counts_refused: false, lately: HashMap::new() }
    }

    /// Refused requests count too, so that whoever goes on asking is never let in.
    pub fn counting_refused(self) -> Self {
        Self { counts_refused: true, ..self }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// It is one too many.
    pub fn take(&mut self, key: &str, now_ms: i64) -> Result<Quota, LimitExceeded> {
        let lately = self.lately.entry(key.to_owned()).or_default();
        while lately.front().is_some_and(|at| now_ms - at >= self.window_ms) {
            lately.pop_front();
        }
        let is_too_much = lately.len() >= self.most;
        if !is_too_much || self.counts_refused {
            lately.push_back(now_ms);
        }
        if is_too_much {
            // The next one fits when only `most - 1` of those that count are left.
            let at = lately[lately.len() - self.most];
            return Err(LimitExceeded { retry_after_ms: (at + self.window_ms - now_ms).max(1) });
        }
        let first = lately.front().copied().unwrap_or(now_ms);
        Ok(Quota { remaining: self.most - lately.len(), reset_ms: first + self.window_ms })
    }

    /// Forgets what came.
    pub fn reset(&mut self) {
        self.lately.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_refused_until_the_window_has_slid_on() {
        let mut limit = RateLimit::new(2, 1_000);
        assert_eq!(limit.take("a", 0), Ok(Quota { remaining: 1, reset_ms: 1_000 }));
        assert_eq!(limit.take("a", 400), Ok(Quota { remaining: 0, reset_ms: 1_000 }));
        assert_eq!(limit.take("a", 500), Err(LimitExceeded { retry_after_ms: 500 }));
        assert!(limit.take("b", 500).is_ok(), "another key has its own");
        assert_eq!(limit.take("a", 1_000), Ok(Quota { remaining: 0, reset_ms: 1_400 }));
        assert_eq!(limit.take("a", 1_001), Err(LimitExceeded { retry_after_ms: 399 }));
        limit.reset();
        assert!(limit.take("a", 1_001).is_ok());
    }

    #[test]
    fn where_the_refused_count_asking_on_is_refused_for_ever() {
        let mut limit = RateLimit::new(1, 1_000).counting_refused();
        assert!(limit.take("a", 0).is_ok());
        for at in 1..5 {
            assert!(limit.take("a", at * 600).is_err());
        }
        assert_eq!(limit.take("a", 2_500), Err(LimitExceeded { retry_after_ms: 1_000 }));
        assert!(limit.take("a", 3_500).is_ok());
    }

    #[test]
    fn retry_after_is_rounded_up() {
        let seconds = |ms| LimitExceeded { retry_after_ms: ms }.retry_after_s();
        assert_eq!((seconds(1), seconds(1_000), seconds(1_001)), (1, 1, 2));
    }
}
