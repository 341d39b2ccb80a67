use hapax_standin::Reply;
use serde_json::json;

/// An error in Amadeus' list, before it is a reply.
#[derive(Clone, Debug)]
pub(super) struct Fail {
    status: u16,
    code: u32,
    title: &'static str,
    pointer: Option<&'static str>,
    /// The description of hotel orders has the list twice.
    nested: bool,
}

impl Fail {
    pub(super) fn new(status: u16, code: u32, title: &'static str) -> Self {
        Self { status, code, title, pointer: None, nested: false }
    }

    /// The request itself is wrong.
    pub(super) fn invalid(pointer: &'static str) -> Self {
        Self { pointer: Some(pointer), ..Self::new(400, 477, "INVALID FORMAT") }
    }

    pub(super) fn missing() -> Self {
        Self::new(404, 1797, "NOT FOUND")
    }

    pub(super) fn wrong_url() -> Self {
        Self::new(404, 38196, "Resource not found")
    }

    pub(super) fn nested(self) -> Self {
        Self { nested: true, ..self }
    }
}

impl From<Fail> for Reply {
    fn from(fail: Fail) -> Self {
        let mut error = json!({ "status": fail.status, "code": fail.code, "title": fail.title });
        if let Some(pointer) = fail.pointer {
            // Like Amadeus' own, this detail quotes what it complains about.
            error["detail"] = json!(format!("the value at {pointer} is not acceptable"));
            error["source"] = json!({ "pointer": pointer });
        }
        let error = if fail.nested { json!({ "errors": [error] }) } else { error };
        Self::json(fail.status, &json!({ "errors": [error] }))
    }
}

/// The error that a status usually comes with, for faults that never reach an endpoint.
pub(super) fn usual(status: u16, code: Option<&str>) -> Reply {
    let (usual, title) = match status {
        400 => (477, "INVALID FORMAT"),
        401 => (38190, "Invalid access token"),
        403 => (38197, "Forbidden"),
        404 => (1797, "NOT FOUND"),
        429 => (38194, "Too many requests"),
        500 => (38189, "Internal error"),
        502..=504 => return Reply::gateway(status),
        _ => (0, "Error"),
    };
    let code = code.and_then(|code| code.parse().ok()).unwrap_or(usual);
    Fail::new(status, code, title).into()
}
