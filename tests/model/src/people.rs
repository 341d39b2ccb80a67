use hapax_core::protocol::{Final, Hold};

use crate::book::{Says, UNBORN};
use crate::lines::{Choice, Line};
use crate::machine::{Machine, Out};
use crate::scenario::Bug;
use crate::world::{BY_HAND, Backup, FOREIGN, Person, World};

/// What people do: look, decide, act by hand, try again on purpose, put a backup back.
impl Machine {
    pub(crate) fn people(&mut self, at: &World, out: &mut Out) {
        let state = self.state(at);
        let (epoch, refused) = (state.epoch, matches!(state.outcome, Some(Final::Refused(_))));
        let pruned = state.pruned;
        if self.scenario.supersede && refused && epoch == 0 && !pruned {
            let after = self.append(at, Line::Superseded { epoch: 0, restored: self.back(at) });
            Self::say(out, "superseded, epoch", 0, after);
        }
        if at.ledger == UNBORN || self.state(at).is_final() {
            return;
        }
        if self.scenario.person && self.state(at).taken_over | self.is_worth_a_look(at) {
            self.looks_in_person(at, out);
            self.decides(at, out);
        }
        if self.scenario.hand {
            self.acts_by_hand(at, out);
        }
    }

    fn is_worth_a_look(&self, at: &World) -> bool {
        let state = self.state(at);
        !state.attempts.is_empty() || state.with_person().is_some() || state.restored.is_some()
    }

    /// Whether anybody who looks now must see an effect.
    fn must_see(&self, at: &World) -> bool {
        let sure = |deadline: u8| at.now.tick > deadline + self.closing;
        at.hand || at.foreign || at.requests.iter().any(|request| request.effect && sure(request.deadline))
    }

    fn looks_in_person(&mut self, at: &World, out: &mut Out) {
        if at.person != Person::Away {
            return;
        }
        let mut see = |person, words, about| {
            let mut after = *at;
            after.person = person;
            Self::say(out, words, about, after);
        };
        if !self.must_see(at) {
            see(Person::Nothing(at.now), "a person looks and sees nothing, tick", at.now.tick);
        }
        for (request, number) in at.requests.iter().zip(0..) {
            if request.effect {
                see(Person::Effect(number), "a person sees the effect of request", number);
            }
        }
        if at.hand {
            see(Person::Effect(BY_HAND), "a person sees what the hand did", BY_HAND);
        }
        if at.foreign {
            see(Person::Effect(FOREIGN), "a person sees what somebody else did", FOREIGN);
        }
    }

    fn decides(&mut self, at: &World, out: &mut Out) {
        match at.person {
            Person::Away => {}
            Person::Effect(about) => {
                let line = Line::Decided { looked: self.clock(at.now), choice: Choice::Happened(about) };
                let after = self.append(at, line);
                Self::say(out, "a person decides: it happened", about, after);
            }
            Person::Nothing(looked) => {
                let (then, now) = (self.clock(looked), self.clock(at.now));
                let ripe = self.book.decidable(at.ledger, then, now);
                if ripe || self.has(Bug::PersonBeforeSettle) {
                    for (choice, words) in [
                        (Choice::DidNotHappen, "a person decides: did not happen, seen at"),
                        (Choice::SendAgain, "a person decides: send again, seen at"),
                    ] {
                        let after = self.append(at, Line::Decided { looked: then, choice });
                        Self::say(out, words, looked.tick, after);
                    }
                }
                let held = self.state(at).hold == Some(Hold::Restored);
                if held && (ripe || self.has(Bug::ApprovalBeforeSettle)) {
                    let after = self.append(at, Line::Approved);
                    Self::say(out, "a person approves, seen at", looked.tick, after);
                }
            }
        }
    }

    fn acts_by_hand(&mut self, at: &World, out: &mut Out) {
        let state = self.state(at);
        if !state.taken_over {
            let after = self.append(at, Line::TakenOver);
            return Self::say(out, "a person takes over", 0, after);
        }
        let waits = state.until_all_closing(self.clock(at.now).stamp()) > 0;
        let early = self.has(Bug::HandBeforeSettle);
        if at.hand || (waits && !early) || self.must_see(at) || (early && at.effects() > 0) {
            return;
        }
        let mut after = *at;
        after.hand = true;
        // Whoever took over decides, and knows what they did.
        after.person = Person::Away;
        after.is_so |= self.kind.provider.state;
        Self::say(out, "EFFECT by hand", 0, after);
    }

    pub(crate) fn ledger_put_back(&mut self, at: &World, out: &mut Out) {
        if !self.scenario.restore {
            return;
        }
        match at.backup {
            Backup::PutBack(_) => {}
            Backup::None => {
                if !self.state(at).is_final() {
                    let mut after = *at;
                    after.backup = Backup::Holds(at.ledger);
                    Self::say(out, "a backup is taken", 0, after);
                }
                if at.count > 0 {
                    self.puts_back(at, UNBORN, "the ledger is put back to before the operation", out);
                }
            }
            Backup::Holds(ledger) if ledger != at.ledger => self.puts_back(at, ledger, "the ledger is put back", out),
            Backup::Holds(_) => {}
        }
    }

    fn puts_back(&mut self, at: &World, ledger: u32, words: &'static str, out: &mut Out) {
        let mut after = *at;
        after.backup = Backup::PutBack(at.now);
        after.forgotten = at.count;
        after.told.refused_before = at.told.refused;
        after.told.refused = 0;
        after.person = Person::Away;
        after.ledger = ledger;
        if ledger == UNBORN {
            after.orphans = true;
            after.looks = [None; 2];
        } else if let Some(back) = self.back(&after) {
            after = self.append(&after, Line::Restored(back));
        }
        Self::say(out, words, 0, after);
    }

    /// Retention: what is over, and not due for a last look, loses what it doesn't need.
    pub(crate) fn prunes(&mut self, at: &World, out: &mut Out) {
        let state = self.state(at);
        if !self.scenario.prune || state.pruned || !state.is_final() || self.next(at, 0) != Says::Nothing {
            return;
        }
        let mut after = *at;
        after.ledger = if self.has(Bug::PrunedKey) { UNBORN } else { self.book.prune(at.ledger, self.scenario.bug) };
        let after = self.told(after);
        Self::say(out, "pruned", 0, after);
    }
}
