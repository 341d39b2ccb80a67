use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::talker::Driver;
use crate::keys::Order;
use crate::load::{Load, Measured};
use crate::machine::{self, Probe, Processes};

/// One measurement of one target: a line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// With whom it took turns. Ratios are taken inside a family.
    pub family: String,
    /// What was called.
    pub target: String,
    /// How.
    #[serde(flatten)]
    pub work: Work,
    /// In which repetition, from 0. Ratios are taken inside one.
    pub repetition: u64,
    /// What the driver measured.
    #[serde(flatten)]
    pub measured: Measured,
    /// Seconds of a core that the guard's processes used, the load's among them where it runs in one.
    pub cpu_seconds: f64,
    /// Flushes that the disks were asked for meanwhile, by whomever.
    pub disk_flushes: u64,
    /// Bytes that the guard's processes had written.
    pub written_bytes: u64,
    /// Memory of the guard's processes at the end (PSS).
    pub memory_bytes: u64,
    /// The median of a flush, right before.
    pub probe_us: u64,
    /// How long quiet was waited for.
    pub waited_seconds: f64,
    /// Share of all cores that was busy then.
    pub busy_before: f64,
    /// Share of all cores that others used meanwhile.
    pub busy_others: f64,
}

/// What is called, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Work {
    /// New keys, or ones that are finished.
    pub kind: Kind,
    /// In what order keys come.
    pub order: Order,
    /// How long the provider takes for an answer, in milliseconds.
    pub provider_ms: u64,
    /// How many call at the same time.
    pub callers: u64,
}

/// New keys, or ones that are finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Keys that were never called.
    Fresh,
    /// Keys that were called before.
    Replay,
}

/// Around the driver: who belongs to the guard, and who to the bench.
pub(super) struct Measuring<'a> {
    /// The guard's processes.
    pub(super) guard: Processes,
    /// All processes of the bench, to know what others use.
    pub(super) ours: Processes,
    /// Of the disk.
    pub(super) probe: &'a Probe,
    /// How long quiet is waited for.
    pub(super) patience: Duration,
}

/// How long the disk is probed before a slot.
const PROBED: Duration = Duration::from_millis(150);

impl Measuring<'_> {
    /// Measures one load. Who it was and what it did is to be added.
    pub(super) async fn measure(self, driver: &mut Driver, load: Load) -> Result<Slot, String> {
        let quiet = machine::quiet(self.patience).await;
        let probe = self.probe.flush(PROBED).map_err(|error| format!("the disk's probe: {error}"))?;
        let (before, ours) = (self.guard.used(), self.ours.used());
        let (busy, flushes) = (machine::busy(), machine::flushes());
        let measured = driver.load(load).await?;
        let (busy_after, flushes_after) = (machine::busy(), machine::flushes());
        let (after, ours_after) = (self.guard.used(), self.ours.used());
        let all = busy.zip(busy_after).map_or(0.0, |(before, after)| after - before);
        let others = (all - (ours_after.cpu - ours.cpu)).max(0.0);
        Ok(Slot {
            family: String::new(),
            target: String::new(),
            work: Work { kind: Kind::Fresh, order: load.order, provider_ms: 0, callers: load.callers },
            repetition: 0,
            measured,
            cpu_seconds: after.cpu - before.cpu,
            disk_flushes: flushes.zip(flushes_after).map_or(0, |(before, after)| after - before),
            written_bytes: after.written.saturating_sub(before.written),
            memory_bytes: after.memory,
            probe_us: u64::try_from(probe.as_micros()).unwrap_or(u64::MAX),
            waited_seconds: quiet.waited.as_secs_f64(),
            busy_before: quiet.busy,
            busy_others: others / measured.seconds.max(0.001) / machine::cores(),
        })
    }
}

impl Slot {
    /// Operations in a second.
    pub fn per_second(&self) -> f64 {
        self.measured.ops as f64 / self.measured.seconds
    }

    /// So much for one operation.
    pub fn per_operation(&self, what: f64) -> f64 {
        what / self.measured.ops.max(1) as f64
    }

    /// How many appends shared a commit.
    pub fn appends_per_commit(&self) -> f64 {
        self.measured.committed.appends as f64 / self.measured.committed.commits.max(1) as f64
    }
}
