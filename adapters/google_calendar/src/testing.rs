//! A scripted Google for unit tests.

use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "ya29.verysecret";
pub(crate) const ETAG: &str = "\"3400000000000002\"";

/// An answer with an error in Google's envelope.
pub(crate) fn error(status: u16, reason: &str) -> (u16, Value) {
    let message = "words about jane@example.com";
    let errors = json!([{ "domain": "global", "reason": reason, "message": message }]);
    (status, json!({ "error": { "code": status, "message": message, "errors": errors } }))
}

/// Answers that say nothing, by status, reason and shape.
pub(crate) fn unclear() -> Vec<(u16, Value)> {
    let foreign = json!({ "message": "Not Found" });
    vec![
        error(500, "backendError"),
        error(503, "backendError"),
        error(409, "conflict"),
        error(410, "updatedMinTooLongAgo"),
        error(412, "other"),
        error(429, "other"),
        (200, json!([])),
        (404, foreign.clone()),
        (403, foreign),
        (502, json!("a gateway")),
    ]
}

/// Answers of which Google says that the request was turned away and may go again.
pub(crate) fn not_done() -> Vec<(u16, Value)> {
    let limits = ["quotaExceeded", "rateLimitExceeded", "userRateLimitExceeded"];
    let limits = limits.iter().map(|reason| error(403, reason));
    limits.chain([error(401, "authError"), error(429, "rateLimitExceeded")]).collect()
}

pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted_for(cell, Script::of(answers), Credentials::none().with("access_token", TOKEN.into()))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

pub(crate) fn scripted_for(cell: &str, script: Arc<Script>, credentials: Credentials) -> Desk {
    Desk::new(Connection::new("calendar", crate::integration(), credentials).expect("a connection"), cell, script)
}
