use hapax_core::protocol::Permit;

use crate::book::{Says, UNBORN};
use crate::kinds::{DEADLINE, Handle};
use crate::lines::{Answer, Leaving, Line, NOTE, Seen};
use crate::machine::{Machine, Out, sight};
use crate::scenario::Bug;
use crate::world::{BY_HAND, FOREIGN, Looking, NOBODY, Request, Stage, World};

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
                Says::Prepare { new_epoch } => self.prepares(at, new_epoch, out),
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
                self.prepares(at, new_epoch, out);
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

    fn prepares(&mut self, at: &World, new_epoch: bool, out: &mut Out) {
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
        let value = match self.kind.provider.handle {
            Handle::None => 0,
            Handle::Keyed => epoch,
            Handle::Fresh if usize::from(at.made) < at.handles.len() => at.made,
            Handle::Fresh => return,
        };
        let mut after = self.append(at, Line::Noted { new_epoch, value });
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
        let handle = state.notes.get(NOTE).and_then(|value| value.parse().ok()).unwrap_or(0);
        let now = self.clock(at.now);
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
        let mut after = self.append(at, Line::Departed(leaving));
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
        Self::say(out, words, at.count, after);
    }

    /// What the task of a request does: sends its first byte, gives up, writes what it heard.
    pub(crate) fn task(&mut self, at: &World, number: u8, out: &mut Out) {
        let request = at.requests[usize::from(number)];
        let known = self.is_known(at, number);
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
                if known {
                    self.writes(at, number, Answer::NotDone, Stage::Over, "not sent, and written, request", out);
                }
            }
            Stage::Flying | Stage::Working if request.owner != NOBODY => {
                if self.scenario.leases {
                    set(request.stage, NOBODY, "its worker dies, request");
                }
                if self.scenario.leases || self.has(Bug::TimeoutIsRefusal) {
                    let wrong = self.has(Bug::TimeoutIsRefusal);
                    let answer = if wrong { Answer::Refused } else { Answer::Lost };
                    if known {
                        self.writes(at, number, answer, request.stage, "no answer, and written, request", out);
                    }
                }
            }
            Stage::Held(_) if !known => {
                set(Stage::Over, request.owner, "its answer has no operation, request");
                if let (Stage::Held(Answer::Happened), true) = (request.stage, at.ledger != UNBORN) {
                    let mut after = self.append(at, Line::Witnessed { about: request.about });
                    after.requests[usize::from(number)].stage = Stage::Over;
                    after.requests[usize::from(number)].forget();
                    Self::say(out, "the caller hands in the receipt of request", number, after);
                }
            }
            Stage::Held(answer) => {
                self.writes(at, number, answer, Stage::Over, words_of(answer), out);
            }
            _ => {}
        }
    }

    /// Whether the ledger still means this very request by the number of its attempt. A restored
    /// ledger gives the numbers that it forgot to others.
    fn is_known(&self, at: &World, number: u8) -> bool {
        let request = at.requests[usize::from(number)];
        if at.ledger == UNBORN || (at.orphans && number < at.forgotten) {
            return false;
        }
        let attempt = self.state(at).attempts.iter().find(|attempt| attempt.number == u32::from(request.attempt));
        self.has(Bug::NumbersReused) || attempt.is_some_and(|attempt| attempt.departed == request.departed.stamp())
    }

    /// Writes what was heard, now or much later.
    fn writes(&mut self, at: &World, number: u8, answer: Answer, then: Stage, words: &'static str, out: &mut Out) {
        let request = at.requests[usize::from(number)];
        if at.now.tick > request.deadline && then == Stage::Over {
            self.met |= sight("late answer");
        }
        let written = match answer {
            Answer::Burnt if self.has(Bug::StoredFailureIsNotDone) => Answer::NotDone,
            other => other,
        };
        let mut after =
            self.append(at, Line::Heard { attempt: request.attempt, answer: written, about: request.about });
        if self.has(Bug::RefusalCloses) && matches!(answer, Answer::Refused | Answer::OnRecord) {
            after = self.append(&after, Line::ClosedWrongly);
        }
        let changed = &mut after.requests[usize::from(number)];
        changed.stage = then;
        changed.owner = NOBODY;
        changed.forget();
        Self::say(out, words, number, after);
    }

    fn look_begins(&mut self, at: &World, owner: u8, out: &mut Out) {
        let Some(free) = at.looks[..self.scenario.looks_at_once].iter().position(Option::is_none) else { return };
        let mut after = if self.scenario.leases { self.append(at, Line::Leased { owner, ticks: 1 }) } else { *at };
        let handle = self.state(at).notes.get(NOTE).and_then(|value| value.parse().ok());
        // Without a journaled handle there is nothing to look at.
        let handle = if self.kind.by_mark { 0 } else { handle.unwrap_or(u8::MAX) };
        after.looks[free] = Some(Looking { began: at.now, handle, owner });
        Self::say(out, "a look begins by worker", owner, after);
    }

    /// Looks end at any later moment, and may have missed what wasn't settled when they began.
    pub(crate) fn looks(&mut self, at: &World, out: &mut Out) {
        for slot in 0..at.looks.len() {
            let Some(look) = at.looks[slot] else { continue };
            let mut after = *at;
            after.looks[slot] = None;
            Self::say(out, "a look comes to nothing, number", u8::try_from(slot).unwrap_or(0), after);
            if at.ledger == UNBORN {
                continue;
            }
            for (seen, words) in self.sees(at, look) {
                let look_worth = self.kind.standing.look.map_or(0, |look| look.absence as u8);
                let worth = if self.has(Bug::SuggestionIsProof) { 2 } else { look_worth };
                let began = self.clock(look.began);
                let line = Line::Looked { began, seen, worth, by_mark: self.kind.by_mark, by_content: false };
                let mut after = self.append(at, line);
                after.looks[slot] = None;
                Self::say(out, words, look.began.tick, after);
            }
        }
    }

    fn sees(&self, at: &World, look: Looking) -> Vec<(Seen, &'static str)> {
        let mine = |handle: u8| self.kind.by_mark || handle == look.handle;
        let effects = || at.requests.iter().enumerate().filter(|(_, r)| r.effect && mine(r.handle));
        let sure = |request: &Request| look.began.tick > request.deadline + self.closing;
        let certain = effects().filter(|(_, request)| sure(request)).count()
            + usize::from(at.foreign || (at.hand && self.kind.provider.state));
        let mut all = Vec::new();
        for (number, request) in effects() {
            if certain == usize::from(sure(request)) {
                all.push((Seen::Effect(u8::try_from(number).unwrap_or(0)), "written: found by the look begun at"));
            }
        }
        if at.foreign {
            all.push((Seen::Effect(FOREIGN), "written: found so by the look begun at"));
        }
        if at.hand && self.kind.provider.state {
            all.push((Seen::Effect(BY_HAND), "written: found so by the look begun at"));
        }
        if effects().nth(1).is_some() {
            all.push((Seen::Several, "written: several found by the look begun at"));
        }
        let declined = self.kind.provider.handle != Handle::None
            && at.handles.iter().zip(0..).any(|(handle, number)| mine(number) && handle.declined && !handle.spent);
        if certain == 0 && (declined || at.requests.iter().any(|request| request.dead)) {
            all.push((Seen::Dead, "written: found dead by the look begun at"));
        }
        if certain == 0 || self.kind.provider.lies {
            all.push((Seen::Nothing, "written: nothing found by the look begun at"));
        }
        if self.scenario.failing_looks {
            all.push((Seen::Failed, "written: a failed look begun at"));
        }
        all
    }
}

fn words_of(answer: Answer) -> &'static str {
    match answer {
        Answer::Lost => "written: no answer of request",
        Answer::NotDone => "written: not done, request",
        Answer::Refused => "written: refused, request",
        Answer::OnRecord => "written: refused on record, request",
        Answer::Happened => "written: happened, request",
        Answer::Taken => "written: taken, request",
        Answer::Adrift => "written: adrift, request",
        Answer::Burnt => "written: key burnt, request",
    }
}
