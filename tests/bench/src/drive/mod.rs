//! A driver: a process that makes calls when it is told to, one JSON command a line.
//!
//! It stays warm between two commands, so that drivers of different targets can take turns.

mod hapax;
mod raw;

use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::load::{self, Load, Target};
use crate::say;

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
    /// hapax on a schema of PostgreSQL; the URL stands in HAPAX_BENCH_POSTGRES
    Postgres {
        /// The schema
        schema: String,
        /// Prepare statements once per connection, as one may where no pooler stands in between
        #[arg(long)]
        prepared: bool,
    },
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Call.
    Load(Load),
}

/// What a driver says before its first command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// Whether it is.
    pub ready: bool,
}

/// Serves commands until its input ends.
///
/// # Errors
/// Why it can't.
pub async fn drive(drive: Drive) -> Result<(), String> {
    let target = target(&drive).await?;
    say::out(&json(&Ready { ready: true })?);
    let mut lines = lines();
    while let Some(line) = lines.recv().await {
        let Command::Load(load) = serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))?;
        say::out(&json(&load::run(&target, load).await)?);
    }
    Ok(())
}

async fn target(drive: &Drive) -> Result<Arc<dyn Target>, String> {
    let provider = &drive.provider;
    Ok(match &drive.guard {
        Guard::Raw => Arc::new(raw::Raw::new(provider)?),
        Guard::Sqlite { path } => Arc::new(hapax::Guarded::on_sqlite(provider, path).await?),
        Guard::Postgres { schema, prepared } => {
            let url = std::env::var("HAPAX_BENCH_POSTGRES").map_err(|error| format!("HAPAX_BENCH_POSTGRES: {error}"))?;
            Arc::new(hapax::Guarded::on_postgres(provider, url, schema, *prepared).await?)
        }
    })
}

/// Lines of the standard input, by a thread of its own: a runtime's own reader would keep it from ending.
fn lines() -> mpsc::Receiver<String> {
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
