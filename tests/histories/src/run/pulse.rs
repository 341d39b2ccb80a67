use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::clock::real;

/// How often it beats.
const BEAT: Duration = Duration::from_millis(10);

/// Milliseconds of the run by which a beat may be late. A provider that stands still for longer acts on requests later
/// than its facts allow, which no worker can know of.
const LATE_MS: u64 = 50_000;

/// Notices when the machine did not let the providers run, which live in this process.
pub(super) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Begins to beat, as long as somebody listens.
    pub(super) fn start() -> Self {
        let pulse = Self(Arc::default());
        let heard = Arc::downgrade(&pulse.0);
        tokio::spawn(async move {
            loop {
                let before = Instant::now();
                tokio::time::sleep(BEAT).await;
                let Some(late) = heard.upgrade() else { return };
                if before.elapsed() > BEAT + real(LATE_MS) {
                    late.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        pulse
    }

    pub(super) fn was_late(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_machine_that_stands_still_is_noticed() {
        let pulse = Pulse::start();
        tokio::time::sleep(BEAT * 3).await;
        // Nothing else runs in this runtime meanwhile.
        std::thread::sleep(real(LATE_MS) + BEAT * 3);
        tokio::time::sleep(BEAT * 3).await;
        assert!(pulse.was_late());
    }
}
