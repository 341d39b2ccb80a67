//! A scripted HubSpot for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "pat-na1-verysecret";

/// An error in HubSpot's envelope.
pub(crate) fn error(status: u16, category: &str, message: &str) -> (u16, Value) {
    let body = json!({
        "status": "error", "message": message, "category": category,
        "correlationId": "aeb5f871-7f07-4993-9211-075dc63e7cbf",
    });
    (status, body)
}

/// A complaint about the value of a property, which stands as JSON inside the message.
pub(crate) fn invalid(property: &str, code: &str) -> (u16, Value) {
    let list = json!([{ "isValid": false, "message": "jane@example.com is wrong", "error": code, "name": property }]);
    error(400, "VALIDATION_ERROR", &format!("Property values were not valid: {list}"))
}

/// Errors about what a record should be tied to, as others saw the first, and ones that may be about it.
pub(crate) fn wrong_associations() -> Vec<(u16, Value)> {
    let mut seen = error(400, "VALIDATION_ERROR", "One or more associations are invalid");
    seen.1["context"] = json!({ "INVALID_OBJECT_IDS": ["CONTACT=404 is not valid"] });
    let mut otherwise = seen.clone();
    otherwise.1["message"] = "Invalid input".into();
    otherwise.1["errors"] = json!([{ "message": "CONTACT=404 is not valid", "code": "INVALID_INPUT" }]);
    let mut by_sub_category = error(400, "VALIDATION_ERROR", "Invalid input");
    by_sub_category.1["subCategory"] = "crm.ASSOCIATIONS_NOT_VALID".into();
    let unsaid = error(400, "VALIDATION_ERROR", "CONTACT=404 is not valid");
    vec![seen, otherwise, by_sub_category, unsaid, error(404, "OBJECT_NOT_FOUND", "no such record")]
}

/// What is read of a record that isn't there.
pub(crate) fn missing() -> (u16, Value) {
    error(404, "OBJECT_NOT_FOUND", "Object not found.  objectId are usually numeric.")
}

/// Over a limit.
pub(crate) fn limited() -> (u16, Value) {
    let body = json!({
        "status": "error", "message": "You have reached your ten_secondly_rolling limit.", "errorType": "RATE_LIMIT",
        "correlationId": "aeb5f871-7f07-4993-9211-075dc63e7cbf", "policyName": "TEN_SECONDLY_ROLLING",
    });
    (429, body)
}

/// Answers that say nothing of what happened.
pub(crate) fn unclear() -> Vec<(u16, Value)> {
    vec![
        limited(),
        error(423, "LOCKED", "locked"),
        error(477, "MIGRATION_IN_PROGRESS", "migrating"),
        error(500, "INTERNAL_ERROR", "internal error"),
        error(503, "INTERNAL_ERROR", "unavailable"),
        error(524, "TIMEOUT", "timeout"),
        (400, json!({ "message": "Bad Request" })),
        (404, json!({ "message": "no such page" })),
        (200, json!({ "message": "no such thing" })),
        (418, Value::Null),
    ]
}

/// A record as HubSpot shows it.
pub(crate) fn record(id: &str, properties: Value) -> Value {
    json!({
        "id": id, "properties": properties, "archived": false, "createdAt": "2026-09-21T14:13:20.000Z",
        "updatedAt": "2026-09-21T14:13:20.000Z",
    })
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("token", TOKEN.into());
    let connection = Connection::new("hubspot", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}
