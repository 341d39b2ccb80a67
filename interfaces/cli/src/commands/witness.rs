//! `hapax witness`: proof that an operation happened, from anywhere.

use super::{operation, reported};
use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
    /// The provider's id of what happened; it is read and compared with the intent
    #[arg(long)]
    id: String,
    /// Where the proof comes from: a webhook whose signature was checked, a receipt that was kept
    #[arg(long, default_value = "caller")]
    source: String,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let opened = context.open().await?;
    opened.warn(&context.output);
    let report = opened.executor.witness(id, &args.source, &args.id).await?;
    Ok(reported(context, &report))
}
