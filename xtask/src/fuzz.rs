//! Foreign bytes and random calls for longer than the ordinary test command has, by the same tests.

use std::path::Path;

use crate::files::Done;
use crate::run::Line;

/// Executions of a target and sequences of a ledger, of which there are `times` as many.
const ONCE: (u64, u64) = (20_000, 300);

/// Runs every target so many times as long.
pub(crate) fn fuzz(root: &Path, times: u64) -> Done {
    let line = Line::new("cargo test --package hapax-fuzz --test all");
    let line = line.with("BOLERO_RANDOM_ITERATIONS", &ONCE.0.saturating_mul(times).to_string());
    line.with("HAPAX_FUZZ_CASES", &ONCE.1.saturating_mul(times).to_string()).run(root)
}
