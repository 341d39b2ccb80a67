//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_core::cell::Credentials;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// A token as it is.
pub(crate) fn token(text: &str) -> Credentials {
    Credentials::none().with("access_token", text.into())
}

/// Asks as somebody else does.
pub(crate) async fn ask(site: &Site, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let call = Call::new(method, &format!("{}/calendar/v3/calendars/{path}", site.url));
    let call = call.header("authorization", "Bearer ya29.site");
    let call = if let Some(body) = body { call.json(body) } else { call };
    let reply = call.send().await.map_err(|error| error.to_string())?;
    match reply.status {
        204 => Ok(Value::Null),
        200 => Ok(reply.value()),
        status => Err(format!("{path}: {status} {}", reply.value())),
    }
}

/// An event by hand in the user's own calendar.
pub(crate) async fn by_hand(site: &Site, summary: &str) -> Result<Value, String> {
    let event = json!({ "summary": summary, "start": moment(10, "dateTime"), "end": moment(11, "dateTime") });
    ask(site, "POST", "primary/events", Some(&event)).await
}

/// This hour of the first of December, in Berlin, under the name that Google or the arguments have for it.
pub(crate) fn moment(hour: u32, name: &str) -> Value {
    json!({ name: format!("2026-12-01T{hour}:00:00+01:00") })
}

/// Google's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let error = json!({ "code": status, "message": "the kit says no", "errors": [{ "reason": "kit" }] });
    Reply::json(status, &json!({ "error": error }))
}
