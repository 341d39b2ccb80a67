use super::drive::Step as Driven;
use super::journal::{Committed, Journal, Served};
use super::{Inner, Point};
use crate::cell::Step;
use crate::ledger::LedgerError;
use crate::protocol::Event;
use crate::words::Fault;

/// Harmless steps that one turn takes at most: an adapter that never gets ready must not loop.
const MOST_STEPS: usize = 20;

impl Inner {
    /// Takes the harmless steps of the present epoch, journaling each note before anything relies
    /// on it.
    pub(super) async fn prepare(
        &self,
        journal: &mut Journal,
        served: &Served,
        new_epoch: bool,
    ) -> Result<Driven, LedgerError> {
        self.begin_epoch(journal, new_epoch);
        self.take(journal, served.standing.within_ms.saturating_add(LEASE_MARGIN_MS));
        if let Committed::EvidenceOnly = journal.commit(self, Some(served)).await? {
            return Ok(Driven::On);
        }
        for _ in 0..MOST_STEPS {
            let intent = journal.intent()?.clone();
            let context = self.context(served, &journal.state, &intent);
            let step = served.cell.prepare(&context, &intent.args).await;
            self.probe.reached(Point::AfterPrepareStep, journal.operation).await;
            match step {
                Ok(Step::Ready) => return self.prepared(journal, served).await,
                Ok(Step::Note(name, value)) => {
                    journal.decide(self, Event::Noted { name: name.to_owned(), value });
                    // The last note becomes durable together with the departure that relies on it.
                    if served.missing_note(journal).is_none() {
                        return Ok(Driven::On);
                    }
                    // Somebody else may have noted another handle meanwhile: only what is journaled
                    // may be used.
                    if let Committed::EvidenceOnly = journal.commit(self, Some(served)).await? {
                        return Ok(Driven::On);
                    }
                }
                Ok(Step::Refused(reason)) => {
                    journal.decide(self, Event::Closed { reason });
                    journal.commit(self, Some(served)).await?;
                    return Ok(Driven::On);
                }
                Ok(Step::Happened(receipt)) => {
                    journal.learn(self, Event::Witnessed { source: "prepare".to_owned(), receipt });
                    return self.settle_claim(journal, served).await;
                }
                Err(fault) => return Ok(self.not_prepared(journal, &fault)),
            }
        }
        self.ask(journal, served, "the steps before the request that counts never end".to_owned()).await
    }

    /// Ready: all names that the cell declares are journaled, or the adapter contradicts itself.
    async fn prepared(&self, journal: &mut Journal, served: &Served) -> Result<Driven, LedgerError> {
        match served.missing_note(journal) {
            None => Ok(Driven::On),
            Some(name) => {
                let why = format!("nothing was sent: {} is ready without its {name}", served.cell.spec().id);
                self.ask(journal, served, why).await
            }
        }
    }

    async fn ask(&self, journal: &mut Journal, served: &Served, why: String) -> Result<Driven, LedgerError> {
        journal.decide(self, Event::Asked { why });
        journal.commit(self, Some(served)).await?;
        Ok(Driven::On)
    }

    /// A harmless step failed: nothing that counts was sent. The caller hears why; the operation is
    /// due again.
    fn not_prepared(&self, journal: &Journal, fault: &Fault) -> Driven {
        let tries = journal.state.given_back.0.saturating_add(1);
        Driven::Waits(
            self.policy.bounds.backoff(tries),
            format!("nothing was sent that counts: a step before it failed: {fault}"),
        )
    }
}

impl Served {
    /// The first name that the cell declares and nobody has noted.
    fn missing_note(&self, journal: &Journal) -> Option<&'static str> {
        self.standing.notes.iter().copied().find(|name| !journal.state.notes.contains_key(*name))
    }
}

/// Leases outlive deadlines by this much.
pub(super) const LEASE_MARGIN_MS: u64 = 5_000;
