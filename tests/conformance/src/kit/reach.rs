use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use hapax_core::protocol::{Event, Final, Found, OpState, Record, Verdict};

/// What was really reached, and how often: a fault that is never met proves nothing.
#[derive(Debug, Default)]
pub struct Reach(Mutex<BTreeMap<String, u64>>);

impl Reach {
    /// Notes that something was reached.
    pub fn note(&self, what: impl Into<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(what.into()).or_default() += 1;
    }

    /// How often it was.
    pub fn count(&self, what: &str) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(what).copied().unwrap_or(0)
    }

    /// Everything, sorted.
    pub fn all(&self) -> BTreeMap<String, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Which of these were not.
    pub fn missing<'a>(&self, wanted: &[&'a str]) -> Vec<&'a str> {
        wanted.iter().copied().filter(|what| self.count(what) == 0).collect()
    }

    /// What one operation's story shows.
    pub fn of_records(&self, records: &[Record]) {
        let mut state = OpState::default();
        for record in records {
            state.apply(record);
            self.of_event(&record.event);
            self.note(format!("state:{}", stage(&state)));
        }
    }

    fn of_event(&self, event: &Event) {
        match event {
            Event::Noted { .. } => self.note("do:prepare"),
            Event::Departed(_) => self.note("do:send"),
            Event::Heard(heard) => self.note(format!("verdict:{}", verdict(&heard.verdict))),
            Event::Looked(looked) => {
                self.note("do:look");
                self.note(format!("found:{}", found(&looked.found)));
            }
            Event::Asked { .. } => self.note("do:ask"),
            Event::Closed { .. } => self.note("do:close"),
            Event::Alarmed { .. } => self.note("event:alarm"),
            Event::Restored { .. } => self.note("event:restored"),
            Event::Witnessed { .. } => self.note("event:witnessed"),
            Event::Decided { .. } => self.note("event:decided"),
            Event::TakenOver { .. } => self.note("event:taken-over"),
            Event::Epoch { .. } => self.note("event:epoch"),
            Event::Superseded { .. } => self.note("event:superseded"),
            Event::Fated { .. } => self.note("event:fated"),
            _ => {}
        }
    }

    /// The table, three to a line.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (index, (what, count)) in self.all().iter().enumerate() {
            let end = if index % 3 == 2 { "\n" } else { "" };
            let _ = write!(text, "{what:<38}{count:>7}  {end}");
        }
        text
    }
}

/// What every kit that has a keyed and a queried cell must have seen.
pub const EXPECTED: &[&str] = &[
    "do:prepare",
    "do:send",
    "do:look",
    "do:ask",
    "do:close",
    "do:wait",
    "verdict:unclear",
    "verdict:not-done",
    "verdict:refused",
    "verdict:refused-on-record",
    "verdict:happened",
    "verdict:taken",
    "verdict:adrift",
    "verdict:key-burnt",
    "found:happened",
    "found:failed",
    "found:absent",
    "found:cannot-tell",
    "found:several",
    "state:begun",
    "state:held",
    "state:open",
    "state:person",
    "state:decided",
    "state:taken-over",
    "state:succeeded",
    "state:refused",
    "event:alarm",
    "event:restored",
    "event:witnessed",
    "event:decided",
    "event:taken-over",
    "event:epoch",
    "event:superseded",
    "event:fated",
    "point:before-commit",
    "point:after-commit",
    "point:after-prepare-step",
    "point:before-send",
    "point:after-send",
    "point:before-look",
    "point:after-look",
];

fn stage(state: &OpState) -> &'static str {
    match &state.outcome {
        Some(Final::Succeeded(_)) => "succeeded",
        Some(Final::Refused(_)) => "refused",
        None if state.hold.is_some() => "held",
        None if state.taken_over => "taken-over",
        None if state.asked.is_some() => "person",
        None if state.decision.is_some() => "decided",
        None if state.open().next().is_some() => "open",
        None => "begun",
    }
}

fn verdict(verdict: &Verdict) -> &'static str {
    verdict.name()
}

fn found(found: &Found) -> &'static str {
    match found {
        Found::Happened { .. } => "happened",
        Found::Failed { .. } => "failed",
        Found::Absent => "absent",
        Found::NotYet { .. } => "not-yet",
        Found::CannotTell { .. } => "cannot-tell",
        Found::Several { .. } => "several",
    }
}
