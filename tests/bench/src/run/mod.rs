//! The whole run: who takes turns with whom, and how often.

mod driver;
mod plan;
mod slot;
mod targets;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::keys::Order;
use crate::load::Load;
use crate::machine::Probe;
use crate::moment::unique_now;
use crate::say;
use crate::table;

pub use slot::{Kind, Slot, Work};
pub use targets::{POSTGRES, RAW, SQLITE};

use plan::Turn;
use slot::Measuring;
use targets::Bed;

/// What is run.
#[derive(Clone, Debug, Args)]
pub struct Run {
    /// Only these targets, separated by commas; the unguarded call always runs
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How long one measurement goes on
    #[arg(long, default_value_t = 1.0)]
    secs: f64,
    /// How often everything is repeated
    #[arg(long, default_value_t = 3)]
    reps: u64,
    /// How many call at the same time
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32, 128])]
    callers: Vec<u64>,
    /// How many seconds quiet is waited for before each measurement
    #[arg(long, default_value_t = 5.0)]
    patience: f64,
    /// Where ledgers and the probe lie; by default the folder for temporary files
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Also write a line for each measurement to this file
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Runs everything and prints the tables.
///
/// # Errors
/// What can't be run, or makes the run void.
pub async fn run(run: Run) -> Result<(), String> {
    let at = run.folder.clone().unwrap_or_else(std::env::temp_dir);
    let folder = tempfile::tempdir_in(&at).map_err(|error| format!("{}: {error}", at.display()))?;
    let probe = Probe::new(folder.path()).map_err(|error| format!("{}: {error}", at.display()))?;
    let mut bed = Bed::make(folder).await?;
    let targets = run.targets()?;
    for target in &targets {
        bed.start(target).await?;
    }
    let mut slots = Vec::new();
    for turn in plan::turns(&run, &targets) {
        let done = run.turn(&mut bed, &probe, &turn).await?;
        done.iter().for_each(|slot| say::note(&table::line(slot)));
        slots.extend(done);
    }
    let counts = bed.provider.counts().await?;
    bed.end().await?;
    if let Some(path) = &run.json {
        write(path, &slots)?;
    }
    say::out(&table::tables(&slots));
    if counts.keys_called_twice > 0 {
        return Err(format!("void: the provider was called twice for {} keys", counts.keys_called_twice));
    }
    Ok(())
}

impl Run {
    fn targets(&self) -> Result<Vec<String>, String> {
        let wanted = |target: &str| target == RAW || self.only.is_empty() || self.only.iter().any(|one| one == target);
        let known = [RAW, SQLITE, POSTGRES];
        if let Some(unknown) = self.only.iter().find(|one| !known.contains(&one.as_str())) {
            return Err(format!("there is no target {unknown}; there are {}", known.join(", ")));
        }
        let (there, missing): (Vec<&str>, Vec<&str>) =
            known.into_iter().filter(|target| wanted(target)).partition(|target| Bed::there(target));
        missing.iter().for_each(|target| say::note(&format!("left out: {target} is not installed")));
        Ok(there.into_iter().map(str::to_owned).collect())
    }

    /// New keys, then the same ones again.
    async fn turn(&self, bed: &mut Bed, probe: &Probe, turn: &Turn) -> Result<Vec<Slot>, String> {
        bed.provider.takes(turn.work.provider_ms).await?;
        let load = Load {
            callers: turn.work.callers,
            seconds: self.secs,
            seed: unique_now(),
            order: turn.work.order,
            replay_of: None,
            most: None,
        };
        let fresh = self.slot(bed, probe, turn, turn.work, load).await?;
        let mut slots = vec![fresh];
        if turn.replays {
            let keys = slots[0].measured.ops;
            let again = Load { replay_of: Some(keys), seconds: self.secs / 2.0, ..load };
            slots.push(self.slot(bed, probe, turn, Work { kind: Kind::Replay, ..turn.work }, again).await?);
        }
        Ok(slots)
    }

    async fn slot(&self, bed: &mut Bed, probe: &Probe, turn: &Turn, work: Work, load: Load) -> Result<Slot, String> {
        let (guard, ours) = (bed.guard(&turn.target), bed.ours());
        let patience = Duration::from_secs_f64(self.patience);
        let measuring = Measuring { driver: bed.driver(&turn.target)?, guard, ours, probe, patience };
        measuring.measure(&turn.target, work, turn.repetition, load).await
    }
}

fn write(path: &Path, slots: &[Slot]) -> Result<(), String> {
    let lines: Result<Vec<String>, _> = slots.iter().map(serde_json::to_string).collect();
    let text = lines.map_err(|error| error.to_string())?.join("\n") + "\n";
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The work that targets are compared by.
fn main_work(callers: u64) -> Work {
    Work { kind: Kind::Fresh, order: Order::Random, provider_ms: 0, callers }
}
