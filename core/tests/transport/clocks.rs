use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::Clock;
use hapax_core::protocol::Stamp;
use hapax_core::transport::Gate;

/// What happens when the clock is read for the n-th time, just before it tells.
type Event = Box<dyn FnMut() + Send>;

/// A clock that stands still until it jumps over an hour, as after a sleep. Timers learn nothing of
/// the jump, as they learn nothing of a sleep.
pub(crate) struct Jumping {
    jumped: AtomicBool,
    readings: AtomicU64,
    event: Mutex<Option<(u64, Event)>>,
    jumps: bool,
}

impl Jumping {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::with(None, false))
    }

    /// Jumps when it is read for the n-th time (from 1) after this, and calls `event` just then.
    pub(crate) fn at(reading: u64, event: impl FnMut() + Send + 'static) -> Arc<Self> {
        Arc::new(Self::with(Some((reading, Box::new(event))), true))
    }

    /// Calls `event` at the n-th reading and goes on standing still.
    pub(crate) fn calling_at(reading: u64, event: impl FnMut() + Send + 'static) -> Arc<Self> {
        Arc::new(Self::with(Some((reading, Box::new(event))), false))
    }

    fn with(event: Option<(u64, Event)>, jumps: bool) -> Self {
        Self { jumped: AtomicBool::new(false), readings: AtomicU64::new(0), event: Mutex::new(event), jumps }
    }

    pub(crate) fn jump(&self) {
        self.jumped.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_jumped(&self) -> bool {
        self.jumped.load(Ordering::SeqCst)
    }

    /// Ten minutes from the moment at which it stands: longer than any test waits, so that only a
    /// jump closes it.
    pub(crate) fn gate(self: &Arc<Self>) -> Gate {
        Gate::new(self.clone(), Stamp::scripted(0), 600_000)
    }
}

#[async_trait]
impl Clock for Jumping {
    fn now(&self) -> Stamp {
        let reading = self.readings.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some((at, event)) = &mut *self.event.lock().expect("the event")
            && *at == reading
        {
            event();
            if self.jumps {
                self.jump();
            }
        }
        Stamp::scripted(if self.has_jumped() { 3_600_000 } else { 0 })
    }

    async fn sleep(&self, _: u64) {
        std::future::pending().await
    }

    fn real(&self, ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}
