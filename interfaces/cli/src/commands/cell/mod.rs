//! `hapax cell`: cells of one's own, declared in a file.

mod at;
mod check;
mod prove;

use std::path::PathBuf;

use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Say what a declaration promises, and what it leaves out; sends nothing
    Check(CheckArgs),
    /// Hold it to every fault of the conformance kit, against a provider made from it, or against your test server
    Prove(ProveArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The declaration
    file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ProveArgs {
    /// The declaration
    file: PathBuf,
    /// How often each fault is played, each time with other ids
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// Only this fault, to play it again
    #[arg(long)]
    fault: Option<String>,
    /// Hold it against this test server of yours instead. Some twenty effects are made there for each cell, with the
    /// credentials in the environment variables that the declaration names
    #[arg(long, value_name = "URL", conflicts_with_all = ["seeds", "fault"])]
    base_url: Option<String>,
    /// Effects at that server do no harm; needed unless it is on this machine
    #[arg(long, requires = "base_url")]
    harmless: bool,
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check::run(args, context),
        Command::Prove(args) => match &args.base_url {
            Some(base_url) => at::run(args, base_url, context).await,
            None => prove::run(args, context).await,
        },
    }
}
