use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Response;
use super::line::Line;
use super::outgoing::Place;
use super::stats::Counters;
use crate::clock::{Clock, SystemClock};

/// Connections between two shots. Bounded in number and time.
pub(super) struct Pool {
    idle: Mutex<HashMap<Place, Vec<Idle>>>,
    clock: SystemClock,
    counters: Arc<Counters>,
}

struct Idle {
    line: Line,
    until_ms: u64,
}

impl Pool {
    /// Idle connections to one place.
    const PER_PLACE: usize = 256;
    /// How long a connection waits if the server says nothing. Short, because a server that closes
    /// it just as a request leaves costs that request its answer.
    const PATIENCE: Duration = Duration::from_secs(15);
    /// How much earlier than the server we give up.
    const MARGIN: Duration = Duration::from_secs(1);

    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self { idle: Mutex::default(), clock: SystemClock::new(), counters }
    }

    /// The connection that was used last, if it is alive.
    pub(super) fn take(&self, place: &Place) -> Option<Line> {
        let mut idle = self.fresh();
        let lines = idle.get_mut(place)?;
        while let Some(Idle { line, .. }) = lines.pop() {
            if line.is_fit() {
                self.counters.reused();
                return Some(line);
            }
            self.counters.discarded(1);
        }
        None
    }

    /// Keeps a connection after its answer, for as long as the server said that it would.
    pub(super) async fn keep(&self, place: Place, line: Line, answer: &Response) {
        let patience = patience(answer);
        let Some(line) = line.rest().await else { return };
        let until_ms = self.now_ms() + u64::try_from(patience.as_millis()).unwrap_or(0);
        let mut idle = self.fresh();
        let lines = idle.entry(place).or_default();
        if lines.len() < Self::PER_PLACE && !patience.is_zero() {
            lines.push(Idle { line, until_ms });
        }
    }

    /// Milliseconds by a clock that counts sleep: the other side does.
    fn now_ms(&self) -> u64 {
        self.clock.now().boot_ms
    }

    /// The idle connections, without those whose time is over.
    fn fresh(&self) -> MutexGuard<'_, HashMap<Place, Vec<Idle>>> {
        let now = self.now_ms();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|_, lines| {
            let before = lines.len();
            lines.retain(|one| one.until_ms > now);
            self.counters.discarded(before - lines.len());
            !lines.is_empty()
        });
        idle
    }
}

/// How long the server keeps the connection: by its `Keep-Alive: timeout=5`, else by our custom.
fn patience(answer: &Response) -> Duration {
    let said = answer.header("keep-alive").and_then(|text| {
        let seconds = text.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
        seconds.trim().parse().ok().map(Duration::from_secs)
    });
    said.map_or(Pool::PATIENCE, |said| said.saturating_sub(Pool::MARGIN).min(Pool::PATIENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_closes_early_is_left_earlier() {
        let says =
            |text: &str| Response { headers: vec![("keep-alive".to_owned(), text.to_owned())], ..Response::default() };
        assert_eq!(patience(&says("timeout=5, max=100")), Duration::from_secs(4));
        assert_eq!(patience(&says("timeout=1")), Duration::ZERO);
        assert_eq!(patience(&says("timeout=600")), Pool::PATIENCE);
        assert_eq!(patience(&Response::default()), Pool::PATIENCE);
    }
}
