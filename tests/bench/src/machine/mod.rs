//! What the machine says: processes, its disk, and whether it is quiet. Linux only; elsewhere what can't be read is
//! left out of the tables.

mod disk;
mod process;

pub use disk::{Probe, flushes};
pub use process::{Processes, Used};

use std::time::Duration;

use crate::moment::Moment;

/// Ticks of the kernel's accounts in a second: the same on every Linux.
pub(crate) const TICKS: f64 = 100.0;
/// Below this share of all cores, others are taken to be quiet.
const QUIET: f64 = 0.12;
/// How long the machine is looked at.
pub(crate) const LOOK: Duration = Duration::from_millis(300);

/// How the machine was before a slot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet {
    /// How long it was waited for.
    pub waited: Duration,
    /// Share of all cores that was busy in the end.
    pub busy: f64,
}

/// Seconds of all cores that were at work since the machine started.
pub fn busy() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    let fields: Vec<f64> = text.lines().next()?.split_whitespace().skip(1).filter_map(|one| one.parse().ok()).collect();
    // user, nice, system; then idle and waiting for the disk; then interrupts and what the host took.
    let working = fields.get(..3)?.iter().chain(fields.get(5..8)?);
    Some(working.sum::<f64>() / TICKS)
}

/// How many cores there are.
pub fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64)
}

/// The machine in a sentence.
pub fn words() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let of = |text: &str, name: &str| -> Option<String> {
        Some(text.lines().find(|line| line.starts_with(name))?.split_once(':')?.1.trim().to_owned())
    };
    let processor = of(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let kernel = read("/proc/sys/kernel/osrelease");
    let memory = of(&read("/proc/meminfo"), "MemTotal").unwrap_or_default();
    format!("Machine: {} cores ({processor}), {memory} of memory, kernel {}.", cores(), kernel.trim())
}

/// Waits until the machine is quiet, at most so long.
pub async fn quiet(patience: Duration) -> Quiet {
    let began = Moment::now();
    loop {
        let before = busy();
        tokio::time::sleep(LOOK).await;
        let share = |(before, after): (f64, f64)| (after - before) / LOOK.as_secs_f64() / cores();
        let busy = before.zip(busy()).map_or(0.0, share);
        let waited = began.elapsed();
        if busy < QUIET || waited > patience {
            return Quiet { waited, busy };
        }
    }
}
