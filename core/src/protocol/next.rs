use super::event::Decision;
use super::permit::{Permit, View, may_send};
use super::{Hold, OpState, PendingDecision, Verdict};
use crate::capability::Standing;
use crate::words::Refusal;

/// What to do with an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Do {
    /// Nothing: it is final, held, or with a person.
    Nothing,
    /// Nothing yet; ask again after so many milliseconds.
    Wait {
        /// Milliseconds.
        ms: u64,
        /// In words.
        why: String,
    },
    /// Take the harmless steps whose handles must be journaled first; then ask again.
    Prepare {
        /// Begin a new epoch first.
        new_epoch: bool,
    },
    /// Journal a departure, then send the one request.
    Send {
        /// Begin a new epoch first.
        new_epoch: bool,
        /// With a new key in the same epoch.
        replace_key: bool,
        /// What makes it harmless.
        because: String,
    },
    /// Look whether it happened.
    Look {
        /// What for, in words.
        why: String,
    },
    /// Put it in front of a person.
    Ask {
        /// Why.
        why: String,
    },
    /// Close it without an effect.
    Close {
        /// Why.
        reason: Refusal,
    },
}

/// Why one waits for another's lease.
pub const IN_PROGRESS: &str = "in progress";

/// What to do next. Pure; it chooses among what [`may_send`] permits, looking before it sends
/// again where a question can be asked.
pub fn next(state: &OpState, standing: &Standing, view: &View<'_>) -> Do {
    if let Some(lease) = state.lease.as_ref().filter(|lease| lease.owner != view.owner && lease.holds(view.now)) {
        return Do::Wait { ms: lease.remaining_ms(view.now), why: IN_PROGRESS.to_owned() };
    }
    if state.is_final() {
        return look_back(state, standing, view, "a second request was sent: is there a second effect?");
    }
    if state.taken_over {
        return look_back(state, standing, view, "a person acts by hand: did what had left take effect?");
    }
    if !state.several.is_empty() {
        return if state.asked.is_some() {
            Do::Nothing
        } else {
            ask(format!("more than one effect was found ({})", state.several.join(", ")))
        };
    }
    if let Some(pending) = &state.decision {
        return carry_out(state, standing, view, pending);
    }
    let open = state.open().next().is_some();
    let closable = state.restored.is_none_or(|restore| restore.looked && !restore.midway)
        || state.vouched_epoch == Some(state.epoch);
    if state.expired(view.now) && !open && closable {
        return Do::Close { reason: expired() };
    }
    if state.hold.is_some() || state.asked.is_some() {
        return Do::Nothing;
    }
    let todo = if open { settle(state, standing, view) } else { begin(state, standing, view) };
    not_past_an_end(todo, state, standing, view)
}

/// The ends of patience and of good-until are due times like any other: no wait passes over them,
/// whatever the provider asked for.
fn not_past_an_end(todo: Do, state: &OpState, standing: &Standing, view: &View<'_>) -> Do {
    let Do::Wait { ms, why } = todo else { return todo };
    let waited = super::Elapsed::between(state.patience_from, view.now).at_most_ms;
    let patience = standing.patience_ms.saturating_sub(waited);
    let good =
        state.good_until_ms().map_or(0, |until| u64::try_from(until.saturating_sub(view.now.wall_ms)).unwrap_or(0));
    let ms = [patience, good].into_iter().filter(|left| *left > 0).fold(ms, u64::min);
    Do::Wait { ms, why }
}

/// One more look after everything that left is settled (rules 8 and 13). It is bounded and never
/// changes an outcome.
fn look_back(state: &OpState, standing: &Standing, view: &View<'_>, why: &str) -> Do {
    let requests = state.attempts.iter().filter(|attempt| attempt.may_have_left()).count();
    let wanted = if state.taken_over { requests > 0 } else { requests > 1 };
    if !wanted || state.looked_back || standing.look.is_none() || state.looks >= view.bounds.looks {
        return Do::Nothing;
    }
    match state.until_all_closing(view.now).max(look_pause(state, view)) {
        0 => Do::Look { why: why.to_owned() },
        ms => Do::Wait { ms, why: "earlier requests must be settled before the last look".to_owned() },
    }
}

/// A person's decision: after settle, and after one more look that doesn't contradict it.
fn carry_out(state: &OpState, standing: &Standing, view: &View<'_>, pending: &PendingDecision) -> Do {
    let wait = state.until_closing(view.now);
    if wait > 0 {
        return Do::Wait { ms: wait, why: "a decision waits until earlier requests are settled".to_owned() };
    }
    if standing.look.is_some() && !pending.confirmed {
        return look_or(state, view, "does anything contradict the decision?", || {
            ask("the decision could not be checked: the provider can't be asked".to_owned())
        });
    }
    match (&pending.decision, may_send(state, standing, view)) {
        (Decision::DidNotHappen, _) => {
            Do::Close { reason: Refusal::new("by-a-person", format!("{} says that it did not happen", pending.by)) }
        }
        (_, Permit::Yes { new_epoch, replace_key, because }) => {
            send(state, standing, view, new_epoch, replace_key, because)
        }
        (_, Permit::Wait { ms, why }) => Do::Wait { ms, why },
        (_, Permit::No { .. }) if state.expired(view.now) => Do::Close { reason: expired() },
        (_, Permit::No { why }) => ask(why),
    }
}

/// Nothing is open: go, wait, or ask.
fn begin(state: &OpState, standing: &Standing, view: &View<'_>) -> Do {
    if let Some(restore) = state.restored.filter(|restore| !restore.looked && state.vouched_epoch != Some(state.epoch))
    {
        return begin_restored(state, standing, view, restore.midway);
    }
    match may_send(state, standing, view) {
        Permit::Yes { new_epoch, replace_key, because } => send(state, standing, view, new_epoch, replace_key, because),
        Permit::Wait { ms, why } => Do::Wait { ms, why },
        Permit::No { why } => ask(why),
    }
}

/// Rule 7: after a restore a look comes first; where none proves, a person.
fn begin_restored(state: &OpState, standing: &Standing, view: &View<'_>, midway: bool) -> Do {
    let asks = || {
        ask(if midway {
            "the ledger was restored while this was under way"
        } else {
            "the ledger was restored, and nothing here can prove that it had not happened before"
        }
        .to_owned())
    };
    if standing.look.is_none() || state.patience_over(standing, view.now) {
        return asks();
    }
    let seen = state.last_look.is_some_and(|look| look.absent && state.closes(look.began));
    if seen {
        return asks();
    }
    match state.until_closing(view.now) {
        0 => look_or(state, view, "the ledger was restored: did it happen before?", asks),
        ms => Do::Wait { ms, why: "the ledger was restored: what was sent before must be settled".to_owned() },
    }
}

/// Something is open: look, send again where that is harmless, wait, or ask.
fn settle(state: &OpState, standing: &Standing, view: &View<'_>) -> Do {
    if state.patience_over(standing, view.now) {
        return last_look_or_ask(state, standing, view, "automatic work has gone on for as long as this cell allows");
    }
    let Some(look) = standing.look.filter(|_| state.looks < view.bounds.looks) else {
        return match may_send(state, standing, view) {
            Permit::Yes { new_epoch, replace_key, because } => {
                send(state, standing, view, new_epoch, replace_key, because)
            }
            Permit::Wait { ms, why } => Do::Wait { ms, why },
            Permit::No { .. } if standing.look.is_some() => ask(absent_but_open(state)),
            Permit::No { .. } => ask("a request may have taken effect, and the provider can't be asked".to_owned()),
        };
    };
    let unsettled = state.until_settled(view.now);
    let too_early = look.by_content && unsettled > 0;
    if state.last_look.is_none() && !too_early {
        return Do::Look { why: "an answer is missing".to_owned() };
    }
    let permit = may_send(state, standing, view);
    if let Permit::Yes { new_epoch, replace_key, because } = permit {
        return send(state, standing, view, new_epoch, replace_key, because);
    }
    let closing = state.until_closing(view.now);
    let nothing_to_learn = closing == 0 && state.last_look.is_some_and(|last| last.absent && state.closes(last.began));
    if nothing_to_learn {
        return match permit {
            Permit::Wait { ms, why } => Do::Wait { ms, why },
            _ => ask(absent_but_open(state)),
        };
    }
    let mut ms = if too_early { unsettled } else { look_pause(state, view) };
    if closing > 0 {
        ms = ms.min(closing);
    }
    if let Permit::Wait { ms: sooner, .. } = permit {
        ms = ms.min(sooner);
    }
    match ms {
        0 => Do::Look { why: "an answer is missing".to_owned() },
        ms => Do::Wait { ms, why: "it may show later".to_owned() },
    }
}

/// Patience is over: a last look if there was none after settle, then a person.
fn last_look_or_ask(state: &OpState, standing: &Standing, view: &View<'_>, why: &str) -> Do {
    let seen = state.last_look.is_some_and(|last| state.closes(last.began));
    if standing.look.is_some() && !seen && state.until_closing(view.now) == 0 {
        return look_or(state, view, "one last time before a person is asked", || ask(why.to_owned()));
    }
    ask(why.to_owned())
}

fn look_or(state: &OpState, view: &View<'_>, why: &str, otherwise: impl FnOnce() -> Do) -> Do {
    if state.looks >= view.bounds.looks {
        return otherwise();
    }
    match look_pause(state, view) {
        0 => Do::Look { why: why.to_owned() },
        ms => Do::Wait { ms, why: "the last look was just now".to_owned() },
    }
}

/// Milliseconds until the next look of a doubling series. The first look that can be conclusive,
/// because everything is settled by now and was not when the last one began, doesn't wait.
fn look_pause(state: &OpState, view: &View<'_>) -> u64 {
    let Some(last) = state.last_look else { return 0 };
    let settled =
        |at| if state.is_final() || state.taken_over { state.until_all_closing(at) } else { state.until_closing(at) };
    if settled(view.now) == 0 && settled(last.began) > 0 {
        return 0;
    }
    view.bounds.backoff(state.looks).saturating_sub(super::Elapsed::between(last.ended, view.now).at_least_ms)
}

/// Prepare comes before sending while names that the cell journals are missing.
fn send(
    state: &OpState,
    standing: &Standing,
    view: &View<'_>,
    new_epoch: bool,
    replace_key: bool,
    because: String,
) -> Do {
    let missing = new_epoch || standing.notes.iter().any(|name| !state.notes.contains_key(*name));
    if !missing || standing.notes.is_empty() {
        return Do::Send { new_epoch, replace_key, because };
    }
    // A step that fails again and again must not fill the journal: it is tried in a doubling series.
    let (times, last) = state.given_back;
    let waited = super::Elapsed::between(last, view.now).at_least_ms;
    match view.bounds.backoff(times).saturating_sub(waited) {
        0 => Do::Prepare { new_epoch },
        ms => Do::Wait { ms, why: "a step before the request that counts failed just now".to_owned() },
    }
}

fn absent_but_open(state: &OpState) -> String {
    let adrift = state.open().any(|attempt| matches!(attempt.verdict, Verdict::Adrift { .. }));
    let seen = state.last_look.is_some_and(|last| last.absent);
    let cause = if adrift {
        "the provider itself did not know what became of a request"
    } else {
        "a request may have taken effect"
    };
    let records =
        if seen { "its records show nothing, which proves nothing here yet" } else { "it could not be asked" };
    format!("{cause}; {records}")
}

fn ask(why: String) -> Do {
    Do::Ask { why }
}

fn expired() -> Refusal {
    Refusal::new("expired", "its good-until is over and nothing was sent that could still take effect")
}

impl OpState {
    /// Why a person has to act, if one has to.
    pub fn with_person(&self) -> Option<String> {
        if self.is_final() {
            return None;
        }
        match (&self.hold, &self.asked, self.taken_over) {
            (_, _, true) => Some("a person has taken over".to_owned()),
            (_, Some(why), _) => Some(why.clone()),
            (Some(Hold::Approval { rule }), _, _) => Some(format!("held for approval: {rule}")),
            (Some(Hold::SuspectedRepeat { of }), _, _) => {
                Some(format!("held as a suspected repeat of {}", of.join(", ")))
            }
            (Some(Hold::Restored), _, _) => Some("held: the ledger was restored, and nothing can be asked".to_owned()),
            _ => None,
        }
    }
}
