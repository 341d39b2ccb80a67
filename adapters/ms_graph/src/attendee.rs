//! Who is invited.

use std::fmt;

use hapax_core::mail_address::{Address, Mailbox};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mail::person;

/// Somebody who is invited. Debug shows nothing of them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attendee {
    /// `jane@example.com`.
    pub address: Address,
    /// The name beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether they need not come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

impl Attendee {
    /// Somebody who should come.
    pub fn new(address: Address) -> Self {
        Self { address, name: None, optional: false }
    }

    /// As Graph takes one.
    pub(crate) fn value(&self) -> Value {
        let mut value = person(&Mailbox { address: self.address.clone(), name: self.name.clone() });
        value["type"] = if self.optional { "optional" } else { "required" }.into();
        value
    }
}

impl fmt::Debug for Attendee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendee").finish_non_exhaustive()
    }
}
