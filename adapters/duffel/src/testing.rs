//! A scripted Duffel for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "duffel_test_verysecrettoken";
pub(crate) const OFFER: &str = "off_00009htYpSCXrwaB9DnUm0";
pub(crate) const ORDER: &str = "ord_00009hthhsUZ8W4LxQgkjo";
pub(crate) const QUOTE: &str = "ore_00009qzZWzjDipIkqpaUAj";

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("access_token", TOKEN.into());
    let connection = Connection::new("duffel", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

/// An answer with an error in Duffel's envelope.
pub(crate) fn error(status: u16, kind: &str, code: &str) -> (u16, Value) {
    let error = json!({"type": kind, "code": code, "title": "No", "message": "Amelia Earhart can't",
        "documentation_url": "https://duffel.com/docs/api/overview/errors"});
    (status, json!({"errors": [error], "meta": {"status": status, "request_id": "FZW0H3HdJwKk5HMAAKxB"}}))
}

/// That there is no such record.
pub(crate) fn missing() -> (u16, Value) {
    error(404, "invalid_request_error", "not_found")
}

/// A passenger as it is given.
pub(crate) fn passenger() -> Value {
    json!({"id": "pas_00009hj8USM7Ncg31cBCLL", "given_name": "Amelia", "family_name": "Earhart", "title": "mrs",
        "gender": "f", "born_on": "1987-07-24", "email": "amelia@example.com", "phone_number": "+442080160509",
        "identity_documents": [{"type": "passport", "unique_identifier": "19KL56147", "issuing_country_code": "GB",
            "expires_on": "2031-04-25"}]})
}

/// A bought order over 90.80 GBP with this mark.
pub(crate) fn order(id: &str, mark: &str) -> Value {
    json!({"id": id, "booking_reference": "RZPNX8", "total_amount": "90.80", "total_currency": "GBP",
        "metadata": {"hapax": mark, "trip": "1042"}, "passengers": [{"given_name": "Amelia"}], "documents": [],
        "cancelled_at": null, "payment_status": {"awaiting_payment": false, "payment_required_by": null,
            "price_guarantee_expires_at": null, "paid_at": "2026-11-28T10:42:14.545Z"}})
}

/// The same, held and not paid.
pub(crate) fn held(id: &str, mark: &str) -> Value {
    let mut order = order(id, mark);
    order["payment_status"] = json!({"awaiting_payment": true, "payment_required_by": "2026-12-01T10:42:14Z",
        "price_guarantee_expires_at": "2026-11-30T10:42:14Z", "paid_at": null});
    order
}

/// An answer with its data.
pub(crate) fn data(status: u16, data: Value) -> (u16, Value) {
    (status, json!({"data": data}))
}

/// A page of orders, and where it goes on.
pub(crate) fn page(orders: &[Value], after: Option<&str>) -> (u16, Value) {
    (200, json!({"data": orders, "meta": {"limit": 200, "before": null, "after": after}}))
}

/// Answers that say nothing of what happened.
pub(crate) fn unclear() -> Vec<(u16, Value)> {
    vec![
        error(503, "api_error", "service_unavailable"),
        error(504, "api_error", "gateway_timeout"),
        error(429, "rate_limit_error", "rate_limit_exceeded"),
        error(422, "airline_error", "airline_internal"),
        (202, json!({"data": {"id": ORDER}})),
        (502, json!("<html>")),
        (500, json!({"message": "no"})),
        (201, json!({"data": {"id": "x"}})),
        (200, Value::Null),
    ]
}

pub(crate) fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it reads")
}
