//! `FAILURE_MODES.md` and tests, paired both ways: a row without a test is a claim, a test without a
//! row is a secret. A folder that isn't in the catalog is named by another check.

use std::collections::BTreeSet;
use std::path::Path;

use super::functions::tests;
use crate::files::{Done, folders, read, shown, texts};
use crate::kit;

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut findings = Vec::new();
    let faults: BTreeSet<String> = kit::faults().into_iter().collect();
    for name in folders(&root.join("adapters")).into_iter().filter(|name| hapax_catalog::integration(name).is_some()) {
        let folder = root.join("adapters").join(&name);
        let Ok(text) = read(&folder.join("FAILURE_MODES.md")) else { continue };
        let (rows, open) = ids(&text);
        let mut known = BTreeSet::new();
        let prefixes = prefixes(&name);
        for (path, text) in texts(&folder, ".rs") {
            for (test, line) in tests(&text) {
                let of_an_operation = prefixes.iter().any(|prefix| test.starts_with(prefix));
                // The stand-in's own tests are about the stand-in.
                if of_an_operation
                    && !shown(&folder, &path).contains("standin")
                    && !rows.contains(&test)
                    && !open.contains(&test)
                {
                    let place = format!("{}:{line}", shown(root, &path));
                    findings.push(format!("{place}: test {test} has no row in adapters/{name}/FAILURE_MODES.md"));
                }
                known.insert(test);
            }
        }
        let is_known = |row: &String| match row.strip_prefix("kit:") {
            Some(fault) => faults.contains(fault),
            None => known.contains(row),
        };
        for row in rows.iter().filter(|row| !is_known(row)) {
            findings.push(format!("adapters/{name}/FAILURE_MODES.md: there is no test {row}"));
        }
        for row in open.iter().filter(|row| is_known(row)) {
            findings.push(format!(
                "adapters/{name}/FAILURE_MODES.md: {row} is marked open and has a test; take the mark off"
            ));
        }
    }
    Ok(findings)
}

/// How names of tests begin that belong to an operation, or to the client.
fn prefixes(adapter: &str) -> Vec<String> {
    let cells = hapax_catalog::integration(adapter).map(|integration| integration.cells()).unwrap_or_default();
    let mut prefixes: Vec<String> = cells.iter().map(|cell| format!("{}_", cell.spec().name())).collect();
    prefixes.push("client_".to_owned());
    prefixes
}

/// The ids of the rows, and of those that are marked open: what stands in backticks in the first cell
/// of a row, one or several.
fn ids(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut done, mut open) = (BTreeSet::new(), BTreeSet::new());
    for line in text.lines() {
        let mut cells = line.trim().split('|').skip(1).map(str::trim);
        let ids = cells.next().unwrap_or_default();
        let is_open = cells.any(|cell| cell == "open");
        let quoted = |id: &str| id.trim().strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
        if is_open { &mut open } else { &mut done }.extend(ids.split(',').filter_map(quoted));
    }
    (done, open)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_stand_first_in_a_row() {
        let text = "| id | what |\n|---|---|\n| `a_b`, `c` | x |\n| F1 | `no` |\n| `kit:twins` | y |\n| `later` | z | open |\n";
        let (done, open) = super::ids(text);
        assert_eq!(done.into_iter().collect::<Vec<_>>(), ["a_b", "c", "kit:twins"]);
        assert_eq!(open.into_iter().collect::<Vec<_>>(), ["later"]);
    }
}
