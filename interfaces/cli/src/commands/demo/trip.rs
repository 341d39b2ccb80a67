//! What the agent arranges, with and without hapax.

use serde_json::{Value, json};

/// Minor units.
pub(super) const PRICE: &str = "42320";

/// Where Amadeus takes orders.
pub(super) const ORDERS: &str = "/v1/booking/flight-orders";

/// Where Stripe charges what was prepared.
pub(super) const CONFIRM: &str = "/v1/payment_intents/*/confirm";

const SUBJECT: &str = "Your trip to Madrid";
const TEXT: &str = "Thank you: 423.20 EUR have arrived. Your flights are being booked.";
const TO: &str = "marie@example.com";

pub(super) fn charge() -> Value {
    json!({ "amount": { "amount": 42_320, "currency": "EUR" }, "payment_method": "pm_card_visa" })
}

pub(super) fn mail() -> Value {
    json!({ "to": [{ "address": TO }], "subject": SUBJECT, "text": TEXT })
}

/// The same mail as it is on the wire.
pub(super) fn written_mail() -> String {
    format!("To: {TO}\r\nSubject: {SUBJECT}\r\nMIME-Version: 1.0\r\n\r\n{TEXT}\r\n")
}

pub(super) fn flight() -> Value {
    json!({ "flight_offers": [offer()], "travelers": travelers() })
}

/// The same order as Amadeus takes it.
pub(super) fn order() -> Value {
    let data = json!({ "type": "flight-order", "flightOffers": [offer()], "travelers": travelers() });
    json!({ "data": data })
}

fn offer() -> Value {
    json!({
        "type": "flight-offer", "id": "1",
        "itineraries": [{ "segments": [{
            "carrierCode": "IB", "number": "3403",
            "departure": { "iataCode": "ORY", "at": "2027-09-22T10:15:00" },
            "arrival": { "iataCode": "MAD", "at": "2027-09-22T12:15:00" },
        }]}],
        "price": { "currency": "EUR", "total": "423.20", "grandTotal": "423.20" },
        "travelerPricings": [{ "travelerId": "1" }],
    })
}

fn travelers() -> Value {
    json!([{ "id": "1", "name": { "firstName": "MARIE", "lastName": "CURIE" } }])
}
