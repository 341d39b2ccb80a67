use crate::clock::{self, Clock};
use crate::effects::Effects;
use crate::ids::Ids;
use crate::injection::Injections;

/// What a stand-in stands on. Clones are the same world, so a test can keep one and watch.
#[derive(Clone)]
pub struct World {
    /// The provider's clock.
    pub clock: Clock,
    /// Ids for the provider's objects.
    pub ids: Ids,
    /// What has happened.
    pub effects: Effects,
    /// The faults that the provider is to have.
    pub injections: Injections,
}

impl World {
    /// A world with the machine's clock. The seed decides the ids.
    pub fn new(seed: u64) -> Self {
        Self::with_clock(seed, clock::real())
    }

    /// A world with a clock of the test's own.
    pub fn with_clock(seed: u64, clock: Clock) -> Self {
        Self {
            clock: clock::or_due(clock),
            ids: Ids::new(seed),
            effects: Effects::default(),
            injections: Injections::default(),
        }
    }

    /// The provider's time in milliseconds.
    pub fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    pub(crate) fn reset(&self) {
        self.injections.clear();
        self.effects.reset();
        self.ids.reset();
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("effects", &self.effects).field("injections", &self.injections).finish()
    }
}
