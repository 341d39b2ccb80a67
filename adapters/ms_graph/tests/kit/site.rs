//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::{End, Site, found_or_a_persons};
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// Posts as somebody else does.
pub(crate) async fn post(site: &Site, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let call = Call::post(&format!("{}/v1.0/{path}", site.url)).header("authorization", "Bearer EwB.hand");
    let call = if let Some(body) = body { call.json(body) } else { call };
    let reply = call.send().await.map_err(|error| error.to_string())?;
    match reply.status {
        201 => Ok(reply.value()),
        202 => Ok(Value::Null),
        status => Err(format!("{path}: {status} {}", reply.value())),
    }
}

/// Graph's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    Reply::json(status, &json!({ "error": { "code": "kit", "message": "the kit says no" } }))
}

/// What isn't found is a person's, and so is what is limited: nobody says that a 429 did nothing.
pub(crate) fn a_persons() -> Vec<(&'static str, End)> {
    [found_or_a_persons(), vec![("429-storm", End::Person)]].concat()
}
