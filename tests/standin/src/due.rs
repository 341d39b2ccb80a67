/// Something that happens by itself at a time, once: a message is delivered, a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<T>(Option<(i64, T)>);

impl<T> Due<T> {
    /// It happens at this time, in milliseconds of the provider's time.
    pub fn at(at_ms: i64, what: T) -> Self {
        Self(Some((at_ms, what)))
    }

    /// Nothing is to happen.
    pub fn never() -> Self {
        Self(None)
    }

    /// Takes out what was to happen by now, with the time at which it did.
    pub fn take(&mut self, now_ms: i64) -> Option<(i64, T)> {
        self.0.take_if(|(at_ms, _)| *at_ms <= now_ms)
    }
}

impl<T> Default for Due<T> {
    fn default() -> Self {
        Self::never()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_happens_at_its_time_and_once() {
        let mut due = Due::at(1_000, "delivered");
        assert_eq!(due.take(999), None);
        assert_eq!(due.take(1_500), Some((1_000, "delivered")));
        assert_eq!(due.take(1_500), None);
        assert_eq!(Due::<()>::never().take(i64::MAX), None);
    }
}
