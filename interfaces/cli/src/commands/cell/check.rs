//! `hapax cell check`: what a declaration promises, and what it leaves out.

use hapax_core::capability::{Guarantee, Need};
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
        .map(|cell| {
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
    for belt in &cell.guarantee.belts {
        output.pair("belt", format!("{belt} is sent along and not relied on"));
    }
    output.pair("risk left", cell.residual);
    for left in &cell.advice {
        output.pair(&format!("line {}", left.line), &left.what);
    }
    output.line(output.style(Style::Dim, &format!("`hapax cell prove {}` holds it to its word.", args.file.display())));
}
