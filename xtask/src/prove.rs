//! Runs the kit for the adapters, so that it records what it shows in `tests/results`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::files::{self, Done, folders};
use crate::generate::catalog::crate_of;
use crate::generate::{self, Entry};
use crate::run::{Line, has_nextest};
use crate::say;

/// Runs the kit for these adapters, or all. With `check` the record stays as it was, and a
/// difference is a failure.
pub(crate) fn prove(root: &Path, adapters: &[String], check: bool) -> Done {
    let known = folders(&root.join("adapters"));
    if let Some(unknown) = adapters.iter().find(|name| !known.contains(name)) {
        return Err(format!("there is no adapters/{unknown}; there are: {}", known.join(", ")));
    }
    let chosen = if adapters.is_empty() { &known } else { adapters };
    let before = records(root);
    for line in lines(root, chosen) {
        let line = line.with("HAPAX_PROVE", "1");
        say::line(format!("$ {}", line.shown()));
        let ran = line.run(root);
        if ran.is_err() && check {
            restore(root, &before)?;
        }
        ran?;
    }
    let after = records(root);
    if check {
        restore(root, &before)?;
        return compare(&before, &after);
    }
    for entry in generate::entries(root)? {
        say::line(shown(&entry));
    }
    say::line("run `cargo xtask generate` to publish it");
    Ok(())
}

/// The kits of these adapters, one at a time: side by side they would miss each other's deadlines.
fn lines(root: &Path, adapters: &[String]) -> Vec<Line> {
    if has_nextest(root) {
        let packages: Vec<String> = adapters.iter().map(|name| format!("package({})", crate_of(name))).collect();
        let text =
            format!("cargo nextest run --workspace --test-threads 1 --filterset binary(kit)&({})", packages.join("|"));
        return vec![Line::new(&text)];
    }
    let each = |name: &String| Line::new(&format!("cargo test -p {} --features standin --tests", crate_of(name)));
    adapters.iter().map(each).collect()
}

/// The recorded results as they are, by path.
fn records(root: &Path) -> BTreeMap<String, String> {
    files::texts(&root.join("tests/results"), ".json")
        .into_iter()
        .map(|(path, text)| (files::shown(root, &path), text))
        .collect()
}

/// Puts the record back as it was.
fn restore(root: &Path, before: &BTreeMap<String, String>) -> Done {
    for path in records(root).keys().filter(|path| !before.contains_key(*path)) {
        std::fs::remove_file(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
    }
    before.iter().try_for_each(|(path, text)| files::write(&root.join(path), text))
}

/// What must be the same: everything but the commit, the runs that need servers which may not be
/// installed here, and how many planted bugs of timing showed themselves (the kit itself fails if
/// one showed on no cell).
fn compare(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Done {
    let differing: Vec<&str> = after
        .keys()
        .chain(before.keys().filter(|path| !after.contains_key(*path)))
        .filter(|path| essence(before.get(*path)) != essence(after.get(*path)))
        .map(String::as_str)
        .collect();
    match differing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the kit shows something else than {}; run `cargo xtask prove && cargo xtask generate` and commit what they write",
            differing.join(", ")
        )),
    }
}

fn essence(text: Option<&String>) -> Option<(serde_json::Value, serde_json::Value)> {
    let value: serde_json::Value = serde_json::from_str(text?).ok()?;
    let mut simulated = value.get("simulated").cloned().unwrap_or_default();
    if let Some(fields) = simulated.as_object_mut() {
        fields.remove("planted_bugs_caught");
    }
    Some((simulated, value.get("sources").cloned().unwrap_or_default()))
}

fn shown(entry: &Entry) -> String {
    let proof = &entry.proof;
    let counts = proof.recorded.as_ref().and_then(|recorded| recorded.simulated.as_ref()).map(|runs| {
        let (faults, seeds) = (runs.faults, runs.seeds.len());
        format!(
            "{faults} faults, {seeds} seeds, {} runs, {} violations, {} planted bugs caught",
            runs.runs, runs.violations, runs.planted_bugs_caught
        )
    });
    let elsewhere = proof.recorded.as_ref().and_then(|recorded| recorded.independent.as_ref());
    let elsewhere =
        elsewhere.map(|runs| format!("; {}: {} runs, {} violations", runs.server, runs.runs, runs.violations));
    let lowered = proof.lowered.as_ref().map(|why| format!("; {why}"));
    format!(
        "{:<24} {:<12} {}{}{}",
        entry.spec.id,
        proof.level.word(),
        counts.unwrap_or_default(),
        elsewhere.unwrap_or_default(),
        lowered.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_and_servers_elsewhere_may_differ_and_the_runs_may_not() {
        let record = |commit: &str, runs: u32, independent: &str| {
            let text = format!(
                r#"{{"simulated":{{"runs":{runs}}},"independent":{independent},"commit":"{commit}","sources":"s"}}"#
            );
            BTreeMap::from([("a.json".to_owned(), text)])
        };
        assert_eq!(compare(&record("a", 1, "null"), &record("b", 1, "{}")), Ok(()));
        assert!(compare(&record("a", 1, "null"), &record("a", 2, "null")).is_err());
        assert!(compare(&record("a", 1, "null"), &BTreeMap::new()).is_err());
    }
}
