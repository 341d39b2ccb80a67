//! `hapax cell prove`: a declaration under every fault of the conformance kit.

use std::collections::{BTreeMap, BTreeSet};

use hapax_http::prove;
use serde::Serialize;
use serde_json::json;

use super::ProveArgs;
use crate::exit::{Exit, Failure};
use crate::known;
use crate::open::Context;
use crate::output::Style;
use crate::progress::Progress;
use crate::suggest::did_you_mean;

/// One cell under all faults.
#[derive(Debug, Serialize)]
struct Proven {
    cell: &'static str,
    faults: usize,
    runs: usize,
    skipped: Vec<Skipped>,
    violations: Vec<Broken>,
}

/// A fault that was not played.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Skipped {
    fault: &'static str,
    why: String,
}

/// What did not hold.
#[derive(Debug, Serialize)]
struct Broken {
    fault: &'static str,
    seed: u64,
    what: String,
}

pub(super) async fn run(args: &ProveArgs, context: &Context) -> Result<Exit, Failure> {
    let declared = known::read(&args.file)?;
    let seeds: Vec<u64> = (1..=args.seeds).collect();
    let fault = args.fault.as_deref();
    if let Some(unknown) = fault.filter(|name| !prove::faults().contains(name)) {
        let near = did_you_mean(unknown, prove::faults());
        return Err(Failure::input("usage", format!("nothing was played: there is no fault {unknown:?}{near}")));
    }
    let progress = Progress::start(&context.output, "playing faults");
    let report = prove::play(&declared, &seeds, fault).await;
    drop(progress);
    let report = report.map_err(|problem| Failure::input("bad-declaration", problem.to_string()))?;
    let cells = declared.integration().cells();
    let proven: Vec<Proven> = cells.iter().map(|cell| proven(&report, cell.spec().id)).collect();
    for cell in &proven {
        print(context, cell);
    }
    let holds = proven.iter().all(|cell| cell.violations.is_empty());
    let exit = if holds { Exit::Succeeded } else { Exit::BadInput };
    let file = args.file.display().to_string();
    context.output.answer(exit, &json!({ "file": file, "seeds": seeds, "holds": holds, "cells": proven }));
    Ok(exit)
}

fn proven(report: &prove::Report, cell: &'static str) -> Proven {
    let skipped: BTreeSet<Skipped> = report
        .rows
        .iter()
        .filter(|row| row.cell == cell)
        .filter_map(|row| match &row.ended {
            prove::Ended::Skipped(why) => Some(Skipped { fault: row.fault, why: why.clone() }),
            _ => None,
        })
        .collect();
    let broken = report.violations().into_iter().filter(|(row, _)| row.cell == cell);
    Proven {
        cell,
        faults: report.faults(cell),
        runs: report.played(cell).count(),
        skipped: skipped.into_iter().collect(),
        violations: broken
            .map(|(row, violation)| Broken { fault: row.fault, seed: row.seed, what: violation.to_string() })
            .collect(),
    }
}

fn print(context: &Context, cell: &Proven) {
    let output = &context.output;
    output.line(output.style(Style::Bold, cell.cell));
    match cell.violations.len() {
        0 => output.line(output.style(Style::Good, "  it holds")),
        1 => output.line(output.style(Style::Bad, "  it does not hold: one violation")),
        many => output.line(output.style(Style::Bad, &format!("  it does not hold: {many} violations"))),
    }
    for broken in &cell.violations {
        output.pair("broken", format!("{} (seed {}): {}", broken.fault, broken.seed, broken.what));
    }
    output.pair("played", format!("{} faults in {} runs", cell.faults, cell.runs));
    let mut not_played: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skipped in &cell.skipped {
        not_played.entry(&skipped.why).or_default().push(skipped.fault);
    }
    for (why, faults) in not_played {
        output.pair("not played", format!("{why}: {}", faults.join(", ")));
    }
}
