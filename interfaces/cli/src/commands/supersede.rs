//! `hapax supersede`: tries a refused operation again on purpose.

use super::{intent, operation, reported, wait_ms};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
    /// The epoch that this ends, from `hapax show`; repeating the command changes nothing
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// Who tries again
    #[arg(long, value_name = "NAME")]
    by: String,
    /// New arguments, if they change: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    args: Option<String>,
    /// How long to wait for the outcome
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    wait: u64,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let new = args.args.as_deref().map(intent::arguments).transpose()?;
    let opened = context.open().await?;
    opened.warn(&context.output);
    let progress = Progress::start(&context.output, "trying again");
    let report = opened.executor.supersede(id, args.epoch, &args.by, new, wait_ms(args.wait)).await?;
    drop(progress);
    Ok(reported(context, &report))
}
