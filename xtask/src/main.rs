//! Chores of the repository. `cargo xtask --help` lists them.

mod bench;
mod ci;
mod files;
mod fuzz;
mod generate;
mod histories;
mod insert;
mod kit;
mod new_adapter;
mod new_cell;
mod proof;
mod prove;
mod run;
mod say;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the hapax repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Every check that a change must pass, in the order in which they fail cheapest
    Ci {
        /// Only these steps, by name
        #[arg(long = "only", value_name = "STEP")]
        only: Vec<String>,
        /// Not these steps, by name
        #[arg(long = "skip", value_name = "STEP", conflicts_with = "only")]
        skip: Vec<String>,
        /// Say which steps there are, and do nothing
        #[arg(long)]
        list: bool,
    },
    /// Write matrix.toml, the matrix pages, the cells' reference pages and the tables in READMEs
    Generate {
        /// Write nothing; fail if a file is stale
        #[arg(long)]
        check: bool,
    },
    /// Run the kit for all adapters and record what it shows in tests/results
    Prove {
        /// Only these adapters
        adapters: Vec<String>,
        /// Write nothing; fail if the record differs from what the kit shows now
        #[arg(long)]
        check: bool,
    },
    /// Check what no compiler checks
    Tidy,
    /// Measure what a guarded call costs; its own `--help` says with what options
    #[command(disable_help_flag = true)]
    Bench {
        /// Handed on
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Play long random runs of several workers and check their histories
    Histories {
        /// For how long
        #[arg(long, default_value_t = 10)]
        minutes: u64,
        /// The first seed; further ones follow it
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Give parsers foreign bytes and ledgers random calls, for longer than the tests do
    Fuzz {
        /// How many times as long
        #[arg(long, default_value_t = 50)]
        times: u64,
    },
    /// Make the folder of a new adapter
    NewAdapter {
        /// Its name: lower-case letters and digits, as in `adapters/stripe`
        name: String,
    },
    /// Make the skeletons of a new cell in its adapter's folder
    NewCell {
        /// Whose it is, as in `adapters/stripe`
        adapter: String,
        /// Its name: lower-case words with `_` between them, as in `send_message`
        cell: String,
    },
}

fn main() -> ExitCode {
    let chore = Arguments::parse().chore;
    let done = files::root().and_then(|root| match chore {
        Chore::Ci { only, skip, list } => ci::ci(&root, &only, &skip, list),
        Chore::Generate { check } => generate::generate(&root, check),
        Chore::Prove { adapters, check } => prove::prove(&root, &adapters, check),
        Chore::Tidy => tidy::tidy(&root),
        Chore::Bench { arguments } => bench::bench(&root, &arguments),
        Chore::Histories { minutes, seed } => histories::histories(&root, minutes, seed),
        Chore::Fuzz { times } => fuzz::fuzz(&root, times),
        Chore::NewAdapter { name } => new_adapter::new_adapter(&root, &name),
        Chore::NewCell { adapter, cell } => new_cell::new_cell(&root, &adapter, &cell),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say::error(&why);
            ExitCode::FAILURE
        }
    }
}
