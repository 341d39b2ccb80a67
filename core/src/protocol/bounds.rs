use serde::{Deserialize, Serialize};

/// Bounds on automatic work per operation; past them a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bounds {
    /// Attempts per epoch that may have had an effect. Default 3.
    pub attempts: u32,
    /// Departures per epoch, those that were documented as not done included. Default 20.
    pub departures: u32,
    /// Looks per decision or epoch. Default 20.
    pub looks: u32,
    /// Milliseconds before the second request or look; doubled for each further one. Default 500.
    pub backoff_ms: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { attempts: 3, departures: 20, looks: 20, backoff_ms: 500 }
    }
}

impl Bounds {
    /// How long to wait before the next of a series of which `done` are done: doubling, at most
    /// five minutes.
    pub fn backoff(&self, done: u32) -> u64 {
        match done {
            0 => 0,
            _ => self.backoff_ms.saturating_mul(1 << (done - 1).min(20)).min(300_000),
        }
    }
}
