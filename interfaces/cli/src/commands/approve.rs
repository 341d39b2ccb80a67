//! `hapax approve`: lets go what is held.

use super::{operation, reported, wait_ms};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
    /// The revision that you saw
    #[arg(long, value_name = "REV")]
    seen: u64,
    /// Who approves
    #[arg(long, value_name = "NAME")]
    by: String,
    /// How long to wait for the outcome
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    wait: u64,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let opened = context.open().await?;
    opened.warn(&context.output);
    let progress = Progress::start(&context.output, "carrying out what was approved");
    let report = opened.executor.approve(id, args.seen, &args.by, wait_ms(args.wait)).await?;
    drop(progress);
    Ok(reported(context, &report))
}
