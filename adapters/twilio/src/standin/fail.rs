use hapax_standin::Reply;
use serde_json::json;

/// An error in Twilio's envelope, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    /// None: a page of the gateway, which doesn't know the envelope.
    code: Option<u32>,
    message: String,
}

impl Fail {
    pub(super) fn new(status: u16, code: u32, message: impl Into<String>) -> Self {
        Self { status, code: Some(code), message: message.into() }
    }

    /// 400 with this code.
    pub(super) fn invalid(code: u32, message: impl Into<String>) -> Self {
        Self::new(400, code, message)
    }

    pub(super) fn reply(self) -> Reply {
        let Some(code) = self.code else { return Reply::html(self.status, &self.message) };
        let more = format!("https://www.twilio.com/docs/errors/{code}");
        let body = json!({ "code": code, "message": self.message, "more_info": more, "status": self.status });
        Reply::json(self.status, &body)
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
pub(super) fn usual(status: u16, code: Option<&str>) -> Fail {
    let fail = match status {
        401 => not_let_in(),
        403 => Fail::new(403, 20403, "The account lacks permission to access the Twilio API"),
        404 => Fail::new(404, 20404, "The requested resource was not found"),
        429 => too_many(),
        500 => Fail::new(500, 20500, "An internal server error has occurred"),
        503 => Fail::new(503, 20503, "Service unavailable"),
        502 => Fail { status, code: None, message: "502 Bad Gateway".to_owned() },
        504 => Fail { status, code: None, message: "504 Gateway Time-out".to_owned() },
        _ => Fail::new(status, 20001, "Unknown parameters"),
    };
    match code.and_then(|code| code.parse().ok()) {
        Some(code) => Fail { code: Some(code), ..fail },
        None => fail,
    }
}
