//! Data about people: it goes into requests and into the ledger, and never into a message or a log.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value about a person. It has no Debug to speak of, so that a struct that holds it can be shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Personal<T = String>(pub T);

impl<T> fmt::Debug for Personal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[personal]")
    }
}

impl From<&str> for Personal {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// A calendar date, `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Date(#[schemars(with = "String", extend("format" = "date"))] pub jiff::civil::Date);

/// A country by ISO 3166-1, two upper-case letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[A-Z]{2}$"))]
pub struct Country(String);

/// An airline by IATA: two letters or digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[A-Z0-9]{2}$"))]
pub struct Airline(String);

impl TryFrom<String> for Country {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if is_code(&text, 2) && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
            Ok(Self(text))
        } else {
            Err("a country is two upper-case letters, such as ES")
        }
    }
}

impl TryFrom<String> for Airline {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if is_code(&text, 2) {
            Ok(Self(text))
        } else {
            Err("an airline is two upper-case letters or digits, such as IB")
        }
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.0
    }
}

impl From<Airline> for String {
    fn from(airline: Airline) -> Self {
        airline.0
    }
}

/// Whether a text is a code of so many upper-case letters or digits.
pub(crate) fn is_code(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Whether a text looks like an e-mail address; Amadeus checks the rest.
pub(crate) fn is_email(text: &str) -> bool {
    let parts = text.split_once('@');
    (3..=90).contains(&text.len()) && parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}
