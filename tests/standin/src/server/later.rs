use crate::clock::Clock;
use crate::injection::Twists;
use crate::lock;
use crate::request::Request;
use std::sync::Mutex;

/// Requests that the provider will act on later, by its own clock.
pub(super) struct Later {
    clock: Clock,
    waiting: Mutex<Vec<Due>>,
}

pub(super) struct Due {
    pub(super) at_ms: i64,
    pub(super) request: Request,
    pub(super) twists: Twists,
}

impl Later {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, waiting: Mutex::default() }
    }

    pub(super) fn add(&self, after_ms: i64, request: Request, twists: Twists) {
        let at_ms = (self.clock)() + after_ms;
        lock(&self.waiting).push(Due { at_ms, request, twists });
    }

    /// Those whose time has come, oldest first.
    pub(super) fn take_due(&self) -> Vec<Due> {
        let now = (self.clock)();
        let mut waiting = lock(&self.waiting);
        let (mut due, rest) = waiting.drain(..).partition::<Vec<_>, _>(|due| due.at_ms <= now);
        *waiting = rest;
        due.sort_by_key(|due| due.at_ms);
        due
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.waiting).is_empty()
    }

    pub(super) fn clear(&self) {
        lock(&self.waiting).clear();
    }
}
