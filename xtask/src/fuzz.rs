//! Foreign bytes, random calls and schedules for longer than the ordinary test command has, by the same tests.

use std::path::Path;

use hapax_core::ledger::OperationId;

use crate::files::Done;
use crate::run::Line;

/// Executions of a target, sequences of a ledger and schedules of a test, of which there are `times` as many.
const ONCE: (u64, u64, u64) = (20_000, 300, 4_000);

/// Where targets and schedules are, and which part of those executions they have: some write and read files. Parsers of a
/// program are fuzzed in it, and schedules are played beside what they play.
const TESTS: [(&str, u64); 5] = [
    ("cargo test --package hapax-fuzz --test all -- --skip damaged", 1),
    ("cargo test --package hapax-fuzz --test all damaged", 20),
    ("cargo test --package hapax --bin hapax fuzzed", 20),
    ("cargo test --package hapax-ledger-sqlite --lib schedules", 1),
    ("cargo test --package hapax-ledger-postgres --lib schedules", 1),
];

/// Runs every target so many times as long, with a seed of this run's own. A failure says it.
pub(crate) fn fuzz(root: &Path, times: u64) -> Done {
    let seed = OperationId::fresh().0.as_u128();
    for (tests, part) in TESTS {
        let line = Line::new(tests);
        let line = line.with("BOLERO_RANDOM_ITERATIONS", &(ONCE.0 / part).saturating_mul(times).to_string());
        let line = line.with("BOLERO_RANDOM_SEED", &seed.to_string());
        let line = line.with("HAPAX_FUZZ_SEED", &(seed as u64).to_string());
        let line = line.with("HAPAX_FUZZ_CASES", &ONCE.1.saturating_mul(times).to_string());
        let line = line.with("HAPAX_SCHEDULES", &ONCE.2.saturating_mul(times).to_string());
        line.with("HAPAX_SCHEDULES_SEED", &(seed as u64).to_string()).run(root)?;
    }
    Ok(())
}
