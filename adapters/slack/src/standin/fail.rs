use hapax_standin::Reply;
use serde_json::json;

/// A refusal, before it is a reply. Slack refuses inside a 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fail(pub(super) &'static str);

impl From<Fail> for Reply {
    fn from(Fail(code): Fail) -> Self {
        enveloped(200, code)
    }
}

fn enveloped(status: u16, code: &str) -> Reply {
    Reply::json(status, &json!({ "ok": false, "error": code }))
}

/// Too much within a time.
pub(super) fn limited(retry_after_s: i64) -> Reply {
    enveloped(429, "ratelimited").with_header("retry-after", &retry_after_s.to_string())
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    match (status, code) {
        (_, Some(code)) => enveloped(status, code),
        (401, None) => Fail("invalid_auth").into(),
        (429, None) => enveloped(429, "ratelimited"),
        (500, None) => enveloped(500, "internal_error"),
        (503, None) => enveloped(503, "service_unavailable"),
        (502 | 504, None) => Reply::gateway(status),
        (_, None) => enveloped(status, "access_denied"),
    }
}
