//! `hapax ledger`: a new one, after a backup was given back, a check of the whole, what is kept, and the way to another one.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod new_key;
pub(crate) mod prune;
pub(crate) mod restored;

use serde_json::{Value, json};

use crate::config;
use crate::exit::{Exit, Failure};
use crate::ledger::OpenLedger;
use crate::open::Context;
use crate::output::Style;
use crate::progress::Progress;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Make a new, empty ledger where the configuration says
    Create,
    /// Note that the ledger was restored from a backup, or goes on with a new namespace secret
    Restored(restored::Args),
    /// Read everything in the ledger and compare
    Verify,
    /// Remove arguments and receipts of operations that ended, for good: by the policy, or older than a time
    Prune(prune::Args),
    /// Remove arguments and receipt of one operation that ended, for good
    Forget(prune::Forget),
    /// Write everything in the ledger to a file (JSON lines), for another ledger or for keeping
    Export(export::Args),
    /// Take in what was exported, into a ledger that nobody has used; it counts as restored
    Import(import::Args),
    /// Make a key to seal a ledger with, or put a fresh one before those in a file
    NewKey(new_key::Args),
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Create => create(context).await,
        Command::Restored(args) => restored::run(args, context).await,
        Command::Verify => verify(context).await,
        Command::Prune(args) => prune::run(args, context).await,
        Command::Forget(args) => prune::forget(args, context).await,
        Command::Export(args) => export::run(args, context).await,
        Command::Import(args) => import::run(args, context).await,
        Command::NewKey(args) => new_key::run(args, context),
    }
}

async fn create(context: &Context) -> Result<Exit, Failure> {
    let config = config::find(context.config.as_deref())?;
    OpenLedger::create(&config).await?;
    let output = &context.output;
    output.line(format!("made: {}", config.ledger));
    output.answer(Exit::Succeeded, &json!({ "ledger": config.ledger.to_string() }));
    Ok(Exit::Succeeded)
}

async fn verify(context: &Context) -> Result<Exit, Failure> {
    let config = config::find(context.config.as_deref())?;
    let ledger = OpenLedger::open(&config, false).await?;
    let progress = Progress::start(&context.output, "reading the whole ledger");
    let found = ledger.verify().await?;
    drop(progress);
    let is_sound = found.problems.is_empty();
    let exit = if is_sound { Exit::Succeeded } else { Exit::Ledger };
    let output = &context.output;
    let head = if is_sound { "sound: nothing is wrong with" } else { "damaged: something is wrong with" };
    let style = if is_sound { Style::Good } else { Style::Bad };
    output.line(output.style(style, &format!("{head} {}", config.ledger)));
    output.pair("read", format!("{} operations, {} events", found.operations, found.events));
    for (key, count) in &found.seals {
        output.pair("sealed", format!("{count} values with the key {key}"));
    }
    for problem in &found.problems {
        output.pair("problem", problem);
    }
    if !is_sound {
        output.pair("next", "restore a backup, then run `hapax ledger restored`");
    }
    let seals: Vec<Value> =
        found.seals.iter().map(|(key, count)| json!({ "key": key.to_string(), "values": count })).collect();
    let answer = json!({
        "operations": found.operations, "events": found.events, "seals": seals, "problems": found.problems,
    });
    output.answer(exit, &answer);
    Ok(exit)
}
