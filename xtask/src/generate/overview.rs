//! Pages about many cells: the grid, and the tables inside READMEs.

use std::collections::BTreeMap;
use std::path::Path;

use super::markdown::{between, sentence, table};
use super::page::Page;
use super::{Entry, WARNING, phrases};
use crate::files::{self, Done};
use crate::tidy::errors;

/// `docs/matrix.md`: integration × operation.
pub(super) fn grid(entries: &[Entry]) -> Page {
    let mut text = format!(
        "{WARNING}\n\n# Matrix\n\nWhat is promised for each integration and operation, and how far that is proven. What the words \
         mean: [concepts](concepts.md). For programs: [matrix.toml](../matrix.toml).\n"
    );
    for (integration, entries) in by_integration(entries) {
        let rows = entries.iter().map(|entry| {
            let mut row = vec![format!("[{}](reference/cells/{}.md)", entry.spec.name(), entry.spec.id)];
            row.extend(columns(entry));
            row.push(sentence(entry.spec.residual));
            row
        });
        let head = ["operation", "class", "no second effect", "completion", "proof", "left-over risk"];
        text.push_str(&format!("\n## {integration}\n\n{}", table(&head, rows)));
    }
    Page::new("docs/matrix.md", text)
}

/// `docs/reference/cells/README.md`: where to find which page.
pub(super) fn cells(entries: &[Entry]) -> Page {
    let rows = entries.iter().map(|entry| {
        vec![
            format!("[{}]({}.md)", entry.spec.id, entry.spec.id),
            sentence(entry.spec.summary),
            entry.guarantee.sentence(),
        ]
    });
    let text = format!("{WARNING}\n\n# Cells\n\n{}", table(&["cell", "what it does", "guarantee"], rows));
    Page::new("docs/reference/cells/README.md", text)
}

/// `docs/reference/errors/README.md`: every code with the first sentence of its page.
pub(super) fn errors(root: &Path) -> Done<Page> {
    let rows = errors::pages(root).into_iter().map(|(code, text)| {
        let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        vec![format!("[{code}]({code}.md)"), first.to_owned()]
    });
    let text = format!(
        "{WARNING}\n\n# Errors\n\nAn error says first what happened to the effect. What is in doubt is no error: it is \
         the outcome `unknown`.\n\n{}",
        table(&["code", "what happened"], rows)
    );
    Ok(Page::new("docs/reference/errors/README.md", text))
}

/// The root README's summary and each adapter README's table of cells.
pub(super) fn readmes(root: &Path, entries: &[Entry]) -> Done<Vec<Page>> {
    let mut pages = Vec::new();
    let head = ["cell", "class", "no second effect", "completion", "proof"];
    let summary = entries.iter().map(|entry| {
        let mut row = vec![format!("[{0}](docs/reference/cells/{0}.md)", entry.spec.id)];
        row.extend(columns(entry));
        row
    });
    pages.push(filled(root, "README.md", "matrix", &table(&head, summary))?);
    for (integration, entries) in by_integration(entries) {
        let rows = entries.iter().map(|entry| {
            let mut row = vec![format!("`{}`", entry.spec.id)];
            row.extend(columns(entry));
            row.push(sentence(entry.spec.residual));
            row
        });
        let head = ["cell", "class", "no second effect", "completion", "proof", "left-over risk"];
        pages.push(filled(root, &format!("adapters/{integration}/README.md"), "cells", &table(&head, rows))?);
    }
    Ok(pages)
}

/// A page written by hand, with its generated section.
fn filled(root: &Path, path: &str, name: &str, section: &str) -> Done<Page> {
    let text = files::read(&root.join(path))?;
    let filled = between(&text, name, section).ok_or_else(|| {
        format!("{path} lacks the lines `<!-- generated: {name} -->` and `<!-- /generated -->`; put them where the table belongs")
    })?;
    Ok(Page::new(path, filled))
}

fn columns(entry: &Entry) -> [String; 4] {
    [
        phrases::class(entry.guarantee.class).to_owned(),
        phrases::halves(&entry.guarantee),
        phrases::completed(&entry.guarantee),
        entry.proof.level.word().to_owned(),
    ]
}

fn by_integration(entries: &[Entry]) -> BTreeMap<&'static str, Vec<&Entry>> {
    let mut sorted: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        sorted.entry(entry.spec.integration()).or_default().push(entry);
    }
    sorted
}
