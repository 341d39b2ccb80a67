//! `hapax cell`: cells of one's own, declared in a file.

mod check;
mod prove;

use std::path::PathBuf;

use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Say what a declaration promises, and what it leaves out; sends nothing
    Check(CheckArgs),
    /// Hold it to every fault of the conformance kit, against a provider made from it
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
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check::run(args, context),
        Command::Prove(args) => prove::run(args, context).await,
    }
}
