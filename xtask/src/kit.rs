//! What the chores need to know of the conformance kit.

use std::path::Path;

use crate::files::Done;

/// The faults that the kit runs over every cell, by id.
pub(crate) fn faults() -> Vec<String> {
    hapax_conformance::faults::all().iter().map(|fault| fault.name.to_owned()).collect()
}

/// Digest of the sources that a recorded result depends on: core, adapter and kit.
pub(crate) fn sources(root: &Path, adapter: &str) -> Done<String> {
    hapax_conformance::results::source_hash(root, adapter).map_err(|error| format!("the sources of {adapter}: {error}"))
}
