//! Who a mail is from and for.

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

    /// As Resend reads it: `Jane <jane@example.org>`, the name in quotes where a mail header needs
    /// them, so that a comma in it doesn't make two recipients.
    pub(crate) fn written(&self) -> String {
        let Some(name) = self.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) else {
            return self.address.0.clone();
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || " -_'!#$%&*+/=?^`{|}~".contains(letter);
        if name.chars().all(is_plain) {
            return format!("{name} <{}>", self.address.0);
        }
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\" <{}>", self.address.0)
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

/// The address in `Jane <jane@example.org>` or in what is one already, in a form that can be compared.
pub(crate) fn bare(written: &str) -> String {
    let inner = written.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or(written, |(inner, _)| inner);
    inner.trim().to_ascii_lowercase()
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
        // Quoted local parts and addresses outside ASCII exist; Resend's API promises neither.
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

    fn named(name: &str) -> String {
        Mailbox::named("jane@example.org".parse().expect("an address"), name).written()
    }

    #[test]
    fn send_names_are_quoted() {
        assert_eq!(named("Jané Novák"), "Jané Novák <jane@example.org>");
        assert_eq!(named("山田 太郎"), "山田 太郎 <jane@example.org>");
        assert_eq!(named("Doe, Jane"), "\"Doe, Jane\" <jane@example.org>");
        assert_eq!(named("Jane \"J\" \\ Doe"), "\"Jane \\\"J\\\" \\\\ Doe\" <jane@example.org>");
        assert_eq!(named("evil@example.org>"), "\"evil@example.org>\" <jane@example.org>");
        assert_eq!(named("  "), "jane@example.org");
    }

    #[test]
    fn addresses_are_checked_and_compared_without_names() {
        for bad in
            ["jane", "jane@local", "a b@example.org", "jane@exämple.org", "\"a b\"@example.org", "a@b.org, c@d.org"]
        {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
        assert_eq!(bare("\"Doe, <Jane>\" <Jane@Example.org>"), "jane@example.org");
        assert_eq!(bare("jane@example.org"), "jane@example.org");
    }
}
