//! One file per command.

pub(crate) mod approve;
mod carry;
pub(crate) mod cell;
mod demo;
pub(crate) mod deny;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod follow;
pub(crate) mod init;
pub(crate) mod intent;
pub(crate) mod ledger;
pub(crate) mod ls;
mod matrix;
mod plan;
pub(crate) mod recover;
pub(crate) mod resolve;
mod run;
pub(crate) mod show;
pub(crate) mod stand_in;
pub(crate) mod stop;
pub(crate) mod supersede;
pub(crate) mod witness;
pub(crate) mod work;

use hapax_core::executor::RunReport;
use hapax_core::ledger::OperationId;

use crate::args::Command;
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::report;

/// Runs a command.
pub(crate) async fn run(command: Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Demo => demo::run(context).await,
        Command::Init(args) => init::run(&args, context),
        Command::Doctor(args) => doctor::run(&args, context).await,
        Command::Plan(args) => plan::run(&args, context).await,
        Command::Run(args) => run::run(&args, context).await,
        Command::Show(args) => show::run(&args, context).await,
        Command::Ls(args) => ls::run(&args, context).await,
        Command::Recover(args) => recover::run(&args, context).await,
        Command::Work(args) => work::run(&args, context).await,
        Command::Resolve(args) => resolve::run(&args, context).await,
        Command::Approve(args) => approve::run(&args, context).await,
        Command::Deny(args) => deny::run(&args, context).await,
        Command::Supersede(args) => supersede::run(&args, context).await,
        Command::Witness(args) => witness::run(&args, context).await,
        Command::Follow(args) => follow::run(&args, context).await,
        Command::Ledger(command) => ledger::run(&command, context).await,
        Command::Matrix => matrix::run(context),
        Command::Cell(command) => cell::run(&command, context).await,
        Command::Explain(args) => explain::run(&args, context),
        Command::StandIn(command) => stand_in::run(&command, context).await,
    }
}

/// Prints a report for people or programs, and says how the command ends.
fn reported(context: &Context, report: &RunReport) -> Exit {
    let exit = Exit::of(&report.outcome);
    report::print(&context.output, report);
    context.output.answer(exit, report);
    exit
}

/// Reads an operation's id.
fn operation(text: &str) -> Result<OperationId, Failure> {
    text.parse().map_err(|_| {
        let todo = "copy it from `hapax ls`, or look the operation up with `hapax show --key KEY`";
        Failure::input("unknown-operation", format!("nothing was changed: OP is no operation id; {todo}"))
    })
}

/// Milliseconds from seconds on the command line.
fn wait_ms(seconds: u64) -> u64 {
    seconds.saturating_mul(1000)
}
