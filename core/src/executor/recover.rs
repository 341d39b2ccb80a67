use std::sync::{Arc, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, watch};

use super::drive::{Deadline, Held, RunReport};
use super::journal::Journal;
use super::{Executor, ExecutorError, Inner};
use crate::ledger::{By, Filter, LedgerError, OperationId, Phase, Serves};
use crate::protocol::{Elapsed, Event, Intent, Stamp};

/// What a recovery did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoverReport {
    /// What became of each operation that was due.
    pub operations: Vec<RunReport>,
    /// Due operations that nobody here serves, given to a person.
    pub unserved: Vec<OperationId>,
}

/// How many operations are worked on at once.
const AT_ONCE: usize = 16;

/// Due work that nobody has served for this long goes to the inbox.
const UNSERVED_MS: i64 = 3_600_000;

/// How often it is looked for.
const SWEEP_MS: u64 = 600_000;

impl Executor {
    /// Takes up what is due: operations whose worker is gone, waits that are over, last looks.
    /// Works on each for at most `wait_ms`.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`] if the list can't be read.
    pub async fn recover(&self, limit: u32, wait_ms: u64) -> Result<RecoverReport, ExecutorError> {
        let inner = &self.inner;
        let due = self.due(limit).await?;
        let gate = Arc::new(Semaphore::new(AT_ONCE));
        // Tasks of their own, not bound to this call: whoever drops it must not take answers away.
        let mut tasks = Vec::new();
        for operation in due {
            let (inner, gate) = (inner.clone(), gate.clone());
            tasks.push(tokio::spawn(async move {
                let _turn = gate.acquire_owned().await;
                let deadline = Deadline::after(&inner, wait_ms);
                let (unrecorded, _held) = watch::channel(Held::default());
                inner.take_up(operation, deadline, &unrecorded).await.ok()
            }));
        }
        let mut report = RecoverReport::default();
        for task in tasks {
            // A panic of one operation's adapter must not starve the others.
            if let Ok(Some(one)) = task.await {
                report.operations.push(one);
            }
        }
        report.operations.sort_by_key(|one| one.operation);
        report.unserved = self.give_unserved_to_a_person(limit).await?;
        Ok(report)
    }

    /// Notes that the ledger was restored from a backup, or goes on with another secret (rule 7):
    /// decisions in it are void, its windows and handles aren't relied on, and what was under way
    /// goes on only by being found or by a person. Returns how many operations that concerns.
    ///
    /// Each operation says so before the ledger does, so that none is taken up meanwhile as if nothing had happened. If
    /// this fails halfway, do it again.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`].
    pub async fn note_restored(&self) -> Result<u32, ExecutorError> {
        let inner = &self.inner;
        let check = inner.secret.check_value();
        let since = inner.clock.now();
        let known = inner.restore_all(since).await.map_err(ExecutorError::Ledger)?;
        inner.ledger.note_restored(since, &check).await.map_err(ExecutorError::Ledger)?;
        // What was begun meanwhile, by somebody who was at work and could not know.
        let begun = inner.restore_all(since).await.map_err(ExecutorError::Ledger)?;
        Ok(known + begun)
    }
}

impl Inner {
    /// Notes it at every operation that isn't final and doesn't say so yet.
    async fn restore_all(&self, since: Stamp) -> Result<u32, LedgerError> {
        let phases = vec![Phase::Open, Phase::Held, Phase::Person];
        let open = self.ledger.list(&Filter { phases, ..Filter::default() }).await?;
        let mut concerned = 0;
        for operation in open {
            concerned += u32::from(self.restore_one(operation, since).await?);
        }
        Ok(concerned)
    }

    async fn restore_one(&self, operation: OperationId, since: Stamp) -> Result<bool, LedgerError> {
        /// Stands for the deadline and settle of a cell that isn't known here.
        const UNKNOWN_SPAN_MS: u64 = 86_400_000;
        loop {
            let Some(mut journal) = Journal::load(self, By::Id(operation)).await? else { return Ok(false) };
            if journal.state.is_final() || journal.state.restored.is_some_and(|restore| restore.at == since) {
                return Ok(false);
            }
            let served = self.served(journal.intent()?);
            let span_ms = served.as_ref().map_or(UNKNOWN_SPAN_MS, super::journal::Served::span_ms);
            journal.decide(self, Event::Restored { since, span_ms });
            if let super::journal::Committed::All = journal.commit(self, served.as_ref()).await? {
                return Ok(true);
            }
        }
    }

    /// Due work whose adapter or connection is gone must not stay due for ever (A22). It waits for
    /// an hour, so it is looked for now and then only.
    pub(super) async fn give_unserved_to_a_person(&self, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        let now = self.clock.now();
        let last = self.swept.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        if last.is_some_and(|last| Elapsed::between(last, now).at_least_ms < SWEEP_MS) {
            return Ok(Vec::new());
        }
        let phases = vec![Phase::Open];
        let open = self.ledger.list(&Filter { phases, limit: limit.max(1_000), ..Filter::default() }).await?;
        let mut given = Vec::new();
        for operation in open {
            let Some(mut journal) = Journal::load(self, By::Id(operation)).await? else { continue };
            let intent = journal.intent()?.clone();
            if self.served(&intent).is_some() || !self.is_overdue(operation, &intent).await? {
                continue;
            }
            let why = format!("nobody serves {} on connection {}", intent.cell, intent.connection);
            journal.decide(self, Event::Asked { why });
            journal.commit(self, None).await?;
            given.push(operation);
        }
        Ok(given)
    }

    async fn is_overdue(&self, operation: OperationId, intent: &Intent) -> Result<bool, LedgerError> {
        let serves = [Serves { connection: intent.connection.clone(), cell: intent.cell.clone() }];
        let now = self.clock.now();
        let long_ago = Stamp { wall_ms: now.wall_ms.saturating_sub(UNSERVED_MS), ..now };
        Ok(self.ledger.due(&serves, long_ago, 10_000).await?.contains(&operation))
    }
}
