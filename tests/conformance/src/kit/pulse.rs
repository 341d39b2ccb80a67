use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hapax_core::clock::{Clock as _, SystemClock};

/// How often it beats.
const BEAT: Duration = Duration::from_millis(20);

/// How late a beat may come: ten seconds of a run, which is half of what work is left alone for before time jumps.
const LATE: Duration = Duration::from_millis(500);

/// Notices when the machine did not let the kit run. Time in a run flows with the machine's, so whoever is stopped for
/// seconds misses deadlines that no fault asked for, and what then breaks says nothing about the cell.
#[derive(Clone, Debug)]
pub(super) struct Pulse {
    late: Arc<AtomicU64>,
}

impl Pulse {
    /// Begins to beat, as long as somebody listens.
    pub(super) fn start() -> Self {
        let pulse = Self { late: Arc::default() };
        let heard = Arc::downgrade(&pulse.late);
        tokio::spawn(async move {
            let clock = SystemClock::new();
            loop {
                let before = clock.now();
                tokio::time::sleep(BEAT).await;
                let Some(late) = heard.upgrade() else { return };
                let took = Duration::from_millis(clock.now().boot_ms - before.boot_ms);
                if took > BEAT + LATE {
                    late.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        pulse
    }

    /// How many beats came late until now.
    pub(super) fn late(&self) -> u64 {
        self.late.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_machine_that_stands_still_is_noticed() {
        let pulse = Pulse::start();
        tokio::time::sleep(BEAT * 3).await;
        let before = pulse.late();
        // Nothing else runs in this runtime meanwhile.
        std::thread::sleep(LATE + BEAT * 3);
        tokio::time::sleep(BEAT * 3).await;
        assert_eq!(pulse.late(), before + 1);
    }
}
