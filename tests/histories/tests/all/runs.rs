//! Runs of real processes: short ones in every test run, long ones by hand.

use std::time::Duration;

use hapax_histories::check::{Rule, check};
use hapax_histories::run::{Figures, Plan, Store};
use hapax_histories::shrink::shrink;
use hapax_histories::worker::Planted;
use tokio::time::Instant;

use super::support::{cluster, judged, number, ran, report, short, tell};

/// Runs, judges, and says what it came to.
async fn hold(plan: &Plan, test: &str) -> Figures {
    let ran = ran(plan).await;
    let figures = judged(plan, &ran, test).unwrap_or_else(|report| panic!("{report}"));
    assert!(figures.oks > 0 && figures.effects > 0 && figures.kills > 0, "too little happened: {figures}");
    figures
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_share_a_file() {
    let seed = number("HAPAX_HISTORIES_SEED").unwrap_or(1);
    let figures = hold(&short(seed, Store::File), "workers_that_share_a_file").await;
    tell(&format!("workers that share a file: {figures}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_whose_file_is_put_back() {
    let seed = number("HAPAX_HISTORIES_SEED").unwrap_or(2);
    let figures = hold(&short(seed, Store::File), "workers_whose_file_is_put_back").await;
    assert!(seed % 2 == 1 || figures.restores == 1, "{figures}");
    tell(&format!("workers whose file is put back: {figures}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_share_a_database() {
    let Some(cluster) = cluster("workers that share a database").await else { return };
    let seed = number("HAPAX_HISTORIES_SEED").unwrap_or(1);
    let store = Store::Postgres { port: cluster.port() };
    let figures = hold(&short(seed, store), "workers_that_share_a_database").await;
    tell(&format!("workers that share a database: {figures}"));
}

/// Runs with a bug until it is seen. Which rule it breaks first is the run's doing, so any of these will do.
async fn is_caught(bug: Planted, rules: &[Rule]) {
    /// A run that is too lucky shows nothing; so many in a row there are not.
    const SEEDS: u64 = 6;
    for seed in 1..=SEEDS {
        let (busy, quiet) = (Duration::from_millis(1_500), Duration::from_millis(500));
        let plan = Plan { bug: Some(bug), busy, quiet, ..short(seed, Store::File) };
        let ran = ran(&plan).await;
        let violations = check(&ran.history);
        let Some(first) = violations.iter().find(|one| rules.contains(&one.rule)) else { continue };
        let least = shrink(&ran.history, first);
        assert!(check(&least).iter().any(|one| one.rule == first.rule), "{least}");
        assert!(least.keys().len() == 1 && least.entries.len() < ran.history.entries.len() / 4, "{least}");
        let report = report(&plan, &ran.history, std::slice::from_ref(first), "is_caught");
        assert!(report.contains(first.rule.name()) && report.contains(&format!("SEED={seed}")), "{report}");
        tell(&format!("{bug:?} is caught: {first}"));
        return;
    }
    panic!("{bug:?} is not seen in {SEEDS} runs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_does_not_compare_revisions_is_caught() {
    is_caught(Planted::BlindAppends, &[Rule::OneEffect, Rule::OneIntent, Rule::NothingAfterOk]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_forgets_how_operations_ended_is_caught() {
    is_caught(Planted::ForgetsEnds, &[Rule::StaysKnown, Rule::NothingForgotten]).await;
}

/// For as many minutes as `HAPAX_HISTORIES_MINUTES` says, from `HAPAX_HISTORIES_SEED` on; without minutes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long() {
    let Some(minutes) = number("HAPAX_HISTORIES_MINUTES") else { return };
    let (began, limit) = (Instant::now(), Duration::from_secs(60 * minutes));
    let database = cluster("long runs over a database").await;
    let stores: Vec<Store> =
        std::iter::once(Store::File).chain(database.map(|cluster| Store::Postgres { port: cluster.port() })).collect();
    let mut sum = Figures::default();
    let mut broken = Vec::new();
    let mut seed = number("HAPAX_HISTORIES_SEED").unwrap_or(1);
    while began.elapsed() < limit {
        for store in &stores {
            let plan = Plan {
                workers: 4,
                callers: 12,
                busy: Duration::from_secs(8),
                quiet: Duration::from_secs(6),
                ..short(seed, *store)
            };
            let ran = ran(&plan).await;
            match judged(&plan, &ran, "long") {
                Ok(figures) => sum += figures,
                // The others are still to be seen.
                Err(report) => {
                    sum += Figures { violations: check(&ran.history).len(), ..Figures::of(&ran.history) };
                    tell(&report);
                    broken.push(report);
                }
            }
            tell(&format!("seed {seed}, {store:?}: {sum}"));
        }
        seed += 1;
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
