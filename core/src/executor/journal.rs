use std::sync::Arc;

use super::carry::carried_over;
use super::retention::without_what_retention_removed;
use super::{Inner, Point};
use crate::capability::{Kind, Standing};
use crate::cell::{Connection, Context, SharedCell, Wire};
use crate::identity::{Names, Seed};
use crate::ledger::{Append, By, Index, LedgerError, OperationId, Phase};
use crate::protocol::{Do, Event, Final, Hold, Intent, OpState, Record, Stamp, View, fold, next};

/// One operation under work: its records, and what is not written yet.
///
/// Evidence (answers, looks, witnesses) is written whatever happened meanwhile; decisions
/// (departures, leases, closings) only if the revision is still the one they were made on.
pub(super) struct Journal {
    pub(super) operation: OperationId,
    /// Who takes leases: unique to this piece of work. Two callers in one process are two owners, or
    /// the second would act on an attempt that the first has under way (rule 9).
    pub(super) owner: String,
    pub(super) state: OpState,
    /// Revision that the ledger is known to hold.
    stored: u64,
    pending: Vec<Record>,
    /// The first so many pending records are evidence.
    evidence: usize,
    /// Recent operations with equal arguments and other keys, found when this one began.
    pub(super) similar: Vec<OperationId>,
    /// Its first append may be durable, or become so, and nobody could read whether it is.
    pub(super) in_doubt: bool,
}

/// Who serves an operation.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) cell: SharedCell,
    pub(super) connection: Arc<Connection>,
    pub(super) standing: Arc<Standing>,
    pub(super) scope: Arc<str>,
}

/// What became of a commit.
#[derive(Debug)]
pub(super) enum Committed {
    /// All of it is durable.
    All,
    /// The operation had moved on: the evidence is durable, the decisions were dropped. Of a new
    /// operation: another caller began one with this key, and the journal is theirs now.
    EvidenceOnly,
}

impl Journal {
    /// A journal of a new operation, nothing of it written yet.
    pub(super) fn new() -> Self {
        Self::from_records(OperationId::fresh(), &[])
    }

    /// Loads an operation.
    pub(super) async fn load(inner: &Inner, by: By<'_>) -> Result<Option<Self>, LedgerError> {
        Ok(inner.ledger.load(by).await?.map(|stored| Self::from_records(stored.operation, &stored.records)))
    }

    pub(super) fn from_records(operation: OperationId, records: &[Record]) -> Self {
        let state = fold(records);
        // It is told from other owners of this operation alone, so half of an id is enough; each lease writes it down.
        let owner = format!("{:016x}", uuid::Uuid::new_v4().as_u64_pair().1);
        let (stored, pending, similar) = (state.revision, Vec::new(), Vec::new());
        Self { operation, owner, stored, state, pending, evidence: 0, similar, in_doubt: false }
    }

    /// Whether nothing of the operation is durable yet.
    pub(super) fn is_new(&self) -> bool {
        self.stored == 0
    }

    /// What the caller wants. Every loaded operation has it.
    pub(super) fn intent(&self) -> Result<&Intent, LedgerError> {
        self.state.intent.as_ref().ok_or_else(|| LedgerError::Unusable {
            what: format!("operation {} does not begin with its intent", self.operation),
            hint: "restore the ledger from a backup, then run `hapax ledger restored`".to_owned(),
        })
    }

    /// Adds evidence.
    pub(super) fn learn(&mut self, inner: &Inner, event: Event) {
        debug_assert_eq!(self.evidence, self.pending.len(), "evidence comes before decisions");
        self.push(inner, event);
        self.evidence = self.pending.len();
    }

    /// Adds a decision.
    pub(super) fn decide(&mut self, inner: &Inner, event: Event) {
        self.push(inner, event);
    }

    fn push(&mut self, inner: &Inner, event: Event) {
        let record = Record { at: inner.clock.now(), event };
        self.state.apply(&record);
        self.pending.push(record);
    }

    /// Adds a decision with a stamp of its own: records that belong to one moment.
    pub(super) fn decide_at(&mut self, record: Record) {
        self.state.apply(&record);
        self.pending.push(record);
    }

    /// Makes everything pending durable.
    pub(super) async fn commit(&mut self, inner: &Inner, served: Option<&Served>) -> Result<Committed, LedgerError> {
        if self.pending.is_empty() {
            return Ok(Committed::All);
        }
        inner.probe.reached(Point::BeforeCommit, self.operation).await;
        match self.append(inner, served, self.pending.clone()).await {
            Ok(()) => {
                self.written(inner).await;
                Ok(Committed::All)
            }
            Err(LedgerError::Similar(ids)) => self.commit_held(inner, served, &ids).await,
            Err(LedgerError::Moved) if self.is_new() => self.join(inner).await,
            Err(LedgerError::Moved) => self.commit_evidence(inner, served).await,
            Err(error) if self.is_new() => self.doubt(inner, error).await,
            Err(error) => Err(error),
        }
    }

    /// Everything pending is durable.
    async fn written(&mut self, inner: &Inner) {
        self.pending.clear();
        self.evidence = 0;
        inner.probe.reached(Point::AfterCommit, self.operation).await;
        inner.bells.ring(self.operation);
    }

    /// Another caller of this key was faster: theirs is the operation.
    async fn join(&mut self, inner: &Inner) -> Result<Committed, LedgerError> {
        let Intent { connection, cell, key, .. } = self.intent()?;
        let theirs = Self::load(inner, By::Key { connection, cell, key }).await?;
        *self = theirs.ok_or(LedgerError::Moved)?;
        Ok(Committed::EvidenceOnly)
    }

    /// The first append failed. If that leaves open whether it is durable, the ledger is asked.
    async fn doubt(&mut self, inner: &Inner, error: LedgerError) -> Result<Committed, LedgerError> {
        if !matches!(error, LedgerError::Unusable { .. } | LedgerError::InDoubt { .. }) {
            return Err(error);
        }
        let loaded = Self::load(inner, By::Id(self.operation)).await;
        if let Ok(Some(ours)) = loaded {
            *self = Self { owner: std::mem::take(&mut self.owner), ..ours };
            return Ok(Committed::EvidenceOnly);
        }
        // That it isn't there proves nothing where it may still come.
        self.in_doubt = loaded.is_err() || matches!(error, LedgerError::InDoubt { .. });
        Err(error)
    }

    /// Policy holds what equals a recent intent: begin again, held, with nothing of what was planned.
    async fn commit_held(
        &mut self,
        inner: &Inner,
        served: Option<&Served>,
        ids: &[OperationId],
    ) -> Result<Committed, LedgerError> {
        let of: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let mut intent = self.intent()?.clone();
        intent.similar.clone_from(&of);
        let restored = self.pending.iter().find(|record| matches!(record.event, Event::Restored { .. })).cloned();
        let at = self.state.began;
        let owner = std::mem::take(&mut self.owner);
        *self = Self { owner, similar: ids.to_vec(), ..Self::from_records(self.operation, &[]) };
        self.decide_at(Record { at, event: Event::Began(intent) });
        restored.into_iter().for_each(|record| self.decide_at(record));
        self.decide_at(Record { at, event: Event::Held(Hold::SuspectedRepeat { of }) });
        match self.append(inner, served, self.pending.clone()).await {
            Ok(()) => {
                self.written(inner).await;
                Ok(Committed::EvidenceOnly)
            }
            Err(LedgerError::Moved) => self.join(inner).await,
            Err(error) => self.doubt(inner, error).await,
        }
    }

    async fn append(
        &mut self,
        inner: &Inner,
        served: Option<&Served>,
        mut records: Vec<Record>,
    ) -> Result<(), LedgerError> {
        if self.state.pruned {
            without_what_retention_removed(&mut records);
        }
        let window_ms = i64::from(inner.policy.repeat_window_seconds.0) * 1000;
        let append = Append {
            operation: self.operation,
            seen: self.stored,
            records,
            index: self.index(inner, served)?,
            refuse_similar: self.is_new() && inner.policy.hold_repeats && self.state.hold.is_none(),
            similar_since_ms: inner.clock.now().wall_ms.saturating_sub(window_ms),
        };
        let appended = inner.ledger.append(append).await?;
        if self.is_new() {
            self.similar.extend(appended.similar);
        }
        self.stored = appended.revision;
        Ok(())
    }

    /// The operation moved on: decisions are dropped, evidence is written on top of what came.
    async fn commit_evidence(&mut self, inner: &Inner, served: Option<&Served>) -> Result<Committed, LedgerError> {
        self.pending.truncate(self.evidence);
        loop {
            let Some(fresh) = Self::load(inner, By::Id(self.operation)).await? else { return Err(LedgerError::Moved) };
            let known = std::mem::replace(&mut self.state, fresh.state);
            self.stored = fresh.stored;
            for record in std::mem::take(&mut self.pending) {
                if let Some(event) = carried_over(record.event, &known, &self.state) {
                    let record = Record { event, ..record };
                    self.state.apply(&record);
                    self.pending.push(record);
                }
            }
            self.evidence = self.pending.len();
            if self.pending.is_empty() {
                return Ok(Committed::EvidenceOnly);
            }
            match self.append(inner, served, self.pending.clone()).await {
                Ok(()) => {
                    self.written(inner).await;
                    return Ok(Committed::EvidenceOnly);
                }
                Err(LedgerError::Moved) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes back what isn't written, to say it differently.
    pub(super) async fn roll_back(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        let Some(fresh) = Self::load(inner, By::Id(self.operation)).await? else { return Err(LedgerError::Moved) };
        let (owner, similar) = (std::mem::take(&mut self.owner), std::mem::take(&mut self.similar));
        *self = Self { owner, similar, ..fresh };
        Ok(())
    }

    /// What the ledger finds the operation by.
    pub(super) fn index(&self, inner: &Inner, served: Option<&Served>) -> Result<Index, LedgerError> {
        let intent = self.intent()?;
        // Anybody's doing satisfies a be-so cell, so its record is nobody's.
        let claims = served.is_none_or(|served| served.standing.kind == Kind::DoOnce);
        let claim = match &self.state.outcome {
            Some(Final::Succeeded(receipt)) if claims && !receipt.id.is_empty() => Some(receipt.id.clone()),
            _ => None,
        };
        Ok(Index {
            connection: intent.connection.clone(),
            account: intent.account.clone(),
            cell: intent.cell.clone(),
            key: intent.key.clone(),
            fingerprint: intent.fingerprint,
            phase: phase(&self.state),
            due_ms: self.due_ms(inner, served),
            claim,
        })
    }

    /// When somebody should look at the operation again, whoever they are.
    fn due_ms(&self, inner: &Inner, served: Option<&Served>) -> Option<i64> {
        let now = inner.clock.now();
        let in_ms = |ms: u64| now.wall_ms.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX));
        let Some(served) = served else {
            let parked = self.state.is_final() || self.state.with_person().is_some();
            return (!parked).then_some(now.wall_ms);
        };
        let view = View { now, owner: "", scope: &served.scope, bounds: inner.policy.bounds };
        match next(&self.state, &served.standing, &view) {
            Do::Wait { ms, .. } => Some(in_ms(ms)),
            Do::Nothing if self.state.is_final() => None,
            Do::Nothing => self.due_at_good_until(&served.standing, &view),
            _ => Some(now.wall_ms),
        }
    }
}

impl Journal {
    /// What is held, or with a person, wakes nobody before its good-until, and then only if there is
    /// something to do: what is taken up in vain would be due for ever.
    fn due_at_good_until(&self, standing: &Standing, view: &View<'_>) -> Option<i64> {
        let until = self.state.good_until_ms()?;
        let left = u64::try_from(until.saturating_sub(view.now.wall_ms)).ok().filter(|left| *left > 0)?;
        let now = Stamp { wall_ms: until, boot_ms: view.now.boot_ms.saturating_add(left), ..view.now };
        (next(&self.state, standing, &View { now, ..*view }) != Do::Nothing).then_some(until)
    }
}

/// Where an operation stands, for lists.
pub(super) fn phase(state: &OpState) -> Phase {
    match (&state.outcome, &state.hold) {
        (Some(Final::Succeeded(_)), _) => Phase::Succeeded,
        (Some(Final::Refused(_)), _) => Phase::Refused,
        (None, Some(_)) => Phase::Held,
        (None, None) if state.asked.is_some() || state.taken_over => Phase::Person,
        (None, None) => Phase::Open,
    }
}

impl Inner {
    /// Who serves an operation with this intent, if we do.
    pub(super) fn served(&self, intent: &Intent) -> Option<Served> {
        let mut served = self.services.find(&intent.connection, &intent.cell)?.served.clone();
        // A connection that names another account now, or a stand-in for the provider, would look, and send, in the
        // wrong place.
        let Connection { account, stand_in, .. } = &*served.connection;
        if *account != intent.account || *stand_in != intent.stand_in {
            return None;
        }
        // Another version of the cell may make other tokens of the same operation, so what an old
        // request spent guards nothing; looks still see it (A21).
        if intent.version != served.cell.spec().version {
            Arc::make_mut(&mut served.standing).guards.clear();
        }
        Some(served)
    }

    /// Names of the present epoch of an operation.
    pub(super) fn names(&self, served: &Served, state: &OpState, intent: &Intent, key_number: u32) -> Names {
        let spec = served.cell.spec();
        let (form, mark) = spec.forms();
        let seed = Seed::new(self.secret.clone(), &intent.account, &intent.cell, intent.key.clone());
        Names::new(seed, form, mark, state.epoch, key_number)
            .with_notes(state.notes.clone(), state.former_notes.clone())
            .with_named(state.named().map(str::to_owned))
            // After a restore the effect may be older than anything that the ledger knows.
            .with_since(state.restored.is_none().then_some(state.began))
    }

    /// What `prepare` and `find` get.
    pub(super) fn context(&self, served: &Served, state: &OpState, intent: &Intent) -> Context {
        Context::new(self.names(served, state, intent, state.key_number), self.wire(served))
    }

    pub(super) fn wire(&self, served: &Served) -> Wire {
        Wire::new(served.connection.clone(), self.transport.clone(), self.clock.clone())
    }
}
