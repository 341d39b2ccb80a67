//! The runs that broke earlier drafts of the protocol: each is a test, or is listed as open with what
//! will bring it. The list is strict both ways.

use std::collections::BTreeSet;
use std::path::Path;

use super::functions::tests;
use crate::files::{Done, read, texts};

const OPEN: &str = "tests/cases/OPEN.md";

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut tested = BTreeSet::new();
    for folder in ["tests", "core", "ledgers", "adapters", "interfaces"] {
        for (_, text) in texts(&root.join(folder), ".rs") {
            tested.extend(tests(&text).iter().filter_map(|(name, _)| number(name)));
        }
    }
    let open: BTreeSet<String> = read(&root.join(OPEN)).unwrap_or_default().lines().filter_map(listed).collect();
    let mut findings = Vec::new();
    for run in all() {
        match (tested.contains(&run), open.contains(&run)) {
            (true, true) => findings.push(format!("{run} is listed in {OPEN} and has a test; take it off the list")),
            (false, false) => findings.push(format!("{run} has no test and is not listed in {OPEN}")),
            _ => {}
        }
    }
    let unknown = open.iter().filter(|run| !all().contains(run));
    findings.extend(unknown.map(|run| format!("{OPEN} lists {run}, which is no known run")));
    Ok(findings)
}

fn all() -> Vec<String> {
    (1..=36).map(|run| format!("A{run}")).chain((1..=12).map(|run| format!("M{run}"))).collect()
}

/// `a07_the_sleeper` is A7.
fn number(test: &str) -> Option<String> {
    let (letter, rest) = test.split_at_checked(1)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let after = rest.get(digits.len()..)?.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let run: u32 = digits.parse().ok()?;
    (matches!(letter, "a" | "m") && digits.len() == 2 && after.starts_with('_'))
        .then(|| format!("{}{run}", letter.to_uppercase()))
}

/// The run that a line of a list or table begins with.
fn listed(line: &str) -> Option<String> {
    let word =
        line.trim_start_matches(['|', '-', '*', ' ', '`']).split(|letter: char| !letter.is_alphanumeric()).next()?;
    let (letter, digits) = word.split_at_checked(1)?;
    let run: u32 = digits.parse().ok()?;
    matches!(letter, "A" | "M" | "a" | "m").then(|| format!("{}{run}", letter.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_from_names_and_lists() {
        assert_eq!(number("a07_the_sleeper").as_deref(), Some("A7"));
        assert_eq!(number("m08d_two").as_deref(), Some("M8"));
        assert_eq!(number("attempts_are_bounded"), None);
        assert_eq!(number("a7_x"), None);
        assert_eq!(listed("| A33 | groups |").as_deref(), Some("A33"));
        assert_eq!(listed("- **M05**: later").as_deref(), Some("M5"));
        assert_eq!(listed("- a33: groups").as_deref(), Some("A33"));
        assert_eq!(listed("All the rest"), None);
        assert_eq!(all().len(), 48);
    }
}
