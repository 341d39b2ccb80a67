//! Mail addresses, for adapters whose intents name people: checked once, and never shown by Debug.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A person or a list, by address and name.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mailbox {
    /// `jane@example.org`.
    pub address: Address,
    /// The name beside it, in any script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// An address that has been checked. It is never shown by Debug.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address(String);

/// A text that is no mail address. It doesn't quote the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAddress;

impl Mailbox {
    /// An address with a name.
    pub fn named(address: Address, name: impl Into<String>) -> Self {
        Self { address, name: Some(name.into()) }
    }
}

impl From<Address> for Mailbox {
    fn from(address: Address) -> Self {
        Self { address, name: None }
    }
}

impl Address {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Self, NoAddress> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for Address {
    type Error = NoAddress;

    fn try_from(text: String) -> Result<Self, NoAddress> {
        // Quoted local parts and addresses outside ASCII exist; no provider's API here promises either.
        let plain = text.is_ascii() && !text.contains(|c: char| c == '"' || c.is_ascii_control() || c == ' ');
        match lettre::Address::from_str(&text) {
            Ok(address) if plain && address.domain().contains('.') => Ok(Self(text)),
            _ => Err(NoAddress),
        }
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.0
    }
}

impl JsonSchema for Address {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Address".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "email" })
    }
}

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is no mail address like jane@example.org; an international domain is written as xn--...")
    }
}

impl std::error::Error for NoAddress {}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address")
    }
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mailbox")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_never_shown() {
        for bad in
            ["jane", "jane@local", "a b@example.org", "jane@exämple.org", "\"a b\"@example.org", "a@b.org, c@d.org"]
        {
            assert_eq!(bad.parse::<Address>(), Err(NoAddress), "{bad}");
        }
        let jane: Address = "Jane+x@example.org".parse().expect("an address");
        assert_eq!(jane.as_str(), "Jane+x@example.org");
        assert!(!format!("{jane:?} {:?}", Mailbox::named(jane.clone(), "Jane")).contains("ane"));
        assert!(serde_json::from_str::<Address>("\"jane\"").is_err(), "what is read is checked, too");
    }
}
