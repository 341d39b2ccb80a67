//! `hapax doctor`: checks everything that a run relies on, harmlessly.

use std::sync::Arc;

use hapax_core::capability::Need;
use hapax_core::cell::{Connection, Wire};
use hapax_core::clock::SharedClock;
use hapax_core::protocol::Stamp;
use hapax_core::transport::{HttpTransport, SharedTransport};
use hapax_ledger_postgres::{Health, Options, SCHEMA_VERSION};
use hapax_ledger_sealed::Keys;
use serde::Serialize;
use serde_json::json;

use crate::config::{self, Config, LedgerPlace};
use crate::exit::{Exit, Failure};
use crate::ledger::{OpenLedger, Store};
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
    checks.extend(ledger(&config).await);
    // What remains is whether they fit together: the secret, the ledger's clock, names.
    if checks.iter().all(|check| check.fine) {
        let fit = context.open().await.map(|opened| format!("opened with {}", clock_words(opened.config.scale)));
        checks.push(Check::of("together", fit));
    }
    for one in &config.connections {
        let what = format!("connection {}", one.name);
        match open::connect(one, &config.known) {
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

async fn ledger(config: &Config) -> Vec<Check> {
    let opened = async {
        let ledger = OpenLedger::open(config, false).await?;
        let header = ledger.shared().header().await?;
        let restored = if header.restored.is_some() { ", restored once" } else { "" };
        // Whether a role may write to a database is a check of its own.
        let can = if matches!(ledger.store, Store::File(_)) { "read and written" } else { "read" };
        let sealed = match ledger.keys.as_ref().map(Keys::ids).as_deref() {
            None => String::new(),
            Some([newest, old @ ..]) => format!(", sealed with the key {newest} ({} older one(s))", old.len()),
            Some([]) => unreachable!("keys are never none"),
        };
        Ok((ledger, format!("{} can be {can}{restored}{sealed}", config.ledger)))
    };
    match opened.await {
        Err(failure) => vec![Check::of("ledger", Err(failure))],
        Ok((ledger, said)) => {
            let mut checks = vec![Check::fine("ledger", said)];
            if let (Store::Postgres(ledger), LedgerPlace::Postgres(place)) = (ledger.store, &config.ledger) {
                match ledger.health().await {
                    Ok(health) => checks.extend(database(&health, place.options)),
                    Err(error) => checks.push(Check::of("ledger database", Err(error.into()))),
                }
            }
            checks
        }
    }
}

/// What of the database's settings, and of the way to it, would break what is confirmed.
fn database(health: &Health, options: Options) -> Vec<Check> {
    let check = |what: &str, fine: bool, said: String| match fine {
        true => Check::fine(what, said),
        false => Check { what: what.to_owned(), fine, said: format!("nothing was sent: {said}"), exit: Exit::Ledger },
    };
    let flushes = health.fsync && health.full_page_writes;
    let flush = match flushes {
        true => format!("the server flushes; synchronous_commit is {}", health.synchronous_commit),
        false => "fsync or full_page_writes is off: power that fails takes what was confirmed; turn them on".to_owned(),
    };
    let raised =
        if ["off", "local"].contains(&health.synchronous_commit.as_str()) { ", raised to on here" } else { "" };
    let clock = format!("this machine is {} ms ahead of the database, whose clock counts", health.clock_ahead_ms);
    let kept = match health.append_only {
        true => "triggers keep what was written from being changed",
        false => "the triggers are missing or off that keep other programs from changing what was written",
    };
    let schema = match health.lacks.as_slice() {
        [] => format!("format {SCHEMA_VERSION}, and this role may do all that is needed; {kept}"),
        lacks => format!("this role lacks {}; grant what ledgers/postgres/grants.sql lists", lacks.join(", ")),
    };
    let pooler = match (health.pooler_seen, health.pooler_follows) {
        (true, true) => "in transaction mode; it follows prepared statements, so prepared_statements = true works",
        (true, false) => "in transaction mode; it doesn't follow prepared statements, so they are refused",
        (false, _) => "none in transaction mode was seen; the ledger works with and without one",
    };
    let (each, all) = (options.writers + options.readers, health.max_connections);
    let connections = format!("each process holds up to {each}; the server takes {all} from everybody together");
    let origin = match health.knows_origin {
        true => "the server says its cluster and timeline, so a backup that was put back is noticed",
        false => "the server doesn't say its cluster and timeline; run `hapax ledger restored` after every fail-over",
    };
    vec![
        check("ledger version", health.is_supported, health.version.clone()),
        check("ledger schema", health.lacks.is_empty(), schema),
        check("ledger durability", flushes, format!("{flush}{raised}")),
        check("ledger clock", health.clock_ahead_ms.abs() < Stamp::TOLERANCE_MS, clock),
        Check::fine("ledger connections", connections),
        Check::fine("ledger pooler", pooler),
        Check::fine("ledger origin", origin),
    ]
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
