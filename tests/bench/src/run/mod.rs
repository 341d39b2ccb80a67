//! The whole run: who takes turns with whom, and how often.

mod bed;
mod plan;
mod provider;
mod sizes;
mod slot;
mod talker;
mod targets;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::keys::Order;
use crate::load::Load;
use crate::machine::{self, Probe};
use crate::moment::unique_now;
use crate::progress::Progress;
use crate::provider::Counts;
use crate::{say, table};

pub use sizes::Size;
pub use slot::{Kind, Slot, Work};
pub use targets::{AGENT_EFFECTS, ALL, DBOS, POSTGRES, RAW, RESTATE, SQLITE};

use bed::Bed;
use plan::Turn;
use slot::Measuring;
use targets::{Family, Peers, families};

/// What is run.
#[derive(Clone, Debug, Default, Args)]
pub struct Run {
    /// Install and measure the peers too
    #[arg(long)]
    peers: bool,
    /// Only these targets, separated by commas; the unguarded call always runs
    #[arg(long, value_delimiter = ',', value_name = "TARGET")]
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
    /// How many seconds the whole run waits for a quiet machine, at most five before each measurement
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS")]
    patience: f64,
    /// Measure ledgers with so many finished operations too, and 10,000 open ones; takes minutes for a million
    #[arg(long, value_name = "FINISHED", num_args = 0..=1, default_missing_value = "1000000")]
    sizes: Option<u64>,
    /// Where ledgers and the probe lie; by default the folder for temporary files
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Write a line for each measurement to this file, as soon as it is there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the tables into this document, between its markers
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// The most that one measurement waits for quiet.
const PATIENCE: Duration = Duration::from_secs(5);

/// What each target does before it is measured: compiled, connected and in the caches.
const WARM_UP: Load =
    Load { callers: 8, seconds: 2.0, seed: 0, order: Order::Random, replay_of: None, most: Some(500) };

/// Everything that was measured.
#[derive(Clone, Debug, Default)]
pub struct Measurements {
    /// Of calls.
    pub slots: Vec<Slot>,
    /// Of ledgers that are full.
    pub sizes: Vec<Size>,
}

/// A line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "measured", rename_all = "kebab-case")]
pub enum Line {
    /// Calls.
    Calls(Slot),
    /// A full ledger.
    Ledger(Size),
}

/// Runs everything and prints the tables.
///
/// # Errors
/// What can't be run, or makes the run void.
pub async fn run(run: Run) -> Result<(), String> {
    let tables = run.measure().await?;
    say::out(&tables);
    match &run.write {
        Some(document) => table::write_into(document, &tables),
        None => Ok(()),
    }
}

impl Run {
    async fn measure(&self) -> Result<String, String> {
        if let Some(unknown) = self.only.iter().find(|one| !ALL.contains(&one.as_str())) {
            return Err(format!("there is no target {unknown}; there are {}", ALL.join(", ")));
        }
        let peers = Peers::new();
        if self.peers {
            peers.install().await?;
        }
        let (families, missing) = families(self.peers, &self.only, |target| peers.there(target));
        missing.iter().for_each(|target| say::note(&format!("left out: {target} is not installed")));
        let mut noted = Noted::new(self)?;
        for family in &families {
            self.family(family, &peers, &mut noted).await?;
        }
        if let Some(finished) = self.sizes {
            for target in plan::LEDGERS.into_iter().filter(|one| self.wants(one) && peers.there(one)) {
                sizes::measure(self, target, finished, &peers, &mut noted).await?;
            }
        }
        Ok(table::tables(&noted.all, &machine::words()))
    }

    fn wants(&self, target: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| one == target)
    }

    async fn family(&self, family: &Family, peers: &Peers, noted: &mut Noted) -> Result<(), String> {
        let mut bed = Bed::make(&noted.at, peers.clone()).await?;
        let turns = plan::turns(self, family);
        let progress = Progress::of(turns.iter().map(|turn| 1 + usize::from(turn.replays)).sum());
        for target in &family.targets {
            progress.now(&format!("starting {target}"));
            bed.start(target).await?;
            bed.driver(target)?.load(Load { seed: unique_now(), ..WARM_UP }).await?;
        }
        for turn in &turns {
            self.turn(&mut bed, family, turn, noted, &progress).await?;
        }
        let counts = bed.provider.counts().await?;
        bed.end_all().await?;
        sound(counts)
    }

    /// New keys, then the same ones again.
    async fn turn(
        &self,
        bed: &mut Bed,
        family: &Family,
        turn: &Turn,
        noted: &mut Noted,
        progress: &Progress,
    ) -> Result<(), String> {
        bed.provider.takes(turn.work.provider_ms).await?;
        let load = Load {
            callers: turn.work.callers,
            seconds: plan::seconds(self, turn.target),
            seed: unique_now(),
            order: turn.work.order,
            ..Load::default()
        };
        let mut works = vec![(turn.work, load)];
        while let Some((work, load)) = works.pop() {
            let (guard, ours) = (bed.guard(turn.target), bed.ours());
            let measuring = Measuring { guard, ours, probe: &noted.probe, patience: noted.patience() };
            let slot = measuring.measure(bed.driver(turn.target)?, load).await?;
            noted.waited(&slot);
            let slot = Slot { family: family.name.to_owned(), work, repetition: turn.repetition, ..slot };
            let slot = Slot { target: turn.target.to_owned(), ..slot };
            if turn.replays && work.kind == Kind::Fresh {
                let again = Load { replay_of: Some(slot.measured.ops), seconds: load.seconds / 2.0, ..load };
                works.push((Work { kind: Kind::Replay, ..work }, again));
            }
            progress.done(&table::line(&slot));
            noted.note(Line::Calls(slot))?;
        }
        Ok(())
    }
}

/// A provider that was called twice for one key, by whomever, means that something is not what it is taken for.
fn sound(counts: Counts) -> Result<(), String> {
    match counts.keys_called_twice {
        0 => Ok(()),
        twice => Err(format!("the run is void: {twice} of {} calls had a key that was called before", counts.calls)),
    }
}

/// Where measurements are noted, and what they are made with.
struct Noted {
    all: Measurements,
    file: Option<std::fs::File>,
    at: PathBuf,
    probe: Probe,
    /// How much longer the run may wait for quiet.
    patience: Duration,
    _probed: tempfile::TempDir,
}

impl Noted {
    fn new(run: &Run) -> Result<Self, String> {
        let at = run.folder.clone().unwrap_or_else(std::env::temp_dir);
        let broken = |error: std::io::Error| format!("{}: {error}", at.display());
        let probed = tempfile::tempdir_in(&at).map_err(broken)?;
        let probe = Probe::new(probed.path()).map_err(broken)?;
        let file = run.json.as_ref().map(std::fs::File::create).transpose().map_err(|error| error.to_string())?;
        let patience = Duration::from_secs_f64(run.patience);
        Ok(Self { all: Measurements::default(), file, at, probe, patience, _probed: probed })
    }

    /// How long the next measurement may wait.
    fn patience(&self) -> Duration {
        self.patience.min(PATIENCE)
    }

    /// What a measurement waited for longer than one look at the machine takes is gone.
    fn waited(&mut self, slot: &Slot) {
        let waited = Duration::from_secs_f64(slot.waited_seconds).saturating_sub(2 * machine::LOOK);
        self.patience = self.patience.saturating_sub(waited);
    }

    /// No measurement is left out, whatever it looks like.
    fn note(&mut self, line: Line) -> Result<(), String> {
        if let Some(file) = &mut self.file {
            let text = serde_json::to_string(&line).map_err(|error| error.to_string())?;
            writeln!(file, "{text}").map_err(|error| error.to_string())?;
        }
        match line {
            Line::Calls(slot) => self.all.slots.push(slot),
            Line::Ledger(size) => self.all.sizes.push(size),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_called_twice_voids_the_run() {
        assert_eq!(sound(Counts { calls: 9, keys_called_twice: 0 }), Ok(()));
        let why = sound(Counts { calls: 9, keys_called_twice: 2 }).expect_err("it is void");
        assert!(why.contains("void") && why.contains("2 of 9"), "{why}");
    }
}
