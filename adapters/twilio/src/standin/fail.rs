use hapax_standin::{Reply, Request};
use serde_json::json;

/// An error in Twilio's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    code: u32,
    message: String,
}

impl Fail {
    pub(super) fn new(status: u16, code: u32, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// 400 with this code.
    pub(super) fn invalid(code: u32, message: impl Into<String>) -> Self {
        Self::new(400, code, message)
    }

    pub(super) fn missing() -> Self {
        Self::new(404, 20404, "The requested resource was not found")
    }

    pub(super) fn unknown_path(request: &Request) -> Self {
        Self::new(404, 20404, format!("The requested resource {} was not found", request.path))
    }
}

impl From<Fail> for Reply {
    fn from(Fail { status, code, message }: Fail) -> Self {
        let more = format!("https://www.twilio.com/docs/errors/{code}");
        let body = json!({ "code": code, "message": message, "more_info": more, "status": status });
        Self::json(status, &body)
    }
}

/// The credentials aren't accepted.
pub(super) fn not_let_in() -> Fail {
    Fail::new(401, 20003, "Authenticate")
}

/// Too many requests at once: this one was not processed.
pub(super) fn too_many() -> Fail {
    Fail::new(429, 20429, "Too Many Requests")
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let code = code.and_then(|code| code.parse().ok());
    let fail = match status {
        401 => not_let_in(),
        403 => Fail::new(403, 20403, "The account lacks permission to access the Twilio API"),
        404 => Fail::missing(),
        429 => too_many(),
        500 => Fail::new(500, 20500, "An internal server error has occurred"),
        503 => Fail::new(503, 20503, "Service unavailable"),
        502 | 504 if code.is_none() => return Reply::gateway(status),
        _ => Fail::new(status, 20001, "Unknown parameters"),
    };
    Fail { code: code.unwrap_or(fail.code), ..fail }.into()
}
