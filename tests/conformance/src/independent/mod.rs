//! Runs against stateful servers that nobody here wrote, where they are installed. Effects are counted at the server, by
//! its own lists.

pub mod patient;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_core::clock::SystemClock;
use hapax_core::executor::{ExecutorError, RunReport, RunRequest};
use hapax_core::identity::{Form, NamespaceSecret, OperationKey, Seed};
use hapax_core::words::Outcome;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::third_party::{self, Program};
use hapax_standin::{Fault as Proxy, FaultProxy, When};
use serde_json::Value;

use crate::kit::{
    ACCOUNT, Bends, CONNECTION, Invariant, Options, Parts, Played, Process, Reach, Sample, Site, Violation, hold,
};

/// A cell as it can be shown at one such server.
#[async_trait]
pub trait Elsewhere: Send + Sync + 'static {
    /// `stripe.charge`.
    fn id(&self) -> &'static str;

    /// The server.
    fn program(&self) -> Program;

    /// Its name and version.
    fn server(&self) -> &'static str;

    /// The integration.
    fn integration(&self) -> SharedIntegration;

    /// Credentials that it accepts.
    fn credentials(&self) -> Credentials;

    /// Method and path of the request that counts.
    fn shot(&self) -> (&'static str, &'static str);

    /// Puts at the server what must be there first, and returns arguments for a fresh intent.
    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String>;

    /// Effects of an intent, by the server's own lists.
    async fn count(&self, site: &Site, sample: &Sample, mark: &str) -> Result<usize, String>;
}

/// What was run at a server, and what did not hold.
#[derive(Clone, Debug)]
pub struct Runs {
    /// `stripe.charge`.
    pub cell: &'static str,
    /// Name and version of the server.
    pub server: &'static str,
    /// How many runs; none if the server isn't installed.
    pub runs: usize,
    /// What did not hold, with the run.
    pub violations: Vec<(&'static str, Violation)>,
}

const RUNS: &[(&str, Option<Proxy>)] = &[
    ("clean", None),
    ("answer-lost", Some(Proxy::CutAfterCommit)),
    ("request-lost", Some(Proxy::LoseRequest)),
    ("answer-cut-in-the-middle", Some(Proxy::TruncateReply { body_bytes: 9 })),
    ("request-cut-in-the-middle", Some(Proxy::CutMidBody)),
];

/// Plays what can be played there. A server that isn't installed gives no runs.
pub async fn play(cell: Arc<dyn Elsewhere>) -> Runs {
    let mut runs = Runs { cell: cell.id(), server: cell.server(), runs: 0, violations: Vec::new() };
    if !third_party::available(cell.program()) {
        return runs;
    }
    let server = match third_party::start(cell.program()).await {
        Ok(server) => server,
        Err(error) => {
            runs.violations.push(("start", Violation::new(Invariant::Runs, error.to_string())));
            return runs;
        }
    };
    let site = Site { url: server.url().to_owned() };
    for (number, (name, fault)) in RUNS.iter().enumerate() {
        runs.runs += 1;
        if let Err(violation) = one(&*cell, &site, number as u64 + 1, fault.clone()).await {
            runs.violations.push((name, violation));
        }
    }
    runs
}

async fn one(cell: &dyn Elsewhere, site: &Site, number: u64, fault: Option<Proxy>) -> Played {
    let sample = cell.intent(site, number).await.map_err(crate::kit::set_up)?;
    let proxy = FaultProxy::start(&site.url).await.map_err(|error| crate::kit::set_up(error.to_string()))?;
    let (method, path) = cell.shot();
    let met = fault.map(|fault| proxy.inject(When::on(method, path), fault));
    let (secret, key) = (secret()?, key(cell, number)?);
    let mark = Seed::new(secret.clone(), ACCOUNT, cell.id(), key.clone()).mark(Form::Text(32));
    let folder = tempfile::TempDir::with_prefix("hapax-kit-").map_err(|error| crate::kit::set_up(error.to_string()))?;
    let ledger = SqliteLedger::create(folder.path().join("ledger"));
    let process = Process::start(Parts {
        integration: cell.integration(),
        credentials: cell.credentials(),
        met: Vec::new(),
        bends: Bends::default(),
        ledger: Arc::new(ledger.map_err(|error| crate::kit::set_up(error.to_string()))?),
        clock: Arc::new(SystemClock::new()),
        secret,
        base_url: proxy.url(),
        reach: Arc::new(Reach::default()),
        options: Options::default(),
    })
    .await
    .map_err(crate::kit::set_up)?;
    let request = RunRequest::new(CONNECTION, cell.id(), key, sample.args.clone()).wait_ms(20_000);
    let first = receipt(process.run(request.clone()).await)?;
    let reached = met.is_none_or(|met| met.times_reached() > 0);
    hold(Invariant::Reached, reached, "the fault was not met")?;
    let again = receipt(process.run(request).await)?;
    hold(Invariant::SameReceipt, first == again, format!("{first} and then {again}"))?;
    let effects = cell.count(site, &sample, &mark).await.map_err(crate::kit::set_up)?;
    hold(Invariant::OneEffect, effects == 1, format!("{effects} effects at {}", cell.server()))
}

fn receipt(said: Option<Result<RunReport, ExecutorError>>) -> Result<Value, Violation> {
    match said {
        Some(Ok(RunReport { outcome: Outcome::Succeeded { receipt }, .. })) => Ok(receipt),
        other => Err(Violation::new(Invariant::ExpectedEnd, format!("{other:?}"))),
    }
}

fn secret() -> Result<NamespaceSecret, Violation> {
    NamespaceSecret::parse(&format!("{:064x}", 7)).map_err(|error| crate::kit::set_up(error.to_string()))
}

fn key(cell: &dyn Elsewhere, number: u64) -> Result<OperationKey, Violation> {
    OperationKey::new(format!("independent:{}:{number}", cell.id()))
        .map_err(|error| crate::kit::set_up(error.to_string()))
}
