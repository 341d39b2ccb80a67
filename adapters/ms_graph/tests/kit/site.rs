//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Map, Value, json};

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

/// An object's members.
pub(crate) fn members(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Graph's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    Reply::json(status, &json!({ "error": { "code": "kit", "message": "the kit says no" } }))
}
