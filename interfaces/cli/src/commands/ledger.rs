//! `hapax ledger`: a new one, after a backup was given back, and a check of the whole.

use serde_json::json;

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
    /// Note that the ledger was restored from a backup, or goes on with another namespace secret
    Restored,
    /// Read everything in the ledger and compare
    Verify,
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Create => create(context).await,
        Command::Restored => restored(context).await,
        Command::Verify => verify(context).await,
    }
}

async fn create(context: &Context) -> Result<Exit, Failure> {
    let config = config::find(context.config.as_deref())?;
    OpenLedger::create(&config.ledger).await?;
    let output = &context.output;
    output.line(format!("made: {}", config.ledger));
    output.answer(Exit::Succeeded, &json!({ "ledger": config.ledger.to_string() }));
    Ok(Exit::Succeeded)
}

async fn restored(context: &Context) -> Result<Exit, Failure> {
    let opened = context.open_with(true).await?;
    opened.warn(&context.output);
    let concerned = opened.executor.note_restored().await?;
    // Not before each operation says it too: nobody may take one up in between.
    opened.ledger.settle_down().await?;
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
    let ledger = OpenLedger::open(&config.ledger, false).await?;
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
    for problem in &found.problems {
        output.pair("problem", problem);
    }
    if !is_sound {
        output.pair("next", "restore a backup, then run `hapax ledger restored`");
    }
    let answer = json!({ "operations": found.operations, "events": found.events, "problems": found.problems });
    output.answer(exit, &answer);
    Ok(exit)
}
