//! Closed loop: each caller calls again as soon as it has its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::drive::Fill;
use crate::keys::Order;
use crate::moment::Moment;
use crate::say;

/// Something that can be called once per key.
#[async_trait]
pub trait Target: Send + Sync + 'static {
    /// Makes the call of this key; calling again with the key is a replay.
    ///
    /// # Errors
    /// Anything but a success.
    async fn call(&self, key: &str) -> Result<(), String>;

    /// Makes operations without the provider; how many were made.
    ///
    /// # Errors
    /// That it can't, or what went wrong.
    async fn fill(&self, fill: Fill) -> Result<u64, String> {
        Err(format!("nothing can be filled here: {fill:?}"))
    }

    /// How many operations are found that will be due.
    ///
    /// # Errors
    /// That it can't, or what went wrong.
    async fn due(&self) -> Result<u64, String> {
        Err("nothing is ever due here".to_owned())
    }

    /// What it has committed so far, if it counts.
    fn committed(&self) -> Committed {
        Committed::default()
    }
}

/// Commits and what they wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// Transactions, each with one flush.
    pub commits: u64,
    /// Appends in them.
    pub appends: u64,
}

/// What to call, how often and how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// How many call at the same time.
    pub callers: u64,
    /// How long it goes on.
    pub seconds: f64,
    /// What makes the keys its own; the same again for a replay.
    pub seed: u64,
    /// In what order they come.
    #[serde(default)]
    pub order: Order,
    /// Of a replay: how many keys there are. They are called over and over.
    #[serde(default)]
    pub replay_of: Option<u64>,
    /// The most calls that are made; none: as many as the time allows.
    #[serde(default)]
    pub most: Option<u64>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Calls that succeeded.
    pub ops: u64,
    /// Calls that did not.
    pub errors: u64,
    /// How long it took.
    pub seconds: f64,
    /// Half of the calls took no longer.
    pub p50_us: u64,
    /// All but a hundredth of them took no longer.
    pub p99_us: u64,
    /// The longest.
    pub max_us: u64,
    /// What the target committed meanwhile.
    #[serde(default)]
    pub committed: Committed,
}

/// How many errors are told; the others are counted.
const TOLD: u64 = 3;

/// Loads the target.
pub async fn run(target: &Arc<dyn Target>, load: Load) -> Measured {
    let (next, errors) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let before = target.committed();
    let began = Moment::now();
    let end = began.after(Duration::from_secs_f64(load.seconds));
    let mut callers = JoinSet::new();
    for _ in 0..load.callers {
        let caller =
            Caller { target: Arc::clone(target), load, next: Arc::clone(&next), errors: Arc::clone(&errors), end };
        callers.spawn(caller.run());
    }
    let mut took: Vec<u32> = callers.join_all().await.into_iter().flatten().collect();
    let seconds = began.elapsed().as_secs_f64();
    took.sort_unstable();
    let after = target.committed();
    Measured {
        ops: took.len() as u64,
        errors: errors.load(Ordering::Relaxed),
        seconds,
        p50_us: part(&took, 50),
        p99_us: part(&took, 99),
        max_us: part(&took, 100),
        committed: Committed { commits: after.commits - before.commits, appends: after.appends - before.appends },
    }
}

struct Caller {
    target: Arc<dyn Target>,
    load: Load,
    next: Arc<AtomicU64>,
    errors: Arc<AtomicU64>,
    end: Moment,
}

impl Caller {
    /// Microseconds of each call that succeeded.
    async fn run(self) -> Vec<u32> {
        let mut took = Vec::with_capacity(4096);
        loop {
            let began = Moment::now();
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if began >= self.end || self.load.most.is_some_and(|most| number >= most) {
                return took;
            }
            let number = self.load.replay_of.map_or(number, |keys| number % keys.max(1));
            match self.target.call(&self.load.order.key(self.load.seed, number)).await {
                Ok(()) => took.push(u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX)),
                Err(why) => self.failed(&why),
            }
        }
    }

    fn failed(&self, why: &str) {
        if self.errors.fetch_add(1, Ordering::Relaxed) < TOLD {
            say::note(&format!("a call failed: {why}"));
        }
    }
}

/// The value that so many hundredths do not exceed.
fn part(sorted: &[u32], hundredths: usize) -> u64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * hundredths / 100).copied().unwrap_or_default().into()
}
