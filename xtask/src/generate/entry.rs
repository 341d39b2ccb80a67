use std::path::Path;

use hapax_core::capability::{CellSpec, Guarantee, Need};
use hapax_core::cell::SharedCell;

use crate::files::Done;
use crate::kit;
use crate::proof::{self, Proof};

/// A cell with all that is published about it.
pub(crate) struct Entry {
    pub(crate) cell: SharedCell,
    pub(crate) spec: &'static CellSpec,
    pub(crate) guarantee: Guarantee,
    pub(crate) needs: Vec<Need>,
    pub(crate) proof: Proof,
}

/// All cells of the catalog, sorted by id.
pub(crate) fn entries(root: &Path) -> Done<Vec<Entry>> {
    let results = proof::load(root)?;
    let mut entries = Vec::new();
    for integration in hapax_catalog::integrations() {
        let sources = kit::sources(root, integration.name())?;
        for cell in integration.cells() {
            let spec = cell.spec();
            let (guarantee, needs) = spec.published();
            let proof = proof::judge(results.get(spec.id), &sources);
            entries.push(Entry { cell, spec, guarantee, needs, proof });
        }
    }
    entries.sort_by_key(|entry| entry.spec.id);
    match results.keys().find(|id| !entries.iter().any(|entry| entry.spec.id == id.as_str())) {
        Some(id) => Err(format!("tests/results has {id}, which is no cell of the catalog; remove it")),
        None => Ok(entries),
    }
}
