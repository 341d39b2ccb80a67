use crate::book::UNBORN;
use crate::kinds::Handle;
use crate::lines::{Line, NOTE, Seen};
use crate::machine::{Machine, Out};
use crate::scenario::Bug;
use crate::world::{BY_HAND, FOREIGN, Looking, Request, World};

/// What looks do.
impl Machine {
    pub(crate) fn look_begins(&mut self, at: &World, owner: u8, out: &mut Out) {
        let Some(free) = at.looks[..self.scenario.looks_at_once].iter().position(Option::is_none) else { return };
        let mut after =
            if self.scenario.leases { self.append_by(at, owner, Line::Leased { owner, ticks: 1 }) } else { *at };
        let began = self.moment_of(at, owner);
        let handle = self.state(at).notes.get(NOTE).and_then(|value| value.parse().ok());
        // Without a journaled handle there is nothing to look at.
        let handle = if self.kind.by_mark { 0 } else { handle.unwrap_or(u8::MAX) };
        after.looks[free] = Some(Looking { began, handle, owner, seen: None });
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
            if let Some(seen) = look.seen {
                let after = self.writes_look(at, slot, look, seen);
                Self::say(out, "written once more: the look begun at", look.began.tick, after);
                continue;
            }
            for (seen, words) in self.sees(at, look) {
                let after = self.writes_look(at, slot, look, seen);
                Self::say(out, words, look.began.tick, after);
                if self.loses_an_append(at) {
                    let mut unsure = after;
                    unsure.looks[slot] = Some(Looking { seen: Some(seen), ..look });
                    unsure.lost += 1;
                    Self::say(out, "it counts, and nobody says so: the look begun at", look.began.tick, unsure);
                }
            }
        }
    }

    fn writes_look(&mut self, at: &World, slot: usize, look: Looking, seen: Seen) -> World {
        let look_worth = self.kind.standing.look.map_or(0, |look| look.absence as u8);
        let worth = if self.has(Bug::SuggestionIsProof) { 2 } else { look_worth };
        let began = self.clock(look.began);
        let line = Line::Looked { began, seen, worth, by_mark: self.kind.by_mark, by_content: false };
        let mut after = self.append_by(at, look.owner, line);
        after.looks[slot] = None;
        after
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
