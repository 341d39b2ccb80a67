//! Plays cells that must wait before an absence counts. The servers are real time's, so only the executor's clock is put
//! forward.

use std::sync::Arc;

use hapax_core::cell::Connection;
use hapax_core::executor::{Executor, RunRequest};
use hapax_core::identity::{Form, NamespaceSecret, OperationKey, Seed};
use hapax_core::ledger::MemoryLedger;
use hapax_core::transport::HttpTransport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::{Fault, FaultProxy, When, third_party};
use serde_json::Value;

use super::{Elsewhere, Runs};
use crate::forward::Forward;
use crate::kit::{ACCOUNT, CONNECTION, Invariant, Played, Sample, Site, Violation, hold, say};
use crate::results::{self, Independent};

/// A cell at such a server, with what its guarantee says of it.
pub trait Patient: Elsewhere {
    /// Needs that are met, such as a permission.
    fn met(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether an absence only suggests, so that a person has a request that got lost. Otherwise it goes again.
    fn asks_a_person(&self) -> bool {
        false
    }
}

/// How the request that counts gets there.
struct Way {
    name: &'static str,
    fault: Option<Fault>,
    arrives: bool,
}

fn ways() -> Vec<Way> {
    let way = |name, fault, arrives| Way { name, fault, arrives };
    vec![
        way("clean", None, true),
        way("answer-lost", Some(Fault::CutAfterCommit), true),
        way("request-lost", Some(Fault::LoseRequest), false),
        way("answer-cut-in-the-middle", Some(Fault::TruncateReply { body_bytes: 9 }), true),
        way("request-cut-in-the-middle", Some(Fault::CutMidBody), false),
    ]
}

/// Plays all of them, says what was run and what was left out, and writes the results when they are wanted.
///
/// # Panics
/// If something did not hold, or a result can't be written.
pub async fn play_all(adapter: &str, crate_folder: &str, cells: Vec<Box<dyn Patient>>) {
    let (root, mut broken) = (results::root(crate_folder), 0);
    for cell in cells {
        let Runs { cell, server, runs, violations } = play(&*cell).await;
        let words = if runs == 0 { "skipped: not installed".to_owned() } else { format!("{runs} runs") };
        say(format!("{cell:<24}{server:<30}{words}\n").as_bytes());
        for (name, violation) in &violations {
            say(format!("  BROKEN under {name}: {violation}\n").as_bytes());
        }
        broken += violations.len();
        if results::wanted() && runs > 0 && violations.is_empty() {
            let result = Independent { server: server.to_owned(), runs, violations: 0 };
            let written = results::write_independent(&root, adapter, cell, result);
            assert!(written.is_ok(), "the result of {cell} can't be written: {written:?}");
        }
    }
    assert_eq!(broken, 0, "violations at other servers");
}

async fn play(cell: &dyn Patient) -> Runs {
    let mut runs = Runs { cell: cell.id(), server: cell.server(), runs: 0, violations: Vec::new() };
    if !third_party::available(cell.program()) {
        return runs;
    }
    // A server for each cell: its limit of requests begins anew.
    let server = match third_party::start(cell.program()).await {
        Ok(server) => server,
        Err(error) => {
            runs.violations.push(("start", broken(error)));
            return runs;
        }
    };
    let site = Site { url: server.url().to_owned() };
    for (number, way) in (1..).zip(ways()) {
        runs.runs += 1;
        if let Err(violation) = one(cell, &site, number, &way).await {
            runs.violations.push((way.name, violation));
        }
    }
    runs
}

async fn one(cell: &dyn Patient, site: &Site, number: u64, way: &Way) -> Played {
    let sample = cell.intent(site, number).await.map_err(broken)?;
    let proxy = FaultProxy::start(&site.url).await.map_err(broken)?;
    let (method, path) = cell.shot();
    let met = way.fault.clone().map(|fault| proxy.inject(When::on(method, path), fault));
    let secret = NamespaceSecret::generate();
    let key = OperationKey::new(format!("independent:{}:{number}", cell.id())).map_err(broken)?;
    let mark = Seed::new(secret.clone(), ACCOUNT, cell.id(), key.clone()).mark(Form::Text(32));
    let connection = Connection::new(CONNECTION, cell.integration(), cell.credentials()).map_err(broken)?;
    let connection = connection.at(&proxy.url()).map_err(broken)?.account(ACCOUNT).stand_in().meets(cell.met());
    let clock = Arc::new(Forward::new());
    let executor = Executor::builder(Arc::new(MemoryLedger::new()), Arc::new(HttpTransport::new()), secret)
        .clock(clock.clone())
        .connection(connection)
        .build()
        .await
        .map_err(broken)?;

    let request = RunRequest::new(CONNECTION, cell.id(), key, sample.args.clone()).wait_ms(2_000);
    let first = settled(&executor, &clock, &request).await?;
    let reached = met.is_none_or(|met| met.times_reached() > 0);
    hold(Invariant::Reached, reached, "the fault was not met")?;
    let happens = way.arrives || !cell.asks_a_person();
    hold(Invariant::ExpectedEnd, first.is_some() == happens, format!("a receipt: {first:?}"))?;
    let again = settled(&executor, &clock, &request).await?;
    hold(Invariant::SameReceipt, first == again, format!("{first:?} and then {again:?}"))?;
    count(cell, site, &sample, &mark, usize::from(happens)).await
}

async fn count(cell: &dyn Patient, site: &Site, sample: &Sample, mark: &str, wanted: usize) -> Played {
    let effects = cell.count(site, sample, mark).await.map_err(broken)?;
    hold(Invariant::OneEffect, effects == wanted, format!("{effects} effects at {}", cell.server()))
}

/// Calls until it is final or with a person. Between two calls as much time passes as the first asks for.
async fn settled(executor: &Executor, clock: &Forward, request: &RunRequest) -> Result<Option<Value>, Violation> {
    for _ in 0..100 {
        let report = executor.run(request.clone()).await.map_err(broken)?;
        match report.outcome {
            Outcome::Succeeded { receipt } => return Ok(Some(receipt)),
            Outcome::Unknown { next: Next::Person, .. } => return Ok(None),
            Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => {
                clock.forward(after_ms);
            }
            other => return Err(Violation::new(Invariant::ExpectedEnd, format!("{other:?}"))),
        }
    }
    Err(Violation::new(Invariant::WorkEnds, "it is never settled"))
}

fn broken(why: impl ToString) -> Violation {
    Violation::new(Invariant::Runs, why.to_string())
}
