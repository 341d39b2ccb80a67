//! Facts that are needed in more than one page.

use hapax_core::capability::{CellSpec, Guarantee, Rung, Source, Sure};
use serde_json::Value;

/// For how many seconds each part of the first half lasts; none is without end.
pub(super) fn lasting(guarantee: &Guarantee) -> Vec<Option<u64>> {
    // The type that says how long is read in the form in which it is published.
    let seconds = |lasts| serde_json::to_value(lasts).ok()?.get("seconds").and_then(Value::as_u64);
    guarantee.second_effect.iter().map(|(_, lasts)| seconds(lasts)).collect()
}

/// Every source that a cell's declaration cites, in order, each once.
pub(super) fn sources(spec: &CellSpec) -> Vec<Source> {
    let rungs = spec.ladder.iter().flat_map(|rung| match rung {
        Rung::Native(native) => native.sources,
        Rung::Query(query) => query.sources,
        Rung::Annul(annul) => annul.sources,
        Rung::Human(_) => &[],
    });
    let rows = spec.answers.iter().map(|row| &row.source);
    let repairs = spec.repairs.as_ref().map(|(_, source)| source);
    let mut found: Vec<Source> = Vec::new();
    for source in rungs.chain(rows).chain([&spec.settle_source]).chain(repairs) {
        if source.sure != Sure::Presumed && !found.iter().any(|known| known.url == source.url) {
            found.push(*source);
        }
    }
    found
}
