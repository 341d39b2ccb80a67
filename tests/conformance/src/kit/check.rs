use hapax_core::capability::{Query, Token};
use hapax_core::cell::Credentials;
use hapax_core::ledger::{OperationId, Stored};
use hapax_core::protocol::{Event, Final, OpState, Record, Verdict, fold};
use hapax_core::words::Outcome;
use hapax_standin::Effect;
use secrecy::ExposeSecret;

use super::finish::broken;
use super::process::Process;
use super::run::{Intent, Run, Said, Store, lock};
use super::subject::End;
use super::time::{SteppedClock, WorldTime};
use super::violation::{Invariant, Violation};

/// Collects what does not hold.
struct Findings(Vec<Violation>);

impl Findings {
    fn unless(&mut self, so: bool, invariant: Invariant, what: impl FnOnce() -> String) {
        if !so {
            self.0.push(Violation::new(invariant, what()));
        }
    }
}

impl Run {
    /// Checks every invariant, once nothing is due any more.
    pub(crate) async fn check(&self, process: &Process) -> Vec<Violation> {
        let mut findings = Findings(Vec::new());
        for (what, handle) in lock(&self.met).iter() {
            findings.unless(handle.times_reached() > 0, Invariant::Reached, || format!("{what} was never met"));
        }
        let intents = lock(&self.intents).clone();
        let (mut departures, mut tokens) = (0, 0);
        for intent in &intents {
            match self.stored(intent).await {
                Err(error) => findings.0.push(broken(error)),
                Ok(None) => self.check_unknown(intent, &mut findings),
                Ok(Some(stored)) => {
                    self.reach.of_records(&stored.records);
                    let state = fold(&stored.records);
                    departures += state.attempts.len();
                    tokens += tokens_of(&state);
                    self.check_one(intent, &stored, &mut findings);
                    self.check_replays(process, intent, &stored, &mut findings).await;
                    self.show(process, stored.operation).await;
                }
            }
        }
        self.check_claims(&mut findings).await;
        if !*lock(&self.forgets) {
            self.check_requests(departures, tokens, &mut findings);
        }
        self.check_secrets(&mut findings);
        findings.0
    }

    /// An intent that the ledger doesn't know: nothing may have come of it, and nobody may have been told otherwise.
    fn check_unknown(&self, intent: &Intent, findings: &mut Findings) {
        let effects = self.effects(intent).len();
        findings.unless(effects == 0, Invariant::NothingForgotten, || {
            format!("{} has {effects} effects and no operation", intent.key)
        });
        let said = lock(&self.said).iter().any(|said| said.key == intent.key);
        findings.unless(!said, Invariant::NothingForgotten, || format!("{} was taken up and is gone", intent.key));
    }

    fn check_one(&self, intent: &Intent, stored: &Stored, findings: &mut Findings) {
        let state = fold(&stored.records);
        let effects = self.effects(intent);
        let of = &intent.key;
        self.check_effects(intent, &state, &effects, findings);
        if !*lock(&self.late) && !*lock(&self.forgets) {
            for effect in &effects {
                findings.unless(is_within_an_attempt(effect, &state), Invariant::DeadlineKept, || {
                    format!("{of}: the effect at {} lies within no attempt", effect.at_ms)
                });
            }
        }
        check_final(intent, &stored.records, &said_of(self, intent), findings);
        let parked = state.is_final() || state.with_person().is_some();
        findings.unless(parked, Invariant::NothingForgotten, || format!("{of} is neither final, due, held nor asked"));
        if let Some(Final::Succeeded(receipt)) = &state.outcome {
            let is_true = effects.is_empty() || effects.iter().any(|e| self.cell.is_receipt_of(&receipt.body, e));
            findings.unless(is_true, Invariant::TrueReceipt, || format!("{of}: no effect is what {} says", receipt.id));
        }
        self.check_end(intent, &state, findings);
    }

    /// A record of the provider's belongs to one operation, unless anybody's doing satisfies.
    async fn check_claims(&self, findings: &mut Findings) {
        if self.cell.a_hand_satisfies() {
            return;
        }
        let intents = lock(&self.intents).clone();
        let mut claimed: Vec<String> = Vec::new();
        for intent in &intents {
            let Ok(Some(state)) = self.state(intent).await else { continue };
            let Some(Final::Succeeded(receipt)) = state.outcome else { continue };
            findings.unless(receipt.id.is_empty() || !claimed.contains(&receipt.id), Invariant::OneClaim, || {
                format!("{} succeeded by {}, as another did", intent.key, receipt.id)
            });
            claimed.push(receipt.id);
        }
    }

    fn check_effects(&self, intent: &Intent, state: &OpState, effects: &[Effect], findings: &mut Findings) {
        let (of, count) = (&intent.key, effects.len());
        let several = || format!("{of} has {count} effects, {} allowed; {}", intent.allowed, story(state));
        match *lock(&self.loud) {
            None => findings.unless(count <= intent.allowed, Invariant::OneEffect, several),
            Some(assumption) if count > intent.allowed => {
                self.reach.note(format!("assumption:{assumption}"));
                let is_loud = !state.alarms.is_empty() || state.with_person().is_some();
                // Where nothing can be asked, nobody can notice.
                let asks = self.spec.queries().any(Query::asks_by_itself);
                let can_see = !*lock(&self.quiet) && asks;
                findings.unless(is_loud || !can_see, Invariant::Loud, several);
            }
            Some(_) => {}
        }
        match &state.outcome {
            Some(Final::Succeeded(_)) => {
                let by_hand = self.cell.a_hand_satisfies();
                findings.unless(count >= 1 || by_hand, Invariant::NoFalseSuccess, || {
                    format!("{of} is reported as succeeded and has no effect; {}", story(state))
                });
            }
            Some(Final::Refused(_)) => {
                let loud = lock(&self.loud).is_some() && !state.alarms.is_empty();
                let before = intent.allowed - 1;
                findings.unless(count <= before || loud, Invariant::NoFalseRefusal, || {
                    format!("{of} is reported as refused and has {count} effects; {}", story(state))
                });
            }
            None => {}
        }
    }

    fn check_end(&self, intent: &Intent, state: &OpState, findings: &mut Findings) {
        let end = match &state.outcome {
            Some(Final::Succeeded(_)) => End::Succeeded,
            Some(Final::Refused(_)) => End::Refused,
            None => End::Person,
        };
        let wanted = *lock(&self.end);
        findings.unless(wanted == End::Any || wanted == end, Invariant::ExpectedEnd, || {
            format!("{} ends as {end:?}, expected {wanted:?}; {}", intent.key, story(state))
        });
    }

    /// Calls again with the same key: what was said stays said.
    async fn check_replays(&self, process: &Process, intent: &Intent, stored: &Stored, findings: &mut Findings) {
        let state = fold(&stored.records);
        for _ in 0..2 {
            let said = match self.call(process, intent).await {
                None => return findings.unless(false, Invariant::NoPanic, || "a replay panicked".to_owned()),
                // A clock that is behind, or other arguments in the fault: nothing is said.
                Some(Err(_)) => return,
                Some(Ok(report)) => report,
            };
            let same = match (&said.outcome, &state.outcome) {
                (Outcome::Succeeded { receipt }, Some(Final::Succeeded(first))) => *receipt == *first.body,
                (Outcome::Refused { reason }, Some(Final::Refused(first))) => reason == first,
                (Outcome::Unknown { .. }, None) => true,
                _ => false,
            };
            findings.unless(same, Invariant::SameReceipt, || {
                format!("{}: a replay says {:?}; {}", intent.key, said.outcome, story(&state))
            });
        }
    }

    /// What people would be shown, for the search for secrets.
    async fn show(&self, process: &Process, operation: OperationId) {
        let executor = process.executor().clone();
        if let Some(Ok(view)) = process.inside(async move { executor.show(operation).await }).await {
            lock(&self.texts).push(serde_json::to_string(&view).unwrap_or_default());
        }
    }

    /// One departure is one request, and the attempts of an epoch carry one token.
    fn check_requests(&self, departures: usize, allowed: usize, findings: &mut Findings) {
        let shots = self.shots();
        findings.unless(shots <= departures, Invariant::OneRequest, || {
            format!("{shots} requests left for {departures} departures that were written down")
        });
        let key = self.spec.natives().find_map(|native| match native.token {
            Token::Key(field) => Some(field.name),
            _ => None,
        });
        let Some(header) = key else { return };
        let (method, path) = self.cell.routes().shot;
        let when = hapax_standin::When::on(method, path);
        let sent = self.proxy.seen().into_iter().filter(|seen| when.matches(&seen.method, &seen.target));
        let mut tokens: Vec<String> = sent.filter_map(|seen| seen.header(header).map(str::to_owned)).collect();
        tokens.sort();
        tokens.dedup();
        findings.unless(tokens.len() <= allowed, Invariant::OneToken, || {
            format!("{} different {header}s were sent where {allowed} were due", tokens.len())
        });
    }

    /// No text that anybody gets to see, nor the ledger, holds a secret.
    fn check_secrets(&self, findings: &mut Findings) {
        let mut secrets = exposed(&*self.subject, &self.subject.credentials());
        secrets.extend(exposed(&*self.subject, &self.subject.rotated()));
        secrets.push(self.secret.expose().to_owned());
        let mut texts = lock(&self.texts).clone();
        if let Store::File(_, path) = &*lock(&self.store) {
            for end in ["", "-wal"] {
                let mut name = path.clone().into_os_string();
                name.push(end);
                texts.extend(std::fs::read(name).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        for secret in secrets.iter().filter(|secret| secret.len() >= 6) {
            let told = texts.iter().any(|text| text.contains(secret.as_str()));
            findings.unless(!told, Invariant::NoSecret, || format!("a text holds {}...", &secret[..4]));
        }
    }
}

fn exposed(subject: &dyn super::subject::Subject, credentials: &Credentials) -> Vec<String> {
    let fields = subject.integration().credentials().iter();
    fields.filter_map(|field| credentials.get(field.name)).map(|secret| secret.expose_secret().to_owned()).collect()
}

fn said_of(run: &Run, intent: &Intent) -> Vec<Said> {
    lock(&run.said).iter().filter(|said| said.key == intent.key).cloned().collect()
}

/// How many tokens the attempts of an operation carried, by its own records.
fn tokens_of(state: &OpState) -> usize {
    let mut tokens: Vec<(u32, u32)> =
        state.attempts.iter().map(|attempt| (attempt.epoch, attempt.key_number)).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens.len()
}

/// Whether an effect lies between a departure and its deadline, by the clock that counts sleep.
fn is_within_an_attempt(effect: &Effect, state: &OpState) -> bool {
    let at_ms = u64::try_from(effect.at_ms - WorldTime::BEGIN_MS).unwrap_or(0);
    state.attempts.iter().any(|attempt| {
        let from = SteppedClock::elapsed_of(attempt.departed);
        // The provider takes up a request a moment after its last byte.
        (from.saturating_sub(1)..=from.saturating_add(attempt.within_ms).saturating_add(5_000)).contains(&at_ms)
    })
}

/// What was final stayed final: in the ledger's own records, and in what callers heard.
fn check_final(intent: &Intent, records: &[Record], said: &[Said], findings: &mut Findings) {
    let of = &intent.key;
    let mut state = OpState::default();
    for record in records {
        let before = state.outcome.clone();
        state.apply(record);
        let on_purpose = matches!(record.event, Event::Superseded { .. });
        findings.unless(before.is_none() || before == state.outcome || on_purpose, Invariant::FinalStaysFinal, || {
            format!("{of} was {before:?} and became {:?}", state.outcome)
        });
    }
    for said in said {
        let epoch = said.report.epoch;
        let same_epoch = state.epoch == epoch;
        let holds = match (&said.report.outcome, &state.outcome) {
            (Outcome::Succeeded { receipt }, Some(Final::Succeeded(first))) => *receipt == *first.body,
            (Outcome::Refused { reason }, Some(Final::Refused(first))) => reason == first,
            (Outcome::Unknown { .. }, _) => true,
            _ => false,
        };
        findings.unless(holds || !same_epoch, Invariant::FinalStaysFinal, || {
            format!("{of}: a caller heard {:?}, the ledger says {:?}", said.report.outcome, state.outcome)
        });
    }
}

/// An operation in one line, for whoever reads a failure.
pub(crate) fn story(state: &OpState) -> String {
    let attempts: Vec<String> = state
        .attempts
        .iter()
        .map(|attempt| {
            let closed = if attempt.closed { " closed" } else { "" };
            let why: String = match &attempt.verdict {
                Verdict::Happened { .. } | Verdict::Open => String::new(),
                other => format!(" ({})", other.why().chars().take(60).collect::<String>()),
            };
            format!("{}{why}{closed}", attempt.verdict.name())
        })
        .collect();
    let alarms: Vec<&str> = state.alarms.iter().map(|alarm| alarm.what.as_str()).collect();
    let asked = state.with_person().map_or(String::new(), |why| format!(", with a person: {why}"));
    format!("attempts [{}], looks {}, alarms {alarms:?}{asked}", attempts.join(", "), state.looks)
}
