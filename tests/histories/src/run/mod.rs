//! Runs: several worker processes on one ledger, callers, people, and everything that can go wrong, by a seed.
//!
//! The seed decides who calls with what, and what goes wrong when. How processes then come across each other is the
//! machine's doing: the same seed makes the same trouble, not the same history. A history that failed is kept as text,
//! and is judged the same for ever.

mod bed;
mod breakers;
mod callers;
mod cells;
mod clock;
mod figures;
mod people;
mod pulse;
mod quiet;
mod record;
mod restore;
mod seat;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;

use crate::history::History;
use crate::worker::Planted;
use bed::Bed;
use callers::Shared;
use clock::Lot;
use pulse::Pulse;

pub use figures::Figures;

/// What a run is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Decides all that is drawn by lot.
    pub seed: u64,
    /// Where its ledger is.
    pub store: Store,
    /// How many workers there are.
    pub workers: usize,
    /// How many callers.
    pub callers: usize,
    /// How long things go wrong.
    pub busy: Duration,
    /// How long things may take to come to rest.
    pub quiet: Duration,
    /// A bug that is to be found.
    pub bug: Option<Planted>,
}

/// Where a ledger is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In a file of SQLite, which all workers have open.
    File,
    /// In a schema of its own of the PostgreSQL at this port.
    Postgres {
        /// Of 127.0.0.1.
        port: u16,
    },
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What was seen.
    pub history: History,
    /// What the run itself broke by: then it shows nothing.
    pub troubles: Vec<String>,
    /// Whether the machine stood still for so long that providers may have broken their promises.
    pub is_disturbed: bool,
}

/// A number that no other run of this process has.
fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// Runs once. The program is the worker's, `hapax-histories-worker`.
///
/// # Errors
/// Why it could not begin.
pub async fn run(plan: &Plan, program: &Path) -> Result<Ran, String> {
    let bed = Arc::new(Bed::new(plan, program).await?);
    let pulse = Pulse::start();
    for seat in &bed.seats {
        bed.start(seat).await;
    }
    let lot = |name: &str| Lot::new(plan.seed, name);
    let mut callers = JoinSet::new();
    let shared = Arc::new(Shared::default());
    for number in 1..=plan.callers {
        let by = format!("caller{number}");
        callers.spawn(callers::call(bed.clone(), shared.clone(), lot(&by), by));
    }
    callers.spawn(people::decide(bed.clone(), lot("person")));
    let mut breaking = JoinSet::new();
    breaking.spawn(breakers::break_things(bed.clone(), lot("breaker")));
    // Every other seed has a ledger that is put back.
    if plan.seed.is_multiple_of(2) {
        breaking.spawn(restore::restore(bed.clone(), lot("restore")));
    }
    tokio::time::sleep(plan.busy).await;
    bed.end();
    // Workers that stand still go on here, and with them their callers.
    breaking.join_all().await;
    breakers::mend(&bed).await;
    callers.join_all().await;
    quiet::come_to_rest(&bed, plan.quiet, lot("quiet")).await;
    // Whoever still works would move what is being read.
    for seat in &bed.seats {
        seat.kill().await;
    }
    if let Err(why) = quiet::rests(&bed).await {
        bed.record.trouble(format!("the ledger can't be read in the end: {why}"));
    }
    let history = bed.history(plan.remarks());
    let mut troubles = bed.record.troubles();
    if !troubles.is_empty() {
        troubles.push(bed.logs());
    }
    Ok(Ran { history, troubles, is_disturbed: pulse.was_late() })
}

impl Plan {
    /// Every third seed has a ledger that is sealed.
    pub(crate) fn is_sealed(&self) -> bool {
        self.seed.is_multiple_of(3)
    }

    /// The plan in words, with which a history begins.
    fn remarks(&self) -> Vec<String> {
        let store = match self.store {
            Store::File => "a file",
            Store::Postgres { .. } => "PostgreSQL",
        };
        let seals = if self.is_sealed() { ", sealed" } else { "" };
        let bug = self.bug.map_or_else(String::new, |bug| format!(", with {bug:?}"));
        let (seed, workers, callers) = (self.seed, self.workers, self.callers);
        vec![format!("seed {seed}, ledger in {store}{seals}, {workers} workers, {callers} callers{bug}")]
    }
}
