use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::transport::{Gate, Request, Response, Transport};
use hapax_core::words::Fault;
use url::Url;

use crate::cell::Charged;
use crate::keys::mix;
use crate::moment::unique_now;

/// A provider in the process: it answers at once, or its answers are lost. With it a ledger is filled by the executor
/// itself, with what an operation really leaves, and no socket in the way.
pub(super) struct Instant {
    next: AtomicU64,
    loses: bool,
}

impl Instant {
    pub(super) fn answers() -> Self {
        Self { next: AtomicU64::new(unique_now()), loses: false }
    }

    pub(super) fn loses() -> Self {
        Self { next: AtomicU64::new(0), loses: true }
    }
}

#[async_trait]
impl Transport for Instant {
    async fn ask(&self, _: &Url, _: Request, _: Duration) -> Result<Response, Fault> {
        Err(Fault::Lost("nothing can be asked here".to_owned()))
    }

    async fn shoot(&self, _: &Url, _: Request, _: Gate) -> Result<Response, Fault> {
        if self.loses {
            return Err(Fault::Lost("the answer is lost".to_owned()));
        }
        let charged = Charged::of(mix(self.next.fetch_add(1, Ordering::Relaxed)));
        let body = serde_json::to_vec(&charged).map_err(|error| Fault::NotSent(error.to_string()))?;
        Ok(Response { status: 200, headers: Vec::new(), body })
    }
}
