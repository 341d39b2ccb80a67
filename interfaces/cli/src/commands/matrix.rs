//! `hapax matrix`: all cells, and what is promised for each in this configuration.

use hapax_core::capability::{CellSpec, Class, Completion, Guarantee, Lasting, SecondEffect, guarantee};
use serde::Serialize;
use serde_json::json;

use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::output::Style;
use crate::report::duration;

/// One line of the grid.
#[derive(Debug, Serialize)]
struct Row {
    cell: &'static str,
    /// None: no connection is configured, and this is what one without any need met would get.
    connection: Option<String>,
    summary: &'static str,
    /// Declared by the user: proven by nobody but `hapax cell prove`.
    own: bool,
    guarantee: Guarantee,
    sentence: String,
    unmet: Vec<&'static str>,
    residual: &'static str,
}

pub(crate) fn run(context: &Context) -> Result<Exit, Failure> {
    let config = config::find_optional(context.config.as_deref())?;
    let rows = rows(&config);
    let output = &context.output;
    let head =
        format!("{:<24} {:<18} {:<7} {:<30} {}", "cell", "connection", "class", "no second effect", "lost answer");
    output.line(output.style(Style::Bold, &head));
    for row in &rows {
        let connection = row.connection.as_deref().unwrap_or("-");
        let class = class(row.guarantee.class);
        let effect = second_effect(&row.guarantee);
        let lost = completion(row.guarantee.completion);
        output.line(format!("{:<24} {connection:<18} {class:<7} {effect:<30} {lost}", row.cell));
        if row.own {
            output.line(output.style(Style::Dim, "  your own declaration; `hapax cell prove` says whether it holds"));
        }
        if !row.unmet.is_empty() {
            output.line(output.style(Style::Dim, &format!("  stronger with: {}", row.unmet.join("; "))));
        }
    }
    output.line(output.style(Style::Dim, "`hapax explain CELL` says what each rests on, and which risk is left."));
    output.answer(Exit::Succeeded, &json!({ "cells": rows }));
    Ok(Exit::Succeeded)
}

fn rows(config: &Config) -> Vec<Row> {
    let mut rows = Vec::new();
    for integration in config.known.integrations() {
        let connections: Vec<_> =
            config.connections.iter().filter(|one| one.integration == integration.name()).collect();
        let own = config.known.is_own(integration.name());
        for cell in integration.cells() {
            let spec = cell.spec();
            if connections.is_empty() {
                rows.push(row(spec, own, None, &[], config));
            }
            for connection in &connections {
                rows.push(row(spec, own, Some(connection.name.clone()), &connection.meets, config));
            }
        }
    }
    rows
}

fn row(spec: &'static CellSpec, own: bool, connection: Option<String>, meets: &[String], config: &Config) -> Row {
    let met = |words: &str| meets.iter().any(|need| need == words);
    let guarantee = guarantee(spec, &|need| met(need.words()), config.policy.likely_for(spec));
    let unmet = spec.published().1.iter().map(|need| need.words()).filter(|words| !met(words)).collect();
    let sentence = guarantee.sentence();
    Row { cell: spec.id, connection, summary: spec.summary, own, guarantee, sentence, unmet, residual: spec.residual }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Native => "native",
        Class::Query => "query",
        Class::Human => "human",
    }
}

pub(crate) fn second_effect(guarantee: &Guarantee) -> String {
    let word = |effect| match effect {
        SecondEffect::Enforced => "enforced",
        SecondEffect::Proved => "proved",
        SecondEffect::Likely => "likely",
        SecondEffect::Withheld => "withheld",
    };
    let halves = guarantee.second_effect.iter().map(|(effect, lasting)| match lasting {
        Lasting::Ever => word(*effect).to_owned(),
        Lasting::Seconds(seconds) => format!("{} {}", word(*effect), duration(*seconds)),
    });
    halves.collect::<Vec<_>>().join(", then ")
}

pub(crate) fn completion(completion: Completion) -> String {
    match completion {
        Completion::Automatic => "automatic".to_owned(),
        Completion::AutomaticWithin(seconds) => format!("automatic within {}", duration(seconds)),
        Completion::AutomaticIfFound => "automatic if found".to_owned(),
        Completion::NeedsPerson => "needs a person".to_owned(),
    }
}
