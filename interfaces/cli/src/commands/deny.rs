//! `hapax deny`: closes what is held.

use super::{operation, reported};
use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
    /// The revision that you saw
    #[arg(long, value_name = "REV")]
    seen: u64,
    /// Who denies
    #[arg(long, value_name = "NAME")]
    by: String,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let opened = context.open().await?;
    let report = opened.executor.deny(id, args.seen, &args.by).await?;
    Ok(reported(context, &report))
}
