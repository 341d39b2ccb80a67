//! What no compiler checks. Each check is a file; each finding names a file and says what to do.

mod attributes;
pub(crate) mod catalog;
mod declarations;
mod dependencies;
mod directions;
pub(crate) mod errors;
mod failure_modes;
mod functions;
mod known_runs;
mod links;
mod sizes;
mod words;

use std::path::Path;

use crate::files::Done;
use crate::say;

/// A check: what it finds, each in a sentence.
type Check = fn(&Path) -> Done<Vec<String>>;

const CHECKS: [(&str, Check); 11] = [
    ("directions of dependencies", directions::check),
    ("reasons beside dependencies", dependencies::check),
    ("every adapter is in the catalog", catalog::check),
    ("declarations of cells", declarations::check),
    ("failure modes and tests, both ways", failure_modes::check),
    ("runs that broke earlier drafts", known_runs::check),
    ("a page for each error code", errors::check),
    ("links between documents", links::check),
    ("lengths of files", sizes::check),
    ("attributes and leftovers", attributes::check),
    ("words that are not used", words::check),
];

/// Runs all checks and says everything that they find.
pub(crate) fn tidy(root: &Path) -> Done {
    let mut count = 0;
    for (name, check) in CHECKS {
        let findings = check(root)?;
        say::line(format!("{} {name}", if findings.is_empty() { "ok  " } else { "FAIL" }));
        for finding in &findings {
            say::line(format!("     {finding}"));
        }
        count += findings.len();
    }
    if count == 0 { Ok(()) } else { Err(format!("tidy found {count} things; `cargo xtask tidy` shows them again")) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_repository_is_tidy() {
        let root = crate::files::root().expect("the repository");
        for (name, check) in super::CHECKS {
            assert_eq!(check(&root).expect(name), Vec::<String>::new(), "{name}");
        }
    }
}
