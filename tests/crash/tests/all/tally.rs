//! Trials side by side, and what they add up to.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The kills that each part of the suite makes at least, so that a run has 500.
pub(crate) const LEAST_AT_STEPS: usize = 400;
pub(crate) const LEAST_AT_RANDOM: usize = 100;
pub(crate) const LEAST_OF_WORKERS: usize = 50;
const _: () = assert!(LEAST_AT_STEPS + LEAST_AT_RANDOM + LEAST_OF_WORKERS >= 500);

/// What trials add up to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) kills: usize,
    /// Kills that left an operation under way.
    pub(crate) midway: usize,
    pub(crate) trials: usize,
    /// Effects beyond the first of an intent.
    pub(crate) duplicates: usize,
    /// Intents that ended as nothing that their caller may rely on.
    pub(crate) losses: usize,
    /// Intents that ended with a person, as they may.
    pub(crate) persons: usize,
    /// What was wrong, in words.
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.midway += other.midway;
        self.trials += other.trials;
        self.duplicates += other.duplicates;
        self.losses += other.losses;
        self.persons += other.persons;
        self.wrong.extend(other.wrong);
    }

    /// Says what came out, where a person sees it, and fails if anything was wrong.
    pub(crate) fn conclude(&self, name: &str) {
        use std::io::Write;
        let Self { kills, midway, trials, duplicates, losses, persons, wrong } = self;
        let line = format!(
            "{name}: {trials} trials, {kills} kills ({midway} midway), {duplicates} duplicates, {losses} losses, {persons} ended with a person"
        );
        // Past the test harness's capture, so that the figures stand in the log of a green run.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!((*duplicates, *losses), (0, 0));
    }
}

/// Runs trials, a few at a time. Most of a trial is waiting for leases, so there are more than cores.
pub(crate) async fn run<Trial>(trials: impl IntoIterator<Item = Trial>) -> Tally
where
    Trial: Future<Output = Tally> + Send + 'static,
{
    const AT_ONCE: usize = 10;
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

/// The first seed of a random part; another one by hand.
pub(crate) fn first_seed() -> u64 {
    std::env::var("HAPAX_CRASH_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// How many times as many kills as usual are made at random; more by hand.
pub(crate) fn rounds() -> usize {
    std::env::var("HAPAX_CRASH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}
