//! What a user allows, requires and wants to see first.

use serde::{Deserialize, Serialize};

use crate::capability::{CellSpec, Completion, SecondEffect, Stakes};
use crate::ledger::Keep;
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
    /// How long arguments and receipts of operations that ended are kept. The first rule that speaks of an operation
    /// decides; what none speaks of is kept for ever.
    pub retention: Vec<RetentionRule>,
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

/// How long arguments and receipts are kept after the end, for some operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionRule {
    /// Which cell; `stripe.*` for an integration's, none for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// On which connection; none for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// For how long.
    pub keep: KeepFor,
}

/// For how long something is kept: `90d`, `0s`, `for ever`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum KeepFor {
    /// For ever.
    Ever,
    /// For so many milliseconds after the last record.
    Ms(u64),
}

impl std::str::FromStr for KeepFor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == Self::EVER {
            return Ok(Self::Ever);
        }
        let bad =
            |error| format!("{text:?} is no time to keep something ({error}); write 90d, 12h, 0s or \"for ever\"");
        let span = humantime::parse_duration(text).map_err(|error| bad(error.to_string()))?;
        u64::try_from(span.as_millis()).map(Self::Ms).map_err(|_| bad("it is too long".to_owned()))
    }
}

impl KeepFor {
    const EVER: &str = "for ever";
}

impl TryFrom<String> for KeepFor {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<KeepFor> for String {
    fn from(keep: KeepFor) -> Self {
        match keep {
            KeepFor::Ever => KeepFor::EVER.to_owned(),
            KeepFor::Ms(ms) => humantime::format_duration(std::time::Duration::from_millis(ms)).to_string(),
        }
    }
}

impl Policy {
    /// Its rules of retention, as ledgers take them.
    pub fn keeps(&self) -> Vec<Keep> {
        let rule = |rule: &RetentionRule| {
            let for_ms = if let KeepFor::Ms(ms) = rule.keep { Some(ms) } else { None };
            Keep { connection: rule.connection.clone(), cell: rule.cell.clone(), for_ms }
        };
        self.retention.iter().map(rule).collect()
    }

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
    #[test]
    fn a_time_to_keep_is_read_and_written() {
        for (text, keep) in [("90d", KeepFor::Ms(7_776_000_000)), ("0s", KeepFor::Ms(0)), ("for ever", KeepFor::Ever)] {
            assert_eq!(text.parse(), Ok(keep));
            assert_eq!(String::from(keep).parse(), Ok(keep));
        }
        for bad in ["", "90", "d", "-1d", "for  ever", "forever", "999999999999y"] {
            assert!(bad.parse::<KeepFor>().is_err(), "{bad}");
        }
    }
}
