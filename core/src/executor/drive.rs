use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::futures::Notified;
use tokio::sync::watch;
use tracing::Instrument;

use super::begin::Checked;
use super::journal::{Committed, Journal, Served, phase};
use super::{Executor, ExecutorError, Inner};
use crate::ledger::{By, LedgerError, OperationId, Phase};
use crate::protocol::{Do, Elapsed, Event, Final, IN_PROGRESS, OpState, Receipt, Stamp, View, next};
use crate::words::{Next, Outcome};

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReport {
    /// The operation.
    pub operation: OperationId,
    /// Its revision when this was said.
    pub revision: u64,
    /// The present epoch, counted from 0.
    pub epoch: u32,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome<Value>,
    /// What contradicts what is on record.
    pub alarms: Vec<String>,
    /// Recent operations with equal arguments and other keys.
    pub similar: Vec<OperationId>,
    /// What became of it after it was accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fate: Option<String>,
    /// Whether retention has removed arguments and receipt: of a success the receipt is null then.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub pruned: bool,
}

/// Until when a caller waits, by a clock that counts sleep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    from: Stamp,
    within_ms: u64,
}

impl Deadline {
    pub(super) fn after(inner: &Inner, ms: u64) -> Self {
        Self { from: inner.clock.now(), within_ms: ms }
    }

    fn remaining_ms(self, now: Stamp) -> u64 {
        self.within_ms.saturating_sub(Elapsed::between(self.from, now).at_most_ms)
    }
}

/// What the task knows and the ledger doesn't, for a caller whose wait is over.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// A receipt that could not be recorded yet.
    pub(super) receipt: Option<Receipt>,
    /// Why the work waits.
    pub(super) waits: Option<String>,
}

/// Where the task leaves it.
pub(super) type Unrecorded = watch::Sender<Held>;

/// Whether the loop goes on.
pub(super) enum Step {
    On,
    Waits(u64, String),
    Done,
}

/// Why a turn ended without a report.
enum Stop {
    /// The ledger is away.
    Ledger(LedgerError),
    /// The caller gets an error: nothing was sent by this call.
    Refused(ExecutorError),
}

impl From<LedgerError> for Stop {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl Inner {
    /// Drives an operation in a task of its own and waits for it until the caller's deadline.
    pub(super) async fn drive_in_task(
        self: Arc<Self>,
        journal: Journal,
        checked: Option<Checked>,
        deadline: Deadline,
    ) -> Result<RunReport, ExecutorError> {
        let (unrecorded, held) = watch::channel(Held::default());
        let operation = journal.operation;
        let cell = journal.state.intent.as_ref().map_or_else(String::new, |intent| intent.cell.clone());
        let span = tracing::info_span!("operation", %operation, cell);
        let inner = self.clone();
        let work = async move { inner.drive(journal, checked, deadline, &unrecorded).await };
        let task = tokio::spawn(work.instrument(span));
        let wait_ms = deadline.remaining_ms(self.clock.now());
        let ended = tokio::select! {
            ended = task => Some(ended),
            () = self.clock.sleep(wait_ms.saturating_add(1)) => None,
        };
        match ended {
            Some(Ok(report)) => report,
            // A panic in an adapter is caught here; what is journaled stays, and the work is due.
            Some(Err(_)) => Ok(self.report_unknown(operation, "the worker stopped unexpectedly", &held).await),
            None => Ok(self.report_unknown(operation, IN_PROGRESS, &held).await),
        }
    }

    pub(super) async fn report_unknown(
        &self,
        operation: OperationId,
        why: &str,
        held: &watch::Receiver<Held>,
    ) -> RunReport {
        let Held { receipt, waits } = held.borrow().clone();
        let receipt = receipt.map(|receipt| (*receipt.body).clone());
        // Between two tries of something that fails, the failure says more than "in progress".
        let why = waits.as_deref().filter(|_| why == IN_PROGRESS).unwrap_or(why);
        match Journal::load(self, By::Id(operation)).await {
            Ok(Some(journal)) if journal.state.is_final() => report(&journal, None),
            Ok(Some(journal)) => report(&journal, Some((why.to_owned(), 1_000, receipt))),
            _ => RunReport::unknown(operation, why, receipt),
        }
    }

    /// The loop: load, fold, next, do, append if unchanged.
    pub(super) async fn drive(
        &self,
        mut journal: Journal,
        checked: Option<Checked>,
        deadline: Deadline,
        unrecorded: &Unrecorded,
    ) -> Result<RunReport, ExecutorError> {
        let mut failures = 0;
        loop {
            // What could not be written is taken back before anything is decided: a departure that
            // only this task knows of must be neither believed nor written later.
            let fresh = if failures == 0 { Ok(()) } else { journal.roll_back(self).await.map_err(Stop::from) };
            let turned = match fresh {
                Ok(()) => self.turn(&mut journal, checked.as_ref(), deadline, unrecorded).await,
                Err(away) => Err(away),
            };
            let error = match turned {
                Ok(report) => return Ok(report),
                Err(Stop::Refused(error)) => return Err(error),
                Err(Stop::Ledger(error)) if journal.in_doubt => {
                    // If it is journaled, whoever finds it due will send it: a caller who was told that nothing was sent
                    // would begin anew under another key.
                    let why = format!("whether the intent was journaled isn't known, nothing was sent yet: {error}");
                    return Ok(RunReport::unknown(journal.operation, &why, None));
                }
                Err(Stop::Ledger(error)) if journal.is_new() => return Err(ExecutorError::Ledger(error)),
                Err(Stop::Ledger(error)) => error,
            };
            // Nothing durable is lost by an error of the ledger; it is asked again while the caller
            // waits.
            failures += 1;
            let pause = self.policy.bounds.backoff(failures);
            if pause > deadline.remaining_ms(self.clock.now()) {
                let receipt = unrecorded.borrow().receipt.as_ref().map(|receipt| (*receipt.body).clone());
                return Ok(RunReport::unknown(journal.operation, &error.to_string(), receipt));
            }
            self.clock.sleep(pause).await;
        }
    }

    async fn turn(
        &self,
        journal: &mut Journal,
        checked: Option<&Checked>,
        deadline: Deadline,
        unrecorded: &Unrecorded,
    ) -> Result<RunReport, Stop> {
        let mut has_waited = false;
        loop {
            let bell = self.bells.of(journal.operation);
            let rung = bell.rung();
            if std::mem::take(&mut has_waited) {
                // Not before it is listened: what is written after this is heard.
                journal.roll_back(self).await?;
            }
            // Another caller of this key may have been faster, with other arguments.
            if let Some(checked) = checked {
                checked.is_same(journal).map_err(Stop::Refused)?;
            }
            let intent = journal.intent()?;
            let Some(served) = self.served(intent) else {
                let why = format!("no connection here serves {} on {}", intent.cell, intent.connection);
                return Ok(report(journal, Some((why, 60_000, None))));
            };
            let (ms, why) = match self.step(journal, &served, unrecorded).await? {
                Step::On => continue,
                Step::Done => (u64::MAX, String::new()),
                Step::Waits(ms, why) => {
                    self.give_back(journal);
                    (ms, why)
                }
            };
            if let Committed::EvidenceOnly = journal.commit(self, Some(&served)).await? {
                continue;
            }
            // What is over reports at once; a last look is due later.
            if ms == u64::MAX || journal.state.is_final() {
                return Ok(report(journal, None));
            }
            if ms > deadline.remaining_ms(self.clock.now()) {
                return Ok(report(journal, Some((why, ms, None))));
            }
            unrecorded.send_modify(|held| held.waits = Some(why.clone()));
            self.wait(journal, rung, ms, why == IN_PROGRESS).await;
            has_waited = true;
        }
    }

    /// Waits so long, or until the operation has been moved on. What another process does is told by the ledger, whose word
    /// is asked for anew now and then, or else looked at more often.
    async fn wait(&self, journal: &Journal, rung: Notified<'_>, ms: u64, for_another: bool) {
        let news = for_another.then(|| self.ledger.moved_on(journal.operation, journal.state.revision)).flatten();
        let most_ms = match &news {
            _ if !for_another => u64::MAX,
            Some(_) => 2_000,
            None => 200,
        };
        let moved_on = async {
            match news {
                Some(news) => news.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.clock.sleep(ms.min(most_ms)) => {}
            () = rung => {}
            () = moved_on => {}
        }
    }

    /// What a finished operation came to, where nothing is to be done for it now: that needs no task of its own.
    pub(super) fn finished(&self, journal: &Journal) -> Option<RunReport> {
        let served = journal.state.is_final().then(|| self.served(journal.state.intent.as_ref()?)).flatten()?;
        matches!(self.todo(journal, &served), Do::Nothing | Do::Wait { .. }).then(|| report(journal, None))
    }

    /// What is to be done now.
    fn todo(&self, journal: &Journal, served: &Served) -> Do {
        // Whatever is wanted by a policy or a program of later, its arguments are gone.
        if journal.state.pruned {
            return Do::Nothing;
        }
        let view =
            View { now: self.clock.now(), owner: &journal.owner, scope: &served.scope, bounds: self.policy.bounds };
        next(&journal.state, &served.standing, &view)
    }

    /// Does one thing.
    async fn step(&self, journal: &mut Journal, served: &Served, unrecorded: &Unrecorded) -> Result<Step, LedgerError> {
        let mut todo = self.todo(journal, served);
        if matches!(todo, Do::Send { .. }) {
            if let Some(waits) = self.ready_to_send(served).await {
                return Ok(waits);
            }
            // That took time, and a window may have closed meanwhile (A8): it is asked once more.
            todo = self.todo(journal, served);
        }
        tracing::debug!(operation = %journal.operation, cell = served.cell.spec().id, todo = todo.name(), "next");
        match todo {
            Do::Nothing => Ok(Step::Done),
            Do::Wait { ms, why } => Ok(Step::Waits(ms, why)),
            Do::Prepare { new_epoch } => self.prepare(journal, served, new_epoch).await,
            Do::Send { new_epoch, replace_key, because } => {
                self.begin_epoch(journal, new_epoch);
                self.attempt(journal, served, replace_key, because, unrecorded).await
            }
            Do::Look { .. } => self.look(journal, served).await,
            Do::Ask { why } => {
                journal.decide(self, Event::Asked { why });
                journal.commit(self, Some(served)).await?;
                Ok(Step::On)
            }
            Do::Close { reason } => {
                journal.decide(self, Event::Closed { reason });
                journal.commit(self, Some(served)).await?;
                Ok(Step::On)
            }
        }
    }

    pub(super) fn begin_epoch(&self, journal: &mut Journal, new_epoch: bool) {
        if new_epoch {
            let number = journal.state.epoch + 1;
            let because = journal.state.decision.as_ref().map_or_else(String::new, |pending| pending.by.clone());
            journal.decide(self, Event::Epoch { number, because });
        }
    }

    /// Takes the lease for so many milliseconds. Not durable before the next commit.
    pub(super) fn take(&self, journal: &mut Journal, for_ms: u64) {
        let owner = journal.owner.clone();
        journal.decide(self, Event::Leased { owner, for_ms });
    }

    /// Gives the lease back, if we have it: whoever waits must not keep others from working.
    fn give_back(&self, journal: &mut Journal) {
        if journal.state.lease.as_ref().is_some_and(|lease| lease.owner == journal.owner) {
            let owner = journal.owner.clone();
            journal.decide(self, Event::Yielded { owner });
        }
    }

    /// Writes evidence, however long it takes while this task lives: what happened must not be
    /// forgotten because the ledger was away (rule 1).
    pub(super) async fn commit_evidence(
        &self,
        journal: &mut Journal,
        served: &Served,
    ) -> Result<Committed, LedgerError> {
        let mut failures = 0;
        loop {
            match journal.commit(self, Some(served)).await {
                Err(LedgerError::Unusable { what, hint } | LedgerError::InDoubt { what, hint }) => {
                    failures += 1;
                    tracing::error!(operation = %journal.operation, what, hint, "evidence could not be written; trying again");
                    self.clock.sleep(self.policy.bounds.backoff(failures).max(50)).await;
                }
                other => return other,
            }
        }
    }
}

impl Do {
    /// A short name for logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Wait { .. } => "wait",
            Self::Prepare { .. } => "prepare",
            Self::Send { .. } => "send",
            Self::Look { .. } => "look",
            Self::Ask { .. } => "ask",
            Self::Close { .. } => "close",
        }
    }
}

/// What a caller is told. `waiting` says why it isn't known yet, for how long, and what receipt
/// could not be recorded.
pub(super) fn report(journal: &Journal, waiting: Option<(String, u64, Option<Value>)>) -> RunReport {
    let state = &journal.state;
    RunReport {
        operation: journal.operation,
        revision: state.revision,
        epoch: state.epoch,
        outcome: outcome(state, waiting),
        alarms: state.alarms.iter().map(|alarm| alarm.what.clone()).collect(),
        similar: journal.similar.clone(),
        fate: state.fate.as_ref().map(|(fate, _)| fate.clone()),
        pruned: state.pruned,
    }
}

pub(super) fn outcome(state: &OpState, waiting: Option<(String, u64, Option<Value>)>) -> Outcome<Value> {
    match &state.outcome {
        Some(Final::Succeeded(receipt)) => Outcome::Succeeded { receipt: (*receipt.body).clone() },
        Some(Final::Refused(reason)) => Outcome::Refused { reason: reason.clone() },
        None => {
            let (why, after_ms, receipt) = waiting.unwrap_or_else(|| (IN_PROGRESS.to_owned(), 1_000, None));
            match (phase(state), state.with_person()) {
                (Phase::Held, Some(why)) => Outcome::Unknown { why, next: Next::Held, receipt },
                (_, Some(why)) => Outcome::Unknown { why, next: Next::Person, receipt },
                _ => Outcome::Unknown { why: last_words(state, why), next: Next::CallAgain { after_ms }, receipt },
            }
        }
    }
}

/// What the last attempt said, for a caller who waits.
fn last_words(state: &OpState, why: String) -> String {
    use crate::protocol::Verdict;
    match state.attempts.last().map(|attempt| &attempt.verdict) {
        Some(
            Verdict::Unclear { why: last, .. }
            | Verdict::NotDone { why: last, .. }
            | Verdict::Adrift { why: last }
            | Verdict::KeyBurnt { why: last },
        ) => {
            format!("{why}; last heard: {last}")
        }
        _ => why,
    }
}

impl RunReport {
    fn unknown(operation: OperationId, why: &str, receipt: Option<Value>) -> Self {
        let outcome = Outcome::Unknown { why: why.to_owned(), next: Next::CallAgain { after_ms: 1_000 }, receipt };
        let (alarms, similar) = (Vec::new(), Vec::new());
        Self { operation, revision: 0, epoch: 0, outcome, alarms, similar, fate: None, pruned: false }
    }

    /// The receipt of a success.
    pub fn receipt(&self) -> Option<&Value> {
        match &self.outcome {
            Outcome::Succeeded { receipt } => Some(receipt),
            _ => None,
        }
    }
}

impl Executor {
    pub(super) async fn load(&self, operation: OperationId) -> Result<Journal, ExecutorError> {
        Journal::load(&self.inner, By::Id(operation))
            .await
            .map_err(ExecutorError::Ledger)?
            .ok_or_else(|| ExecutorError::UnknownOperation(operation.to_string()))
    }
}
