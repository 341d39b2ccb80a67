//! Beside each dependency stands why it is here.

use std::path::Path;

use crate::files::{Done, read};

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    Ok(without_reason(&read(&root.join("Cargo.toml"))?)
        .into_iter()
        .map(|name| format!("Cargo.toml: {name} has no comment above it that says why it is here"))
        .collect())
}

/// Dependencies of the workspace without a comment directly above. Crates of ours need none.
fn without_reason(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut reason = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        } else if line.starts_with('#') {
            reason = true;
            continue;
        } else if let (true, false, Some((name, rest))) = (inside, reason, line.split_once('='))
            && !rest.contains("path =")
        {
            found.push(name.trim());
        }
        reason = false;
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_comment_speaks_for_the_line_below_it() {
        let manifest =
            "[workspace.dependencies]\nours = { path = \"x\" }\n# Why.\na = \"1\"\nb = \"1\"\n\n[other]\nc = 1\n";
        assert_eq!(super::without_reason(manifest), ["b"]);
    }
}
