//! Every adapter is in the catalog, and has the files that every adapter has.

use std::path::Path;

use crate::files::{Done, folders};

/// What each adapter has, so that nobody needs to document it again.
const FILES: [&str; 5] = ["Cargo.toml", "README.md", "FAILURE_MODES.md", "src/lib.rs", "src/client.rs"];

/// Where an adapter hands itself to the kit: one of them.
const KIT: [&str; 2] = ["tests/kit.rs", "tests/kit/main.rs"];

/// The adapter of cells that users declare: no catalog lists them, and their proof is `hapax cell prove`.
pub(super) const OF_DECLARATIONS: &str = "http";

/// What an adapter lacks to be one, in sentences.
pub(crate) fn lacks(root: &Path, name: &str) -> Vec<String> {
    let has = |file: &str| root.join("adapters").join(name).join(file).is_file();
    let mut lacking: Vec<String> =
        FILES.iter().filter(|file| !has(file)).map(|file| format!("adapters/{name} has no {file}")).collect();
    if !KIT.iter().any(|file| has(file)) {
        lacking.push(format!("adapters/{name} is not handed to the kit: write tests/kit.rs as other adapters have it"));
    }
    lacking
}

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let known: Vec<&str> = hapax_catalog::integrations().iter().map(|integration| integration.name()).collect();
    let mut findings = Vec::new();
    for name in folders(&root.join("adapters")).into_iter().filter(|name| name != OF_DECLARATIONS) {
        findings.extend(lacks(root, &name));
        if !known.contains(&name.as_str()) {
            findings.push(format!("adapters/{name} is not in the catalog; run `cargo xtask generate`"));
        }
    }
    for name in known.iter().filter(|name| !root.join("adapters").join(name).is_dir()) {
        findings.push(format!("the catalog has {name}, and there is no adapters/{name}"));
    }
    Ok(findings)
}
