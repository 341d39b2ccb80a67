use hapax_standin::Reply;
use serde_json::json;

/// An error in Google's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    reason: String,
    kind: &'static str,
    message: String,
}

impl Fail {
    pub(super) fn new(status: u16, reason: &str, kind: &'static str, message: &str) -> Self {
        Self { status, reason: reason.to_owned(), kind, message: message.to_owned() }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "notFound", "NOT_FOUND", "Requested entity was not found.")
    }

    pub(super) fn invalid(message: &str) -> Self {
        Self::new(400, "invalidArgument", "INVALID_ARGUMENT", message)
    }

    /// The error that a status usually comes with, for faults that never reach an endpoint.
    pub(super) fn usual(status: u16, reason: Option<&str>) -> Self {
        let (usual, kind, message) = match status {
            400 => ("invalidArgument", "INVALID_ARGUMENT", "Invalid To header"),
            401 => ("authError", "UNAUTHENTICATED", "Invalid Credentials"),
            403 => ("insufficientPermissions", "PERMISSION_DENIED", "Request had insufficient authentication scopes."),
            404 => return Self::not_found(),
            429 => ("rateLimitExceeded", "RESOURCE_EXHAUSTED", "User-rate limit exceeded. (Mail sending)"),
            503 => ("backendError", "UNAVAILABLE", "The service is currently unavailable."),
            _ => ("backendError", "INTERNAL", "Backend Error"),
        };
        Self::new(status, reason.unwrap_or(usual), kind, message)
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        let error = json!({ "error": {
            "code": fail.status, "status": fail.kind, "message": fail.message,
            "errors": [{ "domain": "global", "reason": fail.reason, "message": fail.message }],
        }});
        Self::json(fail.status, &error)
    }
}
