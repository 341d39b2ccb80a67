//! What an adapter still lacks, in sentences that name the file: what an author does next.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hapax_core::capability::{CellSpec, Rung, Source, Sure};

use crate::faults;
use crate::kit::{CellSubject, Subject};

/// What falls short of a whole adapter: facts without sources, rows without tests, things that the kit is not told.
/// The documents are looked at where they are: an adapter outside of this repository may have none.
pub fn shortfalls(subject: &dyn Subject, crate_folder: &Path) -> Vec<String> {
    let handed_in = subject.cells();
    let mut found = Vec::new();
    let mut cells = Vec::new();
    for cell in subject.integration().cells() {
        let spec = cell.spec();
        found.extend(of_facts(spec).map(|what| format!("{}: {what}", spec.id)));
        for known in handed_in.iter().filter(|known| known.id() == spec.id) {
            found.extend(of_kit(spec, &**known).into_iter().map(|what| format!("kit: {}: {what}", spec.id)));
        }
        cells.push(spec.id);
    }
    if let Ok(text) = fs::read_to_string(crate_folder.join("FAILURE_MODES.md")) {
        let mut tests = BTreeSet::new();
        collect_functions(crate_folder, &mut tests);
        found.extend(
            of_failure_modes(&text, &cells, &tests).into_iter().map(|what| format!("FAILURE_MODES.md: {what}")),
        );
    }
    if let Ok(text) = fs::read_to_string(crate_folder.join("tests/crash/jobs.rs")) {
        let without = cells.iter().filter(|cell| !text.contains(&format!("\"{cell}\"")));
        found.extend(without.map(|cell| format!("tests/crash/jobs.rs: {cell} has no job")));
    }
    found.dedup();
    found
}

fn of_facts(spec: &CellSpec) -> impl Iterator<Item = String> {
    let written = |sources: &[Source]| sources.iter().any(|source| source.sure > Sure::Presumed);
    let of_rung = |rung: &Rung| match rung {
        Rung::Native(native) => written(native.sources),
        Rung::Query(query) => written(query.sources),
        Rung::Annul(annul) => written(annul.sources),
        Rung::Human(_) => false,
    };
    let rows: Vec<Source> = spec.answers.iter().map(|row| row.source).collect();
    let none = !spec.ladder.iter().any(of_rung) && !written(&rows);
    none.then(|| "no fact has a source: the cell promises nothing".to_owned()).into_iter()
}

fn of_kit(spec: &CellSpec, cell: &dyn CellSubject) -> Vec<String> {
    let routes = cell.routes();
    let asks = spec.queries().any(|query| !query.told);
    let mut found = Vec::new();
    let mut unless = |so: bool, what: &str| found.extend((!so).then(|| what.to_owned()));
    unless(!asks || routes.look.is_some(), "look not declared, and the cell has a query");
    unless(asks || routes.look.is_none(), "look declared, and the cell has no query");
    unless(spec.notes.is_empty() || !routes.prepare.is_empty(), "prepare not declared, and the cell journals notes");
    let known: Vec<&str> = faults::all().iter().map(|fault| fault.name).collect();
    let named = cell.skips().into_iter().map(|(name, _)| name).chain(cell.ends().into_iter().map(|(name, _)| name));
    for name in named.filter(|name| !known.contains(name)) {
        found.push(format!("skips or ends name {name}, which is no fault"));
    }
    found
}

fn of_failure_modes(text: &str, cells: &[&str], tests: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    for cell in cells.iter().filter(|cell| !text.contains(&format!("## `{cell}`"))) {
        found.push(format!("no table for `{cell}`"));
    }
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let row: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let (first, last) = (row.first().copied().unwrap_or_default(), row.last().copied().unwrap_or_default());
        let quoted = first.split(',').filter_map(|id| id.trim().strip_prefix('`')?.strip_suffix('`'));
        let ids: Vec<&str> = quoted.filter(|id| !id.starts_with("kit:") && is_test(id)).collect();
        for id in ids.iter().filter(|id| !tests.contains(**id)) {
            found.push(format!("row {id} has no test"));
        }
        let is_fact =
            first.len() > 1 && first.starts_with(char::is_uppercase) && first[1..].bytes().all(|b| b.is_ascii_digit());
        if is_fact && last.is_empty() {
            found.push(format!("fact {first} has no source"));
        }
    }
    found
}

fn is_test(id: &str) -> bool {
    id.contains('_')
        && id.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_')
}

/// Names of all functions below a folder: a test is one of them.
fn collect_functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_functions(&path, names);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let of_line = |line: &str| line.split("fn ").nth(1)?.split(['(', '<']).next().map(str::to_owned);
            names.extend(text.lines().filter_map(of_line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_rows_and_unsourced_facts_are_named() {
        let text = "| # | fact | source |\n|---|---|---|\n| F1 | is so | |\n| F2 | is so | <https://x> |\n\n## `a.b`\n\n\
                    | id | what | |\n|---|---|---|\n| `b_is_lost` | x | open |\n| `b_is_sent`, `kit:clean` | y | |\n";
        let tests = BTreeSet::from(["b_is_sent".to_owned()]);
        let found = of_failure_modes(text, &["a.b", "a.c"], &tests);
        assert_eq!(found, ["no table for `a.c`", "fact F1 has no source", "row b_is_lost has no test"]);
    }

    #[test]
    fn a_cell_without_sources_promises_nothing() {
        const BARE: CellSpec = CellSpec::new("a.b", "does b", &[]);
        assert_eq!(of_facts(&BARE).count(), 1);
    }
}
