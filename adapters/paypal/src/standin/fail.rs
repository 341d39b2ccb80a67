use hapax_standin::Reply;
use serde_json::json;

/// An error in PayPal's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    name: &'static str,
    issue: String,
}

impl Fail {
    pub(super) fn new(status: u16, name: &'static str, issue: &str) -> Self {
        Self { status, name, issue: issue.to_owned() }
    }

    pub(super) fn invalid(issue: &str) -> Self {
        Self::new(400, "INVALID_REQUEST", issue)
    }

    pub(super) fn unprocessable(issue: &str) -> Self {
        Self::new(422, "UNPROCESSABLE_ENTITY", issue)
    }

    pub(super) fn missing() -> Self {
        Self::new(404, "RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID")
    }

    /// That there is no such invoice, which PayPal's sample says without an issue.
    pub(super) fn gone() -> Self {
        Self::new(404, "RESOURCE_NOT_FOUND", "")
    }

    pub(super) fn in_progress() -> Self {
        Self::new(409, "RESOURCE_CONFLICT", "PREVIOUS_REQUEST_IN_PROGRESS")
    }

    pub(super) fn unauthorized() -> Self {
        Self::new(401, "AUTHENTICATION_FAILURE", "")
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        let mut body = json!({ "name": fail.name, "message": "The request was not done.", "debug_id": "d3bug1d" });
        if !fail.issue.is_empty() {
            // Like PayPal's own, this description may quote the request.
            body["details"] = json!([{ "issue": fail.issue, "description": "quoted: buyer@example.com" }]);
        }
        Self::json(fail.status, &body).with_header("Paypal-Debug-Id", "d3bug1d")
    }
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let (name, issue) = match status {
        400 => ("INVALID_REQUEST", "INVALID_PARAMETER_VALUE"),
        401 => ("AUTHENTICATION_FAILURE", ""),
        403 => ("NOT_AUTHORIZED", "PERMISSION_DENIED"),
        404 => ("RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID"),
        409 => ("RESOURCE_CONFLICT", "PREVIOUS_REQUEST_IN_PROGRESS"),
        422 => ("UNPROCESSABLE_ENTITY", "TRANSACTION_REFUSED"),
        429 => ("RATE_LIMIT_REACHED", ""),
        500 => ("INTERNAL_SERVER_ERROR", ""),
        502..=504 => return Reply::gateway(status),
        _ => ("ERROR", ""),
    };
    Fail::new(status, name, code.unwrap_or(issue)).into()
}
