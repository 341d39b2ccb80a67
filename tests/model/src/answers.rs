use hapax_core::protocol::{Attempt, Event, Heard, OpState};

use crate::book::UNBORN;
use crate::carry::carried_over;
use crate::lines::{Answer, Line, verdict};
use crate::machine::{Machine, Out, sight};
use crate::scenario::Bug;
use crate::world::{Backup, NOBODY, Stage, World};

/// How answers are written: late, twice, into a ledger that was put back meanwhile.
impl Machine {
    /// Whether the operation of this request isn't in the ledger, or is another one.
    pub(crate) fn has_no_operation(&self, at: &World, number: u8) -> bool {
        at.ledger == UNBORN || (at.orphans && number < at.forgotten)
    }

    /// Writes what was heard, now or much later.
    pub(crate) fn writes(
        &mut self,
        at: &World,
        number: u8,
        answer: Answer,
        then: Stage,
        words: &'static str,
        out: &mut Out,
    ) {
        if self.has_no_operation(at, number) {
            return;
        }
        let request = at.requests[usize::from(number)];
        if at.now.tick > request.deadline && then == Stage::Over {
            self.met |= sight("late answer");
        }
        let Some(line) = self.carried(at, number, answer) else {
            let mut after = *at;
            is_over(&mut after, number, then);
            return Self::say(out, "its number is another's now, request", number, after);
        };
        self.fails_to_carry(at, number, line, out);
        let mut after = self.append_by(at, request.owner, line);
        if self.has(Bug::RefusalCloses) && matches!(answer, Answer::Refused | Answer::OnRecord) {
            after = self.append(&after, Line::ClosedWrongly);
        }
        if let (Stage::Held(_), true) = (request.stage, self.loses_an_append(at)) {
            let mut unsure = after;
            unsure.lost += 1;
            self.met |= sight("answer lost, append counts");
            Self::say(out, "it counts, and nobody says so: the answer of request", number, unsure);
        }
        is_over(&mut after, number, then);
        Self::say(out, words, number, after);
    }

    /// What the executor makes of an answer on the ledger as it is now. What was put back may know another attempt by this
    /// number, or none.
    fn carried(&mut self, at: &World, number: u8, answer: Answer) -> Option<Line> {
        let request = at.requests[usize::from(number)];
        let answer = match answer {
            Answer::Burnt if self.has(Bug::StoredFailureIsNotDone) => Answer::NotDone,
            other => other,
        };
        let line = Line::Heard { attempt: request.attempt, answer, about: request.about };
        if !matches!(at.backup, Backup::PutBack(_)) || self.has(Bug::NumbersReused) {
            return Some(line);
        }
        // After a first time nobody remembers any more when the attempt departed.
        let known = OpState {
            attempts: if request.carried { Vec::new() } else { vec![self.attempt_of(at, number)] },
            ..OpState::default()
        };
        let heard = Heard { attempt: u32::from(request.attempt), verdict: verdict(answer, request.about) };
        self.met |= sight("carried over");
        let is_unknown = self.state(at).attempts.iter().all(|attempt| attempt.number != u32::from(request.attempt));
        if self.has(Bug::CarriedTwice) && (known.attempts.is_empty() || is_unknown) {
            return Some(line);
        }
        match carried_over(Event::Heard(heard), &known, self.state(at))? {
            Event::Witnessed { .. } => Some(Line::Witnessed { about: request.about }),
            _ => Some(line),
        }
    }

    fn attempt_of(&self, at: &World, number: u8) -> Attempt {
        let request = at.requests[usize::from(number)];
        Attempt {
            number: u32::from(request.attempt),
            epoch: u32::from(request.epoch),
            key_number: 0,
            scope: String::new(),
            departed: request.departed.stamp(),
            within_ms: 0,
            settle_ms: 0,
            closing_ms: 0,
            record_ms: None,
            verdict: hapax_core::protocol::Verdict::Open,
            heard: None,
            closed: false,
        }
    }

    /// The ledger knows no attempt of that number, and the answer can't be written: it will be carried over once more.
    fn fails_to_carry(&self, at: &World, number: u8, line: Line, out: &mut Out) {
        let request = at.requests[usize::from(number)];
        let held = matches!(request.stage, Stage::Held(_)) && !request.carried;
        let known = self.state(at).attempts.iter().any(|attempt| attempt.number == u32::from(request.attempt));
        let put_back = matches!(at.backup, Backup::PutBack(_));
        if self.scenario.failing_appends && held && put_back && !known && matches!(line, Line::Heard { .. }) {
            let mut after = *at;
            after.requests[usize::from(number)].carried = true;
            Self::say(out, "carried over, and can't be written: the answer of request", number, after);
        }
    }

    /// Whether an append that counts may go without an answer here.
    pub(crate) fn loses_an_append(&self, at: &World) -> bool {
        at.lost < self.scenario.lost_appends
    }
}

fn is_over(after: &mut World, number: u8, then: Stage) {
    let changed = &mut after.requests[usize::from(number)];
    changed.stage = then;
    changed.owner = NOBODY;
    changed.forget();
}

pub(crate) fn words_of(answer: Answer) -> &'static str {
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
