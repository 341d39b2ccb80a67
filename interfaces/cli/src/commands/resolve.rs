//! `hapax resolve`: a person says what became of an operation.

use hapax_core::executor::PersonSays;

use super::{operation, reported};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::progress::Progress;
use crate::time;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("decision").required(true)))]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP")]
    operation: String,
    /// The revision that you saw, evidence included
    #[arg(long, value_name = "REV")]
    seen: u64,
    /// It happened: the provider's id of it, which is read and compared
    #[arg(long, value_name = "ID", group = "decision")]
    happened: Option<String>,
    /// It did not happen: close it as refused
    #[arg(long, group = "decision")]
    did_not_happen: bool,
    /// Send it once more, as new
    #[arg(long, group = "decision")]
    send_again: bool,
    /// You act by hand from now on; nothing more is sent
    #[arg(long, group = "decision")]
    take_over: bool,
    /// Who decides
    #[arg(long, value_name = "NAME")]
    by: String,
    /// When you looked at the provider; now, if not said
    #[arg(long, value_name = "TIME", conflicts_with = "take_over")]
    looked_at: Option<String>,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let id = operation(&args.operation)?;
    let opened = context.open().await?;
    opened.warn(&context.output);
    let executor = &opened.executor;
    let report = match args.says() {
        None => executor.take_over(id, args.seen, &args.by).await?,
        Some(says) => {
            let looked = time::looked_at("--looked-at", args.looked_at.as_deref(), opened.clock.now())?;
            let progress = Progress::start(&context.output, "checking and carrying out the decision");
            let report = executor.resolve(id, args.seen, &args.by, looked, says).await?;
            drop(progress);
            report
        }
    };
    Ok(reported(context, &report))
}

impl Args {
    /// What the person says of the effect; none: they act by hand.
    fn says(&self) -> Option<PersonSays> {
        match &self.happened {
            Some(id) => Some(PersonSays::Happened { id: id.clone() }),
            None if self.did_not_happen => Some(PersonSays::DidNotHappen),
            None if self.send_again => Some(PersonSays::SendAgain),
            None => None,
        }
    }
}
