//! What a long-lived worker is made of: ask what is due, take it up, ask when to come back.

use tokio::sync::watch;
use tracing::Instrument;

use super::drive::{Deadline, Held, RunReport, Unrecorded};
use super::journal::Journal;
use super::{Executor, ExecutorError, Inner};
use crate::ledger::{By, OperationId};

impl Executor {
    /// What is due now of what is served here, oldest first, at most `limit`. Asking takes nothing
    /// up: whoever asks at the same moment may be told the same, and leases decide.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`] if the list can't be read, [`ExecutorError::Future`] if this clock is
    /// behind the ledger.
    pub async fn due(&self, limit: u32) -> Result<Vec<OperationId>, ExecutorError> {
        let inner = &self.inner;
        inner.header_of_the_past().await?;
        inner.ledger.due(&inner.services.serves(), inner.clock.now(), limit).await.map_err(ExecutorError::Ledger)
    }

    /// In how many milliseconds of the executor's clock the next of what is served here will be due
    /// that isn't yet. None: nothing that is in the ledger now will be.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`] if it can't be read.
    pub async fn next_due_in_ms(&self) -> Result<Option<u64>, ExecutorError> {
        let inner = &self.inner;
        let now = inner.clock.now();
        let next = inner.ledger.next_due(&inner.services.serves(), now).await.map_err(ExecutorError::Ledger)?;
        Ok(next.map(|due_ms| u64::try_from(due_ms.saturating_sub(inner.clock.now().wall_ms)).unwrap_or(0)))
    }

    /// Takes one operation up and works on it until it is over, a person is asked, or it has to wait
    /// for longer than what is left of `wait_ms` milliseconds; with 0, until it has to wait at all.
    /// Then it is due again in the ledger, for whoever comes first. One that another worker holds is
    /// left to it.
    ///
    /// The work is a task of its own, not bound to this call: whoever drops it doesn't take an answer
    /// away. An error of the ledger while it works is in the report, with revision 0.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`] if it can't be loaded, [`ExecutorError::UnknownOperation`].
    pub async fn take_up(&self, operation: OperationId, wait_ms: u64) -> Result<RunReport, ExecutorError> {
        let inner = self.inner.clone();
        let (unrecorded, held) = watch::channel(Held::default());
        let deadline = Deadline::after(&inner, wait_ms);
        let span = tracing::info_span!("operation", %operation);
        let work = async move { inner.take_up(operation, deadline, &unrecorded).await };
        match tokio::spawn(work.instrument(span)).await {
            Ok(ended) => ended,
            // A panic in an adapter is caught here; what is journaled stays, and the work is due.
            Err(_) => Ok(self.inner.report_unknown(operation, "the worker stopped unexpectedly", &held).await),
        }
    }

    /// Gives due work to a person that nobody has served for an hour. It is looked for every ten
    /// minutes at most; a call in between does nothing.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`].
    pub async fn give_unserved_to_a_person(&self, limit: u32) -> Result<Vec<OperationId>, ExecutorError> {
        self.inner.give_unserved_to_a_person(limit).await.map_err(ExecutorError::Ledger)
    }
}

impl Inner {
    pub(super) async fn take_up(
        &self,
        operation: OperationId,
        deadline: Deadline,
        unrecorded: &Unrecorded,
    ) -> Result<RunReport, ExecutorError> {
        let journal = Journal::load(self, By::Id(operation)).await.map_err(ExecutorError::Ledger)?;
        let journal = journal.ok_or_else(|| ExecutorError::UnknownOperation(operation.to_string()))?;
        self.drive(journal, None, deadline, unrecorded).await
    }
}
