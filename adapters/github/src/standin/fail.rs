use hapax_standin::Reply;
use serde_json::{Value, json};

/// An error in GitHub's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    message: String,
    errors: Vec<Value>,
}

impl Fail {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), errors: Vec::new() }
    }

    pub(super) fn missing() -> Self {
        Self::new(404, "Not Found")
    }

    /// 422 about one field.
    pub(super) fn invalid(resource: &str, field: &str, code: &str) -> Self {
        let error = json!({ "resource": resource, "field": field, "code": code });
        Self { errors: vec![error], ..Self::new(422, "Validation Failed") }
    }

    /// 422 in words of the endpoint's own.
    pub(super) fn custom(resource: &str, message: String) -> Self {
        let error = json!({ "resource": resource, "code": "custom", "message": message });
        Self { errors: vec![error], ..Self::new(422, "Validation Failed") }
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        let mut body = json!({
            "message": fail.message, "documentation_url": "https://docs.github.com/rest",
            "status": fail.status.to_string(),
        });
        if !fail.errors.is_empty() {
            body["errors"] = fail.errors.into();
        }
        Self::json(fail.status, &body)
    }
}

/// Over the primary limit, which is 403 or 429.
pub(super) fn over_the_limit(status: u16) -> Reply {
    let reply: Reply = Fail::new(status, "API rate limit exceeded for user ID 1.").into();
    reply.with_header("x-ratelimit-remaining", "0")
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let message = match status {
        400 => "Problems parsing JSON",
        401 => "Bad credentials",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Pull Request is not mergeable",
        409 => "Head branch was modified. Review and try the merge again.",
        410 => "Issues are disabled for this repo",
        422 => "Validation Failed",
        429 => return over_the_limit(429),
        502 | 504 => return Reply::gateway(status),
        _ => "Server Error",
    };
    match code {
        Some(code) => Fail::invalid("Resource", "field", code).into(),
        None => Fail::new(status, message).into(),
    }
}
