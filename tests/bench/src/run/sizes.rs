use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::bed::Bed;
use super::slot::Measuring;
use super::targets::Peers;
use super::{Line, Noted, Run, sound};
use crate::drive::Fill;
use crate::keys::mix;
use crate::load::Load;
use crate::machine::Processes;
use crate::moment::unique_now;
use crate::progress::Progress;

/// A full ledger: a line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// Which ledger.
    pub target: String,
    /// Finished operations in it.
    pub finished: u64,
    /// Open operations in it.
    pub open: u64,
    /// How long it took to make the finished ones.
    pub filled_seconds: f64,
    /// Bytes that the finished ones take on the disk.
    pub bytes: u64,
    /// How long it took to open it.
    pub opened_us: u64,
    /// Operations found that are due, or will be within a day.
    pub due: u64,
    /// How long it took to find them.
    pub due_us: u64,
    /// Memory of the process then (PSS).
    pub memory_bytes: u64,
    /// Operations in a second on an empty ledger, by repetition.
    pub empty_per_second: Vec<f64>,
    /// The same on the full one, taking turns.
    pub full_per_second: Vec<f64>,
}

/// Open operations beside the finished ones.
const OPEN: u64 = 10_000;
/// How many call when the full ledger is compared with an empty one.
const CALLERS: u64 = 32;

/// Fills a ledger, opens it again, and lets it take turns with an empty one.
pub(super) async fn measure(
    run: &Run,
    target: &'static str,
    finished: u64,
    peers: &Peers,
    noted: &mut Noted,
) -> Result<(), String> {
    let progress = Progress::of(3 + 2 * usize::try_from(run.reps).unwrap_or_default());
    let mut full = Bed::make(&noted.at, peers.clone()).await?;
    full.start(target).await?;
    progress.now(&format!("{target}: making {finished} finished and {OPEN} open operations"));
    let filled = full.driver(target)?.fill(Fill { finished, open: 0 }).await?;
    full.end(target).await?;
    // Before the open ones are made: what is kept of a finished one is what a ledger costs for years.
    let bytes = full.bytes(target).await?;
    full.start(target).await?;
    full.driver(target)?.fill(Fill { finished: 0, open: OPEN }).await?;
    full.end(target).await?;
    progress.done(&format!("{target}: filled, {} bytes per finished operation", bytes / finished.max(1)));
    full.start(target).await?;
    let driver = full.driver(target)?;
    let (opened_us, due) = (driver.opened_us, driver.due().await?);
    let memory_bytes = Processes::of([driver.id()]).used().memory;
    progress.done(&format!("{target}: opened in {opened_us} µs, {} due found in {} µs", due.operations, due.took_us));
    let mut empty = Bed::make(&noted.at, peers.clone()).await?;
    empty.start(target).await?;
    let (mut empty_per_second, mut full_per_second) = (Vec::new(), Vec::new());
    for repetition in 0..run.reps {
        let first = mix(repetition) & 1;
        for turn in [first, 1 - first] {
            let (bed, of) =
                if turn == 0 { (&mut empty, &mut empty_per_second) } else { (&mut full, &mut full_per_second) };
            of.push(per_second(run, bed, target, noted).await?);
            progress.done(&format!(
                "{target}: {:.0}/s, {}",
                of[of.len() - 1],
                if turn == 0 { "empty" } else { "full" }
            ));
        }
    }
    for bed in [&mut full, &mut empty] {
        let counts = bed.provider.counts().await?;
        bed.end_all().await?;
        sound(counts)?;
    }
    noted.note(Line::Ledger(Size {
        target: target.to_owned(),
        finished,
        open: OPEN,
        filled_seconds: Duration::from_micros(filled.took_us).as_secs_f64(),
        bytes,
        opened_us,
        due: due.operations,
        due_us: due.took_us,
        memory_bytes,
        empty_per_second,
        full_per_second,
    }))
}

async fn per_second(run: &Run, bed: &mut Bed, target: &str, noted: &mut Noted) -> Result<f64, String> {
    let load = Load { callers: CALLERS, seconds: run.secs, seed: unique_now(), ..Load::default() };
    let (guard, ours, patience) = (bed.guard(target), bed.ours(), noted.patience());
    let slot = Measuring { guard, ours, probe: &noted.probe, patience }.measure(bed.driver(target)?, load).await?;
    noted.waited(&slot);
    Ok(slot.per_second())
}

impl Size {
    /// Bytes for each finished operation.
    pub fn bytes_per_finished(&self) -> f64 {
        self.bytes as f64 / self.finished.max(1) as f64
    }

    /// Until due work is known, from the start.
    pub fn until_due(&self) -> Duration {
        Duration::from_micros(self.opened_us + self.due_us)
    }

    /// How much longer an operation takes than on an empty ledger, by repetition.
    pub fn cost(&self) -> Vec<f64> {
        self.empty_per_second.iter().zip(&self.full_per_second).map(|(empty, full)| empty / full).collect()
    }
}
