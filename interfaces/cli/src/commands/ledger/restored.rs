//! `hapax ledger restored`: what is in the ledger may not be all that was sent, or is derived from another secret.

use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::open::{Comes, Context, Opened};
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The namespace secret is a new one, and the ledger is whole: it was not given back from a backup
    #[arg(long)]
    new_secret: bool,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let comes = if args.new_secret { Comes::WithNewSecret } else { Comes::Restored };
    let (_, concerned) = note(context, comes).await?;
    let output = &context.output;
    output.line(match comes {
        Comes::WithNewSecret => "noted: this ledger goes on with a new namespace secret",
        _ => "noted: this ledger was restored",
    });
    tell(output, concerned);
    if args.new_secret {
        output.pair("careful", "make a backup now: one of before is of no use with this secret, nor with the old one");
    }
    output.answer(Exit::Succeeded, &json!({ "concerned": concerned }));
    Ok(Exit::Succeeded)
}

/// Notes it with every operation, then with the ledger; how many operations that concerned.
pub(super) async fn note(context: &Context, comes: Comes) -> Result<(Opened, u32), Failure> {
    let opened = context.open_as(comes).await?;
    opened.warn(&context.output);
    let concerned = opened.executor.note_restored().await?;
    // Not before each operation says it too: nobody may take one up in between.
    opened.ledger.settle_down().await?;
    Ok((opened, concerned))
}

pub(super) fn tell(output: &Output, concerned: u32) {
    output
        .pair("concerned", format!("{concerned} operation(s) that were under way: each is looked for, or asked about"));
    output.pair("from now on", "every new intent waits for a look before it is sent");
    output.pair("next", "hapax recover, then hapax ls --inbox");
}
