//! Telephone numbers and the addresses made of them, checked before anything is journaled.

use std::fmt;

use phonenumber::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const WHATSAPP: &str = "whatsapp:";

/// A telephone number in E.164 form, `+14155552345`.
///
/// It is never rewritten in silence: the form that Twilio stores is what a look compares, so the
/// caller says it in that form. Whether anybody has the number is Twilio's to know.
///
/// ```
/// use hapax_twilio::PhoneNumber;
/// assert!(PhoneNumber::new("+14155552345").is_ok());
/// assert!(PhoneNumber::new("(415) 555-2345").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct PhoneNumber(String);

/// Whom a message goes to: a number, or `whatsapp:` and a number.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Address(String);

/// Whom a message comes from: an [`Address`], a short code, or a name of up to 11 letters.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Sender(String);

impl PhoneNumber {
    /// A number in E.164 form.
    ///
    /// # Errors
    /// A sentence that doesn't quote the number: errors end up in logs.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let say = || "give the number in E.164 form: +, country code and number, digits only".to_owned();
        let digits = text.strip_prefix('+').ok_or_else(say)?;
        if !(7..=15).contains(&digits.len()) || !digits.bytes().all(|letter| letter.is_ascii_digit()) {
            return Err(say());
        }
        let number = phonenumber::parse(None, &text).map_err(|why| format!("no telephone number: {why}"))?;
        if number.format().mode(Mode::E164).to_string() == text { Ok(Self(text)) } else { Err(say()) }
    }
}

impl Address {
    /// A number for SMS and MMS, or `whatsapp:` and a number.
    ///
    /// # Errors
    /// As [`PhoneNumber::new`].
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        PhoneNumber::new(text.strip_prefix(WHATSAPP).unwrap_or(&text)).map(|_| Self(text))
    }

    /// Whether it is reached over WhatsApp.
    pub fn is_whatsapp(&self) -> bool {
        self.0.starts_with(WHATSAPP)
    }
}

impl Sender {
    /// An address, a short code of 3 to 8 digits, or a name of up to 11 letters, digits and spaces.
    ///
    /// # Errors
    /// A sentence that says what a sender can be.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        if text.starts_with('+') || text.starts_with(WHATSAPP) {
            return Address::new(text).map(|address| Self(address.0));
        }
        let is_code = (3..=8).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_digit());
        let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b" +-_&".contains(&letter);
        let has_name = text.bytes().any(|letter| letter.is_ascii_alphabetic());
        let is_name = (1..=11).contains(&text.len()) && text.bytes().all(is_letter) && has_name;
        if (is_code || is_name) && text.trim() == text {
            Ok(Self(text))
        } else {
            Err("give a number in E.164 form, whatsapp: and a number, a short code, or a name of up to 11 letters"
                .to_owned())
        }
    }

    /// Whether it sends over WhatsApp.
    pub fn is_whatsapp(&self) -> bool {
        self.0.starts_with(WHATSAPP)
    }

    /// Whether Twilio documents that lists can be filtered by it.
    pub(crate) fn is_number(&self) -> bool {
        self.0.starts_with('+')
    }
}

macro_rules! is_text {
    ($($kind:ident),*) => {$(
        impl $kind {
            /// As Twilio takes it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $kind {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::new(text)
            }
        }

        impl From<$kind> for String {
            fn from(value: $kind) -> Self {
                value.0
            }
        }

        impl fmt::Debug for $kind {
            /// The kind and the end of it: a number is personal data.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($kind), "(...{})"), self.0.get(self.0.len().saturating_sub(2)..).unwrap_or_default())
            }
        }
    )*};
}

is_text!(PhoneNumber, Address, Sender);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_e164() {
        for good in ["+14155552345", "+4915112345678", "+15551234567", "+442071838750", "+15005550006"] {
            assert!(PhoneNumber::new(good).is_ok(), "{good}");
            assert!(Address::new(format!("whatsapp:{good}")).is_ok_and(|address| address.is_whatsapp()), "{good}");
        }
        for bad in [
            "4155552345",
            "+1 415 555 2345",
            "+1-415-555-2345",
            "+99955512345",
            "+1",
            "",
            "+1415555234567890",
            "tel:+14155552345",
        ] {
            let why = PhoneNumber::new(bad).expect_err(bad);
            assert!(bad.len() < 3 || !why.contains(bad), "{why}");
        }
        assert!(Address::new("messenger:+14155552345").is_err());
    }

    #[test]
    fn senders_are_addresses_codes_or_names() {
        for good in ["+14155552345", "whatsapp:+14155552345", "12345", "Acme", "Acme 2 go"] {
            assert!(Sender::new(good).is_ok(), "{good}");
        }
        for bad in ["", "12", "123456789", "Acme & Company", " Acme", "whatsapp:Acme", "+1"] {
            assert!(Sender::new(bad).is_err(), "{bad}");
        }
        assert_eq!(format!("{:?}", Sender::new("+14155552345")), "Ok(Sender(...45))");
    }
}
