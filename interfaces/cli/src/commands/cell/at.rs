//! `hapax cell prove --base-url`: a declaration against a test server of one's own.

use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_http::prove::server::{Checked, Lie, TestServer, check};
use serde_json::{Value, json};
use url::{Host, Url};

use super::ProveArgs;
use crate::config::variable;
use crate::exit::{Exit, Failure};
use crate::known;
use crate::open::Context;
use crate::output::Style;
use crate::progress::Progress;

pub(super) async fn run(args: &ProveArgs, base_url: &str, context: &Context) -> Result<Exit, Failure> {
    let base_url = address(base_url)?;
    let declared = known::read(&args.file)?;
    if !args.harmless && !is_here(&base_url) {
        let host = base_url.host_str().unwrap_or_default();
        let why = format!(
            "nothing was sent: some twenty effects would be made at {host} for each cell; say --harmless if they do no \
             harm there"
        );
        return Err(Failure::input("usage", why));
    }
    let server = TestServer { base_url: base_url.clone(), credentials: credentials(&declared.integration()) };
    let progress = Progress::start(&context.output, "asking the server");
    let checked = check(&declared, &server, &|what| progress.goes_on(what)).await;
    drop(progress);
    let checked = checked.map_err(|problem| Failure::input("bad-declaration", problem.to_string()))?;
    let file = args.file.display().to_string();
    for cell in &checked {
        print(context, &file, cell);
    }
    let holds = checked.iter().all(|cell| cell.lies.is_empty());
    let exit = if holds { Exit::Succeeded } else { Exit::BadInput };
    let cells: Vec<Value> = checked.iter().map(shape).collect();
    context.output.answer(exit, &json!({ "file": file, "server": base_url.as_str(), "holds": holds, "cells": cells }));
    Ok(exit)
}

/// The address of a server. It may hold a password, so it isn't shown.
fn address(text: &str) -> Result<Url, Failure> {
    let bad = |why: &str| Failure::input("usage", format!("nothing was sent: --base-url {why}"));
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let url = url.ok_or_else(|| bad("is no address; it begins with http:// or https://"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("holds a name or a password; declare credentials instead, which come from the environment"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("has a query or a fragment; they belong into requests"));
    }
    Ok(url)
}

/// Whether the address is on this machine.
fn is_here(base_url: &Url) -> bool {
    match base_url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// What the environment holds; the connection says what is missing.
fn credentials(integration: &SharedIntegration) -> Credentials {
    let found = integration.credentials().iter().filter_map(|field| Some((field.name, variable(field.variable)?)));
    found.fold(Credentials::none(), |known, (name, secret)| known.with(name, secret.into()))
}

fn shape(cell: &Checked) -> Value {
    let not_made = cell.not_made.iter().map(|(check, why)| json!({ "check": check, "why": why }));
    let lies = cell.lies.iter().map(|lie| json!({ "check": lie.check, "line": lie.line, "what": lie.what }));
    json!({
        "cell": cell.cell,
        "held": cell.held,
        "not_made": not_made.collect::<Vec<_>>(),
        "lies": lies.collect::<Vec<_>>(),
    })
}

fn print(context: &Context, file: &str, cell: &Checked) {
    let output = &context.output;
    output.line(output.style(Style::Bold, cell.cell));
    output.pair("held", cell.held.join(", "));
    for (check, why) in &cell.not_made {
        output.pair("not checked", format!("{check}: {why}"));
    }
    for Lie { check, line, what } in &cell.lies {
        output.pair("not so", format!("{file}, line {line}: {what} ({check})"));
    }
    match cell.lies.len() {
        0 => output.line(output.style(Style::Good, "  the server does what the file says, as far as that was checked")),
        1 => output.line(output.style(Style::Bad, "  the server does otherwise, once")),
        many => output.line(output.style(Style::Bad, &format!("  the server does otherwise, {many} times"))),
    }
}
