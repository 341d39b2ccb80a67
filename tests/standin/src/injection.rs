use crate::lock;
use crate::signal::Handle;
use crate::when::{Armed, When};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// A fault inside the provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// The provider answers with an error and has done nothing; nothing is stored under the key.
    ErrorBefore {
        /// The status of the answer.
        status: u16,
        /// The provider's error code, if not the usual one for this status.
        #[serde(default)]
        code: Option<String>,
    },
    /// The provider does what it was asked, and stores the true answer; what comes back is an error.
    ErrorAfter {
        /// The status of the answer.
        status: u16,
        /// The provider's error code, if not the usual one for this status.
        #[serde(default)]
        code: Option<String>,
    },
    /// The error is stored under the key, and every replay brings it back.
    StoredError {
        /// The status of the answer.
        status: u16,
        /// Whether the effect happened all the same.
        #[serde(default)]
        effect: bool,
        /// The provider repairs it: the effect happens so much later.
        #[serde(default)]
        repaired_after_ms: Option<i64>,
    },
    /// The provider answers with an error at once, and acts on the request so much later.
    DelayedEffect {
        /// How much later, in milliseconds of the provider's time.
        after_ms: i64,
        /// The status of the answer.
        #[serde(default = "gateway_timeout")]
        status: u16,
    },
    /// A rate limit, ahead of everything else.
    RateLimited {
        /// What `Retry-After` says.
        #[serde(default)]
        retry_after_s: u32,
    },
    /// The credentials are not accepted, ahead of everything else.
    Unauthorized,
    /// The request is being worked on, its key is held, and no answer comes until released.
    Hang {
        /// Whether it hangs after the effect instead of before it.
        #[serde(default)]
        after_effect: bool,
    },
    /// The effect happens; the answer speaks of something else.
    ForeignObject {
        /// The members that take the place of the true ones.
        members: serde_json::Map<String, Value>,
    },
    /// The effect happens; the answer has status 200 and no body.
    EmptyBody,
    /// The effect happens; the answer is a page of HTML with status 200.
    ForeignHtml,
    /// The effect happens; the JSON of the answer ends early, though the HTTP message is whole.
    TruncatedJson {
        /// How many bytes of the body are left.
        bytes: usize,
    },
    /// A redirect instead of the provider.
    Redirect {
        /// Where it points.
        location: String,
        /// Whether the effect happened before.
        #[serde(default)]
        effect: bool,
    },
    /// The provider does not look at the key.
    KeyIgnored,
    /// The provider carries out by itself what it answered with a stored error. It looks at no key, and what is unique
    /// stays unique.
    RollForward,
    /// Lists do not show what is younger than this.
    ListLags {
        /// The lag in milliseconds of the provider's time.
        by_ms: i64,
    },
    /// Lists do not show what is as old as this, or older.
    ListHorizon {
        /// How far lists go back, in milliseconds of the provider's time.
        ms: i64,
    },
    /// Lists end after so many entries and claim that this is all.
    ListCapped {
        /// How many entries.
        at: usize,
    },
}

fn gateway_timeout() -> u16 {
    504
}

/// A fault and the requests that it applies to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Injection {
    /// Which requests.
    #[serde(flatten)]
    pub when: When,
    /// What happens to them.
    #[serde(flatten)]
    pub kind: Kind,
}

/// The faults that a provider has been told to have, in the order in which they were given. Clones share the queue.
#[derive(Clone, Debug, Default)]
pub struct Injections(Arc<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    armed: Armed,
    kind: Kind,
    handle: Handle,
}

impl Injections {
    /// Adds a fault. The handle tells when a request ran into it, and releases what hangs in it.
    pub fn add(&self, when: When, kind: Kind) -> Handle {
        let handle = Handle::new();
        lock(&self.0).push(Entry { armed: Armed::new(when), kind, handle: handle.clone() });
        handle
    }

    /// Takes all faults away and lets go what hangs in them.
    pub fn clear(&self) {
        for entry in lock(&self.0).drain(..) {
            entry.handle.release();
        }
    }

    /// Lets go whatever hangs, and leaves the faults as they are.
    pub fn release_all(&self) {
        for entry in lock(&self.0).iter() {
            entry.handle.release();
        }
    }

    /// How often requests ran into faults of each kind, with the fault as it was given.
    pub fn counts(&self) -> Vec<(Injection, u32)> {
        let entries = lock(&self.0);
        let count = |entry: &Entry| {
            let injection = Injection { when: entry.armed.when.clone(), kind: entry.kind.clone() };
            (injection, entry.handle.times_reached())
        };
        entries.iter().map(count).collect()
    }

    /// Counts the request against every fault and returns those that it runs into.
    pub(crate) fn meet(&self, method: &str, target: &str) -> Twists {
        let mut entries = lock(&self.0);
        let hit = |entry: &mut Entry| {
            entry.armed.hit(method, target).then(|| {
                // One that hangs is reached where it hangs: when it holds its key, so that a twin can be sent.
                if !matches!(entry.kind, Kind::Hang { .. }) {
                    entry.handle.reach();
                }
                (entry.kind.clone(), entry.handle.clone())
            })
        };
        Twists(entries.iter_mut().filter_map(hit).collect())
    }
}

/// The faults that one request runs into.
#[derive(Clone, Debug, Default)]
pub struct Twists(Vec<(Kind, Handle)>);

impl Twists {
    /// A request that runs into one fault, without a queue: for a provider's unit tests.
    pub fn of(kind: Kind) -> Self {
        Self(vec![(kind, Handle::new())])
    }

    /// Whether the key is not looked at.
    pub fn key_ignored(&self) -> bool {
        self.kinds().any(|kind| matches!(kind, Kind::KeyIgnored | Kind::RollForward))
    }

    /// Whether ids and states that can be had once can be had again.
    pub fn uniqueness_ignored(&self) -> bool {
        self.kinds().any(|kind| matches!(kind, Kind::KeyIgnored))
    }

    /// The error that is to be stored under the key, and whether the effect happens all the same.
    pub fn stored_error(&self) -> Option<(u16, bool)> {
        self.kinds().find_map(|kind| match kind {
            Kind::StoredError { status, effect, .. } => Some((*status, *effect)),
            _ => None,
        })
    }

    /// How far lists lag, in milliseconds of the provider's time.
    pub fn list_lag_ms(&self) -> Option<i64> {
        self.kinds().find_map(|kind| match kind {
            Kind::ListLags { by_ms } => Some(*by_ms),
            _ => None,
        })
    }

    /// How far lists go back, in milliseconds of the provider's time.
    pub fn list_horizon_ms(&self) -> Option<i64> {
        self.kinds().find_map(|kind| match kind {
            Kind::ListHorizon { ms } => Some(*ms),
            _ => None,
        })
    }

    /// After how many entries lists end.
    pub fn list_cap(&self) -> Option<usize> {
        self.kinds().find_map(|kind| match kind {
            Kind::ListCapped { at } => Some(*at),
            _ => None,
        })
    }

    /// Waits if the request is to hang before its effect. The provider calls this once it holds the key.
    pub async fn before_effect(&self) {
        self.hang(false).await;
    }

    /// Waits if the request is to hang after its effect. The provider calls this before it stores the answer.
    pub async fn after_effect(&self) {
        self.hang(true).await;
    }

    async fn hang(&self, after: bool) {
        for (kind, handle) in &self.0 {
            if matches!(kind, Kind::Hang { after_effect } if *after_effect == after) {
                handle.reach();
                handle.released().await;
                handle.finish();
            }
        }
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.0.iter().map(|(kind, _)| kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_injection_is_flat_json() {
        let given = json!({"method": "POST", "path": "/v1/refunds", "nth": 2, "kind": "error_before", "status": 503});
        let read: Injection = serde_json::from_value(given).expect("it reads");
        assert_eq!(read.when, When::on("POST", "/v1/refunds").nth(2));
        assert_eq!(read.kind, Kind::ErrorBefore { status: 503, code: None });
    }

    #[test]
    fn a_request_meets_each_fault_that_matches() {
        let queue = Injections::default();
        let once = queue.add(When::on("POST", "/a"), Kind::Unauthorized);
        queue.add(When::on("POST", "/*").always(), Kind::KeyIgnored);
        let first = queue.meet("POST", "/a");
        assert_eq!(first.kinds().count(), 2);
        assert!(first.key_ignored());
        assert_eq!(queue.meet("POST", "/a").kinds().count(), 1);
        assert_eq!(queue.meet("GET", "/a").kinds().count(), 0);
        assert_eq!(once.times_reached(), 1);
    }
}
