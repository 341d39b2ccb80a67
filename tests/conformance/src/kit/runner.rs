use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::bend::Bends;
use super::pulse::Pulse;
use super::reach::Reach;
use super::report::{Ended, Report, Row};
use super::run::{Run, registered};
use super::subject::{CellSubject, Subject};
use super::violation::{Invariant, Violation};
use crate::faults::{self, Fault};

/// Runs at once: they wait for sockets and disks more than they compute.
const AT_ONCE: usize = 12;
/// The same at a real server, which needs the machine too.
const AT_ONCE_AT_A_SERVER: usize = 4;
/// Real time that one run may take.
const LIMIT: Duration = Duration::from_secs(60);
/// How often a run is played again that broke while the machine stood still.
const AGAIN: usize = 3;

/// Plays faults over the cells of one adapter.
#[derive(Clone)]
pub struct Kit {
    subject: Arc<dyn Subject>,
    bends: Bends,
    seeds: Vec<u64>,
    faults: Vec<Fault>,
    only: Option<String>,
    /// A run needs a place; clones share them.
    places: Arc<Semaphore>,
}

impl Kit {
    /// Every fault over every cell. `HAPAX_KIT_SEEDS` says how many seeds (2 if it doesn't); `HAPAX_KIT_SEED`,
    /// `HAPAX_KIT_CELL` and `HAPAX_KIT_FAULT` play one run again.
    pub fn new(subject: Arc<dyn Subject>) -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let seeds = match number("HAPAX_KIT_SEED") {
            Some(seed) => vec![seed],
            None => (1..=number("HAPAX_KIT_SEEDS").unwrap_or(2)).collect(),
        };
        let wanted = std::env::var("HAPAX_KIT_FAULT").ok();
        let faults = faults::all().into_iter().filter(|fault| wanted.as_deref().is_none_or(|name| name == fault.name));
        let (faults, only) = (faults.collect(), std::env::var("HAPAX_KIT_CELL").ok());
        Self { seeds, faults, only, ..Self::whole(subject) }
    }

    /// Every fault over every cell, whatever the environment says.
    pub fn whole(subject: Arc<dyn Subject>) -> Self {
        let at_once = if subject.server().is_some() { AT_ONCE_AT_A_SERVER } else { AT_ONCE };
        let places = Arc::new(Semaphore::new(at_once));
        Self { subject, bends: Bends::default(), seeds: vec![1], faults: faults::all(), only: None, places }
    }

    /// Whether one run is to be played again, so that nothing can be said of the whole.
    pub fn is_partial(&self) -> bool {
        self.only.is_some() || self.faults.len() < faults::all().len()
    }

    /// With these faults alone.
    pub fn faults(mut self, names: &[&str]) -> Self {
        self.faults.retain(|fault| names.contains(&fault.name));
        self
    }

    /// With this cell alone.
    pub fn cell(mut self, cell: &str) -> Self {
        self.only = Some(cell.to_owned());
        self
    }

    /// With these seeds.
    pub fn seeds(mut self, seeds: &[u64]) -> Self {
        self.seeds = seeds.to_vec();
        self
    }

    /// With something bent.
    pub fn bent(mut self, bends: Bends) -> Self {
        self.bends = bends;
        self
    }

    /// Plays them.
    pub async fn play(&self) -> Report {
        let reach = Arc::new(Reach::default());
        let pulse = Pulse::start();
        let mut tasks = JoinSet::new();
        let mut rows = self.unlisted();
        let wanted = |cell: &Arc<dyn CellSubject>| self.only.as_deref().is_none_or(|only| only == cell.id());
        for cell in self.subject.cells().into_iter().filter(wanted) {
            for fault in self.faults.iter().copied() {
                for seed in self.seeds.iter().copied() {
                    let (subject, cell, places, reach) =
                        (self.subject.clone(), cell.clone(), self.places.clone(), reach.clone());
                    let pulse = pulse.clone();
                    let bends = self.bends;
                    tasks.spawn(async move {
                        let _turn = places.acquire_owned().await;
                        let (id, name) = (cell.id(), fault.name);
                        let play = || one(subject.clone(), cell.clone(), fault, seed, bends, reach.clone());
                        let (ended, set_aside) = undisturbed(&pulse, play).await;
                        Row { cell: id, fault: name, seed, ended, set_aside }
                    });
                }
            }
        }
        while let Some(row) = tasks.join_next().await {
            rows.extend(row.ok());
        }
        let place = |row: &Row| self.faults.iter().position(|fault| fault.name == row.fault);
        rows.sort_by_key(|row| (row.cell, place(row), row.seed));
        Report { rows, reach }
    }

    /// A registered cell that nobody hands in would be proved by nothing.
    fn unlisted(&self) -> Vec<Row> {
        let listed: Vec<&str> = self.subject.cells().iter().map(|cell| cell.id()).collect();
        let registered = self.subject.integration().cells();
        let missing = registered.iter().map(|cell| cell.spec().id).filter(|id| !listed.contains(id));
        missing
            .map(|cell| {
                let what = "it is registered, and not handed to the kit";
                let ended = Ended::Broken(vec![Violation::new(Invariant::Runs, what)]);
                Row { cell, fault: "all", seed: 0, ended, set_aside: Vec::new() }
            })
            .collect()
    }
}

/// Plays a run, and plays it again if an end was missed while the machine stood still: that shows nothing either way.
/// Tells how it ended, and what was set aside.
async fn undisturbed<F: Future<Output = Ended>>(pulse: &Pulse, play: impl Fn() -> F) -> (Ended, Vec<Violation>) {
    let mut set_aside = Vec::new();
    for _ in 0..AGAIN {
        let before = pulse.late();
        let ended = play().await;
        match ended {
            Ended::Broken(missed) if pulse.late() != before && is_the_machines(&missed) => set_aside.extend(missed),
            _ => return (ended, set_aside),
        }
    }
    (play().await, set_aside)
}

/// One invariant that holds on any machine is enough to believe a run.
fn is_the_machines(violations: &[Violation]) -> bool {
    violations.iter().all(|violation| violation.invariant.hangs_on_the_machine())
}

/// Plays one fault on one cell with one seed.
async fn one(
    subject: Arc<dyn Subject>,
    cell: Arc<dyn CellSubject>,
    fault: Fault,
    seed: u64,
    bends: Bends,
    reach: Arc<Reach>,
) -> Ended {
    if let Some((_, why)) = cell.skips().into_iter().find(|(name, _)| *name == fault.name) {
        return if why.is_empty() { broken(Invariant::Runs, "skipped without a reason") } else { skipped(why) };
    }
    if let Some(why) = registered(&*subject, cell.id()).and_then(|known| (fault.unfit)(known.spec(), &*cell)) {
        return skipped(why);
    }
    let run = match Run::new(subject, cell, seed, bends, reach.clone()).await {
        Ok(run) => run,
        Err(why) => return broken(Invariant::Runs, why),
    };
    let ended = tokio::time::timeout(LIMIT, caught(Box::pin(through(&run, fault)))).await;
    match ended {
        Ok(Ok(violations)) if violations.is_empty() => {
            reach.note(format!("fault:{}", fault.name));
            Ended::Held
        }
        Ok(Ok(violations)) => Ended::Broken(violations),
        Ok(Err(())) => broken(Invariant::NoPanic, "the run panicked"),
        Err(_) => broken(Invariant::Runs, "the run hangs"),
    }
}

/// Plays the fault, lifts it, recovers, and checks.
async fn through(run: &Run, fault: Fault) -> Vec<Violation> {
    run.expect(fault.end(run.spec, &*run.cell, &run.subject.met()));
    let mut violations = Vec::new();
    violations.extend((fault.play)(run).await.err());
    run.lift();
    let process = match run.process().await {
        Ok(process) => process,
        Err(violation) => return vec![violation],
    };
    violations.extend(run.finish(&process).await.err());
    violations.extend(run.check(&process).await);
    violations.dedup();
    violations
}

/// A panic in a play is a violation like any other, so that one does not hide the rest.
async fn caught(future: Pin<Box<dyn Future<Output = Vec<Violation>> + Send + '_>>) -> Result<Vec<Violation>, ()> {
    let mut future = AssertUnwindSafe(future);
    std::future::poll_fn(move |context| {
        let poll = AssertUnwindSafe(|| future.as_mut().poll(context));
        match std::panic::catch_unwind(poll) {
            Ok(std::task::Poll::Ready(violations)) => std::task::Poll::Ready(Ok(violations)),
            Ok(std::task::Poll::Pending) => std::task::Poll::Pending,
            Err(_) => std::task::Poll::Ready(Err(())),
        }
    })
    .await
}

fn skipped(why: &str) -> Ended {
    Ended::Skipped(why.to_owned())
}

fn broken(invariant: Invariant, what: impl Into<String>) -> Ended {
    Ended::Broken(vec![Violation::new(invariant, what)])
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Plays what breaks this once while the machine stands still, and then holds; tells how often it was played.
    async fn once(invariant: Invariant) -> (Ended, Vec<Violation>, usize) {
        let pulse = Pulse::start();
        let plays = AtomicUsize::new(0);
        let play = || async {
            if plays.fetch_add(1, Ordering::SeqCst) > 0 {
                return Ended::Held;
            }
            tokio::time::sleep(Duration::from_millis(60)).await;
            std::thread::sleep(Duration::from_millis(600));
            tokio::time::sleep(Duration::from_millis(60)).await;
            broken(invariant, "missed")
        };
        let (ended, set_aside) = undisturbed(&pulse, play).await;
        (ended, set_aside, plays.load(Ordering::SeqCst))
    }

    #[tokio::test]
    async fn an_end_that_was_missed_while_the_machine_stood_still_is_played_again_and_told() {
        let (ended, set_aside, plays) = once(Invariant::ExpectedEnd).await;
        assert_eq!((ended, set_aside.len(), plays), (Ended::Held, 1, 2));
    }

    #[tokio::test]
    async fn a_second_effect_counts_on_any_machine() {
        let (ended, set_aside, plays) = once(Invariant::OneEffect).await;
        assert!(matches!(ended, Ended::Broken(_)));
        assert_eq!((set_aside.len(), plays), (0, 1));
    }
}
