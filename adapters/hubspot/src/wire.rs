//! Names, values and records as HubSpot writes them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A record as HubSpot shows it; only what is read.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, Option<String>>,
    #[serde(default)]
    pub(crate) archived: bool,
}

impl Record {
    /// What it shows of a property; none if it doesn't show it or the property is empty.
    pub(crate) fn value(&self, property: &str) -> Option<&str> {
        self.properties.get(property)?.as_deref().filter(|value| !value.is_empty())
    }
}

/// Whether this names a property. It becomes part of queries and messages, so nothing else may stand there.
///
/// # Errors
/// A sentence that says what a name looks like.
pub(crate) fn check_property(field: &str, name: &str) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if name.is_empty() || name.len() > 100 || !name.bytes().all(is_plain) {
        return Err(format!("{field}: give the internal name of a property: lower-case letters, digits and _"));
    }
    Ok(())
}

/// Whether a text says something.
///
/// # Errors
/// A sentence that names the field.
pub(crate) fn check_text(field: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("{field}: it is empty; say something")) } else { Ok(()) }
}

/// Whether a text is the id of a record: a number.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text could be a mail address: the provider's own check comes later.
pub(crate) fn is_address(text: &str) -> bool {
    let is_odd = |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_control() || matches!(byte, b'<' | b'>' | b',');
    let halves = text.rsplit_once('@');
    halves.is_some_and(|(local, host)| !local.is_empty() && host.contains('.')) && !text.bytes().any(is_odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ids_and_addresses_are_plain() {
        assert!(check_property("properties", "hs_lead_status").is_ok());
        for bad in ["", "Firstname", "a b", "a/b", "a?b", "ä"] {
            assert!(check_property("properties", bad).is_err(), "{bad}");
        }
        assert!(is_id("512") && !is_id("") && !is_id("-1") && !is_id("51/2") && !is_id(&"9".repeat(21)));
        assert!(is_address("jane+1@example.com"));
        for bad in ["", "jane", "jane@host", "@example.com", "Jane <jane@example.com>", "a@b.c, d@e.f"] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
