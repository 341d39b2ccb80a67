//! A scripted Stripe for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::transport::Request;
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const SECRET_KEY: &str = "sk_test_verysecret123";

/// An answer with an error in Stripe's envelope.
pub(crate) fn error(status: u16, kind: &str, code: &str) -> (u16, Value) {
    let code = if code.is_empty() { Value::Null } else { json!(code) };
    (status, json!({"error": {"type": kind, "code": code, "message": "words of Stripe's"}}))
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("api_key", SECRET_KEY.into());
    let connection = Connection::new("stripe", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

/// The key of a request.
pub(crate) fn key_of(request: &Request) -> String {
    let found = request.headers.iter().find(|(name, _)| name == "Idempotency-Key");
    found.expect("every POST has a key").1.clone()
}
