//! Random calls of a ledger, compared with a model that is simple enough to be read.

#[path = "ledgers/calls.rs"]
mod calls;
#[path = "ledgers/model.rs"]
mod model;
#[path = "ledgers/planted.rs"]
mod planted;
#[path = "ledgers/play.rs"]
mod play;
#[path = "ledgers/store.rs"]
mod store;

use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use tokio::runtime::{Builder, Runtime};

use calls::{Call, sequences};
use planted::Bug;
use store::Store;

/// The number in this variable of the environment, if there is one.
fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// Plays so many sequences; `Err` is the shortest that was found to break the ledger, as a text.
fn played(store: &Store, cases: u32, seed: u64) -> Result<(), String> {
    let runtime = runtime();
    let config = Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    let mut runner = TestRunner::new(config);
    let done = runner.run(&sequences(), |calls| {
        let played = runtime.block_on(play::play(store, &calls));
        played.map_err(proptest::test_runner::TestCaseError::fail)
    });
    match done {
        Ok(()) => Ok(()),
        Err(TestError::Fail(why, calls)) => Err(told(seed, &why.to_string(), &calls)),
        Err(TestError::Abort(why)) => Err(why.to_string()),
    }
}

fn told(seed: u64, why: &str, calls: &[Call]) -> String {
    let lines: Vec<String> = calls.iter().enumerate().map(|(number, call)| format!("{number:3} {call:?}")).collect();
    format!("HAPAX_FUZZ_SEED={seed}\n{}\n{why}", lines.join("\n"))
}

fn hold(store: &Store, cases: u32) {
    let seed = given("HAPAX_FUZZ_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    let cases = given("HAPAX_FUZZ_CASES").map_or(cases, |cases| u32::try_from(cases).unwrap_or(u32::MAX));
    if let Err(why) = played(store, cases, seed) {
        panic!("{why}");
    }
}

#[test]
fn the_ledger_in_memory_does_what_the_model_does() {
    hold(&Store::Memory, 300);
}

#[test]
fn the_ledger_on_sqlite_does_what_the_model_does() {
    hold(&Store::Sqlite, 30);
}

#[test]
fn the_ledger_on_postgres_does_what_the_model_does() {
    if let Some(cluster) = runtime().block_on(store::cluster()) {
        hold(&Store::Postgres(Box::new(cluster)), 12);
    }
}

#[test]
fn each_planted_ledger_is_found() {
    for bug in Bug::ALL {
        let failed = played(&Store::Planted(bug), 300, 7);
        assert!(failed.is_err(), "{bug:?} was not found");
    }
}
