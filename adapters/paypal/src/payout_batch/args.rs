//! What a caller says of a payout.

use std::fmt;

use hapax_core::cell::{CellArgs, Echo};
use hapax_core::money::Money;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amounts::{self, to_paypal};
use crate::wire::is_id;

/// Pays each of these receivers. Two equal batches are two payouts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayoutBatch {
    /// Who gets how much: 1 to 15,000 items in one currency. What became of one is told by its place in this list.
    pub items: Vec<PayoutItem>,
    /// Subject of PayPal's mail to the receivers, at most 255 characters. Models rephrase, so a changed one is no other
    /// intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_subject: Option<String>,
    /// Words in PayPal's mail to the receivers, at most 1000 characters. Models rephrase, so changed ones are no other
    /// intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_message: Option<String>,
}

/// One payment of a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayoutItem {
    /// Who is paid.
    pub receiver: Receiver,
    /// How much, in ISO 4217 minor units.
    pub amount: Money,
}

/// Who is paid. It goes into requests and into the ledger, and never into a message or a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Receiver {
    /// Whoever has this mail address at PayPal, or opens an account with it.
    Email {
        /// The address.
        address: String,
    },
    /// Whoever has this telephone number at PayPal, or opens an account with it.
    Phone {
        /// The number, with its country.
        number: String,
    },
    /// A PayPal account.
    PaypalId {
        /// PayPal's encrypted id of it, capital letters and digits.
        id: String,
    },
}

/// Items of a batch at most.
const MOST_ITEMS: usize = 15_000;

impl PayoutBatch {
    /// A payout without words; for more, `PayoutBatch { email_subject, ..PayoutBatch::of(..) }`.
    pub fn of(items: impl IntoIterator<Item = PayoutItem>) -> Self {
        Self { items: items.into_iter().collect(), email_subject: None, email_message: None }
    }

    /// What all items come to; none if they are in several currencies, or beyond all bounds.
    pub(super) fn total(&self) -> Option<Money> {
        let (first, rest) = self.items.split_first()?;
        rest.iter().try_fold(first.amount.clone(), |sum, item| {
            let amount = sum.amount.checked_add(item.amount.amount)?;
            (sum.currency == item.amount.currency).then_some(Money { amount, ..sum })
        })
    }
}

impl Receiver {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Email { .. } => "EMAIL",
            Self::Phone { .. } => "PHONE",
            Self::PaypalId { .. } => "PAYPAL_ID",
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Email { address } => address,
            Self::Phone { number } => number,
            Self::PaypalId { id } => id,
        }
    }

    /// Whether this is how PayPal may write the receiver: addresses in other letters, numbers with other separators.
    pub(super) fn is(&self, shown: &str) -> bool {
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
        match self {
            Self::Email { address } => address.eq_ignore_ascii_case(shown),
            Self::Phone { number } => digits(number) == digits(shown),
            Self::PaypalId { id } => id == shown,
        }
    }

    fn check(&self) -> Result<(), &'static str> {
        let text = self.text();
        let fits = (3..=127).contains(&text.len());
        match self {
            Self::Email { .. } => {
                let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
                let parts = text.rsplit_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
                if fits && is_plain && parts { Ok(()) } else { Err("give a mail address, at most 127 characters") }
            }
            Self::Phone { .. } => {
                let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-() ".contains(&byte));
                let has_digits = text.bytes().filter(u8::is_ascii_digit).count() >= 3;
                if fits && is_plain && has_digits { Ok(()) } else { Err("give a telephone number with its country") }
            }
            Self::PaypalId { .. } if is_id(text) => Ok(()),
            Self::PaypalId { .. } => Err("give PayPal's id of an account, capital letters and digits"),
        }
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[receiver]")
    }
}

impl CellArgs for PayoutBatch {
    const VOLATILE: &'static [&'static str] = &["email_subject", "email_message"];

    fn check(&self) -> Result<(), String> {
        if !(1..=MOST_ITEMS).contains(&self.items.len()) {
            return Err(format!("items: 1 to {MOST_ITEMS} of them"));
        }
        for (index, item) in self.items.iter().enumerate() {
            // Which one is said by its place: the receiver is personal data.
            let named = |why: &str| format!("items[{index}]: {why}");
            item.receiver.check().map_err(named)?;
            to_paypal(&item.amount).map_err(|why| named(&why))?;
        }
        if self.total().is_none() {
            return Err("items: all amounts of a batch are in one currency".to_owned());
        }
        for (name, words, most) in
            [("email_subject", &self.email_subject, 255), ("email_message", &self.email_message, 1000)]
        {
            if words.as_ref().is_some_and(|words| !(1..=most).contains(&words.chars().count())) {
                return Err(format!("{name}: 1 to {most} characters"));
            }
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("items", self.items.len().to_string())];
        echo.extend(self.total().iter().flat_map(amounts::echo));
        echo
    }

    fn money(&self) -> Option<Money> {
        self.total()
    }
}
