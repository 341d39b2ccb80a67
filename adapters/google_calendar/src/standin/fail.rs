use hapax_standin::Reply;
use serde_json::json;

/// An error in Google's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    reason: String,
    message: &'static str,
}

impl Fail {
    pub(super) fn new(status: u16, reason: &str, message: &'static str) -> Self {
        Self { status, reason: reason.to_owned(), message }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "notFound", "Not Found")
    }

    pub(super) fn invalid(message: &'static str) -> Self {
        Self::new(400, "invalid", message)
    }

    pub(super) fn deleted() -> Self {
        Self::new(410, "deleted", "Resource has been deleted")
    }

    /// The error that a status usually comes with, for faults that never reach an endpoint.
    pub(super) fn usual(status: u16, reason: Option<&str>) -> Self {
        let (usual, message) = match status {
            400 => ("invalid", "Invalid value."),
            401 => ("authError", "Invalid Credentials"),
            403 => ("forbidden", "Forbidden"),
            404 => ("notFound", "Not Found"),
            409 => ("duplicate", "The requested identifier already exists."),
            410 => ("deleted", "Resource has been deleted"),
            412 => ("conditionNotMet", "Precondition Failed"),
            429 => ("rateLimitExceeded", "Rate Limit Exceeded"),
            _ => ("backendError", "Backend Error"),
        };
        Self::new(status, reason.unwrap_or(usual), message)
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        let error = json!({ "error": {
            "code": fail.status, "message": fail.message,
            "errors": [{ "domain": "global", "reason": fail.reason, "message": fail.message }],
        }});
        Self::json(fail.status, &error)
    }
}
