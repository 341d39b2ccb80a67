//! Makes a failing history small enough to be read: what is left fails for the same rule.

use crate::check::{Rule, Violation, check};
use crate::history::{Event, History};

/// All that a history has of the key that a violation names, and what was done to workers, network and ledger meanwhile.
pub fn story(history: &History, violation: &Violation) -> History {
    with_surroundings(history, about(history, violation.key.as_deref()))
}

/// The smallest part of that which still breaks the same rule, and no rule that the whole keeps: no effect loses the
/// call that asked for it.
pub fn shrink(history: &History, violation: &Violation) -> History {
    let own = about(history, violation.key.as_deref());
    let known: Vec<Rule> = broken(&own, violation.key.as_deref());
    let is_as_bad = |shorter: &History| {
        let rules = broken(shorter, violation.key.as_deref());
        rules.contains(&violation.rule) && rules.iter().all(|rule| known.contains(rule))
    };
    with_surroundings(history, least(own, is_as_bad))
}

/// The rules that a history breaks for a key.
fn broken(history: &History, key: Option<&str>) -> Vec<Rule> {
    check(history).into_iter().filter(|one| one.key.as_deref() == key).map(|one| one.rule).collect()
}

/// What is about one key, and what the ledger forgot.
fn about(history: &History, key: Option<&str>) -> History {
    let mut calls = Vec::new();
    let mut is_about = |event: &Event| {
        let of_key = match event {
            Event::Effect { .. } | Event::Rests { .. } => event.key() == key,
            Event::Invoked { call, .. } | Event::Decided { call, .. } => {
                let of_key = event.key() == key;
                calls.extend(of_key.then_some(*call));
                of_key
            }
            Event::Returned { call, .. } => calls.contains(call),
            _ => false,
        };
        of_key || matches!(event, Event::Restored { .. })
    };
    let entries = history.entries.iter().filter(|entry| is_about(&entry.event)).cloned().collect();
    History { remarks: history.remarks.clone(), entries }
}

/// Leaves out entry after entry, a call with its return, as long as what is left is as bad.
fn least(mut history: History, is_as_bad: impl Fn(&History) -> bool) -> History {
    loop {
        let before = history.entries.len();
        let mut index = 0;
        while index < history.entries.len() {
            let shorter = without(&history, index);
            if is_as_bad(&shorter) {
                history = shorter;
            } else {
                index += 1;
            }
        }
        if history.entries.len() == before {
            return history;
        }
    }
}

fn without(history: &History, index: usize) -> History {
    let call = match &history.entries[index].event {
        Event::Invoked { call, .. } | Event::Decided { call, .. } => Some(*call),
        _ => None,
    };
    let stays = |(at, _): &(usize, _)| *at != index;
    let entries = history.entries.iter().cloned().enumerate().filter(stays).map(|(_, entry)| entry);
    let entries = entries.filter(|entry| call.is_none() || entry.event.call() != call).collect();
    History { remarks: history.remarks.clone(), entries }
}

/// Adds what was done to workers, network and ledger between the first and the last entry.
fn with_surroundings(history: &History, least: History) -> History {
    let (Some(first), Some(last)) = (least.entries.first(), least.entries.last()) else { return least };
    let (from, to) = (first.at_ms, last.at_ms);
    let is_around = |event: &Event| {
        matches!(event, Event::Worker { .. } | Event::Network { .. } | Event::Fault { .. } | Event::Quiet)
    };
    let around = history.entries.iter().filter(|entry| is_around(&entry.event) && (from..=to).contains(&entry.at_ms));
    let mut whole = History { entries: least.entries.iter().chain(around).cloned().collect(), ..least };
    whole.sort();
    whole
}
