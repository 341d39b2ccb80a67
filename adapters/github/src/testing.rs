//! A scripted GitHub for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script, response};
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "github_pat_verysecret";
/// A time after the operation began, as GitHub writes it, and one of the day before.
pub(crate) const AFTER: &str = "2023-11-14T22:13:25Z";
pub(crate) const BEFORE: &str = "2023-11-13T22:13:25Z";

/// An error in GitHub's envelope, with what is wrong.
pub(crate) fn error(status: u16, message: &str, errors: Value) -> (u16, Value) {
    let mut body = json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status});
    if !errors.is_null() {
        body["errors"] = errors;
    }
    (status, body)
}

/// A complaint about one field.
pub(crate) fn invalid(field: &str, code: &str) -> (u16, Value) {
    error(422, "Validation Failed", json!([{"resource": "Issue", "field": field, "code": code}]))
}

/// Answers that say nothing of what happened.
pub(crate) fn unclear() -> Vec<(u16, Value)> {
    vec![
        error(500, "Server Error", Value::Null),
        error(502, "Server Error", Value::Null),
        error(503, "Service unavailable", Value::Null),
        error(429, "You have exceeded a secondary rate limit.", Value::Null),
        error(403, "was submitted too quickly", Value::Null),
        (403, json!({"message": "Forbidden"})),
        (404, json!({"message": "Not Found", "documentation_url": "https://emulate.dev/github"})),
        (201, json!({"message": "no such thing"})),
        (418, Value::Null),
    ]
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("token", TOKEN.into());
    let connection = Connection::new("github", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

/// A desk whose list has two pages.
pub(crate) fn paged(cell: &str, first: &Value, second: &Value) -> Desk {
    let desk = scripted(cell, []);
    let mut page = response(200, first);
    let link = "<https://api.github.com/repositories/1/things?per_page=100&page=2>; rel=\"next\"";
    page.headers.push(("link".to_owned(), link.to_owned()));
    desk.script().push(Ok(page));
    desk.script().push(Ok(response(200, second)));
    desk
}

/// A body with our mark.
pub(crate) fn marked(desk: &Desk) -> String {
    format!("Some text.\n\n<!-- hapax:{} -->", desk.mark())
}

/// A body with the mark of somebody else.
pub(crate) const FOREIGN: &str = "Some text.\n\n<!-- hapax:somebodyelse -->";
