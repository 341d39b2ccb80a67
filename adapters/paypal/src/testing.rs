//! A scripted PayPal for unit tests: it gives a token to whoever asks, then the answers it was given, in order.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script, response};
use hapax_core::words::Fault;
use serde_json::{Value, json};

use crate::client::TOKEN_PATH;

pub(crate) const SECRET: &str = "verysecret-client";
pub(crate) const TOKEN: &str = "verysecret-token";
pub(crate) const ORDER: &str = "5O190127TN364715T";
pub(crate) const CAPTURE: &str = "3C679366HH908993F";
pub(crate) const REFUND: &str = "1JU08902781691411";

pub(crate) fn token() -> Value {
    json!({"scope": "", "access_token": TOKEN, "token_type": "Bearer", "app_id": "APP-1", "expires_in": 32400})
}

/// An answer with an error in PayPal's envelope.
pub(crate) fn error(status: u16, name: &str, issues: &[&str]) -> (u16, Value) {
    let details: Vec<Value> =
        issues.iter().map(|issue| json!({"issue": issue, "description": "quoted: jane@example.com"})).collect();
    (status, json!({"name": name, "message": "Not done.", "debug_id": "d3bug1d", "details": details}))
}

/// What 422 says.
pub(crate) fn unprocessable(issue: &str) -> (u16, Value) {
    error(422, "UNPROCESSABLE_ENTITY", &[issue])
}

/// That there is no such object.
pub(crate) fn missing() -> (u16, Value) {
    error(404, "RESOURCE_NOT_FOUND", &["INVALID_RESOURCE_ID"])
}

/// An order over 10.50 EUR with this mark and these payments, by their status.
pub(crate) fn order(status: &str, mark: &str, payments: &[&str]) -> Value {
    let mut unit = json!({"amount": {"currency_code": "EUR", "value": "10.50"}, "custom_id": mark});
    if !payments.is_empty() {
        let captures: Vec<Value> = payments.iter().map(|status| capture(status)).collect();
        unit["payments"] = json!({"captures": captures});
    }
    json!({"id": ORDER, "status": status, "purchase_units": [unit]})
}

pub(crate) fn capture(status: &str) -> Value {
    json!({"id": CAPTURE, "status": status, "amount": {"currency_code": "EUR", "value": "10.50"},
        "supplementary_data": {"related_ids": {"order_id": ORDER}}})
}

/// A refund of 4.00 EUR with this mark.
pub(crate) fn refund(id: &str, mark: &str) -> Value {
    json!({"id": id, "status": "COMPLETED", "amount": {"currency_code": "EUR", "value": "4.00"}, "custom_id": mark,
        "links": [{"rel": "up", "href": format!("https://api-m.paypal.com/v2/payments/captures/{CAPTURE}")}]})
}

/// Answers that say nothing of what happened.
pub(crate) fn unclear() -> Vec<(u16, Value)> {
    vec![
        error(500, "INTERNAL_SERVER_ERROR", &[]),
        error(503, "SERVICE_UNAVAILABLE", &[]),
        error(429, "RATE_LIMIT_REACHED", &[]),
        (404, json!({"message": "Not Found"})),
        (422, json!({"errors": ["no"]})),
        (502, json!("<html>")),
        (201, json!({"id": "X"})),
        (201, Value::Null),
    ]
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("client_id", "id".into()).with("client_secret", SECRET.into());
    let connection = Connection::new("paypal", crate::integration(), credentials).expect("a connection");
    let script = Script::of(answers);
    script.apart(TOKEN_PATH, [response(200, &token())]);
    Desk::new(connection, cell, script)
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

pub(crate) const BATCH: &str = "CR9VS2K4X4846";

/// What refuses a batch id that this batch has, with a link to it.
pub(crate) fn batch_taken(link: &str) -> (u16, Value) {
    let link = json!([{"href": link, "rel": "self", "method": "GET"}]);
    let issue = "Batch with given sender_batch_id already exists";
    let details = json!([{"field": "SENDER_BATCH_ID", "location": "body", "issue": issue, "link": link}]);
    let message = "User business error.";
    (400, json!({"name": "USER_BUSINESS_ERROR", "message": message, "debug_id": "d3bug1d", "details": details}))
}
