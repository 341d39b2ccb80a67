//! The `hapax` command: a thin edge over `hapax-core`. No guarantee logic lives here.

mod args;
#[cfg(test)]
mod bytes;
mod commands;
mod config;
mod exit;
mod exported;
mod known;
mod ledger;
mod mistake;
mod open;
mod output;
mod probe;
mod progress;
mod report;
mod suggest;
mod time;
mod usage;

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::Cli;
use exit::Failure;
use open::Context;
use output::Output;

/// See the workspace manifest for why.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mistake::tell_places_alone();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::explain(&error),
    };
    log();
    let output = Output::new(cli.command.name(), cli.json);
    let exit = match mistake::caught(|| run(cli, output)) {
        Ok(exit) => exit,
        Err(failure) => {
            output.failure(&failure);
            failure.exit
        }
    };
    probe::hold_if_paused();
    ExitCode::from(exit as u8)
}

fn run(cli: Cli, output: Output) -> Result<exit::Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format!("nothing was sent: no threads could be started ({error})")))?;
    let context = Context { output, config: cli.config };
    runtime.block_on(commands::run(cli.command, &context))
}

/// Logs go to stderr, and only if `HAPAX_LOG` asks for them.
fn log() {
    let Ok(filter) = EnvFilter::try_from_env("HAPAX_LOG") else { return };
    let wanted = std::env::var_os("HAPAX_LOG").is_some_and(|value| !value.is_empty());
    if wanted {
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    }
}
