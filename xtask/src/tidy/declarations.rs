//! Declarations that would say nothing: a risk left blank, a fact without a date.

use std::path::Path;

use hapax_core::capability::{CellSpec, Rung, Source, Sure};

use crate::files::Done;

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let mut findings = Vec::new();
    for integration in hapax_catalog::integrations() {
        for cell in integration.cells() {
            let spec = cell.spec();
            let file = root.join(format!("adapters/{}/src/{}.rs", integration.name(), spec.name()));
            if spec.integration() != integration.name() {
                findings.push(format!("{} belongs to {}; its id says otherwise", spec.id, integration.name()));
            } else if !file.is_file() {
                findings.push(format!(
                    "{} has no file src/{}.rs: one operation, one file, one name",
                    spec.id,
                    spec.name()
                ));
            }
            findings.extend(faults(spec).into_iter().map(|fault| format!("{}: {fault}", spec.id)));
        }
    }
    Ok(findings)
}

fn faults(spec: &CellSpec) -> Vec<String> {
    let mut faults = Vec::new();
    if spec.residual.is_empty() || spec.residual == "unstated" {
        faults.push("the left-over risk is not named".to_owned());
    }
    if !matches!(spec.ladder.last(), Some(Rung::Human(_))) {
        faults.push("the last rung is no person".to_owned());
    }
    for rung in spec.ladder {
        let sources = match rung {
            Rung::Native(native) => native.sources,
            Rung::Query(query) => query.sources,
            Rung::Annul(annul) => annul.sources,
            Rung::Human(_) => continue,
        };
        if sources.is_empty() {
            faults.push(format!("a rung has no source: {rung:?}"));
        }
        faults.extend(sources.iter().filter(|source| !is_dated(source)).map(undated));
    }
    let rows = spec.answers.iter().map(|row| &row.source);
    faults.extend(rows.chain([&spec.settle_source]).filter(|source| !is_dated(source)).map(undated));
    faults
}

fn undated(source: &Source) -> String {
    format!("{} has no date on which it was read, as YYYY-MM-DD", source.url)
}

fn is_dated(source: &Source) -> bool {
    let shape = |text: &str| {
        let mut parts = text.split('-').map(|part| (part.len(), part.bytes().all(|letter| letter.is_ascii_digit())));
        parts.next() == Some((4, true)) && parts.next() == Some((2, true)) && parts.next() == Some((2, true))
    };
    source.sure == Sure::Presumed || shape(source.checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_declaration_is_found_out() {
        const BARE: CellSpec = CellSpec::new("a.b", "does b", &[]);
        assert_eq!(faults(&BARE), ["the left-over risk is not named", "the last rung is no person"]);
        assert!(is_dated(&Source::official("https://x", "2026-11-27")));
        assert!(!is_dated(&Source::official("https://x", "lately")));
    }
}
