//! Files that grow past the mark are listed with a reason, and the list can only shrink by itself.

use std::path::Path;

use crate::files::{Done, shown, texts};

/// Lines after which a file is two files.
const MARK: usize = 500;

/// Files that may be longer, each with its reason.
const LONGER: [(&str, &str); 0] = [];

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut findings = Vec::new();
    let listed = |name: &str| LONGER.iter().any(|(longer, _)| *longer == name);
    for (path, text) in texts(root, ".rs") {
        let (name, lines) = (shown(root, &path), text.lines().count());
        match (lines > MARK, listed(&name)) {
            (true, false) => {
                findings.push(format!("{name} has {lines} lines; at most {MARK}, or list it with a reason"))
            }
            (false, true) => findings.push(format!("{name} has {lines} lines and is listed as longer; take it off")),
            _ => {}
        }
    }
    Ok(findings)
}
