//! What a user allows, requires and wants to see first.

use serde::{Deserialize, Serialize};

use crate::capability::{CellSpec, Completion, SecondEffect, Stakes};
use crate::money::Money;
use crate::protocol::Bounds;

/// The policy of one executor. The default requires nothing, approves everything, and never sends
/// on absence that only suggests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The least guarantee that a cell must have to be used at all. It also cuts the ladder: with
    /// `enforced`, nothing is sent again on the word of a query.
    pub require: Require,
    /// Up to which stakes absence that only suggests buys one more request.
    pub likely: Likely,
    /// What must be approved before anything is sent.
    pub approve: Vec<ApprovalRule>,
    /// Whether an intent that equals a recent one under another key is held.
    pub hold_repeats: bool,
    /// How far back, in seconds, an equal intent counts as a repeat.
    pub repeat_window_seconds: RepeatWindow,
    /// Bounds on automatic work.
    pub bounds: Bounds,
}

/// The least guarantee that is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Require {
    /// First half.
    pub second_effect: SecondEffect,
    /// Second half.
    pub completion: RequiredCompletion,
}

impl Default for Require {
    fn default() -> Self {
        Self { second_effect: SecondEffect::Withheld, completion: RequiredCompletion::Any }
    }
}

/// How a lost answer must be completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequiredCompletion {
    /// In any way.
    #[default]
    Any,
    /// By itself, at least if it is found.
    AutomaticIfFound,
    /// By itself.
    Automatic,
}

impl RequiredCompletion {
    /// Whether this completion is enough.
    pub fn allows(self, completion: Completion) -> bool {
        completion.rank()
            >= match self {
                Self::Any => 0,
                Self::AutomaticIfFound => Completion::AutomaticIfFound.rank(),
                Self::Automatic => Completion::AutomaticWithin(0).rank(),
            }
    }
}

/// Up to which stakes absence that only suggests is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likely {
    /// Never.
    #[default]
    Never,
    /// For low stakes.
    Low,
    /// For low and medium stakes.
    Medium,
}

/// How far back an equal intent counts as a repeat, in seconds. Default one hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepeatWindow(pub u32);

impl Default for RepeatWindow {
    fn default() -> Self {
        Self(3600)
    }
}

/// What must be approved first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// Which cell; `*` for all, `stripe.*` for an integration's.
    pub cell: String,
    /// Only above this amount, in this currency. An amount in another currency needs a rule of its
    /// own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Money>,
}

impl Policy {
    /// Whether absence that only suggests is accepted for this cell.
    pub fn likely_for(&self, spec: &CellSpec) -> bool {
        match self.likely {
            Likely::Never => false,
            Likely::Low => spec.stakes == Stakes::Low,
            Likely::Medium => spec.stakes <= Stakes::Medium,
        }
    }

    /// The rule that wants this intent approved first, in words.
    pub fn wants_approval(&self, cell: &str, money: Option<&Money>) -> Option<String> {
        self.approve.iter().find(|rule| rule.covers(cell) && rule.reached(money)).map(|rule| match &rule.above {
            Some(limit) => format!("{} above {limit}", rule.cell),
            None => rule.cell.clone(),
        })
    }
}

impl ApprovalRule {
    fn covers(&self, cell: &str) -> bool {
        match self.cell.strip_suffix('*') {
            Some(prefix) => cell.starts_with(prefix),
            None => self.cell == cell,
        }
    }

    /// A cell without an amount can't be shown to stay below a limit, so it is reached.
    fn reached(&self, money: Option<&Money>) -> bool {
        match (&self.above, money) {
            (None, _) | (Some(_), None) => true,
            (Some(limit), Some(money)) => money.currency == limit.currency && money.amount > limit.amount,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approval_goes_by_cell_and_by_amount_per_currency() {
        let money = |amount, currency| Money::new(amount, currency).expect("money");
        let policy = Policy {
            approve: vec![ApprovalRule { cell: "stripe.*".into(), above: Some(money(10_000, "EUR")) }],
            ..Policy::default()
        };
        assert!(policy.wants_approval("stripe.charge", Some(&money(10_001, "EUR"))).is_some());
        assert!(policy.wants_approval("stripe.charge", Some(&money(10_000, "EUR"))).is_none());
        assert!(policy.wants_approval("stripe.charge", Some(&money(99_999, "USD"))).is_none());
        assert!(policy.wants_approval("stripe.charge", None).is_some());
        assert!(policy.wants_approval("twilio.call", None).is_none());
    }
}
