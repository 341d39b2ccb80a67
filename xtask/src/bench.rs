//! Builds the bench as it is released, and runs it.

use std::path::Path;

use crate::files::Done;
use crate::run::Line;

/// Hands these arguments on. The build is told apart: it takes minutes the first time, and is no part of what is measured.
pub(crate) fn bench(root: &Path, arguments: &[String]) -> Done {
    Line::new("cargo build --release --package hapax-bench").run(root)?;
    Line::new("cargo run --quiet --release --package hapax-bench --").and(arguments).run(root)
}
