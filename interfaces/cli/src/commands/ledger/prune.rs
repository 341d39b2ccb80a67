//! `hapax ledger prune` and `hapax ledger forget`: what operations that ended hold is removed.

use hapax_core::ledger::{Filter, Keep};
use hapax_core::policy::KeepFor;
use serde_json::json;

use crate::commands::operation;
use crate::exit::{Exit, Failure};
use crate::open::{Context, Opened};
use crate::output::Output;
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Of what ended so long ago, as 90d, 12h, 0s; without it, by the policy's rules
    #[arg(long, value_name = "TIME")]
    older_than: Option<KeepFor>,
    /// Only of this cell; stripe.* for all of an integration
    #[arg(long, value_name = "CELL", requires = "older_than")]
    cell: Option<String>,
    /// Only on this connection
    #[arg(long, value_name = "NAME", requires = "older_than")]
    connection: Option<String>,
    /// Remove nothing, say only of how many operations it would be
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Forget {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let opened = context.open().await?;
    let rules = rules(args, &opened)?;
    check_names(args, &opened).await?;
    let output = &context.output;
    let what = if args.dry_run { "counting" } else { "removing" };
    let progress = Progress::start(output, what);
    let pruned = opened.executor.prune(rules, args.dry_run, |pruned| {
        progress.goes_on(format!("{what}: {pruned} operations up to now"));
        true
    });
    let pruned = pruned.await.map_err(|error| partly(args.dry_run, Failure::from(error)))?;
    drop(progress);
    let done = if args.dry_run { "would be removed" } else { "removed" };
    output.line(format!("{done}: arguments, receipts, handles and providers' words of {pruned} operation(s)"));
    if !args.dry_run {
        tell_what_is_left(output);
    }
    output.answer(Exit::Succeeded, &json!({ "operations": pruned, "dry_run": args.dry_run }));
    Ok(Exit::Succeeded)
}

pub(super) async fn forget(args: &Forget, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let opened = context.open().await?;
    opened.executor.forget(id).await?;
    let output = &context.output;
    output.line(format!("removed: arguments, receipts, handles and providers' words of {id}"));
    tell_what_is_left(output);
    output.answer(Exit::Succeeded, &json!({ "operation": id }));
    Ok(Exit::Succeeded)
}

fn rules(args: &Args, opened: &Opened) -> Result<Vec<Keep>, Failure> {
    match args.older_than {
        Some(KeepFor::Ms(ms)) => {
            Ok(vec![Keep { connection: args.connection.clone(), cell: args.cell.clone(), for_ms: Some(ms) }])
        }
        Some(KeepFor::Ever) => Err(nothing("--older-than \"for ever\" is nothing")),
        None if opened.config.policy.retention.is_empty() => Err(nothing("the policy keeps all for ever")),
        None => Ok(opened.config.policy.keeps()),
    }
}

/// A slip in a name would remove nothing and look as if there were nothing to remove. What the ledger holds operations of
/// needs no configuration any more.
async fn check_names(args: &Args, opened: &Opened) -> Result<(), Failure> {
    let slip = |code, what: String| Failure::input(code, format!("nothing was removed: that names {what}"));
    if let Some(cell) = &args.cell
        && let Err(what) = opened.config.known.check_cell_named(cell)
        && !holds(opened, Filter { cell: Some(cell.clone()), ..Filter::default() }).await?
    {
        return Err(slip("unknown-cell", what));
    }
    if let Some(connection) = &args.connection
        && let Err(what) = opened.config.check_connection_named(connection)
        && !holds(opened, Filter { connection: Some(connection.clone()), ..Filter::default() }).await?
    {
        return Err(slip("unknown-connection", what));
    }
    Ok(())
}

async fn holds(opened: &Opened, filter: Filter) -> Result<bool, Failure> {
    Ok(!opened.executor.ledger().list(&Filter { limit: 1, ..filter }).await?.is_empty())
}

fn nothing(why: &str) -> Failure {
    let hint = "say --older-than 90d, or add a [[policy.retention]] rule";
    Failure::input("no-retention", format!("nothing was removed: {why}; {hint}"))
}

/// A failure in the middle: what was removed before it is gone.
fn partly(dry_run: bool, failure: Failure) -> Failure {
    if dry_run {
        return failure;
    }
    let message =
        format!("what was removed up to now is gone, nothing was sent; run it again for the rest: {}", failure.message);
    Failure { message, ..failure }
}

fn tell_what_is_left(output: &Output) {
    output.pair("for good", "it can't be undone, and what became of it at the provider can't be read any more");
    output.pair("stays", "keys, fingerprints, ids, outcomes and times: a key that was used stays closed");
    output.pair("careful", "backups and exports of before still hold it, and PostgreSQL until it has vacuumed");
}
