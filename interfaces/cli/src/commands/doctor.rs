//! `hapax doctor`: checks everything that a run relies on, harmlessly.

use std::sync::Arc;

use hapax_core::capability::Need;
use hapax_core::cell::{Connection, Wire};
use hapax_core::clock::SharedClock;
use hapax_core::transport::{HttpTransport, SharedTransport};
use hapax_ledger_sqlite::SqliteLedger;
use serde::Serialize;
use serde_json::json;

use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::open::{self, Context};
use crate::output::{Output, Style};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Don't ask the providers anything
    #[arg(long)]
    offline: bool,
}

/// One thing that was checked.
#[derive(Debug, Serialize)]
struct Check {
    what: String,
    fine: bool,
    said: String,
    #[serde(skip)]
    exit: Exit,
}

impl Check {
    fn fine(what: &str, said: impl Into<String>) -> Self {
        Self { what: what.to_owned(), fine: true, said: said.into(), exit: Exit::Succeeded }
    }

    fn of(what: &str, result: Result<String, Failure>) -> Self {
        match result {
            Ok(said) => Self::fine(what, said),
            Err(failure) => Self { what: what.to_owned(), fine: false, said: failure.message, exit: failure.exit },
        }
    }
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let config = config::find(context.config.as_deref())?;
    let mut checks = vec![Check::fine("config", format!("{} is understood", config.file.display()))];
    checks.push(Check::of("secret", config.secret().map(|_| "there, and for its owner alone".to_owned())));
    checks.push(Check::of("ledger", ledger(&config).await));
    // What remains is whether they fit together: the secret, the ledger's clock, names.
    if checks.iter().all(|check| check.fine) {
        let fit = context.open().await.map(|opened| format!("opened with {}", clock_words(opened.config.scale)));
        checks.push(Check::of("together", fit));
    }
    for one in &config.connections {
        let what = format!("connection {}", one.name);
        match open::connect(one) {
            Err(failure) => checks.push(Check::of(&what, Err(failure))),
            Ok(_) if args.offline => checks.push(Check::fine(&what, "complete; not asked")),
            Ok(connection) => checks.extend(ask(&what, connection, &open::clock(&config)).await),
        }
    }
    print(&context.output, &checks);
    let exit = checks.iter().find(|check| !check.fine).map_or(Exit::Succeeded, |check| check.exit);
    context.output.answer(exit, &json!({ "checks": checks }));
    Ok(exit)
}

async fn ledger(config: &Config) -> Result<String, Failure> {
    use hapax_core::ledger::Ledger;
    let header = SqliteLedger::open(&config.ledger)?.header().await?;
    let restored = if header.restored.is_some() { ", restored once" } else { "" };
    Ok(format!("{} can be read and written{restored}", config.ledger.display()))
}

fn clock_words(scale: u32) -> String {
    if scale > 1 {
        format!("time running {scale} times as fast, for stand-ins")
    } else {
        "the machine's clock".to_owned()
    }
}

/// Asks who we are, and which needs of the cells hold.
async fn ask(what: &str, connection: Connection, clock: &SharedClock) -> Vec<Check> {
    let transport: SharedTransport = Arc::new(HttpTransport::new());
    let integration = connection.integration.clone();
    let configured = connection.met.clone();
    let wire = Wire::new(Arc::new(connection), transport, clock.clone());
    let who = integration.whoami(&wire).await.map_err(|fault| {
        let todo = "check base_url and the credentials in hapax.toml";
        Failure::input("unreachable", format!("nothing was sent that counts: {fault}; {todo}"))
    });
    let mut checks = vec![Check::of(what, who)];
    let cells = integration.cells();
    let mut needs: Vec<Need> = cells.iter().flat_map(|cell| cell.spec().published().1).collect();
    needs.sort_by_key(Need::words);
    needs.dedup();
    for need in needs {
        let said = configured.contains(need.words());
        let check = match integration.probe(&wire, need).await {
            Ok(Some(holds)) if holds == said => Check::fine(what, format!("{:?}: {holds}", need.words())),
            Ok(Some(holds)) => Check::of(what, Err(differs(need, holds))),
            Ok(None) => Check::fine(what, format!("{:?}: {said}, as configured; it can't be asked", need.words())),
            Err(fault) => {
                Check::of(what, Err(Failure::input("unreachable", format!("nothing was sent that counts: {fault}"))))
            }
        };
        checks.push(check);
    }
    checks
}

fn differs(need: Need, holds: bool) -> Failure {
    let todo = if holds { "add it to" } else { "take it out of" };
    let message =
        format!("nothing was sent that counts: {:?} is {holds} here; {todo} meets in hapax.toml", need.words());
    Failure::input("need-differs", message)
}

fn print(output: &Output, checks: &[Check]) {
    for check in checks {
        let mark = if check.fine { output.style(Style::Good, "ok  ") } else { output.style(Style::Bad, "fail") };
        output.line(format!("{mark}  {}: {}", check.what, check.said));
    }
}
