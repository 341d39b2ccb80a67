//! Plays cells that must wait before an absence counts. The servers are real time's, so only the executor's clock is put
//! forward.

use std::time::Duration;

use hapax_core::capability::Completion;
use hapax_core::identity::{Form, NamespaceSecret, OperationKey, Seed};
use hapax_standin::third_party;

use super::{Elsewhere, Runs};
use crate::kit::{ACCOUNT, Invariant, Played, Site, Violation, hold, say};
use crate::results::{self, Independent};
use crate::trial::{Trial, Way, ways};

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
    let key = OperationKey::new(format!("independent:{}:{number}", cell.id())).map_err(broken)?;
    let secret = NamespaceSecret::generate();
    let trial = Trial {
        cell: cell.id(),
        integration: cell.integration(),
        credentials: cell.credentials(),
        met: cell.met(),
        shot: cell.shot(),
        completion: if cell.asks_a_person() { Completion::AutomaticIfFound } else { Completion::Automatic },
        lag: Duration::ZERO,
    };
    let effects = trial.play(site, &sample.args, (&secret, &key), way).await?;
    let mark = Seed::new(secret, ACCOUNT, cell.id(), key).mark(Form::Text(32));
    let seen = cell.count(site, &sample, &mark).await.map_err(broken)?;
    hold(Invariant::OneEffect, seen == effects, format!("{seen} effects at {}", cell.server()))
}

fn broken(why: impl ToString) -> Violation {
    Violation::new(Invariant::Runs, why.to_string())
}
