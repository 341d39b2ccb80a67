use std::sync::Arc;

use serde_json::json;

use super::journal::{Committed, Journal, Served};
use super::{Executor, ExecutorError, RunReport};
use crate::executor::drive::{Deadline, report};
use crate::ledger::{LedgerError, OperationId};
use crate::protocol::{Decision, Event, Final, Hold, Receipt, Stamp, may_decide};
use crate::words::{Fault, Refusal};

/// What a person says of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonSays {
    /// It happened; the provider's id of it. It is read by id, compared with the intent, and
    /// claimed.
    Happened {
        /// The provider's id.
        id: String,
    },
    /// It did not happen. Closes the operation as refused.
    DidNotHappen,
    /// Send it again, in a new epoch.
    SendAgain,
}

impl Executor {
    /// Takes a person's decision. They name the revision that they saw, evidence included.
    ///
    /// `looked` is when they looked at the provider; where nothing can be asked, it must lie after
    /// settle.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn resolve(
        &self,
        operation: OperationId,
        seen: u64,
        by: &str,
        looked: Stamp,
        says: PersonSays,
    ) -> Result<RunReport, ExecutorError> {
        self.inner.header_of_the_past().await?;
        let (mut journal, served) = self.seen(operation, seen).await?;
        let decision = match says {
            PersonSays::Happened { id } => {
                let read = self.fetch(&journal, &served, &id).await;
                Decision::Happened { receipt: self.read(&journal, &served, &id, read)? }
            }
            PersonSays::DidNotHappen => Decision::DidNotHappen,
            PersonSays::SendAgain => Decision::SendAgain,
        };
        if !matches!(decision, Decision::Happened { .. }) {
            // Only the person whose hands are at work knows what they did.
            if let Some(hand) = journal.state.hand.as_ref().filter(|hand| journal.state.taken_over && *hand != by) {
                return Err(ExecutorError::NotNow(format!("{hand} has taken it over, so {hand} decides")));
            }
            may_decide(&journal.state, &served.standing, looked, self.inner.clock.now()).map_err(|ms| {
                let seconds = ms.div_ceil(1000);
                ExecutorError::NotNow(format!(
                    "a request may still take effect; look at the provider again in {seconds} s, then decide"
                ))
            })?;
        }
        let fate = match &decision {
            Decision::Happened { receipt } => served.cell.fate(receipt),
            _ => None,
        };
        journal.decide(&self.inner, Event::Decided { by: by.to_owned(), seen, looked, decision });
        if let Some((fate, failed)) = fate {
            journal.decide(&self.inner, Event::Fated { fate, failed });
        }
        self.write(&mut journal, &served, seen).await?;
        self.inner.clone().drive_in_task(journal, None, Deadline::after(&self.inner, 10_000)).await
    }

    /// Approves what is held; it goes on at once.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn approve(
        &self,
        operation: OperationId,
        seen: u64,
        by: &str,
        wait_ms: u64,
    ) -> Result<RunReport, ExecutorError> {
        self.inner.header_of_the_past().await?;
        let (mut journal, served) = self.seen(operation, seen).await?;
        if journal.state.hold.is_none() {
            return Err(ExecutorError::NotNow("it isn't held".to_owned()));
        }
        if journal.state.hold == Some(Hold::Restored) {
            // What was sent before the restore may still take effect, so nobody can have seen it.
            let now = self.inner.clock.now();
            may_decide(&journal.state, &served.standing, now, now).map_err(|ms| {
                let seconds = ms.div_ceil(1000);
                ExecutorError::NotNow(format!(
                    "what was sent before the ledger was restored may still take effect; look at the provider again in {seconds} s, then approve"
                ))
            })?;
        }
        let fingerprint = journal.intent().map_err(ExecutorError::Ledger)?.fingerprint;
        let epoch = journal.state.epoch;
        journal.decide(&self.inner, Event::Approved { by: by.to_owned(), fingerprint, epoch });
        self.write(&mut journal, &served, seen).await?;
        self.inner.clone().drive_in_task(journal, None, Deadline::after(&self.inner, wait_ms)).await
    }

    /// Denies what is held: it closes as refused.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn deny(&self, operation: OperationId, seen: u64, by: &str) -> Result<RunReport, ExecutorError> {
        let (mut journal, served) = self.seen(operation, seen).await?;
        if journal.state.hold.is_none() || journal.state.open().next().is_some() {
            return Err(ExecutorError::NotNow("it isn't held; resolve it instead".to_owned()));
        }
        let reason = Refusal::new("denied", format!("{by} denied it"));
        journal.decide(&self.inner, Event::Closed { reason });
        self.write(&mut journal, &served, seen).await?;
        Ok(report(&journal, None))
    }

    /// A person acts by hand from now on: nothing more departs. What has left may still take
    /// effect; [`super::OperationView::evidence`] says from when a hand is safe.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn take_over(&self, operation: OperationId, seen: u64, by: &str) -> Result<RunReport, ExecutorError> {
        let (mut journal, served) = self.seen(operation, seen).await?;
        journal.decide(&self.inner, Event::TakenOver { by: by.to_owned() });
        self.write(&mut journal, &served, seen).await?;
        Ok(report(&journal, None))
    }

    /// Takes proof that it happened, from anywhere: a webhook whose signature was checked, a
    /// receipt that could not be recorded. The record is read by id and compared with the intent.
    /// It settles an operation that isn't final and rings an alarm on one that it contradicts.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn witness(&self, operation: OperationId, source: &str, id: &str) -> Result<RunReport, ExecutorError> {
        let mut journal = self.load(operation).await?;
        let served = self.served(&journal)?;
        if let Some(report) = witnessed_too_late(&journal, id)? {
            return Ok(report);
        }
        let read = self.fetch(&journal, &served, id).await;
        let receipt = self.read(&journal, &served, id, read)?;
        journal.learn(&self.inner, Event::Witnessed { source: source.to_owned(), receipt: receipt.clone() });
        self.inner.learn_fate(&mut journal, &served, &receipt);
        match self.inner.commit_evidence(&mut journal, &served).await {
            Ok(_) => Ok(report(&journal, None)),
            Err(LedgerError::Claimed(other)) => {
                Err(ExecutorError::NotNow(format!("operation {other} claims the record {id}")))
            }
            Err(error) => Err(ExecutorError::Ledger(error)),
        }
    }

    /// Asks what has become of something accepted, and journals it if it changed.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn follow(&self, operation: OperationId) -> Result<RunReport, ExecutorError> {
        let mut journal = self.load(operation).await?;
        let served = self.served(&journal)?;
        let Some(Final::Succeeded(receipt)) = journal.state.outcome.clone() else {
            return Err(ExecutorError::NotNow("only what succeeded has a fate".to_owned()));
        };
        if journal.state.pruned {
            return Err(ExecutorError::NotNow(format!(
                "its arguments were removed by retention; ask the provider for {}",
                receipt.id
            )));
        }
        let intent = journal.intent().map_err(ExecutorError::Ledger)?;
        let context = self.inner.context(&served, &journal.state, intent);
        let read = served.cell.follow(&context, &intent.args, &receipt.id).await;
        let now = self.read(&journal, &served, &receipt.id, read)?;
        let fate = served.cell.fate(&now);
        if fate.is_some() && fate != journal.state.fate {
            self.inner.learn_fate(&mut journal, &served, &now);
            self.inner.commit_evidence(&mut journal, &served).await.map_err(ExecutorError::Ledger)?;
        }
        Ok(report(&journal, None))
    }

    /// An operation that isn't final, at the revision that somebody saw.
    async fn seen(&self, operation: OperationId, seen: u64) -> Result<(Journal, Served), ExecutorError> {
        let journal = self.load(operation).await?;
        if journal.state.revision != seen {
            return Err(ExecutorError::Stale { seen, now: journal.state.revision });
        }
        if journal.state.is_final() {
            return Err(ExecutorError::NotNow("it is final".to_owned()));
        }
        let served = self.served(&journal)?;
        Ok((journal, served))
    }

    pub(super) fn served(&self, journal: &Journal) -> Result<Served, ExecutorError> {
        let intent = journal.intent().map_err(ExecutorError::Ledger)?;
        self.inner.served(intent).ok_or_else(|| {
            ExecutorError::NotNow(format!("no connection here serves {} on {}", intent.cell, intent.connection))
        })
    }

    /// Reads a record that somebody names by the provider's id, and compares it with the intent.
    async fn fetch(&self, journal: &Journal, served: &Served, id: &str) -> Result<Option<Receipt>, Fault> {
        let intent = journal.intent().map_err(|error| Fault::NotSent(error.to_string()))?;
        let context = self.inner.context(served, &journal.state, intent);
        served.cell.fetch(&context, &intent.args, id).await
    }

    /// What was read of a record, as the one that it was read for.
    fn read(
        &self,
        journal: &Journal,
        served: &Served,
        id: &str,
        read: Result<Option<Receipt>, Fault>,
    ) -> Result<Receipt, ExecutorError> {
        match read {
            Ok(Some(receipt)) if served.is_superseded(journal, &receipt) => {
                Err(ExecutorError::NotNow(format!("the record {id} failed, and was superseded")))
            }
            Ok(Some(receipt)) => Ok(receipt),
            Ok(None) => Err(ExecutorError::NotNow(format!("the provider has no record {id}"))),
            Err(Fault::Echo(fields)) => {
                Err(ExecutorError::NotNow(format!("the record {id} differs from the intent in {fields}")))
            }
            // Where nothing can be asked, a person's word is the only evidence there is.
            Err(_) if served.standing.look.is_none() => {
                Ok(Receipt { id: id.to_owned(), body: Arc::new(json!({ "id": id, "source": "a person" })) })
            }
            Err(fault) => Err(ExecutorError::NotNow(format!("the record {id} can't be read: {fault}"))),
        }
    }

    /// Writes a person's act, if nothing has changed since they looked.
    async fn write(&self, journal: &mut Journal, served: &Served, seen: u64) -> Result<(), ExecutorError> {
        match journal.commit(&self.inner, Some(served)).await {
            Ok(Committed::All) => Ok(()),
            Ok(Committed::EvidenceOnly) => Err(ExecutorError::Stale { seen, now: journal.state.revision }),
            Err(LedgerError::Claimed(other)) => {
                Err(ExecutorError::NotNow(format!("operation {other} claims this record")))
            }
            Err(error) => Err(ExecutorError::of_decision(error)),
        }
    }
}

/// What a witness of an operation is worth that retention has been at: a record can't be compared with arguments that
/// are gone, so only the one that is on record already says nothing new. None: retention hasn't been there.
fn witnessed_too_late(journal: &Journal, id: &str) -> Result<Option<RunReport>, ExecutorError> {
    if !journal.state.pruned {
        return Ok(None);
    }
    let on_record = match &journal.state.outcome {
        Some(Final::Succeeded(receipt)) if receipt.id == id => return Ok(Some(report(journal, None))),
        Some(Final::Succeeded(receipt)) => {
            format!("{} is on record: if {id} is of this intent too, there are two effects", receipt.id)
        }
        _ => format!("it is on record as refused: if {id} is of this intent, it happened all the same"),
    };
    Err(ExecutorError::NotNow(format!(
        "its arguments were removed by retention, so {id} can't be compared with them; {on_record}"
    )))
}
