//! Every adapter is in the catalog, and has the files that every adapter has.

use std::path::Path;

use crate::files::{Done, folders};

/// What each adapter has, so that nobody needs to document it again.
const FILES: [&str; 5] = ["Cargo.toml", "README.md", "FAILURE_MODES.md", "src/lib.rs", "src/client.rs"];

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let known: Vec<&str> = hapax_catalog::integrations().iter().map(|integration| integration.name()).collect();
    let mut findings = Vec::new();
    for name in folders(&root.join("adapters")) {
        for file in FILES.iter().filter(|file| !root.join("adapters").join(&name).join(file).is_file()) {
            findings.push(format!("adapters/{name} has no {file}"));
        }
        let kit = ["tests/kit.rs", "tests/kit/main.rs"].map(|file| root.join("adapters").join(&name).join(file));
        if !kit.iter().any(|file| file.is_file()) {
            findings.push(format!(
                "adapters/{name} is not handed to the kit: write tests/kit.rs as other adapters have it"
            ));
        }
        if !known.contains(&name.as_str()) {
            findings.push(format!("adapters/{name} is not in the catalog; run `cargo xtask generate`"));
        }
    }
    for name in known.iter().filter(|name| !root.join("adapters").join(name).is_dir()) {
        findings.push(format!("the catalog has {name}, and there is no adapters/{name}"));
    }
    Ok(findings)
}
