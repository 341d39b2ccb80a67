use super::event::Decision;
use super::{Attempt, Bounds, Elapsed, OpState, Stamp, Verdict};
use crate::capability::{Absence, Failures, Guard, GuardKind, Standing};

/// From where an operation is looked at: everything besides its own events that decisions need.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The present moment.
    pub now: Stamp,
    /// Who asks; a lease of somebody else makes them wait.
    pub owner: &'a str,
    /// Identity of what the provider scopes tokens to, on the connection as it is now.
    pub scope: &'a str,
    /// Bounds on automatic work.
    pub bounds: Bounds,
}

/// Whether a request that may cause the effect is allowed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    /// Yes.
    Yes {
        /// In a new epoch, because a person says so.
        new_epoch: bool,
        /// With a new key in the same epoch: the old one is burnt and a stronger token holds.
        replace_key: bool,
        /// What makes it harmless, in words.
        because: String,
    },
    /// Not before so many milliseconds.
    Wait {
        /// Milliseconds.
        ms: u64,
        /// In words.
        why: String,
    },
    /// No.
    No {
        /// In words.
        why: String,
    },
}

impl Permit {
    fn no(why: impl Into<String>) -> Self {
        Self::No { why: why.into() }
    }

    fn yes(because: impl Into<String>) -> Self {
        Self::Yes { new_epoch: false, replace_key: false, because: because.into() }
    }
}

/// Whether the rules allow a request that may cause the effect (rules 2, 3, 5, 6, 7, 8, 9, 13, 14).
///
/// This is the whole of the safety argument for sending; [`super::next`] only chooses among what
/// it permits. An executor of your own must ask it immediately before it journals a departure.
pub fn may_send(state: &OpState, standing: &Standing, view: &View<'_>) -> Permit {
    if state.is_final() || state.taken_over || !state.several.is_empty() || state.asked.is_some() {
        return Permit::no("it is over, or with a person");
    }
    if state.hold.is_some() {
        return Permit::no("it is held until somebody approves");
    }
    if state.expired(view.now) {
        return Permit::no("its good-until is over");
    }
    if let Some(ms) = state.ahead_of(view.now) {
        return Permit::Wait {
            ms,
            why: "a record of this operation lies in the future: one of the clocks is wrong".to_owned(),
        };
    }
    if let Some(decision) = &state.decision {
        return decided(state, standing, view, decision);
    }
    if state.patience_over(standing, view.now) {
        return Permit::no("automatic work has gone on for as long as this cell allows");
    }
    if state.alarmed_epoch == Some(state.epoch) {
        return Permit::no("the provider spoke of something else than the intent, so no promise of it is relied on");
    }
    let open: Vec<&Attempt> = state.open().collect();
    if open.is_empty() { fresh(state, view) } else { further(state, standing, view, &open) }
}

/// A person said: send again.
fn decided(state: &OpState, standing: &Standing, view: &View<'_>, pending: &super::PendingDecision) -> Permit {
    if pending.decision != Decision::SendAgain {
        return Permit::no("a person's decision waits to be carried out");
    }
    match state.until_closing(view.now) {
        0 if standing.look.is_none() || pending.confirmed => Permit::Yes {
            new_epoch: true,
            replace_key: false,
            because: format!("{} says that nothing happened", pending.by),
        },
        0 => Permit::no("a person's decision waits for one more look"),
        ms => Permit::Wait { ms, why: "a person's decision waits until earlier requests are settled".to_owned() },
    }
}

/// Nothing is open: the first request, or one after what is documented as not done.
fn fresh(state: &OpState, view: &View<'_>) -> Permit {
    if let Some(no) = after_restore(state) {
        return no;
    }
    if let Some(no) = bounded(state, view.bounds) {
        return no;
    }
    let Some(last) = state.present().next_back() else { return Permit::yes("nothing was sent before") };
    let wait = match &last.verdict {
        Verdict::NotDone { retry_after_ms, .. } => retry_after_ms.unwrap_or(0).max(view.bounds.backoff(count(state))),
        _ => view.bounds.backoff(count(state)),
    };
    match pause(last, wait, view.now) {
        0 => Permit::yes("all earlier requests are known to have had no effect"),
        ms => Permit::Wait { ms, why: "the provider asked to wait, or the last try was just now".to_owned() },
    }
}

/// Something is open: a further request needs a guard, or a policy.
fn further(state: &OpState, standing: &Standing, view: &View<'_>, open: &[&Attempt]) -> Permit {
    if let Some(no) = bounded(state, view.bounds) {
        return no;
    }
    if state.restored.is_some() {
        return Permit::no("the ledger was restored: windows and handles in it are not relied on");
    }
    if state
        .present()
        .any(|attempt| matches!(attempt.verdict, Verdict::Refused { .. } | Verdict::RefusedOnRecord { .. }))
    {
        return Permit::no("a later request was refused while an earlier one is open");
    }
    if state.present().any(|attempt| matches!(attempt.verdict, Verdict::Taken { .. })) {
        return Permit::no("the token is spent");
    }
    // Captured once (A18): what an upgraded adapter would prepare now doesn't guard a request that left
    // without it.
    if let Some(name) = standing.notes.iter().find(|name| !state.notes.contains_key(**name)) {
        return Permit::no(format!("an earlier request left without its {name}"));
    }
    let mut waits: Option<(u64, String)> = None;
    for guard in &standing.guards {
        match guarded(state, standing, view, open, guard) {
            Permit::Wait { ms, why } => {
                if waits.as_ref().is_none_or(|(least, _)| ms < *least) {
                    waits = Some((ms, why));
                }
            }
            Permit::No { .. } => {}
            yes => return yes,
        }
    }
    if standing.likely && suggested(state, standing) {
        return Permit::yes("the provider's records suggest that nothing happened, and policy allows it");
    }
    match waits {
        Some((ms, why)) => Permit::Wait { ms, why },
        None => Permit::no("nothing makes a further request harmless"),
    }
}

/// Whether this guard makes a further request harmless now.
fn guarded(state: &OpState, standing: &Standing, view: &View<'_>, open: &[&Attempt], guard: &Guard) -> Permit {
    let gone = || Permit::no("this guard is gone");
    let is_key = guard.kind == GuardKind::Key;
    if open.iter().any(|attempt| attempt.scope != view.scope) {
        return gone();
    }
    if is_key && open.iter().any(|attempt| matches!(attempt.verdict, Verdict::Adrift { .. } | Verdict::KeyBurnt { .. }))
    {
        return gone();
    }
    let answered_5xx =
        open.iter().any(|attempt| matches!(attempt.verdict, Verdict::Unclear { server_error: true, .. }));
    if is_key && answered_5xx && matches!(guard.failures, Failures::Rerun | Failures::Unknown) {
        return gone();
    }
    let first =
        state.present().find(|attempt| attempt.may_have_left() && (!is_key || attempt.key_number == state.key_number));
    if let (Some(first), Some(floor), false) = (first, guard.floor_ms, guard.then_refuses) {
        let gone_by = Elapsed::between(first.departed, view.now).at_most_ms;
        // The resend's own deadline and settle must end inside the window (A8).
        if gone_by.saturating_add(standing.within_ms).saturating_add(standing.settle_ms) > floor {
            return gone();
        }
    }
    let unsettled = if guard.one_wins { 0 } else { state.until_settled(view.now) };
    if unsettled > 0 {
        return Permit::Wait {
            ms: unsettled,
            why: "two requests at once could both pass; the first must be settled".to_owned(),
        };
    }
    let burnt = open.iter().any(|attempt| {
        attempt.key_number == state.key_number
            && matches!(attempt.verdict, Verdict::KeyBurnt { .. } | Verdict::Adrift { .. })
    });
    if let Some(last) = state.present().next_back() {
        let ms = pause(last, view.bounds.backoff(count(state)), view.now);
        if ms > 0 {
            return Permit::Wait { ms, why: "the last try was just now".to_owned() };
        }
    }
    let because = match guard.kind {
        GuardKind::Key => "the provider's key is still remembered",
        GuardKind::ClientId => "the provider takes our id once",
        GuardKind::Handle => "the provider's handle can be spent once",
        GuardKind::State => "the precondition holds once",
    };
    Permit::Yes { new_epoch: false, replace_key: burnt, because: because.to_owned() }
}

/// Whether a whole look after settle found nothing and nothing is adrift. It closes nothing (M9).
fn suggested(state: &OpState, standing: &Standing) -> bool {
    let adrift = state.open().any(|attempt| matches!(attempt.verdict, Verdict::Adrift { .. }));
    let absent = state.last_look.is_some_and(|look| look.absent && state.closes(look.began));
    absent && !adrift && standing.look.is_some_and(|look| look.absence >= Absence::Suggests)
}

/// Rule 7: after a restore, nothing leaves without a look that could see what was forgotten.
fn after_restore(state: &OpState) -> Option<Permit> {
    let restore = state.restored?;
    if state.vouched_epoch == Some(state.epoch) || (restore.looked && !restore.midway) {
        return None;
    }
    Some(Permit::no(if restore.midway {
        "the ledger was restored while this was under way: it goes on only by being found or by a person"
    } else {
        "the ledger was restored: a look must come first"
    }))
}

fn bounded(state: &OpState, bounds: Bounds) -> Option<Permit> {
    if state.counted_attempts() >= bounds.attempts {
        return Some(Permit::no(format!("{} requests have been sent", bounds.attempts)));
    }
    (count(state) >= bounds.departures).then(|| Permit::no(format!("{} tries have been made", bounds.departures)))
}

fn count(state: &OpState) -> u32 {
    u32::try_from(state.present().count()).unwrap_or(u32::MAX)
}

/// Milliseconds of this wait that are left since the attempt was heard of.
fn pause(last: &Attempt, wait_ms: u64, now: Stamp) -> u64 {
    last.heard.map_or(0, |heard| wait_ms.saturating_sub(Elapsed::between(heard, now).at_least_ms))
}

/// Whether a person's word that nothing happened can be taken now (rule 13). It is carried out after
/// settle and one more look that doesn't contradict it. Where that look can't prove anything (it
/// can't be made, it merely suggests, or the ledger was restored and the look may not see what a
/// lost handle did), the person must have looked after settle themselves.
///
/// # Errors
/// Milliseconds from `now` after which a person's look counts.
pub fn may_decide(state: &OpState, standing: &Standing, looked: Stamp, now: Stamp) -> Result<(), u64> {
    let proves = state.restored.is_none() && standing.look.is_some_and(|look| look.absence == Absence::Proves);
    if proves || state.until_closing(looked) == 0 { Ok(()) } else { Err(state.until_closing(now)) }
}

impl OpState {
    /// By how many milliseconds the operation's records lie in the future of `now`, if by more than
    /// clocks of different machines may differ (rule 14).
    pub fn ahead_of(&self, now: Stamp) -> Option<u64> {
        let departures = self.attempts.iter().flat_map(|attempt| [Some(attempt.departed), attempt.heard]);
        let newest = departures.flatten().chain([self.began]).map(|stamp| stamp.wall_ms).max().unwrap_or(i64::MIN);
        let ahead = newest.saturating_sub(now.wall_ms);
        (ahead > Stamp::TOLERANCE_MS).then(|| ahead.unsigned_abs())
    }

    /// Whether nothing may be sent any more.
    pub fn expired(&self, now: Stamp) -> bool {
        self.good_until_ms().is_some_and(|until| now.wall_ms >= until)
    }

    /// After this moment nothing is sent.
    pub fn good_until_ms(&self) -> Option<i64> {
        self.intent.as_ref().and_then(|intent| intent.good_until_ms)
    }

    /// Whether automatic work has gone on for as long as the cell allows, by any clock.
    pub fn patience_over(&self, standing: &Standing, now: Stamp) -> bool {
        Elapsed::between(self.patience_from, now).at_most_ms >= standing.patience_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_in_the_future_is_noticed_beyond_what_clocks_may_differ() {
        let state = OpState { began: Stamp::scripted(1_000_000), ..OpState::default() };
        let back = |ms: i64| Stamp { wall_ms: 1_000_000 - ms, boot_ms: 0, boot: 9 };
        assert_eq!(state.ahead_of(back(Stamp::TOLERANCE_MS)), None);
        assert_eq!(state.ahead_of(back(90_000)), Some(90_000));
    }
}
