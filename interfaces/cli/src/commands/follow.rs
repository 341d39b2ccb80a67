//! `hapax follow`: what has become of something accepted.

use super::{operation, reported};
use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let opened = context.open().await?;
    opened.warn(&context.output);
    let report = opened.executor.follow(id).await?;
    Ok(reported(context, &report))
}
