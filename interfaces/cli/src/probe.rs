//! Stops the process at a point of the executor, for the crash suite.
//!
//! `HAPAX_TEST_PAUSE_AT=after-send:1` writes `paused after-send` to stderr at the first reach of that
//! point and blocks for ever, so that the process can be killed exactly there. With words in
//! `HAPAX_TEST_PANIC` it panics with them instead. It is honoured only if every connection is a stand-in.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use hapax_core::executor::{Point, Probe};
use hapax_core::ledger::OperationId;

use crate::exit::Failure;
use crate::output::stderr_line;

const VARIABLE: &str = "HAPAX_TEST_PAUSE_AT";

const PANIC_VARIABLE: &str = "HAPAX_TEST_PANIC";

static PAUSED: AtomicBool = AtomicBool::new(false);

/// Blocks, or panics, at the n-th reach of a point.
pub(crate) struct PauseAt {
    point: Point,
    nth: u32,
    reached: AtomicU32,
}

impl PauseAt {
    /// What the environment asks for.
    pub(crate) fn from_environment() -> Result<Option<Self>, Failure> {
        match std::env::var(VARIABLE) {
            Ok(text) if !text.is_empty() => Self::parse(&text).map(Some).ok_or_else(|| {
                let points: Vec<&str> = Point::ALL.iter().map(|point| point.name()).collect();
                let points = points.join(", ");
                Failure::input(
                    "bad-test-pause",
                    format!("nothing was sent: {VARIABLE} is no POINT:N; points: {points}"),
                )
            }),
            _ => Ok(None),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, nth) = text.split_once(':').unwrap_or((text, "1"));
        let point = Point::ALL.into_iter().find(|point| point.name() == name)?;
        let nth = nth.parse().ok().filter(|nth| *nth > 0)?;
        Some(Self { point, nth, reached: AtomicU32::new(0) })
    }
}

#[async_trait]
impl Probe for PauseAt {
    async fn reached(&self, point: Point, _operation: OperationId) {
        if point == self.point && self.reached.fetch_add(1, Ordering::SeqCst) + 1 == self.nth {
            if let Ok(words) = std::env::var(PANIC_VARIABLE) {
                panic!("{words}");
            }
            PAUSED.store(true, Ordering::SeqCst);
            stderr_line(&format!("paused {}", point.name()));
            std::future::pending::<()>().await;
        }
    }
}

/// Keeps a paused process alive although its caller's wait is over: it was told to block for ever.
pub(crate) fn hold_if_paused() {
    while PAUSED.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_by_name() {
        let read = |text| PauseAt::parse(text).map(|pause| (pause.point, pause.nth));
        assert_eq!(read("after-send:2"), Some((Point::AfterSend, 2)));
        assert_eq!(read("before-look"), Some((Point::BeforeLook, 1)));
        assert_eq!(read("after-send:0"), None);
        assert_eq!(read("lunch:1"), None);
    }
}
