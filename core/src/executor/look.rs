use super::drive::Step as Driven;
use super::journal::{Committed, Journal, Served};
use super::{Inner, Point};
use crate::capability::{Absence, Kind, Mark, Query, Token};
use crate::cell::Context;
use crate::ledger::{By, LedgerError};
use crate::protocol::{Event, Found, Intent, Looked, Receipt};
use crate::words::{Fault, Finding};

/// How long one look may hold the work; a look that takes longer renews the lease.
const LOOK_LEASE_MS: u64 = 60_000;

impl Inner {
    /// Looks whether it happened, under a lease, and journals what it found.
    pub(super) async fn look(&self, journal: &mut Journal, served: &Served) -> Result<Driven, LedgerError> {
        self.take(journal, LOOK_LEASE_MS);
        if let Committed::EvidenceOnly = journal.commit(self, Some(served)).await? {
            return Ok(Driven::On);
        }
        self.probe.reached(Point::BeforeLook, journal.operation).await;
        let intent = journal.intent()?.clone();
        let context = self.context(served, &journal.state, &intent);
        let began = self.clock.now();
        let found = self.ask_provider(journal, served, &context, &intent).await?;
        self.probe.reached(Point::AfterLook, journal.operation).await;
        metrics::counter!("hapax_looks_total", "cell" => served.cell.spec().id).increment(1);
        let found = match found {
            Ok(found) => Ok(self.ours(journal, served, found).await?),
            Err(fault) => Err(fault),
        };
        let (found, alarm) = Found::of(found);
        let receipt = if let Found::Happened { receipt } = &found { Some(receipt.clone()) } else { None };
        let look = served.standing.look;
        journal.learn(
            self,
            Event::Looked(Looked {
                began,
                found,
                absence: look.map_or(Absence::Nothing, |look| look.absence),
                by_mark: served.sees_lost_handles(),
                by_content: look.is_some_and(|look| look.by_content),
            }),
        );
        if let Some(what) = alarm {
            journal.learn(self, Event::Alarmed { what });
        }
        if let Some(receipt) = receipt {
            self.learn_fate(journal, served, &receipt);
        }
        match self.commit_evidence(journal, served).await {
            Ok(_) => Ok(Driven::On),
            // Somebody claimed the record between our question and our write: look again.
            Err(LedgerError::Claimed(_)) => {
                journal.roll_back(self).await?;
                Ok(Driven::On)
            }
            Err(error) => Err(error),
        }
    }

    /// Asks, renewing the lease while it takes long.
    async fn ask_provider(
        &self,
        journal: &mut Journal,
        served: &Served,
        context: &Context,
        intent: &Intent,
    ) -> Result<Result<Finding<Receipt>, Fault>, LedgerError> {
        let asking = served.cell.find(context, &intent.args);
        tokio::pin!(asking);
        loop {
            tokio::select! {
                found = &mut asking => return Ok(found),
                () = self.clock.sleep(LOOK_LEASE_MS / 2) => {
                    self.take(journal, LOOK_LEASE_MS);
                    if let Committed::EvidenceOnly = journal.commit(self, Some(served)).await? {
                        // Somebody else moved the operation on; what we still find is evidence.
                        return Ok(asking.await);
                    }
                }
            }
        }
    }

    /// The finding without the hits that other operations have claimed, and without what failed and was superseded.
    async fn ours(
        &self,
        journal: &Journal,
        served: &Served,
        found: Finding<Receipt>,
    ) -> Result<Finding<Receipt>, LedgerError> {
        let hits = match found {
            Finding::Happened(receipt) => vec![receipt],
            Finding::Several(receipts) => receipts,
            said => return Ok(said),
        };
        let mut ours = Vec::new();
        for hit in hits {
            if !served.is_superseded(journal, &hit) && !self.is_claimed_by_another(journal, served, &hit).await? {
                ours.push(hit);
            }
        }
        Ok(match ours.len() {
            0 => Finding::Absent,
            1 => Finding::Happened(ours.remove(0)),
            _ => Finding::Several(ours),
        })
    }

    async fn is_claimed_by_another(
        &self,
        journal: &Journal,
        served: &Served,
        hit: &Receipt,
    ) -> Result<bool, LedgerError> {
        // Anybody's doing satisfies a be-so cell, another operation's too.
        if hit.id.is_empty() || served.standing.kind == Kind::BeSo {
            return Ok(false);
        }
        let account = &journal.intent()?.account;
        let claimant = self.ledger.load(By::Claim { account, id: &hit.id }).await?;
        Ok(claimant.is_some_and(|stored| stored.operation != journal.operation))
    }
}

impl Served {
    /// Whether this is a record that failed and was superseded. One that has come to life again is
    /// not: it happened.
    pub(super) fn is_superseded(&self, journal: &Journal, hit: &Receipt) -> bool {
        journal.state.superseded.contains(&hit.id) && self.cell.fate(hit).is_some_and(|(_, failed)| failed)
    }

    /// Whether a look also sees what a handle did that the ledger forgot: where there is none to
    /// forget, or where the cell can look by mark.
    fn sees_lost_handles(&self) -> bool {
        let spec = self.cell.spec();
        // Also where the handle is only a belt: it can be lost whether it is relied on or not.
        let has_handles = spec.natives().any(|native| matches!(native.token, Token::Handle(_)));
        let by_mark = |query: &Query| !query.told && matches!(query.mark, Mark::Planted(..));
        !has_handles
            || spec.queries().any(|query| by_mark(query) && query.needs.iter().all(|need| self.connection.is_met(need)))
    }
}
