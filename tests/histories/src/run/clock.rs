use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::protocol::Stamp;
use tokio::time::Instant;

/// How much faster than real time everything runs: a deadline of 80 s is 400 ms, a settle of 60 s is 300 ms.
pub(crate) const SCALE: u32 = 200;

/// The one clock of a run: what callers see and what the provider sees have their moments from it. It runs as fast as
/// the clocks of the workers, and never backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    began: Instant,
    began_wall_ms: i64,
}

impl Time {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), began_wall_ms: ScaledClock::new(SCALE).now().wall_ms }
    }

    /// Milliseconds of the run since it began.
    pub(crate) fn now_ms(self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX) * u64::from(SCALE) / 1_000
    }

    /// The present moment as the provider has it.
    pub(crate) fn wall_ms(self) -> i64 {
        self.began_wall_ms + i64::try_from(self.now_ms()).unwrap_or(i64::MAX)
    }

    /// A moment of the provider as one of the run.
    pub(crate) fn of_wall(self, wall_ms: i64) -> u64 {
        u64::try_from(wall_ms - self.began_wall_ms).unwrap_or(0)
    }

    /// The present moment as workers have it.
    pub(crate) fn stamp() -> Stamp {
        ScaledClock::new(SCALE).now()
    }
}

/// Real time that so much of the run's takes.
pub(crate) fn real(ms: u64) -> Duration {
    Duration::from_micros(ms * 1_000 / u64::from(SCALE))
}

/// Numbers by lot: the same for the same seed and the same name, whatever others draw.
#[derive(Clone, Debug)]
pub(crate) struct Lot {
    seed: u64,
    name: String,
    drawn: u64,
}

impl Lot {
    pub(crate) fn new(seed: u64, name: impl Into<String>) -> Self {
        Self { seed, name: name.into(), drawn: 0 }
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, &self.name, self.drawn).hash(&mut hasher);
        self.drawn += 1;
        hasher.finish() % end.max(1)
    }

    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }

    /// Yes in so many of a hundred.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// So many real milliseconds, between these.
    pub(crate) fn pause(&mut self, from_ms: u64, to_ms: u64) -> Duration {
        Duration::from_millis(self.between(from_ms, to_ms))
    }

    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let index = self.below(all.len() as u64) as usize;
        &all[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lot_is_the_same_for_the_same_seed_and_name() {
        let draw = |seed, name: &str| {
            let mut lot = Lot::new(seed, name);
            (0..8).map(|_| lot.below(1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, "caller"), draw(1, "caller"));
        assert_ne!(draw(1, "caller"), draw(2, "caller"));
        assert_ne!(draw(1, "caller"), draw(1, "person"));
    }
}
