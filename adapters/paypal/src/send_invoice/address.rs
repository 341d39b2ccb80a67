use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An e-mail address: it goes into requests and into the ledger, and never into a message or a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Address(String);

impl Address {
    /// Whether it looks like one, as PayPal limits it; PayPal checks the rest. The message doesn't quote it.
    pub(super) fn check(&self) -> Result<(), String> {
        let parts = self.0.rsplit_once('@');
        let is_plain = !self.0.chars().any(|character| character.is_whitespace() || character.is_control());
        let is_whole = parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        match (3..=254).contains(&self.0.len()) && is_plain && is_whole {
            true => Ok(()),
            false => Err("recipient: give an e-mail address".to_owned()),
        }
    }

    /// Whether another one is the same; the host's letters are not told apart, and PayPal may write all in lower case.
    pub(super) fn is(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Address {
    fn from(address: &str) -> Self {
        Self(address.to_owned())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[address]")
    }
}
