use hapax_core::protocol::Permit;

use crate::answers::words_of;
use crate::book::{Says, UNBORN};
use crate::kinds::{DEADLINE, Handle};
use crate::lines::{Answer, DRAFT, Leaving, Line, NOTE};
use crate::machine::{Machine, Out};
use crate::scenario::Bug;
use crate::world::{FOREIGN, NOBODY, Request, Stage, World};

/// What our side does: takes up work, journals, sends, writes answers, looks.
impl Machine {
    pub(crate) fn workers(&mut self, at: &World, out: &mut Out) {
        if at.ledger == UNBORN {
            return self.begins_again(at, out);
        }
        let owners = if self.scenario.leases { 2 } else { 1 };
        for owner in 0..owners {
            let busy = at.requests.iter().any(|request| request.stage != Stage::Over && request.owner == owner)
                || at.looks.iter().flatten().any(|look| look.owner == owner);
            if self.scenario.leases && busy {
                continue;
            }
            match self.next(at, owner) {
                Says::Nothing | Says::Wait(_) => {}
                Says::Prepare { new_epoch } => self.prepares(at, owner, new_epoch, out),
                Says::Send { new_epoch, replace_key } => self.departs(at, owner, new_epoch, replace_key, out),
                Says::Look => self.look_begins(at, owner, out),
                Says::Ask if self.has(Bug::NeverAsks) => {}
                Says::Ask => {
                    let after = self.append(at, Line::Asked);
                    Self::say(out, "a person is asked by worker", owner, after);
                }
                Says::Close { expired } => {
                    let after = self.append(at, Line::Closed { expired });
                    Self::say(out, "closed without an effect by worker", owner, after);
                }
            }
        }
        if self.scenario.permitted {
            self.anything_permitted(at, out);
        }
    }

    fn anything_permitted(&mut self, at: &World, out: &mut Out) {
        let now = self.clock(at.now);
        if let Permit::Yes { new_epoch, replace_key, .. } = self.book.permit(at.ledger, now) {
            let notes = &self.kind.standing.notes;
            let missing = new_epoch || notes.iter().any(|name| !self.state(at).notes.contains_key(*name));
            if missing && !notes.is_empty() {
                self.prepares(at, 0, new_epoch, out);
            } else {
                self.departs(at, 0, new_epoch, replace_key, out);
            }
        }
        let state = self.state(at);
        let room = state.looks < self.scenario.looks && !state.is_final() && state.hold.is_none();
        if self.kind.standing.look.is_some() && room && (!state.attempts.is_empty() || state.restored.is_some()) {
            self.look_begins(at, 0, out);
        }
    }

    /// The ledger doesn't know the operation, and the caller says again what they want.
    fn begins_again(&mut self, at: &World, out: &mut Out) {
        let restored = self.back(at);
        let held = restored.is_some() && self.kind.standing.look.is_none();
        let after = self.append(at, Line::Began { restored, held, until: self.scenario.good_until });
        Self::say(out, "the caller says it again", 0, after);
    }

    fn prepares(&mut self, at: &World, owner: u8, new_epoch: bool, out: &mut Out) {
        let epoch = u8::try_from(self.state(at).epoch).unwrap_or(u8::MAX) + u8::from(new_epoch);
        if epoch > 1 {
            return;
        }
        if self.kind.provider.state && at.is_so {
            let about = at.requests.iter().position(|request| request.effect);
            let about = about.and_then(|number| u8::try_from(number).ok()).unwrap_or(FOREIGN);
            let after = self.append(at, Line::Witnessed { about });
            return Self::say(out, "prepare finds it so already, as of", about, after);
        }
        let drafted = !new_epoch && self.state(at).notes.contains_key(DRAFT);
        if self.kind.standing.notes.contains(&DRAFT) && !drafted {
            let after = self.append_by(at, owner, Line::Noted { new_epoch, name: DRAFT, value: epoch });
            return Self::say(out, "takes the step before, and journals", epoch, after);
        }
        let value = match self.kind.provider.handle {
            Handle::None => 0,
            Handle::Keyed => epoch,
            Handle::Fresh if usize::from(at.made) < at.handles.len() => at.made,
            Handle::Fresh => return,
        };
        let mut after = self.append_by(at, owner, Line::Noted { new_epoch, name: NOTE, value });
        after.made += u8::from(self.kind.provider.handle == Handle::Fresh);
        Self::say(out, "prepares, and journals", value, after);
    }

    fn departs(&mut self, at: &World, owner: u8, new_epoch: bool, replace_key: bool, out: &mut Out) {
        let state = self.state(at);
        let epoch = u8::try_from(state.epoch).unwrap_or(u8::MAX) + u8::from(new_epoch);
        let before = if new_epoch { 0 } else { u8::try_from(state.key_number).unwrap_or(u8::MAX) };
        let number = before + u8::from(replace_key);
        if at.count == self.scenario.requests || epoch > 1 || number > 2 {
            return;
        }
        let attempt = u8::try_from(state.attempts.len()).unwrap_or(u8::MAX);
        let mut handle = state.notes.get(NOTE).and_then(|value| value.parse().ok()).unwrap_or(0);
        if self.has(Bug::HandleNotJournaled) {
            handle = at.count;
        }
        let now = self.clock_of(at, owner);
        let mut within = DEADLINE;
        if self.scenario.good_until > 0 && !self.has(Bug::DeadlineAfterGoodUntil) {
            let wall = now.tick.saturating_add_signed(now.ahead);
            within = within.min(self.scenario.good_until.saturating_sub(wall));
        }
        let early = self.has(Bug::AbsenceBeforeSettle);
        let ticks = |ms: u64| if early { 0 } else { u8::try_from(ms / crate::lines::TICK_MS).unwrap_or(u8::MAX) };
        let leaving = Leaving {
            new_epoch,
            replace_key: replace_key && !self.has(Bug::ReplacementNotJournaled),
            within,
            settle: ticks(self.kind.standing.settle_ms),
            closing: ticks(self.kind.standing.closing_ms),
            record: self.kind.record(),
            lease: self.scenario.leases.then_some(owner),
        };
        let key = if self.has(Bug::FreshKeyPerAttempt) { at.count } else { epoch * 3 + number };
        let mut after = self.append_by(at, owner, Line::Departed(leaving));
        if self.has(Bug::ActsInDoubt) {
            after = *at;
        }
        let deadline = at.now.tick + within;
        after.requests[usize::from(at.count)] = Request {
            stage: Stage::Unsent,
            attempt,
            departed: now,
            epoch,
            key,
            handle,
            deadline,
            owner,
            ..Request::NONE
        };
        after.count += 1;
        let words = match (new_epoch, replace_key) {
            (true, _) => "journals a departure in a new epoch, request",
            (_, true) => "journals a departure with a new key, request",
            _ => "journals a departure, request",
        };
        if self.has(Bug::DepartsFromOldState) && at.count == 0 {
            // The other worker saw the same state, and nobody asks whether it is still the latest.
            self.departs(&after, 1 - owner, new_epoch, replace_key, out);
        }
        Self::say(out, words, at.count, after);
    }

    /// What the task of a request does: sends its first byte, gives up, writes what it heard.
    pub(crate) fn task(&mut self, at: &World, number: u8, out: &mut Out) {
        let request = at.requests[usize::from(number)];
        let mut set = |stage, owner, words| {
            let mut after = *at;
            let changed = &mut after.requests[usize::from(number)];
            (changed.stage, changed.owner) = (stage, owner);
            changed.forget();
            Self::say(out, words, number, after);
        };
        match request.stage {
            Stage::Unsent => {
                set(Stage::Over, request.owner, "dies before its first byte, request");
                let late = at.now.tick > request.deadline;
                if !late {
                    set(Stage::Flying, request.owner, "bytes leave, request");
                } else if self.scenario.bug == Some(Bug::NoDeadlineAtSocket) {
                    let mut after = *at;
                    let changed = &mut after.requests[usize::from(number)];
                    (changed.stage, changed.deadline) = (Stage::Flying, at.now.tick);
                    Self::say(out, "bytes leave after the deadline, request", number, after);
                }
                self.writes(at, number, Answer::NotDone, Stage::Over, "not sent, and written, request", out);
            }
            Stage::Flying | Stage::Working if request.owner != NOBODY => {
                if self.scenario.leases {
                    set(request.stage, NOBODY, "its worker dies, request");
                }
                if self.scenario.leases || self.has(Bug::TimeoutIsRefusal) {
                    let wrong = self.has(Bug::TimeoutIsRefusal);
                    let answer = if wrong { Answer::Refused } else { Answer::Lost };
                    self.writes(at, number, answer, request.stage, "no answer, and written, request", out);
                }
            }
            Stage::Held(answer) if self.has_no_operation(at, number) => {
                set(Stage::Over, request.owner, "its answer has no operation, request");
                if answer == Answer::Happened && at.ledger != UNBORN {
                    let mut after = self.append(at, Line::Witnessed { about: request.about });
                    after.requests[usize::from(number)].stage = Stage::Over;
                    after.requests[usize::from(number)].forget();
                    Self::say(out, "the caller hands in the receipt of request", number, after);
                }
            }
            Stage::Held(answer) => self.writes(at, number, answer, Stage::Over, words_of(answer), out),
            _ => {}
        }
    }
}
