use std::sync::Arc;

use serde_json::Value;

use super::drive::{Deadline, RunReport};
use super::journal::{Journal, Served};
use super::{Executor, ExecutorError, Inner};
use crate::cell::Cell;
use crate::identity::{OperationKey, differing_fields, fingerprint};
use crate::ledger::{By, Header, OperationId};
use crate::protocol::{Event, Final, Hold, Intent, Record, Stamp};

/// What to run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// Name of the connection.
    pub connection: String,
    /// `stripe.charge`.
    pub cell: String,
    /// The caller's stable name for the intent.
    pub key: OperationKey,
    /// Its arguments.
    pub args: Value,
    /// After this moment (milliseconds since 1970) nothing is sent.
    pub good_until_ms: Option<i64>,
    /// Milliseconds that the caller waits; the work goes on without them.
    pub wait_ms: u64,
}

impl RunRequest {
    /// A request whose caller waits for two minutes.
    pub fn new(connection: &str, cell: &str, key: OperationKey, args: Value) -> Self {
        let (connection, cell) = (connection.to_owned(), cell.to_owned());
        Self { connection, cell, key, args, good_until_ms: None, wait_ms: 120_000 }
    }

    /// After this moment (milliseconds since 1970) nothing is sent.
    pub fn good_until_ms(mut self, moment: i64) -> Self {
        self.good_until_ms = Some(moment);
        self
    }

    /// How many milliseconds the caller waits.
    pub fn wait_ms(mut self, ms: u64) -> Self {
        self.wait_ms = ms;
        self
    }
}

/// An intent that was checked and not yet journaled.
pub(super) struct Checked {
    pub(super) served: Served,
    pub(super) intent: Intent,
    pub(super) hold: Option<Hold>,
}

impl Executor {
    /// Runs an intent once: begins it, or goes on with it, or returns what it came to.
    ///
    /// The work runs in a task of its own. A caller that goes away loses nothing; calling again
    /// with the same key returns the same receipt.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was sent by this call.
    pub async fn run(&self, request: RunRequest) -> Result<RunReport, ExecutorError> {
        let checked = self.inner.check(&request)?;
        let (header, known) = self.inner.look_up(&checked).await?;
        let deadline = Deadline::after(&self.inner, request.wait_ms);
        if let Some(report) = known.as_ref().and_then(|journal| self.inner.finished(journal)) {
            return Ok(report);
        }
        let journal = known.unwrap_or_else(|| self.inner.begin(&checked, header.restored));
        self.inner.clone().drive_in_task(journal, Some(checked), deadline).await
    }

    /// The typed way to run: the arguments' type says which cell.
    ///
    /// # Errors
    /// As [`Executor::run`].
    pub async fn run_cell<C: Cell>(
        &self,
        connection: &str,
        key: OperationKey,
        args: &C::Args,
    ) -> Result<RunReport, ExecutorError> {
        let args = serde_json::to_value(args)
            .map_err(|error| ExecutorError::Arguments { cell: C::SPEC.id.to_owned(), why: error.to_string() })?;
        self.run(RunRequest::new(connection, C::SPEC.id, key, args)).await
    }
}

impl Inner {
    /// Everything that can be wrong with a request before it is journaled.
    pub(super) fn check(&self, request: &RunRequest) -> Result<Checked, ExecutorError> {
        let service = self.services.named(&request.connection, &request.cell)?;
        let served = service.served.clone();
        let spec = served.cell.spec();
        let args = served
            .cell
            .check(&request.args)
            .map_err(|why| ExecutorError::Arguments { cell: spec.id.to_owned(), why })?;
        service.check_requirement()?;
        let hold = self.policy.wants_approval(spec.id, served.cell.money(&args).as_ref());
        let intent = Intent {
            connection: request.connection.clone(),
            account: served.connection.account.clone(),
            cell: spec.id.to_owned(),
            version: spec.version,
            key: request.key.clone(),
            fingerprint: fingerprint(&args, served.cell.volatile()),
            args: Arc::new(args),
            good_until_ms: request.good_until_ms,
            similar: Vec::new(),
            stand_in: served.connection.stand_in,
        };
        Ok(Checked { served, intent, hold: hold.map(|rule| Hold::Approval { rule }) })
    }

    /// What is known of the ledger. One whose newest record lies in the future sends nothing, whoever
    /// asks: one of the clocks is wrong (rule 14).
    pub(super) async fn header_of_the_past(&self) -> Result<Header, ExecutorError> {
        let header = self.ledger.header().await.map_err(ExecutorError::Ledger)?;
        self.of_the_past(header)
    }

    fn of_the_past(&self, header: Header) -> Result<Header, ExecutorError> {
        let ahead = header.newest.map_or(0, |newest| newest.wall_ms.saturating_sub(self.clock.now().wall_ms));
        if ahead > Stamp::TOLERANCE_MS { Err(ExecutorError::Future(ahead / 1000)) } else { Ok(header) }
    }

    /// What is known of the ledger, and the operation that this key names already, if it is the same intent.
    async fn look_up(&self, checked: &Checked) -> Result<(Header, Option<Journal>), ExecutorError> {
        let Intent { connection, cell, key, .. } = &checked.intent;
        let by = By::Key { connection, cell, key };
        let (header, stored) = self.ledger.look_up(by).await.map_err(ExecutorError::Ledger)?;
        let header = self.of_the_past(header)?;
        let known = stored.map(|stored| Journal::from_records(stored.operation, &stored.records));
        if let Some(journal) = &known {
            checked.is_same(journal)?;
        }
        Ok((header, known))
    }

    /// Begins a new operation. Nothing of it is written yet: the first departure goes into the same
    /// write.
    fn begin(&self, checked: &Checked, restored: Option<Stamp>) -> Journal {
        let at = self.clock.now();
        let mut journal = Journal::new();
        journal.decide_at(Record { at, event: Event::Began(checked.intent.clone()) });
        if let Some(since) = restored {
            journal.decide_at(Record { at, event: Event::Restored { since, span_ms: checked.served.span_ms() } });
        }
        // After a restore nothing leaves where nothing can be asked, unless somebody approves.
        let unaskable = restored.is_some() && checked.served.standing.look.is_none();
        if let Some(hold) = checked.hold.clone().or(unaskable.then_some(Hold::Restored)) {
            journal.decide_at(Record { at, event: Event::Held(hold) });
        }
        metrics::counter!("hapax_operations_total", "cell" => checked.served.cell.spec().id).increment(1);
        journal
    }
}

impl Checked {
    /// Refuses a key that belongs to other arguments, naming the fields that differ, or to a stand-in where this is none.
    pub(super) fn is_same(&self, journal: &Journal) -> Result<(), ExecutorError> {
        let theirs = journal.intent().map_err(ExecutorError::Ledger)?;
        self.is_as_real_as(theirs, journal.operation)?;
        if theirs.fingerprint == self.intent.fingerprint || self.reads_the_same(theirs) {
            return Ok(());
        }
        let fields = match journal.state.pruned {
            true => "arguments that retention has removed".to_owned(),
            false => differing_fields(&theirs.args, &self.intent.args, self.served.cell.volatile()).join(", "),
        };
        let key = self.intent.key.to_string();
        Err(ExecutorError::KeyReused { key, operation: journal.operation, fields })
    }

    /// What happened at a stand-in has not happened at the provider, and the other way round: neither's receipt answers
    /// for the other, and nothing that is open at one goes on at the other.
    fn is_as_real_as(&self, theirs: &Intent, operation: OperationId) -> Result<(), ExecutorError> {
        if theirs.stand_in == self.intent.stand_in {
            return Ok(());
        }
        let (key, connection) = (self.intent.key.to_string(), self.intent.connection.clone());
        Err(ExecutorError::OtherStandIn { key, operation, connection, was: theirs.stand_in })
    }

    /// Whether an earlier version of the cell wrote the same arguments in another way, for example
    /// without a field that has a default now (A21).
    fn reads_the_same(&self, theirs: &Intent) -> bool {
        let cell = &self.served.cell;
        cell.check(&theirs.args).is_ok_and(|args| fingerprint(&args, cell.volatile()) == self.intent.fingerprint)
    }
}

impl Served {
    /// Milliseconds until everything that was sent by a moment can be seen after it.
    pub(super) fn span_ms(&self) -> u64 {
        self.standing.within_ms.saturating_add(self.standing.closing_ms)
    }
}

impl Executor {
    /// Tries a refused or failed operation again on purpose: a new epoch, with new arguments if
    /// they are given. It names the epoch that it ends, so that repeating the call changes nothing.
    ///
    /// # Errors
    /// [`ExecutorError`]: nothing was changed.
    pub async fn supersede(
        &self,
        operation: OperationId,
        epoch: u32,
        by: &str,
        args: Option<Value>,
        wait_ms: u64,
    ) -> Result<RunReport, ExecutorError> {
        let inner = &self.inner;
        let restored = inner.header_of_the_past().await?.restored;
        let mut journal = self.load(operation).await?;
        let deadline = Deadline::after(inner, wait_ms);
        let repeated = journal.state.epoch > epoch;
        if repeated && args.is_none() {
            return inner.clone().drive_in_task(journal, None, deadline).await;
        }
        if journal.state.pruned && !repeated {
            // Before the arguments are checked, which are gone.
            journal.may_supersede(epoch)?;
        }
        let old = journal.intent().map_err(ExecutorError::Ledger)?.clone();
        let names_args = args.is_some();
        let request = RunRequest::new(&old.connection, &old.cell, old.key.clone(), args.unwrap_or((*old.args).clone()));
        let checked = inner.check(&request)?;
        checked.is_as_real_as(&old, operation)?;
        if repeated {
            return inner.clone().drive_in_task(journal, Some(checked), deadline).await;
        }
        journal.may_supersede(epoch)?;
        let at = inner.clock.now();
        let by = by.to_owned();
        journal.decide_at(Record { at, event: Event::Superseded { by, epoch, intent: checked.intent.clone() } });
        if let Some(since) = restored {
            // The ledger may have forgotten that this was done before.
            journal.decide_at(Record { at, event: Event::Restored { since, span_ms: checked.served.span_ms() } });
        }
        if let Some(hold) = checked.hold.clone() {
            // An approval binds the fingerprint and epoch that it was given for.
            journal.decide_at(Record { at, event: Event::Held(hold) });
        }
        journal.commit(inner, Some(&checked.served)).await.map_err(ExecutorError::of_decision)?;
        // If somebody else was faster with other arguments, theirs are not answered as ours.
        inner.clone().drive_in_task(journal, names_args.then_some(checked), deadline).await
    }
}

impl Journal {
    fn may_supersede(&self, epoch: u32) -> Result<(), ExecutorError> {
        if self.state.pruned {
            return Err(ExecutorError::NotNow("its arguments were removed by retention; use a new key".to_owned()));
        }
        let failed = self.state.fate.as_ref().is_some_and(|(_, failed)| *failed);
        match &self.state.outcome {
            Some(Final::Refused(_)) if self.state.epoch == epoch => Ok(()),
            Some(Final::Succeeded(_)) if failed && self.state.epoch == epoch => Ok(()),
            Some(Final::Succeeded(_)) => {
                Err(ExecutorError::NotNow("it succeeded; a new intent needs a new key".to_owned()))
            }
            Some(Final::Refused(_)) => {
                Err(ExecutorError::NotNow(format!("its epoch is {}, not {epoch}", self.state.epoch)))
            }
            None => Err(ExecutorError::NotNow("it isn't refused: a second try could be a second effect".to_owned())),
        }
    }
}
