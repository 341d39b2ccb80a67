use super::drive::{Step as Driven, Unrecorded};
use super::journal::{Committed, Journal, Served};
use super::prepare::LEASE_MARGIN_MS;
use super::{Inner, Point};
use crate::cell::Shot;
use crate::ledger::{By, LedgerError, OperationId};
use crate::protocol::{Departed, Event, Final, Heard, Receipt, Record, Verdict};
use crate::transport::Gate;

impl Inner {
    /// Waits for everything that an attempt needs from outside. It comes before the departure, so
    /// that it doesn't eat the deadline. None: a request may leave now.
    pub(super) async fn ready_to_send(&self, served: &Served) -> Option<Driven> {
        if let Err(fault) = served.connection.integration.refresh(&self.wire(served)).await {
            return Some(Driven::Waits(
                1_000,
                format!("nothing was sent: credentials could not be refreshed: {fault}"),
            ));
        }
        if let Err(fault) = served.connection.limiter.ready(&self.clock).await {
            let held = served.connection.limiter.held_ms(&self.clock);
            return Some(Driven::Waits(held.max(1_000), fault.to_string()));
        }
        None
    }

    /// Journals a departure, sends the one request, journals what was heard.
    pub(super) async fn attempt(
        &self,
        journal: &mut Journal,
        served: &Served,
        replace_key: bool,
        because: String,
        unrecorded: &Unrecorded,
    ) -> Result<Driven, LedgerError> {
        let Some(gate) = self.depart(journal, served, replace_key, because) else { return Ok(Driven::On) };
        if let Committed::EvidenceOnly = journal.commit(self, Some(served)).await? {
            return Ok(Driven::On);
        }
        // What was said of waiting before is over: a request is on its way.
        unrecorded.send_modify(|held| held.waits = None);
        self.probe.reached(Point::BeforeSend, journal.operation).await;
        let (verdict, alarm) = self.send(journal, served, gate).await?;
        self.probe.reached(Point::AfterSend, journal.operation).await;
        if let Verdict::Happened { receipt } = &verdict {
            unrecorded.send_modify(|held| held.receipt = Some(receipt.clone()));
        }
        self.hear(journal, served, verdict, alarm).await
    }

    /// Adds lease and departure, with every fact that later judgements about the attempt rely on.
    /// None: its good-until leaves no time.
    fn depart(&self, journal: &mut Journal, served: &Served, replace_key: bool, because: String) -> Option<Gate> {
        let standing = &served.standing;
        let now = self.clock.now();
        let left = journal
            .state
            .good_until_ms()
            .map_or(u64::MAX, |until| u64::try_from(until.saturating_sub(now.wall_ms)).unwrap_or(0));
        let within_ms = standing.within_ms.min(left);
        if within_ms == 0 {
            return None;
        }
        let owner = journal.owner.clone();
        let for_ms = within_ms.saturating_add(LEASE_MARGIN_MS);
        journal.decide_at(Record { at: now, event: Event::Leased { owner, for_ms } });
        let departed = Departed {
            attempt: u32::try_from(journal.state.attempts.len()).unwrap_or(u32::MAX),
            key_number: journal.state.key_number + u32::from(replace_key),
            scope: served.scope.to_string(),
            within_ms,
            settle_ms: standing.settle_ms,
            closing_ms: standing.closing_ms,
            record_ms: standing.record_ms,
            because,
        };
        journal.decide_at(Record { at: now, event: Event::Departed(departed) });
        Some(Gate::new(self.clock.clone(), now, within_ms))
    }

    async fn send(
        &self,
        journal: &Journal,
        served: &Served,
        gate: Gate,
    ) -> Result<(Verdict, Option<String>), LedgerError> {
        let intent = journal.intent()?;
        let spec = served.cell.spec();
        let names = self.names(served, &journal.state, intent, journal.state.key_number);
        let wire = self.wire(served);
        let attempt = journal.state.attempts.len().saturating_sub(1);
        tracing::info!(cell = spec.id, operation = %journal.operation, attempt, "departs");
        let answer = served.cell.attempt(Shot::new(&names, &wire, spec, gate), &intent.args).await;
        let (verdict, alarm) = Verdict::of(answer);
        tracing::info!(cell = spec.id, operation = %journal.operation, attempt, answer = verdict.name(), "heard");
        metrics::counter!("hapax_attempts_total", "cell" => spec.id, "answer" => verdict.name()).increment(1);
        Ok((verdict, alarm))
    }

    async fn hear(
        &self,
        journal: &mut Journal,
        served: &Served,
        verdict: Verdict,
        alarm: Option<String>,
    ) -> Result<Driven, LedgerError> {
        let attempt = journal.state.attempts.last().map_or(0, |attempt| attempt.number);
        let receipt = if let Verdict::Happened { receipt } = &verdict { Some(receipt.clone()) } else { None };
        journal.learn(self, Event::Heard(Heard { attempt, verdict }));
        if let Some(what) = alarm {
            journal.learn(self, Event::Alarmed { what });
        }
        if let Some(receipt) = receipt {
            self.learn_fate(journal, served, &receipt);
        }
        self.settle_claim(journal, served).await
    }

    /// What the receipt says of its own fate goes into the same write. Only of the receipt that is
    /// on record: the failure of a second record must not open the way to one more effect.
    pub(super) fn learn_fate(&self, journal: &mut Journal, served: &Served, receipt: &Receipt) {
        let on_record = matches!(&journal.state.outcome, Some(Final::Succeeded(first)) if first.id == receipt.id);
        if let Some((fate, failed)) = served.cell.fate(receipt).filter(|_| on_record) {
            journal.learn(self, Event::Fated { fate, failed });
        }
    }

    /// Writes evidence of a success. If another operation claims the record, the alarm is on both,
    /// and this one goes to a person: an answer outranks a find (rule 8).
    pub(super) async fn settle_claim(&self, journal: &mut Journal, served: &Served) -> Result<Driven, LedgerError> {
        match self.commit_evidence(journal, served).await {
            Ok(_) => Ok(Driven::On),
            Err(LedgerError::Claimed(other)) => {
                let id = match &journal.state.outcome {
                    Some(Final::Succeeded(receipt)) => receipt.id.clone(),
                    _ => String::new(),
                };
                journal.roll_back(self).await?;
                self.contested(journal, served, other, &id).await
            }
            Err(error) => Err(error),
        }
    }

    async fn contested(
        &self,
        journal: &mut Journal,
        served: &Served,
        other: OperationId,
        id: &str,
    ) -> Result<Driven, LedgerError> {
        let attempt = journal.state.attempts.last().map_or(0, |attempt| attempt.number);
        let why = format!("our own answer names {id}, which operation {other} claims");
        let verdict = Verdict::Unclear { why: why.clone(), server_error: false };
        journal.learn(self, Event::Heard(Heard { attempt, verdict }));
        journal.learn(self, Event::Alarmed { what: why.clone() });
        journal.learn(self, Event::Asked { why });
        self.commit_evidence(journal, served).await?;
        if let Some(mut theirs) = Journal::load(self, By::Id(other)).await? {
            let what = format!("operation {} was answered with {id}, which this one claims", journal.operation);
            theirs.learn(self, Event::Alarmed { what });
            let served = self.served(theirs.intent()?);
            theirs.commit(self, served.as_ref()).await?;
        }
        Ok(Driven::On)
    }
}
