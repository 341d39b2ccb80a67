//! `hapax supersede`: tries a refused operation again on purpose.

use hapax_core::executor::RunReport;
use hapax_core::ledger::OperationId;
use serde_json::Value;

use super::carry::{self, Grace};
use super::stop::Stop;
use super::{intent, operation, wait_ms};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::progress::Progress;

#[derive(Clone, Debug, clap::Args)]
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
    #[command(flatten)]
    grace: Grace,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let new = args.args.as_deref().map(intent::arguments).transpose()?;
    let stop = Stop::listen()?;
    let work = go(id, new, args.clone(), context.clone(), stop.clone());
    carry::carry_out(context, args.grace, stop, work, |opened| carry::by_id(opened, id)).await
}

async fn go(
    id: OperationId,
    new: Option<Value>,
    args: Args,
    context: Context,
    mut stop: Stop,
) -> Result<RunReport, Failure> {
    let opened = carry::open(&context, &mut stop).await?;
    opened.warn(&context.output);
    let _progress = Progress::start(&context.output, "trying again");
    Ok(opened.executor.supersede(id, args.epoch, &args.by, new, wait_ms(args.wait)).await?)
}
