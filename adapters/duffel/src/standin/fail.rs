use hapax_standin::Reply;
use serde_json::json;

/// An error in Duffel's envelope, before it is a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fail {
    status: u16,
    kind: &'static str,
    code: &'static str,
    title: &'static str,
}

impl Fail {
    pub(super) const fn new(status: u16, kind: &'static str, code: &'static str, title: &'static str) -> Self {
        Self { status, kind, code, title }
    }

    /// The request itself is wrong.
    pub(super) const fn invalid(code: &'static str) -> Self {
        Self::new(422, "validation_error", code, "The request is invalid")
    }

    /// The order isn't in the state for it.
    pub(super) const fn state(code: &'static str) -> Self {
        Self::new(422, "invalid_state_error", code, "The order is in another state")
    }

    pub(super) const fn missing() -> Self {
        Self::new(404, "invalid_request_error", "not_found", "Resource not found")
    }

    fn reply(self, code: &str) -> Reply {
        // Like Duffel's own, a message quotes what it complains about.
        let error = json!({ "type": self.kind, "code": code, "title": self.title,
            "message": format!("{}: {code}", self.title),
            "documentation_url": "https://duffel.com/docs/api/overview/errors" });
        let meta = json!({ "status": self.status, "request_id": "FZW0H3HdJwKk5HMAAKxB" });
        Reply::json(self.status, &json!({ "errors": [error], "meta": meta }))
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        fail.reply(fail.code)
    }
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let (kind, usual, title) = match status {
        401 => ("authentication_error", "access_token_not_found", "Access token not found"),
        404 => ("invalid_request_error", "not_found", "Resource not found"),
        422 => ("validation_error", "invalid", "The request is invalid"),
        429 => ("rate_limit_error", "rate_limit_exceeded", "Rate limit exceeded"),
        502..=504 if code.is_none() => return Reply::gateway(status),
        500.. => ("api_error", "internal_server_error", "Internal server error"),
        _ => ("invalid_request_error", "bad_request", "Bad request"),
    };
    Fail::new(status, kind, "", title).reply(code.unwrap_or(usual))
}
