//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands;

/// Side-effecting API calls that are safe to retry.
///
/// Effectively once where the provider lets us prove it, loud where it does not. Try `hapax demo`.
#[derive(Debug, Parser)]
#[command(name = "hapax", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Configuration file [default: hapax.toml]
    #[arg(long, global = true, env = "HAPAX_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Answer in JSON, one line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 succeeded, 1 internal, 2 bad input (nothing was sent), 3 refused, \
                          4 unknown, 5 with a person, 6 held, 7 ledger.\n\
                          Environment: HAPAX_CONFIG, HAPAX_NAMESPACE_SECRET, HAPAX_LOG (debug, info, ...), NO_COLOR.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show in a minute what this is about; needs no credentials and no network
    Demo,
    /// Make hapax.toml, an empty ledger and a namespace secret
    Init(commands::init::Args),
    /// Check configuration, ledger, clock and connections
    Doctor(commands::doctor::Args),
    /// Say what running an intent would do; sends nothing
    Plan(commands::intent::Args),
    /// Run an intent once
    Run(commands::intent::Args),
    /// Show an operation with its story and evidence
    Show(commands::show::Args),
    /// List operations, newest first
    Ls(commands::ls::Args),
    /// Take up work that is due: after a crash, after a wait
    Recover(commands::recover::Args),
    /// Take up what becomes due, until told to stop; any number of workers, on any host
    Work(commands::work::Args),
    /// Decide what became of an operation
    Resolve(commands::resolve::Args),
    /// Approve an operation that is held
    Approve(commands::approve::Args),
    /// Deny an operation that is held: it closes as refused
    Deny(commands::deny::Args),
    /// Try a refused operation again on purpose
    Supersede(commands::supersede::Args),
    /// Prove that an operation happened
    Witness(commands::witness::Args),
    /// Ask what has become of something accepted
    Follow(commands::follow::Args),
    /// Look after the ledger
    #[command(subcommand)]
    Ledger(commands::ledger::Command),
    /// Show all cells and what is promised for each
    Matrix,
    /// Explain a cell: guarantee, sources, arguments, left-over risk
    Explain(commands::explain::Args),
    /// Cells of your own: check a declaration, and hold it to the catalog's proof
    #[command(subcommand)]
    Cell(commands::cell::Command),
    /// Small providers on your own machine
    #[command(subcommand, name = "stand-in")]
    StandIn(commands::stand_in::Command),
}

impl Command {
    /// The name in JSON.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Init(_) => "init",
            Self::Doctor(_) => "doctor",
            Self::Plan(_) => "plan",
            Self::Run(_) => "run",
            Self::Show(_) => "show",
            Self::Ls(_) => "ls",
            Self::Recover(_) => "recover",
            Self::Work(_) => "work",
            Self::Resolve(_) => "resolve",
            Self::Approve(_) => "approve",
            Self::Deny(_) => "deny",
            Self::Supersede(_) => "supersede",
            Self::Witness(_) => "witness",
            Self::Follow(_) => "follow",
            Self::Ledger(commands::ledger::Command::Create) => "ledger create",
            Self::Ledger(commands::ledger::Command::Restored(_)) => "ledger restored",
            Self::Ledger(commands::ledger::Command::Verify) => "ledger verify",
            Self::Ledger(commands::ledger::Command::Prune(_)) => "ledger prune",
            Self::Ledger(commands::ledger::Command::Forget(_)) => "ledger forget",
            Self::Ledger(commands::ledger::Command::Export(_)) => "ledger export",
            Self::Ledger(commands::ledger::Command::Import(_)) => "ledger import",
            Self::Ledger(commands::ledger::Command::NewKey(_)) => "ledger new-key",
            Self::Matrix => "matrix",
            Self::Explain(_) => "explain",
            Self::Cell(commands::cell::Command::Check(_)) => "cell check",
            Self::Cell(commands::cell::Command::Prove(_)) => "cell prove",
            Self::StandIn(_) => "stand-in serve",
        }
    }
}
