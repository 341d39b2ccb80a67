//! Passengers, in Duffel's own shapes and names. It is data about people: it goes into requests and into the
//! ledger, and never into a message or a log.

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

/// Somebody who travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Passenger {
    /// The id by which the offer names this passenger: `pas_...`.
    pub id: String,
    /// Given name, as in the travel document.
    pub given_name: Personal,
    /// Family name, as in the travel document.
    pub family_name: Personal,
    /// Title.
    pub title: Title,
    /// Gender, as the airline wants it.
    pub gender: Personal<Gender>,
    /// Date of birth.
    pub born_on: Personal<Date>,
    /// E-mail address.
    pub email: Personal,
    /// Phone number with the country's code: `+442080160509`.
    pub phone_number: Personal,
    /// A passport or another document; Duffel takes at most one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identity_documents: Vec<IdentityDocument>,
    /// Frequent flyer accounts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loyalty_programme_accounts: Vec<LoyaltyAccount>,
    /// The infant who sits on this passenger's lap, by its passenger id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infant_passenger_id: Option<String>,
    /// A customer user of Duffel's who is this passenger: `icu_...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
}

/// Titles that Duffel knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Title {
    Mr,
    Ms,
    Mrs,
    Miss,
    Dr,
}

/// Genders that Duffel knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Gender {
    /// Male.
    #[serde(rename = "m")]
    Male,
    /// Female.
    #[serde(rename = "f")]
    Female,
}

/// A travel document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdentityDocument {
    /// Its kind, one of those that the offer names: `passport`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its number.
    pub unique_identifier: Personal,
    /// Who issued it, by ISO 3166-1: `GB`.
    pub issuing_country_code: Personal,
    /// Until when it is valid.
    pub expires_on: Personal<Date>,
}

/// A frequent flyer account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoyaltyAccount {
    /// The airline, by IATA: `BA`.
    pub airline_iata_code: String,
    /// The passenger's number in its programme.
    pub account_number: Personal,
}

/// Names the field that is wrong.
pub(crate) fn check(passengers: &[Passenger]) -> Result<(), String> {
    if passengers.is_empty() {
        return Err("passengers: give those whom the offer is for".to_owned());
    }
    for (number, passenger) in passengers.iter().enumerate() {
        passenger.check(&format!("passengers[{number}]"))?;
        if passengers[..number].iter().any(|other| other.id == passenger.id) {
            return Err(format!("passengers[{number}].id: two have the same id"));
        }
    }
    Ok(())
}

impl Passenger {
    fn check(&self, at: &str) -> Result<(), String> {
        if self.id.is_empty() {
            return Err(format!("{at}.id: give the id by which the offer names this passenger"));
        }
        for (field, name) in [("given_name", &self.given_name), ("family_name", &self.family_name)] {
            if name.0.trim().is_empty() {
                return Err(format!("{at}.{field}: give the name as in the travel document"));
            }
        }
        if !self.email.0.contains('@') {
            return Err(format!("{at}.email: give an e-mail address"));
        }
        let digits = self.phone_number.0.strip_prefix('+').unwrap_or_default();
        if !(6..=15).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("{at}.phone_number: give digits with the country's code, such as +442080160509"));
        }
        match self.identity_documents.len() {
            0 | 1 => Ok(()),
            _ => Err(format!("{at}.identity_documents: Duffel takes at most one")),
        }
    }
}
