//! `hapax approve`: lets go what is held.

use hapax_core::executor::RunReport;
use hapax_core::ledger::OperationId;

use super::carry::{self, Grace};
use super::stop::Stop;
use super::{operation, wait_ms};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::progress::Progress;

#[derive(Clone, Debug, clap::Args)]
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
    #[command(flatten)]
    grace: Grace,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let stop = Stop::listen()?;
    let work = go(id, args.clone(), context.clone(), stop.clone());
    carry::carry_out(context, args.grace, stop, work, |opened| carry::by_id(opened, id)).await
}

async fn go(id: OperationId, args: Args, context: Context, mut stop: Stop) -> Result<RunReport, Failure> {
    let opened = carry::open(&context, &mut stop).await?;
    opened.warn(&context.output);
    let _progress = Progress::start(&context.output, "carrying out what was approved");
    Ok(opened.executor.approve(id, args.seen, &args.by, wait_ms(args.wait)).await?)
}
