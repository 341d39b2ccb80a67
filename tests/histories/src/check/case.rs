use std::collections::BTreeMap;

use crate::history::{Call, Event, History, Receipt, Rest, Said, Says};

/// Everything that a history has of one key.
#[derive(Debug, Default)]
pub(crate) struct Case<'a> {
    /// None: of no key, which is where effects lie that are nobody's.
    pub(crate) key: Option<&'a str>,
    pub(crate) calls: Vec<Called<'a>>,
    pub(crate) effects: Vec<Happened<'a>>,
    pub(crate) rest: Option<Rest>,
    restores: Vec<Restore>,
    /// What was recorded in a way that can't be.
    misfits: Vec<String>,
}

/// A call from its invocation to its return.
#[derive(Debug)]
pub(crate) struct Called<'a> {
    pub(crate) call: Call,
    pub(crate) asks: Asks<'a>,
    pub(crate) began_ms: u64,
    /// None: it has not come back.
    pub(crate) came: Option<(u64, &'a Said)>,
}

/// What a call wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks<'a> {
    Intent(&'a str),
    Decision(&'a Says),
}

/// An effect.
#[derive(Debug)]
pub(crate) struct Happened<'a> {
    pub(crate) at_ms: u64,
    pub(crate) intent: Option<&'a str>,
    pub(crate) object: &'a str,
}

/// The end, as somebody was told it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End<'a> {
    pub(crate) call: Call,
    pub(crate) at_ms: u64,
    pub(crate) said: Told<'a>,
    /// Until when nobody may forget it: the ledger may be put back to what it was before it.
    pub(crate) until_ms: u64,
}

/// What an end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told<'a> {
    Ok(&'a Receipt),
    Refused(&'a str),
}

/// The ledger was put back at a moment to what it was at an earlier one.
#[derive(Clone, Copy, Debug)]
struct Restore {
    as_of_ms: u64,
    at_ms: u64,
}

impl<'a> Case<'a> {
    /// One for each key, and one for what is nobody's.
    pub(crate) fn of(history: &'a History) -> Vec<Self> {
        let mut cases: BTreeMap<Option<&'a str>, Self> = BTreeMap::new();
        let mut keys: BTreeMap<Call, Option<&'a str>> = BTreeMap::new();
        let mut restores = Vec::new();
        for entry in &history.entries {
            let at_ms = entry.at_ms;
            let of_call = entry.event.call().and_then(|call| keys.get(&call).copied());
            let key = entry.event.key().or(of_call.flatten());
            if let Event::Restored { as_of_ms } = &entry.event {
                restores.push(Restore { as_of_ms: *as_of_ms, at_ms });
            }
            let case = cases.entry(key).or_insert_with(|| Self { key, ..Self::default() });
            match &entry.event {
                Event::Invoked { call, intent, .. } => {
                    case.begins(*call, Asks::Intent(intent), at_ms, keys.insert(*call, key).is_some());
                }
                Event::Decided { call, says, .. } => {
                    case.begins(*call, Asks::Decision(says), at_ms, keys.insert(*call, key).is_some());
                }
                Event::Returned { call, said } => case.comes(*call, at_ms, said),
                Event::Effect { intent, object, .. } => {
                    case.effects.push(Happened { at_ms, intent: intent.as_deref(), object });
                }
                Event::Rests { rest, .. } => case.rest = Some(*rest),
                // These are of no key.
                Event::Worker { .. }
                | Event::Network { .. }
                | Event::Fault { .. }
                | Event::Restored { .. }
                | Event::Quiet => {}
            }
        }
        cases.into_values().map(|case| Self { restores: restores.clone(), ..case }).collect()
    }

    fn begins(&mut self, call: Call, asks: Asks<'a>, began_ms: u64, is_known: bool) {
        if is_known {
            self.misfits.push(format!("c{} is invoked twice", call.0));
        }
        self.calls.push(Called { call, asks, began_ms, came: None });
    }

    fn comes(&mut self, call: Call, at_ms: u64, said: &'a Said) {
        match self.calls.iter_mut().find(|called| called.call == call) {
            Some(called) if called.came.is_none() && called.began_ms <= at_ms => called.came = Some((at_ms, said)),
            _ => self.misfits.push(format!("c{} comes back, and was not under way", call.0)),
        }
    }

    /// The ends that were told, in the order of their return.
    pub(crate) fn ends(&self) -> Vec<End<'a>> {
        let mut ends: Vec<End<'a>> = self.calls.iter().filter_map(|called| self.end(called)).collect();
        ends.sort_by_key(|end| end.at_ms);
        ends
    }

    fn end(&self, called: &Called<'a>) -> Option<End<'a>> {
        let (at_ms, said) = called.came?;
        let said = match said {
            Said::Ok(receipt) => Told::Ok(receipt),
            Said::Refused { code } => Told::Refused(code),
            Said::Unknown { .. } | Said::NothingSent { .. } | Said::Lost => return None,
        };
        Some(End { call: called.call, at_ms, said, until_ms: self.kept_until(at_ms) })
    }

    /// Until when what was said at a moment is kept: until the ledger is put back to an earlier one.
    pub(crate) fn kept_until(&self, at_ms: u64) -> u64 {
        let forgets = self.restores.iter().filter(|restore| restore.as_of_ms < at_ms && at_ms <= restore.at_ms);
        forgets.map(|restore| restore.at_ms).min().unwrap_or(u64::MAX)
    }

    /// Receipts that somebody was given, with the moment; those that were not recorded yet as well.
    pub(crate) fn receipts(&self) -> impl Iterator<Item = (Call, u64, &'a Receipt)> + '_ {
        self.calls.iter().filter_map(|called| match called.came? {
            (at_ms, Said::Ok(receipt) | Said::Unknown { receipt: Some(receipt), .. }) => {
                Some((called.call, at_ms, receipt))
            }
            _ => None,
        })
    }
}

impl<'a> Called<'a> {
    /// The intent, if it is no decision.
    pub(crate) fn intent(&self) -> Option<&'a str> {
        match self.asks {
            Asks::Intent(intent) => Some(intent),
            Asks::Decision(_) => None,
        }
    }

    /// Whether its answer says that the key was its own intent's. One that was not written yet may still lose it.
    pub(crate) fn is_accepted(&self) -> bool {
        match self.came {
            Some((_, Said::Unknown { next, .. })) => next != Said::UNWRITTEN,
            Some((_, Said::Ok(_) | Said::Refused { .. })) => true,
            _ => false,
        }
    }

    /// Whether its answer says that another intent had the key.
    pub(crate) fn is_reused(&self) -> bool {
        matches!(self.came, Some((_, Said::NothingSent { code })) if code == KEY_REUSED)
    }

    /// Whether it may have begun something: whatever its answer was, unless that says that the call was turned away
    /// before anything was written. An error of the ledger does not say so.
    pub(crate) fn may_begin(&self) -> bool {
        const TURNED_AWAY: [&str; 3] = [KEY_REUSED, "bad-arguments", "requirement"];
        !matches!(self.came, Some((_, Said::NothingSent { code })) if TURNED_AWAY.contains(&code.as_str()))
    }

    /// Whether it is a person's "send again" that may have been taken.
    pub(crate) fn sends_again(&self) -> bool {
        self.asks == Asks::Decision(&Says::SendAgain) && !matches!(self.came, Some((_, Said::NothingSent { .. })))
    }
}

/// The error for a key that belongs to another intent.
const KEY_REUSED: &str = "key-reused";

/// [`super::Rule::Recorded`].
pub(super) fn recorded(case: &Case<'_>) -> Option<String> {
    case.misfits.first().cloned()
}
