use hapax_core::executor::ExecutorError;
use hapax_core::ledger::{LedgerError, Serves, SharedLedger};
use hapax_core::protocol::{Lease, Stamp, fold};

use super::process::{CONNECTION, Process};
use super::run::{Run, lock};
use super::time::SteppedClock;
use super::violation::{Invariant, Played, Violation};
use hapax_core::clock::Clock as _;

/// Rounds of recovery after which work counts as never ending.
const ROUNDS: u32 = 400;
/// How long, in milliseconds of the run, work that has just been taken up is left alone before time is made to pass: a
/// second of real time.
const UNDER_WAY_MS: u64 = 20_000;
/// Days after which it does too: longer than any patience.
const DAYS: u64 = 120;

impl Run {
    /// Recovers, letting time pass as far as the next work each time, until nothing is due any more.
    ///
    /// # Errors
    /// That the work never ends.
    pub async fn finish(&self, process: &Process) -> Played {
        let begun = self.time.elapsed_ms();
        let mut patience_ms = 1_000;
        let mut before = 0;
        for _ in 0..ROUNDS {
            let truth = self.truth().map_err(broken)?;
            self.until_nothing_is_under_way().await.map_err(broken)?;
            let Some(due) = self.next_due(&truth).await.map_err(broken)? else { return Ok(()) };
            let now = self.clock.now().wall_ms;
            if due > now {
                self.reach.note("do:wait");
                self.time.jump(u64::try_from(due - now).unwrap_or(0) + 1);
            }
            self.take_up(process).await?;
            let written = self.written(&truth).await.map_err(broken)?;
            // Nothing was written although something was due: somebody else has it, or the ledger is away.
            patience_ms = if written == before { (patience_ms * 2).min(3_600_000) } else { 1_000 };
            if written == before {
                self.time.jump(patience_ms);
            }
            before = written;
            if self.time.elapsed_ms() - begun > DAYS * 86_400_000 {
                break;
            }
        }
        let intents = lock(&self.intents).clone();
        let mut what = "work is still due after all rounds of recovery".to_owned();
        for intent in &intents {
            what.push_str(&format!("; {}: {}", intent.key, super::watch::story_of(self, intent).await));
        }
        Err(Violation::new(Invariant::WorkEnds, what))
    }

    /// Lets a process work for so long and no longer: what is due then stays due.
    ///
    /// # Errors
    /// That it panicked or was killed.
    pub async fn work_for(&self, process: &Process, ms: u64) -> Played {
        let end = self.time.elapsed_ms() + ms;
        for _ in 0..ROUNDS {
            let truth = self.truth().map_err(broken)?;
            self.until_nothing_is_under_way().await.map_err(broken)?;
            let due = self.next_due(&truth).await.map_err(broken)?;
            let now = self.clock.now().wall_ms;
            let wait = due.map_or(u64::MAX, |due| u64::try_from(due - now).unwrap_or(0) + 1);
            let left = end.saturating_sub(self.time.elapsed_ms());
            if wait > left {
                self.time.jump(left);
                return Ok(());
            }
            if wait > 1 {
                self.reach.note("do:wait");
            }
            self.time.jump(wait);
            self.take_up(process).await?;
        }
        Ok(())
    }

    /// Waits until nobody is at work who has only just begun. Time that jumped past the deadline of a request that is on
    /// its way would let it arrive late, which no process can prevent and no fault asked for. Who is dead, or held up by
    /// a fault, is waited for no longer than [`UNDER_WAY_MS`].
    async fn until_nothing_is_under_way(&self) -> Result<(), LedgerError> {
        let intents = lock(&self.intents).clone();
        let begun = self.time.elapsed_ms();
        while self.time.elapsed_ms() - begun < UNDER_WAY_MS {
            let mut busy = false;
            for intent in &intents {
                let Some(stored) = self.stored(intent).await? else { continue };
                busy |= fold(&stored.records).lease.is_some_and(|lease| self.is_young(&lease));
            }
            if !busy {
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        Ok(())
    }

    /// Whether a lease is held that was taken just now.
    fn is_young(&self, lease: &Lease) -> bool {
        let held_ms = self.time.elapsed_ms().saturating_sub(SteppedClock::elapsed_of(lease.at));
        lease.holds(self.clock.now()) && held_ms < UNDER_WAY_MS
    }

    /// Lets a process take up what is due now.
    ///
    /// # Errors
    /// That it panicked or was killed.
    pub async fn take_up(&self, process: &Process) -> Played {
        match process.recover(1_000).await {
            None => Err(Violation::new(Invariant::NoPanic, "recovery panicked")),
            Some(Ok(report)) => {
                for one in report.operations {
                    lock(&self.texts).push(serde_json::to_string(&one).unwrap_or_default());
                }
                Ok(())
            }
            Some(Err(error)) => {
                lock(&self.texts).push(error.to_string());
                // The clock is behind the ledger: an operator would set it, here time passes.
                if let ExecutorError::Future(seconds) = error {
                    self.time.jump(u64::try_from(seconds).unwrap_or(0) * 1_000);
                }
                Ok(())
            }
        }
    }

    /// The earliest moment at which something is due.
    async fn next_due(&self, truth: &SharedLedger) -> Result<Option<i64>, LedgerError> {
        let serves = [Serves { connection: CONNECTION.to_owned(), cell: self.cell.id().to_owned() }];
        let now = self.clock.now();
        let is_due = async |wall_ms: i64| {
            let due = truth.due(&serves, Stamp { wall_ms, ..now }, 1).await?;
            Ok::<_, LedgerError>(!due.is_empty())
        };
        if is_due(now.wall_ms).await? {
            return Ok(Some(now.wall_ms));
        }
        let (mut not, mut yes) = (now.wall_ms, now.wall_ms + 1_000);
        while !is_due(yes).await? {
            if yes - now.wall_ms > 3_650 * 86_400_000 {
                return Ok(None);
            }
            not = yes;
            yes = now.wall_ms + (yes - now.wall_ms) * 4;
        }
        while yes - not > 100 {
            let middle = not + (yes - not) / 2;
            if is_due(middle).await? { yes = middle } else { not = middle }
        }
        Ok(Some(yes))
    }

    /// How many records there are of all intents.
    async fn written(&self, _truth: &SharedLedger) -> Result<usize, LedgerError> {
        let intents = lock(&self.intents).clone();
        let mut written = 0;
        for intent in intents {
            written += self.stored(&intent).await?.map_or(0, |stored| stored.records.len());
        }
        Ok(written)
    }
}

pub(crate) fn broken(error: LedgerError) -> Violation {
    Violation::new(Invariant::Runs, format!("the ledger can't be read: {error}"))
}
