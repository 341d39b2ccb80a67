use hapax_core::capability::{Absence, Kind as Nature, Look, Stakes, Standing};
use hapax_core::protocol::{Bounds, Final};

use crate::book::{Book, Says, UNBORN};
use crate::lines::{Answer, Leaving, Line, Seen, TICK_MS, When};
use crate::scenario::Bug;
use crate::search::{Model, Step};

const TICKS: u8 = 5;

/// Two equal intents on one cell that is asked by content: who may take which record (rules 8 and
/// 10).
pub struct Claims {
    book: Book,
    likely: bool,
    bug: Option<Bug>,
}

/// Both operations and the provider's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    tick: u8,
    sides: [Side; 2],
    /// How many records the provider has; they are numbered from 1.
    records: u8,
}

/// One operation and its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Side {
    ledger: u32,
    requests: [Shot; 2],
    count: u8,
    /// When the look that is under way began.
    look: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shot {
    stage: Stage,
    deadline: u8,
    /// The record that it made; 0 is none.
    record: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    Unsent,
    Flying,
    Held(Answer),
    Over,
}

impl Claims {
    /// Two operations; with `likely`, policy allows one more request when nothing is found.
    pub fn new(likely: bool, bug: Option<Bug>) -> Self {
        let by_content = bug != Some(Bug::ContentIsMark);
        let standing = Standing {
            kind: Nature::DoOnce,
            stakes: Stakes::Low,
            guards: Vec::new(),
            look: Some(Look { absence: Absence::Suggests, by_content, horizon_ms: None }),
            notes: Vec::new(),
            within_ms: TICK_MS,
            settle_ms: TICK_MS,
            closing_ms: TICK_MS,
            record_ms: Some(0),
            patience_ms: u64::from(TICKS) * TICK_MS,
            likely,
        };
        let bounds = Bounds { attempts: 2, departures: 2, looks: 2, backoff_ms: 0 };
        Self { book: Book::new(standing, bounds), likely, bug }
    }

    /// Which record an operation claims.
    fn claim(&self, side: &Side) -> u8 {
        match &self.book.state(side.ledger).outcome {
            Some(Final::Succeeded(receipt)) => receipt.id.parse().unwrap_or(0),
            _ => 0,
        }
    }

    fn append(&mut self, at: &Pair, side: usize, line: Line) -> Pair {
        let mut after = *at;
        after.sides[side].ledger = self.book.append(at.sides[side].ledger, moment(at.tick), line);
        after
    }

    fn works(&mut self, at: &Pair, side: usize, out: &mut Vec<(Step, Pair)>) {
        let about = u8::try_from(side).unwrap_or(0);
        let mut say = |words, after| out.push((Step { words, about }, after));
        match self.book.next(at.sides[side].ledger, moment(at.tick), 0) {
            Says::Send { new_epoch, replace_key } if at.sides[side].count < 2 => {
                let facts = Leaving { within: 1, settle: 1, closing: 1, ..Leaving::default() };
                let mut after = self.append(at, side, Line::Departed(Leaving { new_epoch, replace_key, ..facts }));
                let changed = &mut after.sides[side];
                changed.requests[usize::from(changed.count)] =
                    Shot { stage: Stage::Unsent, deadline: at.tick + 1, record: 0 };
                changed.count += 1;
                say("journals a departure, operation", after);
            }
            Says::Look if at.sides[side].look.is_none() => {
                let mut after = *at;
                after.sides[side].look = Some(at.tick);
                say("a look begins, operation", after);
            }
            Says::Ask => say("a person is asked, operation", self.append(at, side, Line::Asked)),
            _ => {}
        }
    }

    /// A look sees everything that was settled when it began, and any part of the rest.
    fn sees(&mut self, at: &Pair, side: usize, began: u8, out: &mut Vec<(Step, Pair)>) {
        let shots = || at.sides.iter().flat_map(|side| side.requests).filter(|shot| shot.record > 0);
        let all: u8 = shots().map(|shot| 1 << shot.record).sum();
        let must: u8 = shots().filter(|shot| began > shot.deadline + 1).map(|shot| 1 << shot.record).sum();
        let others = self.claim(&at.sides[1 - side]);
        for set in (0..=all).filter(|set| set & !all == 0 && set & must == must) {
            let mut hits = set;
            if others > 0 && self.bug != Some(Bug::NoClaims) {
                hits &= !(1 << others);
            }
            let (seen, words) = match hits.count_ones() {
                0 => (Seen::Nothing, "written: nothing found, operation"),
                1 => (Seen::Effect(hits.trailing_zeros() as u8), "written: found, operation"),
                _ => (Seen::Several, "written: several found, operation"),
            };
            let by_content = self.bug != Some(Bug::ContentIsMark);
            let line = Line::Looked { began: moment(began), seen, worth: 1, by_mark: false, by_content };
            let mut after = self.append(at, side, line);
            after.sides[side].look = None;
            out.push((Step { words, about: u8::try_from(side).unwrap_or(0) }, after));
        }
    }

    fn request(&mut self, at: &Pair, side: usize, number: usize, out: &mut Vec<(Step, Pair)>) {
        let shot = at.sides[side].requests[number];
        let about = u8::try_from(side).unwrap_or(0);
        let mut set = |words, stage, record: bool| {
            let mut after = *at;
            after.records += u8::from(record);
            let changed = &mut after.sides[side].requests[number];
            changed.stage = stage;
            if record {
                changed.record = after.records;
            }
            out.push((Step { words, about }, after));
        };
        match shot.stage {
            Stage::Unsent | Stage::Flying => {
                set("never arrives, of operation", Stage::Over, false);
                if shot.stage == Stage::Unsent && at.tick <= shot.deadline {
                    set("bytes leave, of operation", Stage::Flying, false);
                }
                if shot.stage == Stage::Flying {
                    set("EFFECT, answer lost, of operation", Stage::Over, true);
                    if at.tick <= shot.deadline {
                        set("EFFECT of operation", Stage::Held(Answer::Happened), true);
                        set("turned away, of operation", Stage::Held(Answer::Refused), false);
                    }
                }
            }
            Stage::Held(answer) => {
                let attempt = u8::try_from(number).unwrap_or(0);
                let taken = shot.record > 0 && self.claim(&at.sides[1 - side]) == shot.record;
                let open = !self.book.state(at.sides[side].ledger).is_final();
                let contested = answer == Answer::Happened && taken && open && self.bug != Some(Bug::NoClaims);
                let line = if contested {
                    Line::Contested { attempt }
                } else {
                    Line::Heard { attempt, answer, about: shot.record }
                };
                let mut after = self.append(at, side, line);
                after.sides[side].requests[number].stage = Stage::Over;
                out.push((Step { words: "written: the answer of operation", about }, after));
            }
            Stage::Over => {}
        }
    }
}

fn moment(tick: u8) -> When {
    When::at(tick)
}

impl Model for Claims {
    type State = Pair;

    fn start(&mut self) -> Pair {
        let line = Line::Began { restored: None, held: false, until: 0 };
        let ledger = self.book.append(UNBORN, moment(0), line);
        let shot = Shot { stage: Stage::Over, deadline: 0, record: 0 };
        let side = Side { ledger, requests: [shot; 2], count: 0, look: None };
        Pair { tick: 0, sides: [side; 2], records: 0 }
    }

    fn steps(&mut self, at: &Pair, out: &mut Vec<(Step, Pair)>) {
        if at.tick < TICKS {
            let mut after = *at;
            after.tick += 1;
            for shot in after.sides.iter_mut().flat_map(|side| &mut side.requests) {
                if shot.stage == Stage::Flying && after.tick > shot.deadline + 1 {
                    shot.stage = Stage::Over;
                }
            }
            out.push((Step { words: "tick", about: after.tick }, after));
        }
        for side in 0..2 {
            self.works(at, side, out);
            for number in 0..usize::from(at.sides[side].count) {
                self.request(at, side, number, out);
            }
            if let Some(began) = at.sides[side].look {
                self.sees(at, side, began, out);
            }
        }
    }

    fn judge(&self, before: &Pair, after: &Pair) -> Option<&'static str> {
        if after.records > 2 {
            return Some("three effects for two intents");
        }
        let outcome = |side: &Side| self.book.state(side.ledger).outcome.clone();
        if before
            .sides
            .iter()
            .zip(&after.sides)
            .any(|(old, new)| outcome(old).is_some() && outcome(old) != outcome(new))
        {
            return Some("what was final moved");
        }
        let succeeded = after.sides.iter().filter(|side| matches!(outcome(side), Some(Final::Succeeded(_)))).count();
        if succeeded > usize::from(after.records) {
            return Some("both succeeded with one effect: a lost intent");
        }
        let quiet = |side: &Side| side.requests.iter().all(|shot| !matches!(shot.stage, Stage::Unsent | Stage::Flying));
        let over = after.sides.iter().all(|side| outcome(side).is_some() && quiet(side));
        (over && succeeded < usize::from(after.records)).then_some("more effects than successes")
    }

    fn ended(&mut self, at: &Pair) -> bool {
        at.sides.iter().all(|side| {
            let state = self.book.state(side.ledger);
            let done = state.is_final() || state.with_person().is_some();
            done || (at.tick == TICKS || side.count == 2) && self.book.ends_alone(side.ledger, moment(at.tick))
        })
    }

    fn seen(&self, at: &Pair) -> u64 {
        let states = || at.sides.iter().map(|side| self.book.state(side.ledger));
        let mut bits = 0;
        for (name, holds) in [
            ("succeeded", states().all(|state| matches!(state.outcome, Some(Final::Succeeded(_))))),
            ("refused", states().any(|state| matches!(state.outcome, Some(Final::Refused(_))))),
            ("inbox", states().any(|state| state.asked.is_some())),
            ("alarm", states().any(|state| !state.alarms.is_empty())),
            ("several", states().any(|state| !state.several.is_empty())),
            ("2 attempts open", states().any(|state| state.open().nth(1).is_some())),
        ] {
            if holds {
                bits |= crate::machine::sight(name);
            }
        }
        bits
    }

    fn words(&self, at: &Pair) -> String {
        let side = |side: &Side| {
            let state = self.book.state(side.ledger);
            let attempts: Vec<_> = state.attempts.iter().map(|attempt| format!("{:?}", attempt.verdict)).collect();
            format!("[{} claims {}]", attempts.join(", "), self.claim(side))
        };
        let likely = if self.likely { " likely" } else { "" };
        format!("t{}{likely} {} {} records {}", at.tick, side(&at.sides[0]), side(&at.sides[1]), at.records)
    }
}
