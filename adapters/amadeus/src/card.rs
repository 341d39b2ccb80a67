//! The card that guarantees hotel bookings. It is a credential of the connection, not an argument: what
//! is an argument is journaled, and card data has no place in a ledger.

use hapax_core::cell::{CredentialField, Credentials};
use hapax_core::transport::{Body, Request};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

const fn field(name: &'static str, variable: &'static str, what: &'static str) -> CredentialField {
    CredentialField { name, variable, optional: true, what }
}

pub(crate) const NUMBER: CredentialField =
    field("card_number", "AMADEUS_CARD_NUMBER", "number of the card that guarantees hotel bookings");
pub(crate) const VENDOR: CredentialField =
    field("card_vendor", "AMADEUS_CARD_VENDOR", "its two-letter vendor code, such as VI");
pub(crate) const EXPIRY: CredentialField =
    field("card_expiry", "AMADEUS_CARD_EXPIRY", "when it expires, such as 2028-08");
pub(crate) const HOLDER: CredentialField = field("card_holder", "AMADEUS_CARD_HOLDER", "the name on it");
pub(crate) const SECURITY_CODE: CredentialField =
    field("card_security_code", "AMADEUS_CARD_SECURITY_CODE", "its security code, where the hotel wants one");

/// Says in a body that the card of the connection belongs there.
pub(crate) fn wanted() -> Value {
    json!({ "method": "CREDIT_CARD" })
}

/// Puts the card into a request that wants one, as it leaves.
pub(crate) fn put_in(credentials: &Credentials, request: &mut Request) -> Result<(), Fault> {
    let Body::Json(body) = &mut request.body else { return Ok(()) };
    let Some(payment) = body.pointer_mut("/data/payment").and_then(Value::as_object_mut) else { return Ok(()) };
    let known = |field: CredentialField| credentials.get(field.name).map(ExposeSecret::expose_secret);
    let required = |field: CredentialField| {
        let missing = || Fault::NotSent(format!("the connection has no {}; set {}", field.name, field.variable));
        known(field).ok_or_else(missing)
    };
    let mut card = json!({
        "vendorCode": required(VENDOR)?,
        "cardNumber": required(NUMBER)?,
        "expiryDate": required(EXPIRY)?,
        "holderName": required(HOLDER)?,
    });
    if let Some(code) = known(SECURITY_CODE) {
        card["securityCode"] = code.into();
    }
    payment.insert("paymentCard".to_owned(), json!({ "paymentCardInfo": card }));
    Ok(())
}
