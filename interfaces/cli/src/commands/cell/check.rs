//! `hapax cell check`: what a declaration promises, and what it leaves out.

use hapax_core::capability::{CellSpec, Guarantee, Meaning, Need, TRANSPORT_ROWS};
use serde::Serialize;
use serde_json::json;

use super::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::known;
use crate::open::Context;
use crate::output::Style;

/// One cell of a declaration.
#[derive(Debug, Serialize)]
struct Checked {
    cell: &'static str,
    summary: &'static str,
    /// With every need met.
    guarantee: Guarantee,
    sentence: String,
    needs: Vec<&'static str>,
    residual: &'static str,
    /// Statuses that mean `refused` because no row says otherwise.
    default_refusals: Vec<u16>,
    #[serde(skip)]
    has_example: bool,
    advice: Vec<Left>,
}

/// Something that could still be said.
#[derive(Debug, Serialize)]
struct Left {
    line: usize,
    what: String,
}

pub(super) fn run(args: &CheckArgs, context: &Context) -> Result<Exit, Failure> {
    let declared = known::read(&args.file)?;
    let advice = declared.advice();
    let cells = declared.integration().cells();
    let checked: Vec<Checked> = cells
        .iter()
        .zip(declared.written().cells.values())
        .map(|(cell, written)| {
            let spec = cell.spec();
            let (guarantee, needs) = spec.published();
            let own = advice.iter().filter(|advice| advice.cell == spec.id);
            Checked {
                cell: spec.id,
                summary: spec.summary,
                sentence: guarantee.sentence(),
                guarantee,
                needs: needs.iter().map(Need::words).collect(),
                residual: spec.residual,
                default_refusals: default_refusals(spec),
                has_example: written.example.is_some(),
                advice: own.map(|advice| Left { line: advice.line, what: advice.what.clone() }).collect(),
            }
        })
        .collect();
    for cell in &checked {
        print(context, args, cell);
    }
    let file = args.file.display().to_string();
    context.output.answer(Exit::Succeeded, &json!({ "file": file, "cells": checked }));
    Ok(Exit::Succeeded)
}

/// What counts as refused although the file doesn't say so: statuses of HTTP by which a request is turned away.
fn default_refusals(spec: &CellSpec) -> Vec<u16> {
    let says = |status: u16| spec.answers.iter().any(|row| row.status == status && (row.kind, row.code) == ("*", "*"));
    let rows = TRANSPORT_ROWS.iter().filter(|row| row.means == Meaning::Refused);
    rows.map(|row| row.status).filter(|status| !says(*status)).collect()
}

fn print(context: &Context, args: &CheckArgs, cell: &Checked) {
    let output = &context.output;
    output.line(output.style(Style::Bold, &format!("{}: {}", cell.cell, cell.summary)));
    output.line(&cell.sentence);
    for need in &cell.needs {
        output.pair("needs", need);
    }
    for assumed in &cell.guarantee.assumes {
        output.pair("assumed", assumed);
    }
    let refusals = cell.default_refusals.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    output.pair("assumed", format!("{refusals} in the API's own form mean that this request had no effect (RFC 9110)"));
    for belt in &cell.guarantee.belts {
        output.pair("belt", format!("{belt} is sent along and not relied on"));
    }
    output.pair("risk left", cell.residual);
    for left in &cell.advice {
        output.pair(&format!("line {}", left.line), &left.what);
    }
    if cell.has_example {
        let prove = format!("`hapax cell prove {}` holds it to its word.", args.file.display());
        output.line(output.style(Style::Dim, &prove));
    }
}
