use super::{Executor, ExecutorError, Inner};
use crate::ledger::{Keep, OperationId, Phase, Pruned, Retention};
use crate::protocol::{Event, Record};

impl Executor {
    /// Removes arguments, receipts and words of providers from operations that ended, by these rules: the first one that
    /// speaks of an operation decides ([`Policy::keeps`](crate::policy::Policy::keeps) has those of the policy). `told`
    /// hears after each part how many there were up to then; when it says false, the rest is left. Returns how many.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`], [`ExecutorError::Future`] if this clock is behind the ledger: what was removed before
    /// is gone.
    pub async fn prune(
        &self,
        rules: Vec<Keep>,
        dry_run: bool,
        mut told: impl FnMut(u64) -> bool,
    ) -> Result<u64, ExecutorError> {
        self.inner.header_of_the_past().await?;
        let mut retention = Retention { rules, dry_run, ..Retention::of_all(self.inner.clock.now(), 0) };
        let mut pruned = 0;
        loop {
            let part = self.inner.prune(&retention).await?;
            pruned += part.operations;
            let goes_on = told(pruned);
            retention.after = part.next.filter(|_| goes_on);
            if retention.after.is_none() {
                return Ok(pruned);
            }
        }
    }

    /// Removes what one operation holds, now. Doing it again changes nothing.
    ///
    /// # Errors
    /// [`ExecutorError::NotNow`] if something may still need it, [`ExecutorError::UnknownOperation`].
    pub async fn forget(&self, operation: OperationId) -> Result<(), ExecutorError> {
        let inner = &self.inner;
        inner.header_of_the_past().await?;
        let journal = self.load(operation).await?;
        if journal.state.pruned {
            return Ok(());
        }
        let now = inner.clock.now();
        let retention = Retention { only: Some(operation), ..Retention::of_all(now, 0) };
        if inner.prune(&retention).await?.operations > 0 || self.load(operation).await?.state.pruned {
            return Ok(());
        }
        let seconds = journal.state.until_all_closing(now).div_ceil(1000);
        Err(ExecutorError::NotNow(match super::journal::phase(&journal.state) {
            Phase::Succeeded | Phase::Refused if seconds > 0 => {
                format!("a request of it may still take effect; forget it in {seconds} s")
            }
            Phase::Succeeded | Phase::Refused => "a last look at the provider is due; forget it after that".to_owned(),
            phase => format!("it hasn't ended: it is {}, and needs its arguments", phase.word()),
        }))
    }
}

impl Inner {
    async fn prune(&self, retention: &Retention) -> Result<Pruned, ExecutorError> {
        self.ledger.prune(retention).await.map_err(ExecutorError::Ledger)
    }
}

/// Evidence that comes after retention has been at an operation: what it holds would never be removed again.
pub(super) fn without_what_retention_removed(records: &mut [Record]) {
    for record in records {
        // What it says is needed (which receipt, that it was refused) is not private.
        debug_assert!(!matches!(record.event, Event::Began(_) | Event::Superseded { .. }), "a pruned key stays closed");
        record.event.redact();
    }
}
