use std::fmt::Write as _;

use hapax_core::capability::Standing;
use hapax_core::protocol::{Final, OpState, Verdict};

use crate::book::{Book, Says, UNBORN};
use crate::kinds::{DEADLINE, Kind, SETTLE};
use crate::lines::{Back, Line, When};
use crate::scenario::{Bug, Scenario};
use crate::search::{Model, Step};
use crate::world::{Backup, Person, Request, Stage, World};

/// One operation of one kind of cell in a hostile world: the model that is searched.
pub struct Machine {
    pub(crate) kind: Kind,
    pub(crate) scenario: Scenario,
    pub(crate) book: Book,
    /// Ticks from a deadline until nothing can change, in truth.
    pub(crate) closing: u8,
    pub(crate) ticks: u8,
    /// Things that were met and leave no trace in a state.
    pub(crate) met: u64,
}

pub(crate) type Out = Vec<(Step, World)>;

/// Interesting things, by the number of their bit.
pub const SIGHTS: [&str; 33] = [
    "succeeded",
    "refused",
    "inbox",
    "2 attempts open",
    "3 attempts",
    "2nd epoch",
    "taken",
    "adrift",
    "key burnt",
    "key replaced",
    "closed by absence",
    "recorded refusal",
    "bound by a record",
    "looked back",
    "restored midway",
    "begun after restore",
    "restore looked",
    "by hand",
    "taken over",
    "expired",
    "closed by a person",
    "decision confirmed",
    "alarm",
    "several",
    "clock stepped",
    "waits for settle",
    "late answer",
    "leased by another",
    "answer lost, append counts",
    "carried over",
    "pruned",
    "late after pruning",
    "another machine",
];

/// The bit of an interesting thing.
pub fn sight(name: &str) -> u64 {
    SIGHTS.iter().position(|sight| *sight == name).map_or(0, |bit| 1 << bit)
}

impl Machine {
    /// A machine, with what is planted in it.
    pub fn new(kind: Kind, scenario: Scenario) -> Self {
        let mut standing = kind.standing.clone();
        let ms = |ticks: u8| u64::from(ticks) * crate::lines::TICK_MS;
        for guard in &mut standing.guards {
            match scenario.bug {
                Some(Bug::WindowNotLeftEarly) => {
                    guard.floor_ms = guard.floor_ms.map(|floor| floor + ms(DEADLINE + SETTLE));
                }
                Some(Bug::TwinsNotAwaited) => guard.one_wins = true,
                _ => {}
            }
        }
        if scenario.bug != Some(Bug::NoMargin) {
            allow_for_clocks(&mut standing, ms(scenario.margin));
        }
        if scenario.bug == Some(Bug::RepairsForgotten) {
            standing.closing_ms = standing.settle_ms;
        }
        let book = Book::new(standing.clone(), scenario.bounds());
        let (closing, ticks) = (kind.closing(), scenario.ticks.unwrap_or(kind.ticks));
        Self { kind: Kind { standing, ..kind }, scenario, book, closing, ticks, met: 0 }
    }

    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.scenario.bug == Some(bug)
    }

    /// A moment as workers and ledger know it.
    pub(crate) fn clock(&self, when: When) -> When {
        if self.has(Bug::WallClockOnly) {
            When { tick: when.tick.saturating_add_signed(when.ahead), ahead: 0, ..when }
        } else {
            when
        }
    }

    /// The present moment by the clocks of a worker's machine.
    pub(crate) fn moment_of(&self, at: &World, owner: u8) -> When {
        match (owner, self.scenario.apart) {
            (1, apart) if apart != 0 => When { ahead: at.now.ahead + apart, machine: 1, ..at.now },
            _ => at.now,
        }
    }

    /// The same as workers and ledger know it.
    pub(crate) fn clock_of(&self, at: &World, owner: u8) -> When {
        self.clock(self.moment_of(at, owner))
    }

    pub(crate) fn state(&self, at: &World) -> &OpState {
        self.book.state(at.ledger)
    }

    /// Adds a line to the ledger. What a person saw is no longer the latest, and what is durable is
    /// told.
    pub(crate) fn append(&mut self, at: &World, line: Line) -> World {
        self.append_by(at, 0, line)
    }

    /// The same, stamped by a worker's clocks.
    pub(crate) fn append_by(&mut self, at: &World, owner: u8, line: Line) -> World {
        let mut after = *at;
        let when = self.clock_of(at, owner);
        after.ledger = self.book.append(at.ledger, when, line);
        if !matches!(line, Line::Noted { .. } | Line::Leased { .. }) && self.state(at).pruned {
            self.met |= sight("late after pruning");
        }
        self.told(after)
    }

    /// What is durable is told, and what a person saw is no longer the latest.
    pub(crate) fn told(&self, mut after: World) -> World {
        after.person = Person::Away;
        let state = self.book.state(after.ledger);
        match state.outcome {
            Some(Final::Succeeded(_)) => after.told.succeeded = true,
            Some(Final::Refused(_)) => after.told.refused |= 1 << state.epoch,
            None => {}
        }
        after
    }

    /// What a restored ledger notes with every intent and epoch that begins in it.
    pub(crate) fn back(&self, at: &World) -> Option<Back> {
        match at.backup {
            Backup::PutBack(when) if !self.has(Bug::RestoreNotNoted) => {
                Some(Back { at: self.clock(when), span: DEADLINE + self.kind.closing() })
            }
            _ => None,
        }
    }

    pub(crate) fn say(out: &mut Out, words: &'static str, about: u8, after: World) {
        out.push((Step { words, about }, after));
    }
}

impl Model for Machine {
    type State = World;

    fn start(&mut self) -> World {
        let line = Line::Began { restored: None, held: false, until: self.scenario.good_until };
        let ledger = self.book.append(UNBORN, When::START, line);
        World::new(ledger)
    }

    fn steps(&mut self, at: &World, out: &mut Out) {
        self.time(at, out);
        self.workers(at, out);
        for number in 0..at.count {
            self.request(at, number, out);
        }
        self.looks(at, out);
        self.people(at, out);
        self.ledger_put_back(at, out);
        self.prunes(at, out);
    }

    fn judge(&self, before: &World, after: &World) -> Option<&'static str> {
        if after.effects() > 1 && !self.kind.provider.lies {
            return Some("two effects for one intent");
        }
        for (number, request) in after.requests.iter().enumerate().filter(|(_, request)| request.effect) {
            let told = |epochs: u8| epochs >> request.epoch != 0;
            let earlier = number < usize::from(after.forgotten);
            // A refusal younger than the backup is forgotten: requests after the restore are
            // excused, requests before it are not.
            if told(after.told.refused) || (earlier && told(after.told.refused_before)) {
                return Some("refused was told, and there is an effect");
            }
        }
        if after.told.succeeded && after.effects() == 0 && !after.foreign {
            return Some("succeeded was told, and there is no effect");
        }
        if after.told.succeeded && after.told.refused != 0 && before.told.succeeded && before.told.refused == 0 {
            return Some("succeeded was told, then refused");
        }
        let (old, new) = (self.state(before), self.state(after));
        let put_back = before.backup != after.backup;
        if old.outcome.is_some() && !is_same_end(&old.outcome, &new.outcome) && new.epoch == old.epoch && !put_back {
            return Some("what was final moved");
        }
        let left = |(old, new): (&Request, &Request)| old.stage == Stage::Unsent && new.stage == Stage::Flying;
        if self.scenario.good_until > 0
            && after.now.tick > self.scenario.good_until
            && before.requests.iter().zip(&after.requests).any(left)
        {
            return Some("sent after good-until");
        }
        None
    }

    fn ended(&mut self, at: &World) -> bool {
        let state = self.book.state(at.ledger);
        if state.is_final() || state.with_person().is_some() {
            return true;
        }
        // At the last tick, or where the world has no room for another request or epoch, what is
        // left must end by itself with a silent provider.
        let cut = at.now.tick == self.ticks || at.count == self.scenario.requests || state.epoch > 0;
        if !cut || self.has(Bug::NeverAsks) {
            return false;
        }
        at.ledger == UNBORN || self.book.ends_alone(at.ledger, self.clock(at.now))
    }

    fn seen(&self, at: &World) -> u64 {
        let state = self.state(at);
        let verdict = |wanted: fn(&Verdict) -> bool| state.attempts.iter().any(|attempt| wanted(&attempt.verdict));
        let refused = match &state.outcome {
            Some(Final::Refused(reason)) => Some(reason.code.as_str()),
            _ => None,
        };
        let midway = state.restored.map(|restore| restore.midway);
        let mut bits = self.met;
        for (name, holds) in [
            ("succeeded", matches!(state.outcome, Some(Final::Succeeded(_)))),
            ("refused", refused.is_some()),
            ("inbox", state.asked.is_some() || state.hold.is_some()),
            ("2 attempts open", state.open().nth(1).is_some()),
            ("3 attempts", state.attempts.len() > 2),
            ("2nd epoch", state.epoch > 0),
            ("taken", verdict(|verdict| matches!(verdict, Verdict::Taken { .. }))),
            ("adrift", verdict(|verdict| matches!(verdict, Verdict::Adrift { .. }))),
            ("key burnt", verdict(|verdict| matches!(verdict, Verdict::KeyBurnt { .. }))),
            ("key replaced", state.attempts.iter().any(|attempt| attempt.key_number > 0)),
            ("closed by absence", state.epoch == 0 && refused.is_none() && state.attempts.iter().any(|a| a.closed)),
            ("recorded refusal", verdict(|verdict| matches!(verdict, Verdict::RefusedOnRecord { .. }))),
            (
                "bound by a record",
                state.attempts.iter().any(|attempt| attempt.verdict == Verdict::Open && state.is_bound(attempt)),
            ),
            ("looked back", state.looked_back),
            ("restored midway", midway == Some(true)),
            ("begun after restore", midway == Some(false)),
            ("restore looked", state.restored.is_some_and(|restore| restore.looked)),
            ("by hand", at.hand),
            ("taken over", state.taken_over),
            ("expired", refused == Some("expired")),
            ("closed by a person", refused == Some("by-a-person")),
            ("decision confirmed", state.decision.as_ref().is_some_and(|decision| decision.confirmed)),
            ("alarm", !state.alarms.is_empty()),
            ("several", !state.several.is_empty()),
            ("clock stepped", at.stepped),
            ("pruned", state.pruned),
            ("another machine", state.attempts.iter().any(|attempt| attempt.departed.boot > 0)),
        ] {
            if holds {
                bits |= sight(name);
            }
        }
        bits
    }

    fn words(&self, at: &World) -> String {
        let state = self.state(at);
        let mut text = format!("t{}", at.now.tick);
        if at.now.ahead != 0 {
            let _ = write!(text, " (wall clock {:+})", at.now.ahead);
        }
        for attempt in &state.attempts {
            let verdict = format!("{:?}", attempt.verdict);
            let word = verdict.split([' ', '{']).next().unwrap_or_default();
            let closed = if attempt.closed { "/closed" } else { "" };
            let _ = write!(text, " {}:{word}{closed}", attempt.number);
        }
        let outcome = match &state.outcome {
            Some(Final::Succeeded(_)) => " SUCCEEDED",
            Some(Final::Refused(_)) => " REFUSED",
            None => "",
        };
        text.push_str(outcome);
        for (holds, word) in [
            (state.asked.is_some(), " asked"),
            (state.hold.is_some(), " held"),
            (state.decision.is_some(), " decided"),
            (state.taken_over, " taken over"),
            (state.pruned, " pruned"),
            (matches!(at.backup, Backup::PutBack(_)), " restored"),
        ] {
            if holds {
                text.push_str(word);
            }
        }
        let _ = write!(text, " epoch {} effects {}", state.epoch, at.effects());
        text
    }
}

impl Machine {
    /// What [`hapax_core::protocol::next`] says to a worker, noting what is worth noting.
    pub(crate) fn next(&mut self, at: &World, owner: u8) -> Says {
        let now = self.clock_of(at, owner);
        let says = self.book.next(at.ledger, now, owner);
        if let Says::Wait(_) = says {
            let leased = self.state(at).lease.is_some();
            self.met |= sight(if leased { "leased by another" } else { "waits for settle" });
        }
        says
    }
}

/// Declares settle longer and windows shorter than they are.
fn allow_for_clocks(standing: &mut Standing, ms: u64) {
    standing.settle_ms += ms;
    standing.closing_ms += ms;
    standing.record_ms = standing.record_ms.map(|record| record.saturating_sub(ms));
    for guard in &mut standing.guards {
        guard.floor_ms = guard.floor_ms.map(|floor| floor.saturating_sub(ms));
    }
}

/// Whether both say the same end. Retention leaves ids and codes, and takes words and bodies.
fn is_same_end(old: &Option<Final>, new: &Option<Final>) -> bool {
    match (old, new) {
        (Some(Final::Succeeded(old)), Some(Final::Succeeded(new))) => old.id == new.id,
        (Some(Final::Refused(old)), Some(Final::Refused(new))) => old.code == new.code,
        (old, new) => old == new,
    }
}
