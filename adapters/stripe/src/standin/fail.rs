use hapax_standin::Reply;
use serde_json::{Map, Value, json};

/// An error in Stripe's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    members: Map<String, Value>,
}

impl Fail {
    /// An error of a type, without a code: Stripe has several of those.
    pub(super) fn new(status: u16, kind: &str, message: impl Into<String>) -> Self {
        let mut members = Map::new();
        members.insert("type".to_owned(), kind.into());
        members.insert("message".to_owned(), message.into().into());
        Self { status, members }
    }

    /// 400 of the most frequent type.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", message)
    }

    /// What the path or a parameter names does not exist.
    pub(super) fn missing(status: u16, object: &str, id: &str, param: &str) -> Self {
        Self::new(status, "invalid_request_error", format!("No such {object}: '{id}'"))
            .code("resource_missing")
            .param(param)
    }

    pub(super) fn code(self, code: &str) -> Self {
        self.with("code", code.into())
    }

    pub(super) fn param(self, param: &str) -> Self {
        self.with("param", param.into())
    }

    pub(super) fn with(mut self, name: &str, value: Value) -> Self {
        self.members.insert(name.to_owned(), value);
        self
    }

    /// The members of the error alone, as an intent keeps them in `last_payment_error`.
    pub(super) fn members(&self) -> Value {
        Value::Object(self.members.clone())
    }

    pub(super) fn reply(self) -> Reply {
        let should_retry = match self.status {
            409 => Some("true"),
            429 if self.members.get("code").is_some_and(|code| code == "lock_timeout") => Some("true"),
            _ => None,
        };
        let reply = Reply::json(self.status, &json!({ "error": self.members }));
        should_retry.map_or(reply.clone(), |retry| reply.with_header("Stripe-Should-Retry", retry))
    }
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let fail = |kind: &str, message: &str| Fail::new(status, kind, message);
    let (fail, usual_code) = match status {
        401 => (fail("invalid_request_error", "Invalid API Key provided: sk_test_****"), None),
        403 => (fail("invalid_request_error", "The provided key does not have the required permissions."), None),
        404 => (fail("invalid_request_error", "No such object."), Some("resource_missing")),
        409 => (in_use("?"), Some("idempotency_key_in_use")),
        429 if code == Some("lock_timeout") => {
            (fail("invalid_request_error", "This object cannot be accessed right now."), None)
        }
        429 => (fail("invalid_request_error", "Request rate limit exceeded."), Some("rate_limit")),
        500 | 503 => (fail("api_error", "An unknown error occurred."), None),
        // These come from a gateway, which does not know the envelope.
        502 | 504 => return Reply::gateway(status),
        _ => (fail("invalid_request_error", "Invalid request."), None),
    };
    match code.or(usual_code) {
        Some(code) => fail.code(code).reply(),
        None => fail.reply(),
    }
}

/// A request with this key is being worked on. The facts name the code; that the type is the common one is presumed.
pub(super) fn in_use(key: &str) -> Fail {
    let message = format!("Another request with the idempotency key {key} is in progress. Try again later.");
    Fail::new(409, "invalid_request_error", message).code("idempotency_key_in_use")
}
