use hapax_standin::Reply;
use serde_json::json;

/// An error in Resend's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    name: String,
    message: String,
}

impl Fail {
    fn new(status: u16, name: &str, message: impl Into<String>) -> Self {
        Self { status, name: name.to_owned(), message: message.into() }
    }

    /// 422: something in the request is wrong.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(422, "validation_error", message)
    }

    /// 422: a field is missing.
    pub(super) fn missing(field: &str) -> Self {
        Self::new(422, "missing_required_field", format!("Missing `{field}` field."))
    }
}

impl From<Fail> for Reply {
    fn from(Fail { status, name, message }: Fail) -> Self {
        Self::json(status, &json!({ "statusCode": status, "name": name, "message": message }))
    }
}

pub(super) fn no_key() -> Reply {
    Fail::new(401, "missing_api_key", "Missing API Key").into()
}

/// Sending names it otherwise than everything else does.
pub(super) fn wrong_key(sends: bool) -> Fail {
    Fail::new(if sends { 401 } else { 400 }, "validation_error", "API key is invalid")
}

pub(super) fn restricted() -> Fail {
    Fail::new(401, "restricted_api_key", "This API key is restricted to only send emails")
}

pub(super) fn not_verified(domain: &str) -> Fail {
    Fail::new(403, "validation_error", format!("The {domain} domain is not verified."))
}

pub(super) fn no_mail() -> Fail {
    Fail::new(404, "not_found", "Email not found")
}

pub(super) fn no_idempotency_key() -> Fail {
    Fail::new(400, "invalid_idempotency_key", "Idempotency keys, if present, must have between 1 and 256 characters.")
}

pub(super) fn other_payload() -> Fail {
    Fail::new(409, "invalid_idempotent_request", "Same idempotency key used with a different request payload.")
}

pub(super) fn in_use() -> Fail {
    let message = "Same idempotency key used while original request is still in progress.";
    Fail::new(409, "concurrent_idempotent_requests", message)
}

pub(super) fn too_many() -> Fail {
    Fail::new(429, "rate_limit_exceeded", "Too many requests. Please limit the number of requests per second.")
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let fail = match status {
        401 => return code.map_or_else(no_key, |code| Fail::new(401, code, "Unauthorized").into()),
        404 => Fail::new(404, "not_found", "The requested endpoint does not exist"),
        405 => Fail::new(405, "method_not_allowed", "Method is not allowed for the requested path"),
        429 => too_many(),
        502..=504 if code.is_none() => return Reply::gateway(status),
        500.. => Fail::new(status, "internal_server_error", "An unexpected error occurred."),
        _ => Fail::new(status, "validation_error", "The request is not valid."),
    };
    Fail { name: code.map_or(fail.name, str::to_owned), ..fail }.into()
}
