//! Outgoing HTTP: the one place that knows whether a byte left us.
//!
//! Harmless requests go through `reqwest`; a request that counts (a shot) goes over a connection
//! that we own, behind a gate that lets no first byte pass after the attempt's deadline. Nothing
//! here ever sends a request twice, follows a redirect, or uses a proxy that was not asked for.

mod answer;
mod gated;
mod harmless;
mod http;
mod limit;
mod line;
mod outgoing;
mod pool;
mod request;
mod stats;
mod stream;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use url::Url;

use crate::clock::SharedClock;
use crate::protocol::{Elapsed, Stamp};
use crate::words::Fault;

pub use self::http::HttpTransport;
pub use limit::Limiter;
pub use request::{Body, Method, Request, Response, is_plain_segment};
pub use stats::Stats;
pub use stream::GatedStream;

/// Sends requests.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// Sends a harmless request: it may be a read, or a step without effect. `within` is real time.
    ///
    /// # Errors
    /// [`Fault::NotSent`], [`Fault::Lost`] or [`Fault::Unread`].
    async fn ask(&self, base: &Url, request: Request, within: Duration) -> Result<Response, Fault>;

    /// Sends the one request that counts. No first byte leaves after the gate has closed, and the
    /// connection is closed when it closes.
    ///
    /// # Errors
    /// [`Fault::NotSent`] only if it is proved that no byte of the request was written; otherwise
    /// [`Fault::Lost`] or [`Fault::Unread`].
    async fn shoot(&self, base: &Url, request: Request, gate: Gate) -> Result<Response, Fault>;
}

/// A shared transport.
pub type SharedTransport = Arc<dyn Transport>;

/// The deadline of one attempt, kept at the socket on a clock that counts sleep.
#[derive(Clone)]
pub struct Gate {
    clock: SharedClock,
    departed: Stamp,
    within_ms: u64,
}

impl Gate {
    /// A gate that closes so many milliseconds of this clock after the departure.
    pub fn new(clock: SharedClock, departed: Stamp, within_ms: u64) -> Self {
        Self { clock, departed, within_ms }
    }

    /// Whether a first byte may still leave. By the clock that ran furthest, so that neither a
    /// sleep nor a step of the wall clock keeps it open.
    pub fn is_open(&self) -> bool {
        self.remaining_ms() > 0
    }

    /// Milliseconds of the clock until it closes.
    pub fn remaining_ms(&self) -> u64 {
        self.within_ms.saturating_sub(Elapsed::between(self.departed, self.clock.now()).at_most_ms)
    }

    /// Waits until it has closed, on the clock that counts sleep.
    pub async fn closed(&self) {
        gated::closed(self).await;
    }

    /// Real time until it closes.
    pub fn remaining(&self) -> Duration {
        match self.remaining_ms() {
            0 => Duration::ZERO,
            ms => self.clock.real(ms),
        }
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("remaining_ms", &self.remaining_ms()).finish_non_exhaustive()
    }
}
