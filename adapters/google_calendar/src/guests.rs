//! Who is invited, and who is told.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Who gets a mail about it. Mails are part of what is done once: nothing tells afterwards whether
/// they went out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SendUpdates {
    /// All guests.
    All,
    /// Guests that don't use Google Calendar.
    ExternalOnly,
    /// Nobody; Google says that some mails may go out all the same.
    #[default]
    None,
}

impl SendUpdates {
    /// As the query says it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::ExternalOnly => "externalOnly",
            Self::None => "none",
        }
    }
}

/// Somebody who is invited. Debug shows nothing of them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guest {
    /// `jane@example.com`.
    pub email: String,
    /// The name beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether they need not come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

impl Guest {
    /// Somebody who should come.
    pub fn new(email: impl Into<String>) -> Self {
        Self { email: email.into(), name: None, optional: false }
    }

    /// Whether it can be an address; Google says more.
    pub(crate) fn check(&self) -> Result<(), String> {
        let plain = self.email.len() <= 254
            && !self.email.contains(|letter: char| letter.is_whitespace() || letter.is_control());
        match self.email.split_once('@') {
            Some((user, host)) if plain && !user.is_empty() && !host.is_empty() && !host.contains('@') => Ok(()),
            _ => Err("guests: each needs an address, as in jane@example.com".to_owned()),
        }
    }

    /// As Google takes it.
    pub(crate) fn value(&self) -> Value {
        let mut guest = json!({ "email": self.email });
        if let Some(name) = &self.name {
            guest["displayName"] = name.clone().into();
        }
        if self.optional {
            guest["optional"] = true.into();
        }
        guest
    }
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").finish_non_exhaustive()
    }
}
