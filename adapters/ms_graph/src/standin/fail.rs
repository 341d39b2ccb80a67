use hapax_standin::Reply;
use serde_json::json;

/// An error in Graph's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    code: String,
    message: &'static str,
}

impl Fail {
    pub(super) fn new(status: u16, code: &str, message: &'static str) -> Self {
        Self { status, code: code.to_owned(), message }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "ErrorItemNotFound", "The specified object was not found in the store.")
    }

    pub(super) fn invalid(message: &'static str) -> Self {
        Self::new(400, "ErrorInvalidRequest", message)
    }

    /// The error that a status usually comes with, for faults that never reach an endpoint.
    pub(super) fn usual(status: u16, code: Option<&str>) -> Self {
        let (usual, message) = match status {
            400 => ("BadRequest", "The request is malformed or incorrect."),
            401 => ("InvalidAuthenticationToken", "Access token has expired or is not yet valid."),
            403 => ("ErrorAccessDenied", "Access is denied. Check credentials and try again."),
            404 => ("ErrorItemNotFound", "The specified object was not found in the store."),
            429 => ("ApplicationThrottled", "Application is over its limit."),
            503 => ("ErrorServerBusy", "The server cannot service this request right now."),
            _ => ("ErrorInternalServerError", "An internal server error occurred."),
        };
        Self::new(status, code.unwrap_or(usual), message)
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        Self::json(fail.status, &json!({ "error": { "code": fail.code, "message": fail.message } }))
    }
}
