//! Trials side by side, and what they add up to.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// What trials add up to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) kills: usize,
    pub(crate) trials: usize,
    pub(crate) duplicates: usize,
    pub(crate) losses: usize,
}

impl Tally {
    /// One trial: how often something was killed, and how many effects there are in the end.
    pub(crate) fn of(kills: usize, effects: usize) -> Self {
        Self { kills, trials: 1, duplicates: effects.saturating_sub(1), losses: usize::from(effects == 0) }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.trials += other.trials;
        self.duplicates += other.duplicates;
        self.losses += other.losses;
    }

    /// Says what came out, where a person sees it.
    pub(crate) fn tell(self, name: &str) {
        use std::io::Write;
        let Self { kills, trials, duplicates, losses } = self;
        let line = format!("{name}: {trials} trials, {kills} kills, {duplicates} duplicates, {losses} losses");
        // Past the test harness's capture, so that the figures stand in the log of a green run.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }
}

/// Runs trials, a few at a time.
pub(crate) async fn run<Trial>(trials: impl IntoIterator<Item = Trial>) -> Tally
where
    Trial: Future<Output = Tally> + Send + 'static,
{
    const AT_ONCE: usize = 4;
    let gate = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    for trial in trials {
        let gate = gate.clone();
        tasks.spawn(async move {
            let _turn = gate.acquire_owned().await;
            trial.await
        });
    }
    let mut sum = Tally::default();
    for one in tasks.join_all().await {
        sum.add(one);
    }
    sum
}

/// How many times each random trial is repeated; more by hand.
pub(crate) fn rounds() -> u64 {
    std::env::var("HAPAX_CRASH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}
