//! The course of one operation: each step's result is durable in Restate's journal before the next one begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hapax_core::capability::{Absence, Scope, SecondEffect, Standing};
use hapax_core::cell::{Connection, Context as CellContext, SharedCell, Shot, Step, Wire};
use hapax_core::identity::{Names, OperationKey, Seed, fingerprint};
use hapax_core::protocol::{
    Bounds, Decision, Departed, Do, Event, Final, Found, Heard, Intent, Looked, OpState, Permit, Record, Stamp,
    Verdict, View, fold, may_decide, may_send, next,
};
use hapax_core::transport::Gate;
use hapax_core::words::Refusal;
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::parts::{Parts, Wanted};
use crate::{pause, say};

/// An operation under way. Its parts are shared with the steps, which may outlive a dropped attempt of the handler.
pub(super) struct Course {
    at: Arc<Place>,
    intent: Intent,
    records: Vec<Record>,
}

/// Where it happens.
struct Place {
    parts: Arc<Parts>,
    cell: SharedCell,
    connection: Arc<Connection>,
    standing: Standing,
    scope: String,
}

/// What a person says when they ring the bell.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "says", rename_all = "kebab-case")]
enum Said {
    Happened { by: String, id: String },
    DidNotHappen { by: String },
    SendAgain { by: String },
}

impl Course {
    /// Begins it: nothing is sent that can't be journaled, and nothing that hasn't been checked.
    pub(super) async fn begin(ctx: &Context<'_>, parts: Arc<Parts>, wanted: Wanted) -> HandlerResult<Self> {
        let place = Arc::new(Place::find(parts, &wanted.cell)?);
        let args = place.cell.check(&wanted.args).map_err(|why| TerminalError::new_with_code(400, why))?;
        let key = OperationKey::from_parts(["restate", ctx.invocation_id(), &wanted.cell]).terminal()?;
        let spec = place.cell.spec();
        let intent = Intent {
            connection: place.connection.name.clone(),
            account: place.connection.account.clone(),
            cell: wanted.cell,
            version: spec.version,
            key,
            fingerprint: fingerprint(&args, place.cell.volatile()),
            args: Arc::new(args),
            good_until_ms: None,
            similar: Vec::new(),
            stand_in: place.connection.stand_in,
        };
        let mut course = Self { at: place, intent, records: Vec::new() };
        let now = course.moment(ctx).await?;
        course.note(now, Event::Began(course.intent.clone()));
        Ok(course)
    }

    /// Goes on with what another invocation began.
    pub(super) fn resume(parts: Arc<Parts>, records: Vec<Record>) -> HandlerResult<Self> {
        let intent = fold(&records).intent.ok_or_else(|| TerminalError::new_with_code(400, "no records"))?;
        Ok(Self { at: Arc::new(Place::find(parts, &intent.cell)?), intent, records })
    }

    /// What is journaled so far.
    pub(super) fn into_records(self) -> Vec<Record> {
        self.records
    }

    /// The present moment. It is journaled, so a replay decides at the same moments.
    pub(super) async fn moment(&self, ctx: &Context<'_>) -> HandlerResult<Stamp> {
        let at = self.at.clone();
        Ok(ctx.run(|| async move { Ok(Json(at.parts.clock.now())) }).name("moment").await?.into_inner())
    }

    /// What to do.
    pub(super) fn next(&self, now: Stamp) -> Do {
        next(&self.state(), &self.at.standing, &self.at.view(now))
    }

    /// What it came to, if it is over.
    pub(super) fn ended(&self) -> Option<Final> {
        self.state().outcome
    }

    /// Takes the next harmless step before the request that counts, and journals the handle that it brings.
    pub(super) async fn prepare(&mut self, ctx: &Context<'_>, now: Stamp, new_epoch: bool) -> HandlerResult<()> {
        self.begin_epoch(now, new_epoch);
        let (at, context, args) = (self.at.clone(), self.context(), self.intent.args.clone());
        let step = async move {
            let event = match at.cell.prepare(&context, &args).await {
                Ok(Step::Note(name, value)) => Event::Noted { name: name.to_owned(), value },
                Ok(Step::Refused(reason)) => Event::Closed { reason },
                Ok(Step::Happened(receipt)) => Event::Witnessed { source: "prepare".to_owned(), receipt },
                Ok(Step::Ready) => Event::Asked { why: "nothing was sent: it is ready without its handle".to_owned() },
                // Harmless and not done: `next` says when it is tried again.
                Err(_) => Event::Yielded { owner: String::new() },
            };
            Ok(Json(Record { at: at.parts.clock.now(), event }))
        };
        let record = ctx.run(|| step).name("prepare").await?.into_inner();
        self.records.push(record);
        Ok(())
    }

    /// Journals a departure, sends the one request, journals what was heard.
    pub(super) async fn send(
        &mut self,
        ctx: &Context<'_>,
        now: Stamp,
        new_epoch: bool,
        replace_key: bool,
        because: String,
    ) -> HandlerResult<()> {
        self.begin_epoch(now, new_epoch);
        let departs_here = Arc::new(AtomicBool::new(false));
        let leaves = self.depart(replace_key, because, departs_here.clone());
        let Some(departed) = ctx.run(|| leaves).name("depart").await?.into_inner() else { return Ok(()) };
        self.records.push(departed);
        let shot = self.shoot(departs_here.load(Ordering::SeqCst));
        let heard = ctx.run(|| shot).name("send").await?.into_inner();
        self.records.extend(heard);
        Ok(())
    }

    /// The departure, if it is still allowed. That it was made here, and not read from the journal, is all that lets a
    /// request follow it.
    fn depart(
        &self,
        replace_key: bool,
        because: String,
        departs_here: Arc<AtomicBool>,
    ) -> impl Future<Output = HandlerResult<Json<Option<Record>>>> + Send + 'static {
        let (at, state, wire) = (self.at.clone(), self.state(), self.at.wire());
        async move {
            // Harmless, and before the departure, so that neither eats its deadline. If it fails, Restate tries again.
            at.connection.integration.refresh(&wire).await?;
            at.connection.limiter.ready(&at.parts.clock).await?;
            let now = at.parts.clock.now();
            if !matches!(may_send(&state, &at.standing, &at.view(now)), Permit::Yes { .. }) {
                return Ok(Json(None));
            }
            departs_here.store(true, Ordering::SeqCst);
            let departed = Departed {
                attempt: u32::try_from(state.attempts.len()).unwrap_or(u32::MAX),
                key_number: state.key_number + u32::from(replace_key),
                scope: at.scope.clone(),
                within_ms: at.standing.within_ms,
                settle_ms: at.standing.settle_ms,
                closing_ms: at.standing.closing_ms,
                record_ms: at.standing.record_ms,
                because,
            };
            Ok(Json(Some(Record { at: now, event: Event::Departed(departed) })))
        }
    }

    /// The one request. Where the departure was read from the journal, the worker that wrote it may have sent: nothing goes
    /// out, and nothing was heard, so the attempt stays open and `next` says what that means.
    fn shoot(&self, departs_here: bool) -> impl Future<Output = HandlerResult<Json<Vec<Record>>>> + Send + 'static {
        let (at, state, args) = (self.at.clone(), self.state(), self.intent.args.clone());
        let names = self.at.names(&state, &self.intent);
        let wire = self.at.wire();
        async move {
            let Some(attempt) = state.attempts.last().filter(|_| departs_here) else { return Ok(Json(Vec::new())) };
            pause::at(pause::DEPARTED).await;
            let gate = Gate::new(at.parts.clock.clone(), attempt.departed, attempt.within_ms);
            let answer = at.cell.attempt(Shot::new(&names, &wire, at.cell.spec(), gate), &args).await;
            pause::at(pause::ANSWERED).await;
            let now = at.parts.clock.now();
            let (verdict, alarm) = Verdict::of(answer);
            let heard = Event::Heard(Heard { attempt: attempt.number, verdict });
            Ok(Json(learned(now, heard, alarm)))
        }
    }

    /// Looks whether it happened.
    pub(super) async fn look(&mut self, ctx: &Context<'_>) -> HandlerResult<()> {
        let (at, context, args) = (self.at.clone(), self.context(), self.intent.args.clone());
        let step = async move {
            let began = at.parts.clock.now();
            let (found, alarm) = Found::of(at.cell.find(&context, &args).await);
            let absence = at.standing.look.map_or(Absence::Nothing, |look| look.absence);
            let looked = Event::Looked(Looked { began, found, absence, by_mark: false, by_content: false });
            Ok(Json(learned(at.parts.clock.now(), looked, alarm)))
        };
        let records = ctx.run(|| step).name("look").await?.into_inner();
        self.records.extend(records);
        Ok(())
    }

    /// Automatic work is over.
    pub(super) fn ask(&mut self, now: Stamp, why: String) {
        self.note(now, Event::Asked { why });
    }

    /// It ends without an effect.
    pub(super) fn close(&mut self, now: Stamp, reason: Refusal) {
        self.note(now, Event::Closed { reason });
    }

    /// Waits for a person's decision, for as long as it takes. One that can't be taken yet is asked for again.
    pub(super) async fn wait_for_a_person(&mut self, ctx: &Context<'_>) -> HandlerResult<()> {
        let state = self.state();
        let why = state.with_person().unwrap_or_default();
        let (bell, rung) = ctx.awakeable::<Json<Said>>();
        // They look for the mark, at the provider.
        let told = json!({ "why": why, "bell": bell, "mark": self.context().names().mark() });
        ctx.run(|| say::people(told)).name("tell people").await?;
        let said = rung.await?.into_inner();
        let (at, context, args) = (self.at.clone(), self.context(), self.intent.args.clone());
        let seen = state.revision;
        let step = async move {
            let now = at.parts.clock.now();
            let (by, decision) = match said {
                Said::Happened { by, id } => match at.cell.fetch(&context, &args, &id).await {
                    Ok(Some(receipt)) => (by, Decision::Happened { receipt }),
                    _ => return Ok(Json(None)),
                },
                Said::DidNotHappen { by } => (by, Decision::DidNotHappen),
                Said::SendAgain { by } => (by, Decision::SendAgain),
            };
            // What left may still take effect, so nobody can have seen that it didn't.
            let happened = matches!(decision, Decision::Happened { .. });
            if !happened && may_decide(&state, &at.standing, now, now).is_err() {
                return Ok(Json(None));
            }
            Ok(Json(Some(Record { at: now, event: Event::Decided { by, seen, looked: now, decision } })))
        };
        let decided = ctx.run(|| step).name("decide").await?.into_inner();
        self.records.extend(decided);
        Ok(())
    }

    /// Tells people of what contradicts the outcome.
    pub(super) async fn tell_of_alarms(&self, ctx: &Context<'_>) -> HandlerResult<()> {
        let alarms: Vec<String> = self.state().alarms.into_iter().map(|alarm| alarm.what).collect();
        let told = json!({ "last_look": self.intent.key, "alarms": alarms });
        ctx.run(|| say::people(told)).name("tell people").await?;
        Ok(())
    }

    fn state(&self) -> OpState {
        fold(&self.records)
    }

    fn context(&self) -> CellContext {
        CellContext::new(self.at.names(&self.state(), &self.intent), self.at.wire())
    }

    /// A record that follows from what is journaled, so a replay makes it again.
    fn note(&mut self, at: Stamp, event: Event) {
        self.records.push(Record { at, event });
    }

    fn begin_epoch(&mut self, now: Stamp, new_epoch: bool) {
        if new_epoch {
            let state = self.state();
            let because = state.decision.as_ref().map_or_else(String::new, |pending| pending.by.clone());
            self.note(now, Event::Epoch { number: state.epoch + 1, because });
        }
    }
}

impl Place {
    fn find(parts: Arc<Parts>, id: &str) -> HandlerResult<Self> {
        let connection = parts.connection().map_err(|error| TerminalError::new(error.to_string()))?;
        let cell = connection.integration.cells().into_iter().find(|cell| cell.spec().id == id);
        let cell = cell.ok_or_else(|| TerminalError::new_with_code(404, format!("there is no cell {id} here")))?;
        let spec = cell.spec();
        let standing = spec.standing(&|need| connection.is_met(need), SecondEffect::Withheld, false);
        if standing.look.is_some_and(|look| look.by_content) {
            // Two equal intents could be settled with one record; only a ledger's claims keep them apart.
            return Err(TerminalError::new_with_code(501, format!("{id} needs a ledger")).into());
        }
        let per_credential = spec.natives().any(|native| native.scope.contains(&Scope::Credential));
        let scope = connection.scope(&parts.secret, per_credential);
        Ok(Self { parts, cell, connection: Arc::new(connection), standing, scope })
    }

    fn view(&self, now: Stamp) -> View<'_> {
        // Restate sees to it that one worker at a time goes on with an invocation, so there are no leases.
        View { now, owner: "restate", scope: &self.scope, bounds: Bounds::default() }
    }

    fn wire(&self) -> Wire {
        Wire::new(self.connection.clone(), self.parts.transport.clone(), self.parts.clock.clone())
    }

    fn names(&self, state: &OpState, intent: &Intent) -> Names {
        let (token, mark) = self.cell.spec().forms();
        let seed = Seed::new(self.parts.secret.clone(), &intent.account, &intent.cell, intent.key.clone());
        Names::new(seed, token, mark, state.epoch, state.key_number)
            .with_notes(state.notes.clone(), state.former_notes.clone())
            .with_named(state.named().map(str::to_owned))
            .with_since(Some(state.began))
    }
}

/// Evidence, and the alarm that it rings.
fn learned(at: Stamp, evidence: Event, alarm: Option<String>) -> Vec<Record> {
    let alarm = alarm.map(|what| Event::Alarmed { what });
    [evidence].into_iter().chain(alarm).map(|event| Record { at, event }).collect()
}
