//! Long random runs, by the test that plays them.

use std::path::Path;

use crate::files::Done;
use crate::run::Line;

/// Plays runs for so many minutes, from this seed on.
pub(crate) fn histories(root: &Path, minutes: u64, seed: u64) -> Done {
    let line = Line::new("cargo test --package hapax-histories --test all -- --exact runs::long --nocapture");
    let line = line.with("HAPAX_HISTORIES_MINUTES", &minutes.to_string());
    line.with("HAPAX_HISTORIES_SEED", &seed.to_string()).run(root)
}
