//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::{End, Routes, Site};
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// The needs that the cells name.
pub(crate) const MET: [&str; 3] = [
    "deals have the property hapax_key with unique values",
    "tickets have the property hapax_key with unique values",
    "notes have the property hapax_key with unique values",
];

/// Nobody says that a 429 did nothing, and three requests that may have done something are the most.
pub(crate) const LIMITED: (&str, End) = ("429-storm", End::Person);

/// Each cell is one request, with nothing before it.
pub(crate) fn routes(shot: &'static str, look: Option<(&'static str, &'static str)>) -> Routes {
    Routes { shot: ("POST", shot), prepare: &[], look }
}

/// Makes something by hand.
pub(crate) async fn post(site: &Site, path: &str, body: &Value) -> Result<Value, String> {
    let call = Call::post(&format!("{}{path}", site.url)).header("authorization", "Bearer by-hand").json(body);
    let reply = call.send().await.map_err(|error| error.to_string())?;
    let is_good = (200..300).contains(&reply.status);
    if is_good { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

/// HubSpot's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let body = json!({
        "status": "error", "message": "the kit says no", "category": "KIT",
        "correlationId": "aeb5f871-7f07-4993-9211-075dc63e7cbf",
    });
    Reply::json(status, &body)
}
