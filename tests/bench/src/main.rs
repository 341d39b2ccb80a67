//! `cargo xtask bench`: see docs/internals/performance.md.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use hapax_bench::drive::{self, Drive};
use hapax_bench::run::{self, Run};
use hapax_bench::{provider, say};

/// The program's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures what a guarded call costs
#[derive(Parser)]
#[command(name = "cargo xtask bench")]
struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    run: Run,
}

/// The processes that the bench starts
#[derive(Subcommand)]
enum Part {
    /// The provider
    #[command(hide = true)]
    Provider,
    /// A driver
    #[command(hide = true)]
    Drive(Drive),
}

fn main() -> ExitCode {
    let Arguments { part, run } = Arguments::parse();
    let done = match part {
        Some(Part::Provider) => provider::serve(),
        Some(Part::Drive(drive)) => in_runtime(drive::drive(drive)),
        None => in_runtime(run::run(run)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say::note(&format!("error: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn in_runtime(work: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        tokio::select! {
            done = work => done,
            // What was started notices it by its input, and ends.
            _ = tokio::signal::ctrl_c() => Err("interrupted".to_owned()),
        }
    })
}
