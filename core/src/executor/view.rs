use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drive::outcome;
use super::journal::{Journal, phase};
use super::{Executor, ExecutorError};
use crate::capability::CellSpec;
use crate::ledger::{By, Filter, OperationId, Phase};
use crate::protocol::{Decision, Event, Found, OpState, Record};
use crate::words::Outcome;

/// An operation as people and programs are shown it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationView {
    /// Its id.
    pub operation: OperationId,
    /// Its revision: name it when you decide.
    pub revision: u64,
    /// The present epoch, counted from 0.
    pub epoch: u32,
    /// `stripe.charge`.
    pub cell: String,
    /// Name of the connection.
    pub connection: String,
    /// The caller's key.
    pub key: String,
    /// Where it stands.
    pub phase: Phase,
    /// The arguments; null when retention removed them.
    pub args: Value,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome<Value>,
    /// What became of it after it was accepted.
    pub fate: Option<String>,
    /// Whether retention has removed arguments and receipt.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub pruned: bool,
    /// What contradicts what is on record.
    pub alarms: Vec<String>,
    /// What happened, in order.
    pub timeline: Vec<TimelineEntry>,
    /// What a person needs to decide; none when it is final.
    pub evidence: Option<Evidence>,
}

/// One line of the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// What happened, in words.
    pub what: String,
}

/// What a person needs to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Requests that may have taken effect.
    pub open_attempts: u32,
    /// Seconds until an absence can be trusted; 0: now.
    pub absence_counts_in_seconds: u64,
    /// Where to look, with which search text.
    pub look_at: String,
    /// What a duplicate would cost.
    pub stakes: String,
    /// How it can be reversed.
    pub reversal: String,
    /// The left-over risk of the cell.
    pub residual: String,
}

impl Executor {
    /// One operation.
    ///
    /// # Errors
    /// [`ExecutorError::UnknownOperation`] or [`ExecutorError::Ledger`].
    pub async fn show(&self, operation: OperationId) -> Result<OperationView, ExecutorError> {
        let stored = self.inner.ledger.load(By::Id(operation)).await.map_err(ExecutorError::Ledger)?;
        let stored = stored.ok_or_else(|| ExecutorError::UnknownOperation(operation.to_string()))?;
        let journal = Journal::from_records(operation, &stored.records);
        self.view(&journal, &stored.records)
    }

    /// Operations, newest first.
    ///
    /// # Errors
    /// [`ExecutorError::Ledger`].
    pub async fn list(&self, filter: &Filter) -> Result<Vec<OperationView>, ExecutorError> {
        let ids = self.inner.ledger.list(filter).await.map_err(ExecutorError::Ledger)?;
        let mut views = Vec::with_capacity(ids.len());
        for id in ids {
            views.push(self.show(id).await?);
        }
        Ok(views)
    }

    fn view(&self, journal: &Journal, records: &[Record]) -> Result<OperationView, ExecutorError> {
        let state = &journal.state;
        let intent = journal.intent().map_err(ExecutorError::Ledger)?;
        let evidence = (!state.is_final()).then(|| self.evidence(journal)).flatten();
        Ok(OperationView {
            operation: journal.operation,
            revision: state.revision,
            epoch: state.epoch,
            cell: intent.cell.clone(),
            connection: intent.connection.clone(),
            key: intent.key.to_string(),
            phase: phase(state),
            args: (*intent.args).clone(),
            outcome: outcome(state, None),
            fate: state.fate.as_ref().map(|(fate, _)| fate.clone()),
            pruned: state.pruned,
            alarms: state.alarms.iter().map(|alarm| alarm.what.clone()).collect(),
            timeline: records.iter().map(TimelineEntry::of).collect(),
            evidence,
        })
    }

    fn evidence(&self, journal: &Journal) -> Option<Evidence> {
        let (state, inner) = (&journal.state, &self.inner);
        let intent = state.intent.as_ref()?;
        let served = inner.served(intent)?;
        let spec = served.cell.spec();
        let names = inner.names(&served, state, intent, state.key_number);
        Some(Evidence {
            open_attempts: u32::try_from(state.open().count()).unwrap_or(u32::MAX),
            absence_counts_in_seconds: state.until_closing(inner.clock.now()).div_ceil(1000),
            look_at: fill(spec, state, &intent.args, &names.mark()),
            stakes: format!("{:?}", spec.stakes).to_lowercase(),
            reversal: spec.reversal.to_owned(),
            residual: spec.residual.to_owned(),
        })
    }
}

/// Where a person looks, with `{...}` filled in from notes, arguments and the mark.
fn fill(spec: &CellSpec, state: &OpState, args: &Value, mark: &str) -> String {
    let mut text = spec.human().replace("{mark}", mark);
    for (name, value) in &state.notes {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    if let Value::Object(fields) = args {
        for (name, value) in fields {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text = text.replace(&format!("{{{name}}}"), &value);
        }
    }
    text
}

impl TimelineEntry {
    fn of(record: &Record) -> Self {
        Self { at_ms: record.at.wall_ms, what: words(&record.event) }
    }
}

fn words(event: &Event) -> String {
    match event {
        Event::Began(intent) => format!("began {} with key {}", intent.cell, intent.key),
        Event::Restored { .. } => "the ledger was restored".to_owned(),
        Event::Held(hold) => format!("held: {}", serde_json::to_string(hold).unwrap_or_default()),
        Event::Approved { by, .. } => format!("{by} approved it"),
        Event::Leased { for_ms, .. } => format!("taken up for {} s", for_ms / 1000),
        Event::Yielded { .. } => "given back".to_owned(),
        Event::Noted { name, value } => format!("noted {name} {value}"),
        Event::Departed(departed) => format!(
            "request {} leaves, to be answered within {} s: {}",
            departed.attempt + 1,
            departed.within_ms / 1000,
            departed.because
        ),
        Event::Heard(heard) => {
            format!("request {}: {} ({})", heard.attempt + 1, heard.verdict.name(), heard.verdict.why())
        }
        Event::Looked(looked) => format!("looked: {}", found(&looked.found)),
        Event::Witnessed { source, receipt } => format!("{source} proves that it happened: {}", receipt.id),
        Event::Asked { why } => format!("given to a person: {why}"),
        Event::Decided { by, decision, .. } => format!("{by} says: {}", said(decision)),
        Event::TakenOver { by } => format!("{by} took over"),
        Event::Epoch { number, because } => format!("epoch {number} begins: {because}"),
        Event::Superseded { by, epoch, .. } => format!("{by} tries again after epoch {epoch}"),
        Event::Closed { reason } => format!("closed without an effect: {reason}"),
        Event::Alarmed { what } => format!("ALARM: {what}"),
        Event::Fated { fate, .. } => format!("what became of it: {fate}"),
        Event::Pruned => "arguments and receipt removed by retention".to_owned(),
    }
}

fn found(found: &Found) -> String {
    match found {
        Found::Happened { receipt } => format!("it happened ({})", receipt.id),
        Found::Failed { reason } => format!("it came to nothing: {reason}"),
        Found::Absent => "nothing there".to_owned(),
        Found::NotYet { why } => format!("not yet: {why}"),
        Found::CannotTell { why } => format!("can't tell: {why}"),
        Found::Several { ids } => format!("more than one: {}", ids.join(", ")),
    }
}

fn said(decision: &Decision) -> String {
    match decision {
        Decision::Happened { receipt } => format!("it happened ({})", receipt.id),
        Decision::DidNotHappen => "it did not happen".to_owned(),
        Decision::SendAgain => "send it again".to_owned(),
    }
}
