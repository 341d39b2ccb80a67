//! Foreign bytes and random calls for longer than the ordinary test command has, by the same tests.

use std::path::Path;

use hapax_core::ledger::OperationId;

use crate::files::Done;
use crate::run::Line;

/// Executions of a target and sequences of a ledger, of which there are `times` as many.
const ONCE: (u64, u64) = (20_000, 300);

/// Runs every target so many times as long, with a seed of this run's own. A failure says it.
pub(crate) fn fuzz(root: &Path, times: u64) -> Done {
    let seed = OperationId::fresh().0.as_u128();
    let line = Line::new("cargo test --package hapax-fuzz --test all");
    let line = line.with("BOLERO_RANDOM_ITERATIONS", &ONCE.0.saturating_mul(times).to_string());
    let line = line.with("BOLERO_RANDOM_SEED", &seed.to_string());
    let line = line.with("HAPAX_FUZZ_SEED", &(seed as u64).to_string());
    line.with("HAPAX_FUZZ_CASES", &ONCE.1.saturating_mul(times).to_string()).run(root)
}
