//! `hapax ledger`: after a backup was given back, and a check of the whole file.

use hapax_ledger_sqlite::SqliteLedger;
use serde_json::json;

use crate::config;
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::output::Style;
use crate::progress::Progress;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Note that the ledger was restored from a backup, or goes on with another namespace secret
    Restored,
    /// Read everything in the ledger and compare
    Verify,
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Restored => restored(context).await,
        Command::Verify => verify(context).await,
    }
}

async fn restored(context: &Context) -> Result<Exit, Failure> {
    let opened = context.open_with(true).await?;
    opened.warn(&context.output);
    let concerned = opened.executor.note_restored().await?;
    let output = &context.output;
    output.line("noted: this ledger was restored");
    output
        .pair("concerned", format!("{concerned} operation(s) that were under way: each is looked for, or asked about"));
    output.pair("from now on", "every new intent waits for a look before it is sent");
    output.pair("next", "hapax recover, then hapax ls --inbox");
    output.answer(Exit::Succeeded, &json!({ "concerned": concerned }));
    Ok(Exit::Succeeded)
}

async fn verify(context: &Context) -> Result<Exit, Failure> {
    let config = config::find(context.config.as_deref())?;
    let ledger = SqliteLedger::open(&config.ledger)?;
    let progress = Progress::start(&context.output, "reading the whole ledger");
    let found = ledger.verify().await?;
    drop(progress);
    let exit = if found.is_sound() { Exit::Succeeded } else { Exit::Ledger };
    let output = &context.output;
    let head = if found.is_sound() { "sound: nothing is wrong with" } else { "damaged: something is wrong with" };
    let style = if found.is_sound() { Style::Good } else { Style::Bad };
    output.line(output.style(style, &format!("{head} {}", config.ledger.display())));
    output.pair("read", format!("{} operations, {} events", found.operations, found.events));
    for problem in &found.problems {
        output.pair("problem", problem);
    }
    if !found.is_sound() {
        output.pair("next", "restore a backup, then run `hapax ledger restored`");
    }
    let answer = json!({ "operations": found.operations, "events": found.events, "problems": found.problems });
    output.answer(exit, &answer);
    Ok(exit)
}
