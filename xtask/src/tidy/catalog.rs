//! Every adapter is in the catalog, and has the files that every adapter has.

use std::path::Path;

use crate::files::{Done, folders, read};

/// What each adapter has, so that nobody needs to document it again.
const FILES: [&str; 5] = ["Cargo.toml", "README.md", "FAILURE_MODES.md", "src/lib.rs", "src/client.rs"];

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let manifest = read(&root.join("catalog/Cargo.toml"))?;
    let source = read(&root.join("catalog/src/lib.rs"))?;
    let known: Vec<&str> = hapax_catalog::integrations().iter().map(|integration| integration.name()).collect();
    let mut findings = Vec::new();
    for name in folders(&root.join("adapters")) {
        for file in FILES.iter().filter(|file| !root.join("adapters").join(&name).join(file).is_file()) {
            findings.push(format!("adapters/{name} has no {file}"));
        }
        let crate_name = format!("hapax_{}::", name.replace('-', "_"));
        let feature = format!("\n{name} = [");
        let listed = manifest.contains(&feature) && source.contains(&crate_name) && known.contains(&name.as_str());
        if !listed {
            findings.push(format!("adapters/{name} is not in the catalog: give it a feature in catalog/Cargo.toml, on by default, and a line in catalog/src/lib.rs"));
        }
    }
    for name in known.iter().filter(|name| !root.join("adapters").join(name).is_dir()) {
        findings.push(format!("the catalog has {name}, and there is no adapters/{name}"));
    }
    Ok(findings)
}
