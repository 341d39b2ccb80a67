//! Judges a history: a pure function, which knows nothing of how the history came about.
//!
//! Each key is an object of its own with three states that follow each other: *free*, *taken* by an intent, *final* with
//! a receipt or a refusal. A call is an operation on it and has its effect at one moment between its invocation and its
//! return. What came back says in which state the object was then: `ok` and `refused` that it was final with just that;
//! `unknown` that it was taken and not yet final (or, where nothing was written yet, only that it was not final); the error `key-reused` that another intent had taken it; any other
//! error, and no answer, nothing at all. States only follow each other, so a history is linearizable if there is one
//! moment at which the key is taken and one at which it becomes final that no answer contradicts. That needs no search:
//! it holds if and only if each answer's interval reaches the state that it speaks of, which is what
//! [`Rule::OneIntent`], [`Rule::SameAnswer`] and [`Rule::StaysKnown`] compare. A history is linearizable if each of its
//! objects is (locality), so keys are judged one by one. The other rules tie the states to effects at the provider.
//!
//! Where the ledger was put back to what it was, what was said after that moment may be forgotten; an effect is not.

mod case;
mod effects;
mod register;

use std::fmt;

use crate::history::History;

pub(crate) use case::Case;

/// What must hold of every history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Each call is invoked once, and comes back at most once, afterwards.
    Recorded,
    /// A key has at most one effect, and one more for each time that a person said to send again.
    OneEffect,
    /// Who is told that it happened is told so after it did.
    HappenedBefore,
    /// A receipt names an effect of its own key.
    NamesItsEffect,
    /// What is refused has no effect, neither before nor after.
    RefusedHasNone,
    /// Whoever is told the end is told the same end.
    SameAnswer,
    /// Once somebody was told the end, no later call is told that it isn't known.
    StaysKnown,
    /// Once somebody was told that it happened, nothing more happens.
    NothingAfterOk,
    /// A key belongs to the intent that took it: another one is refused, and has no effect.
    OneIntent,
    /// An effect is of a key that somebody has called with before.
    CalledFor,
    /// What somebody was told of is final, held, due or with a person in the end.
    NothingForgotten,
}

/// A rule that a history breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// Of which key; none: an effect that is nobody's.
    pub key: Option<String>,
    /// How, in words.
    pub what: String,
}

/// How a key breaks a rule, if it does.
type Check = fn(&Case<'_>) -> Option<String>;

const CHECKS: [(Rule, Check); 11] = [
    (Rule::Recorded, case::recorded),
    (Rule::OneEffect, effects::one_effect),
    (Rule::HappenedBefore, effects::happened_before),
    (Rule::NamesItsEffect, effects::names_its_effect),
    (Rule::RefusedHasNone, effects::refused_has_none),
    (Rule::SameAnswer, register::same_answer),
    (Rule::StaysKnown, register::stays_known),
    (Rule::NothingAfterOk, effects::nothing_after_ok),
    (Rule::OneIntent, register::one_intent),
    (Rule::CalledFor, effects::called_for),
    (Rule::NothingForgotten, register::nothing_forgotten),
];

/// Everything that is wrong with a history. None: it holds.
pub fn check(history: &History) -> Vec<Violation> {
    let cases = Case::of(history);
    let broken = |case: &Case<'_>| {
        let key = case.key.map(str::to_owned);
        let found = CHECKS.iter().filter_map(|(rule, check)| Some((*rule, check(case)?)));
        found.map(move |(rule, what)| Violation { rule, key: key.clone(), what }).collect::<Vec<_>>()
    };
    cases.iter().flat_map(broken).collect()
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 11] = {
        let mut all = [Self::Recorded; 11];
        let mut index = 0;
        while index < all.len() {
            all[index] = CHECKS[index].0;
            index += 1;
        }
        all
    };

    /// Its name, for people and for files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::OneEffect => "one-effect",
            Self::HappenedBefore => "happened-before",
            Self::NamesItsEffect => "names-its-effect",
            Self::RefusedHasNone => "refused-has-none",
            Self::SameAnswer => "same-answer",
            Self::StaysKnown => "stays-known",
            Self::NothingAfterOk => "nothing-after-ok",
            Self::OneIntent => "one-intent",
            Self::CalledFor => "called-for",
            Self::NothingForgotten => "nothing-forgotten",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.rule.name(), self.key.as_deref().unwrap_or("no key"), self.what)
    }
}
