use hapax_standin::Reply;
use serde_json::{Value, json};

/// An error in HubSpot's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    body: Value,
}

const CORRELATION_ID: &str = "aeb5f871-7f07-4993-9211-075dc63e7cbf";

impl Fail {
    pub(super) fn new(status: u16, category: &str, message: &str) -> Self {
        let body = json!({
            "status": "error", "message": message, "correlationId": CORRELATION_ID, "category": category,
        });
        Self { status, body }
    }

    pub(super) fn missing() -> Self {
        Self::new(404, "OBJECT_NOT_FOUND", "Object not found.  objectId are usually numeric.")
    }

    /// 400 about the value of one property, which stands as JSON inside the message.
    pub(super) fn invalid(property: &str, error: &str, words: &str) -> Self {
        let list = json!([{ "isValid": false, "message": words, "error": error, "name": property }]);
        Self::new(400, "VALIDATION_ERROR", &format!("Property values were not valid: {list}"))
    }

    /// The value is another record's.
    pub(super) fn taken(property: &str, value: &str, id: &str) -> Self {
        let words = format!("{id} already has that value. {property}: {value}");
        Self::invalid(property, "CONFLICTING_UNIQUE_VALUE", &words)
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        Self::json(fail.status, &fail.body)
    }
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let (category, message) = match status {
        400 => ("VALIDATION_ERROR", "Invalid input JSON"),
        401 => ("INVALID_AUTHENTICATION", "Authentication credentials not found."),
        403 => ("MISSING_SCOPES", "This app hasn't been granted all required scopes to make this call."),
        404 => ("OBJECT_NOT_FOUND", "resource not found"),
        409 => ("CONFLICT", "The object exists already."),
        423 => ("LOCKED", "The object is locked."),
        429 => return limited(),
        502 | 504 => return Reply::gateway(status),
        _ => ("INTERNAL_ERROR", "internal error"),
    };
    let mut fail = Fail::new(status, category, message);
    if let Some(code) = code {
        fail.body["errors"] = json!([{ "message": message, "code": code }]);
    }
    fail.into()
}

/// Over a limit, which has another form than other errors.
fn limited() -> Reply {
    let body = json!({
        "status": "error", "message": "You have reached your ten_secondly_rolling limit.", "errorType": "RATE_LIMIT",
        "correlationId": CORRELATION_ID, "policyName": "TEN_SECONDLY_ROLLING",
    });
    Reply::json(429, &body)
}
