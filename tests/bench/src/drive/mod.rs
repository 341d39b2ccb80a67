//! A driver: a process that makes calls when it is told to, one JSON command a line.
//!
//! It stays warm between two commands, so that drivers of different targets can take turns.

mod fill;
mod hapax;
mod raw;
mod restate;

use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::load::{self, Load, Target};
use crate::moment::Moment;
use crate::say;

/// Where drivers read the database's URL: it holds a password, and command lines are seen by everybody.
pub const POSTGRES_URL: &str = "HAPAX_BENCH_POSTGRES";

/// Which driver, and what it calls.
#[derive(Clone, Debug, Args)]
pub struct Drive {
    /// The provider's address.
    #[arg(long)]
    provider: String,
    #[command(subcommand)]
    guard: Guard,
}

#[derive(Clone, Debug, Subcommand)]
enum Guard {
    /// No guard
    Raw,
    /// hapax on a file of SQLite
    Sqlite {
        /// The file
        path: PathBuf,
    },
    /// hapax on a schema of PostgreSQL; its URL stands in the environment
    Postgres {
        /// The schema
        schema: String,
        /// Prepare statements once per connection, as one may where no pooler stands in between
        #[arg(long)]
        prepared: bool,
    },
    /// A service of Restate
    Restate {
        /// Where the server takes calls
        ingress: String,
    },
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Call.
    Load(Load),
    /// Make operations, without the provider; how many there are is answered.
    Fill(Fill),
    /// Find what is due.
    Due,
}

/// Operations to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    /// That succeeded.
    pub finished: u64,
    /// Whose answer was lost.
    pub open: u64,
}

/// What was found, or made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// How many.
    pub operations: u64,
    /// How long that took.
    pub took_us: u64,
}

/// What a driver says before its first command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// Whether it is.
    pub ready: bool,
    /// How long it took to open what it keeps operations in.
    #[serde(default)]
    pub opened_us: u64,
}

/// Serves commands until its input ends.
///
/// # Errors
/// Why it can't.
pub async fn drive(drive: Drive) -> Result<(), String> {
    let began = Moment::now();
    let target = target(&drive).await?;
    say::out(&json(&Ready { ready: true, opened_us: micros(began) })?);
    let mut lines = lines();
    while let Some(line) = lines.recv().await {
        let command = serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))?;
        let said = match command {
            Command::Load(load) => json(&load::run(&target, load).await)?,
            Command::Fill(fill) => {
                let began = Moment::now();
                let operations = target.fill(fill).await?;
                json(&Found { operations, took_us: micros(began) })?
            }
            Command::Due => {
                let began = Moment::now();
                let operations = target.due().await?;
                json(&Found { operations, took_us: micros(began) })?
            }
        };
        say::out(&said);
    }
    Ok(())
}

fn micros(since: Moment) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

async fn target(drive: &Drive) -> Result<Arc<dyn Target>, String> {
    let provider = &drive.provider;
    Ok(match &drive.guard {
        Guard::Raw => Arc::new(raw::Raw::new(provider)?),
        Guard::Sqlite { path } => Arc::new(hapax::Guarded::on_sqlite(provider, path).await?),
        Guard::Postgres { schema, prepared } => {
            let url = std::env::var(POSTGRES_URL).map_err(|error| format!("{POSTGRES_URL}: {error}"))?;
            Arc::new(hapax::Guarded::on_postgres(provider, url, schema, *prepared).await?)
        }
        Guard::Restate { ingress } => Arc::new(restate::Restate::new(ingress)?),
    })
}

/// Lines of the standard input, by a thread of its own: a runtime's own reader would keep it from ending.
pub(crate) fn lines() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}
