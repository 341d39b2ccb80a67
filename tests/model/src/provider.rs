use crate::kinds::{Handle, SETTLE};
use crate::lines::{Answer, Line};
use crate::machine::{Machine, Out};
use crate::world::{Has, Key, NOBODY, Request, Stage, World};

/// What the network, the provider and the clocks do.
impl Machine {
    /// A tick passes. What is not acted on by deadline and settle never is; what was stored as a
    /// failure is repaired by then, or never.
    pub(crate) fn time(&mut self, at: &World, out: &mut Out) {
        if at.now.tick < self.ticks {
            let mut after = *at;
            after.now.tick += 1;
            let now = after.now.tick;
            for number in 0..after.count {
                let request = after.requests[usize::from(number)];
                let mut changed = request;
                if matches!(request.stage, Stage::Flying | Stage::Working) && now > request.deadline + SETTLE {
                    changed.stage = Stage::Over;
                    unlock(&mut after, number);
                }
                changed.rolls &= now <= request.deadline + self.closing;
                changed.forget();
                after.requests[usize::from(number)] = changed;
            }
            Self::say(out, "tick", now, after);
        }
        if self.scenario.clock_step != 0 && !at.stepped {
            let mut after = *at;
            after.stepped = true;
            after.now.ahead = self.scenario.clock_step;
            Self::say(out, "the wall clock steps", 0, after);
        }
        let window = self.kind.provider.key.unwrap_or(0);
        for (number, key) in (0..).zip(&at.keys) {
            let stored = matches!(key.has, Has::Success(_) | Has::Refusal | Has::Failure);
            if stored && at.now.tick > key.of + window {
                let mut after = *at;
                after.keys[usize::from(number)] = Key { has: Has::Nothing, of: 0 };
                Self::say(out, "the provider forgets key", number, after);
            }
        }
        if self.kind.provider.state && !at.is_so && at.count > 0 {
            let mut after = *at;
            (after.is_so, after.foreign) = (true, true);
            Self::say(out, "somebody else makes it so", 0, after);
        }
    }

    /// Everything that can become of one request.
    pub(crate) fn request(&mut self, at: &World, number: u8, out: &mut Out) {
        self.task(at, number, out);
        let request = at.requests[usize::from(number)];
        match request.stage {
            Stage::Flying => self.arrives(at, number, out),
            Stage::Working => self.works(at, number, out),
            _ => {}
        }
        if request.rolls && !self.is_spent(at, &request) {
            let mut after = *at;
            after.requests[usize::from(number)].rolls = false;
            self.effect(&mut after, number);
            Self::say(out, "EFFECT, the stored failure is repaired, request", number, after);
        }
        if self.scenario.webhook && request.effect && at.ledger != crate::book::UNBORN {
            let after = self.append(at, Line::Witnessed { about: number });
            Self::say(out, "a signed webhook tells of request", number, after);
        }
    }

    fn arrives(&mut self, at: &World, number: u8, out: &mut Out) {
        let request = at.requests[usize::from(number)];
        ends(at, number, None, "never arrives, request", out);
        ends(at, number, Some((Answer::NotDone, number)), "turned away (429, 401), request", out);
        ends(at, number, Some((Answer::Refused, number)), "turned away (403), request", out);
        if self.kind.provider.key.is_none() {
            return self.is_carried_out(at, number, out);
        }
        let key = at.keys[usize::from(request.key)];
        match key.has {
            Has::Success(of) => ends(at, number, Some((Answer::Happened, of)), "the success is replayed, request", out),
            Has::Refusal => ends(at, number, Some((Answer::OnRecord, number)), "the refusal is replayed, request", out),
            Has::Failure => {
                let answer = self.kind.provider.stored_500.unwrap_or(Answer::Lost);
                ends(at, number, Some((answer, number)), "the stored failure is replayed, request", out);
            }
            Has::Working if self.kind.provider.one_wins => {
                ends(at, number, Some((Answer::NotDone, number)), "409, its key is in use, request", out);
            }
            Has::Working | Has::Nothing => {
                let mut after = *at;
                after.requests[usize::from(number)].stage = Stage::Working;
                if key.has == Has::Nothing {
                    after.keys[usize::from(request.key)] = Key { has: Has::Working, of: number };
                }
                Self::say(out, "the provider begins, request", number, after);
            }
        }
    }

    fn works(&mut self, at: &World, number: u8, out: &mut Out) {
        let mut dropped = *at;
        unlock(&mut dropped, number);
        ends(&dropped, number, None, "the provider drops request", out);
        self.is_carried_out(at, number, out);
    }

    /// The provider decides about a request that reached it.
    fn is_carried_out(&mut self, at: &World, number: u8, out: &mut Out) {
        let request = at.requests[usize::from(number)];
        let keyed = self.kind.provider.key.is_some();
        if self.is_spent(at, &request) {
            let mut after = *at;
            unlock(&mut after, number);
            return both(&after, number, Answer::Taken, "its token is spent already, request", out);
        }
        let mut happened = *at;
        self.effect(&mut happened, number);
        store(&mut happened, number, Has::Success(number));
        both(&happened, number, Answer::Happened, "EFFECT of request", out);
        if keyed {
            let mut declined = *at;
            store(&mut declined, number, Has::Refusal);
            if self.kind.provider.handle != Handle::None {
                declined.handles[usize::from(request.handle)].declined = true;
            }
            both(&declined, number, Answer::OnRecord, "declined on record, request", out);
        }
        if self.kind.provider.dies {
            let mut dead = *at;
            dead.requests[usize::from(number)].dead = true;
            both(&dead, number, Answer::Refused, "recorded and dead, request", out);
        }
        if let Some(answer) = self.kind.provider.stored_500 {
            let mut rolls = *at;
            rolls.requests[usize::from(number)].rolls = true;
            store(&mut rolls, number, Has::Failure);
            both(&rolls, number, answer, "a failure is stored, request", out);
            let mut effect = *at;
            self.effect(&mut effect, number);
            store(&mut effect, number, Has::Failure);
            both(&effect, number, answer, "EFFECT, and a failure is stored, request", out);
        }
    }

    fn is_spent(&self, at: &World, request: &Request) -> bool {
        (self.kind.provider.state && at.is_so)
            || (self.kind.provider.handle != Handle::None && at.handles[usize::from(request.handle)].spent)
    }

    fn effect(&self, after: &mut World, number: u8) {
        let request = &mut after.requests[usize::from(number)];
        request.effect = true;
        after.is_so |= self.kind.provider.state;
        if self.kind.provider.handle != Handle::None {
            after.handles[usize::from(request.handle)].spent = true;
        }
    }
}

/// The request is over for the provider: its answer is read in time, or lost.
fn both(at: &World, number: u8, answer: Answer, words: &'static str, out: &mut Out) {
    ends(at, number, Some((answer, number)), words, out);
    ends(at, number, None, words, out);
}

/// An answer is read, unless its deadline is over or nobody waits for it. An answer that is lost
/// is no answer. (That it is read at once hides nothing: it is written at any later moment.)
fn ends(at: &World, number: u8, answer: Option<(Answer, u8)>, words: &'static str, out: &mut Out) {
    let mut after = *at;
    let request = &mut after.requests[usize::from(number)];
    request.stage = match answer {
        None => Stage::Over,
        Some(_) if request.owner == NOBODY || at.now.tick > request.deadline => return,
        Some((answer, about)) => {
            request.about = about;
            Stage::Held(answer)
        }
    };
    request.forget();
    Machine::say(out, words, number, after);
}

fn holds_key(at: &World, number: u8) -> bool {
    let key = at.keys[usize::from(at.requests[usize::from(number)].key)];
    key == Key { has: Has::Working, of: number }
}

fn unlock(after: &mut World, number: u8) {
    if holds_key(after, number) {
        after.keys[usize::from(after.requests[usize::from(number)].key)] = Key { has: Has::Nothing, of: 0 };
    }
}

/// What the provider stores under the key of a request that it carried out or declined.
fn store(after: &mut World, number: u8, has: Has) {
    let request = after.requests[usize::from(number)];
    if request.stage == Stage::Working {
        after.keys[usize::from(request.key)] = Key { has, of: after.now.tick };
    }
}
