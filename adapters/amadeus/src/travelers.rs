//! Travelers and contacts, in the vendor's own shapes and names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::personal::{Airline, Country, Date, Personal, is_email};

/// Somebody who travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Traveler {
    /// The id by which the priced offers name this traveler: `1`.
    pub id: String,
    /// Name, as in the travel document.
    pub name: Name,
    /// Date of birth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_of_birth: Option<Personal<Date>>,
    /// Gender, as the airline wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<Personal<Gender>>,
    /// How to reach them; Amadeus wants this for the first traveler at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// Passports and other documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Document>,
    /// Frequent flyer programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loyalty_programs: Vec<LoyaltyProgram>,
}

/// The name of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Name {
    /// Given name.
    pub first_name: Personal,
    /// Family name.
    pub last_name: Personal,
    /// Further given names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub middle_name: Option<Personal>,
    /// Second family name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_last_name: Option<Personal>,
}

/// Genders that Amadeus knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Gender {
    Male,
    Female,
    Unspecified,
    Undisclosed,
}

/// A travel document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// Its kind.
    pub document_type: DocumentType,
    /// Its number.
    pub number: Personal,
    /// Since when it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuance_date: Option<Personal<Date>>,
    /// Until when it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_date: Option<Personal<Date>>,
    /// Who issued it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuance_country: Option<Personal<Country>>,
    /// Where it was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuance_location: Option<Personal>,
    /// Where it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity_country: Option<Personal<Country>>,
    /// The nationality in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nationality: Option<Personal<Country>>,
    /// Place of birth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth_place: Option<Personal>,
    /// Country of birth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth_country: Option<Personal<Country>>,
    /// Whether the traveler holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<bool>,
}

/// Kinds of documents that Amadeus knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum DocumentType {
    Visa,
    Passport,
    IdentityCard,
    KnownTraveler,
    Redress,
}

/// A frequent flyer program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoyaltyProgram {
    /// Whose.
    pub program_owner: Airline,
    /// The traveler's number in it.
    pub id: Personal,
}

/// How to reach somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Contact {
    /// Whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addressee_name: Option<Name>,
    /// The company.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company_name: Option<String>,
    /// What for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// At most three phones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phones: Vec<Phone>,
    /// E-mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_address: Option<Personal>,
    /// Postal address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Language to write in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// What a contact is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Purpose {
    Standard,
    Invoice,
    StandardWithoutTransmission,
}

/// A phone number, split as Amadeus wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Phone {
    /// Kind of device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_type: Option<Device>,
    /// `34`
    pub country_calling_code: String,
    /// Digits only.
    pub number: Personal,
}

/// Kinds of devices that Amadeus knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Device {
    Mobile,
    Landline,
    Fax,
}

/// A postal address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Address {
    /// Street and so on, at most 35 characters each.
    pub lines: Vec<Personal>,
    /// Postal code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<Personal>,
    /// Country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_code: Option<Personal<Country>>,
    /// City.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city_name: Option<Personal>,
    /// State.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_name: Option<Personal>,
    /// Postal box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_box: Option<Personal>,
}

impl Traveler {
    /// A traveler with a name; more in the fields.
    pub fn new(id: &str, first_name: &str, last_name: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: Name::new(first_name, last_name),
            date_of_birth: None,
            gender: None,
            contact: None,
            documents: Vec::new(),
            loyalty_programs: Vec::new(),
        }
    }

    /// Names the field that is wrong, below `at`.
    pub(crate) fn check(&self, at: &str) -> Result<(), String> {
        if self.id.is_empty() {
            return Err(format!("{at}.id: give the id by which the offers name this traveler"));
        }
        self.name.check(&format!("{at}.name"))?;
        for (number, document) in self.documents.iter().enumerate() {
            if document.number.0.trim().is_empty() {
                return Err(format!("{at}.documents[{number}].number: a document has a number"));
            }
            if matches!((document.issuance_date.as_ref(), document.expiry_date.as_ref()),
                (Some(from), Some(until)) if from.0 > until.0)
            {
                return Err(format!("{at}.documents[{number}].expiryDate: it expires before it was issued"));
            }
        }
        self.contact.as_ref().map_or(Ok(()), |contact| contact.check(&format!("{at}.contact")))
    }
}

impl Name {
    /// A name of two parts.
    pub fn new(first_name: &str, last_name: &str) -> Self {
        let (middle_name, second_last_name) = (None, None);
        Self { first_name: first_name.into(), last_name: last_name.into(), middle_name, second_last_name }
    }

    fn check(&self, at: &str) -> Result<(), String> {
        match (self.first_name.0.trim().is_empty(), self.last_name.0.trim().is_empty()) {
            (true, _) => Err(format!("{at}.firstName: give the name as in the travel document")),
            (_, true) => Err(format!("{at}.lastName: give the name as in the travel document")),
            _ => Ok(()),
        }
    }
}

impl Contact {
    /// Names the field that is wrong, below `at`.
    pub(crate) fn check(&self, at: &str) -> Result<(), String> {
        if self.phones.len() > 3 {
            return Err(format!("{at}.phones: at most three"));
        }
        let digits = |text: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        for (number, phone) in self.phones.iter().enumerate() {
            if !digits(phone.country_calling_code.trim_start_matches('+'), 4) {
                return Err(format!("{at}.phones[{number}].countryCallingCode: give digits, such as 34"));
            }
            if !digits(&phone.number.0, 15) {
                return Err(format!("{at}.phones[{number}].number: give up to 15 digits, without the country"));
            }
        }
        if self.email_address.as_ref().is_some_and(|address| !is_email(&address.0)) {
            return Err(format!("{at}.emailAddress: give an e-mail address"));
        }
        self.addressee_name.as_ref().map_or(Ok(()), |name| name.check(&format!("{at}.addresseeName")))
    }
}
