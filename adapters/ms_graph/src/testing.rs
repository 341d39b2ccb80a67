//! A scripted Graph for unit tests.

use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "EwB.verysecret";

/// An answer with an error in Graph's envelope.
pub(crate) fn error(status: u16, code: &str) -> (u16, Value) {
    let message = "words about jane@example.com";
    (status, json!({ "error": { "code": code, "message": message, "innerError": { "request-id": "1" } } }))
}

/// Answers that say nothing: each has been seen to follow an effect, or may.
pub(crate) fn unclear() -> Vec<(u16, Value)> {
    let foreign = json!({ "message": "Not Found" });
    vec![
        error(429, "ApplicationThrottled"),
        error(429, "TooManyRequests"),
        error(503, "ErrorServerBusy"),
        error(504, "UnknownError"),
        error(500, "ErrorInternalServerError"),
        error(400, "UnknownError"),
        error(403, "CommandConcurrencyLimitReached"),
        error(409, "other"),
        error(412, "PreconditionFailed"),
        (504, json!("a gateway")),
        (404, foreign.clone()),
        (403, foreign),
    ]
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
    Desk::new(Connection::new("graph", crate::integration(), credentials).expect("a connection"), cell, script)
}

/// Our extended properties as they are shown.
pub(crate) fn properties(mark: &str, asked: Option<&str>) -> Value {
    let mut all = vec![json!({ "id": crate::wire::key_property(), "value": mark })];
    all.extend(asked.map(|asked| json!({ "id": crate::wire::asked_property(), "value": asked })));
    all.into()
}
