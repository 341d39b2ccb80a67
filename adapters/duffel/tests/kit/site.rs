//! What others do at Duffel: they ask the stand-in itself, past every fault. And what several cells have in common.

use hapax_conformance::kit::{End, Site, found_or_a_persons};
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// Asks as somebody else of the same account does.
pub(crate) async fn post(site: &Site, path: &str, data: Option<Value>) -> Result<Value, String> {
    let call = Call::post(&format!("{}{path}", site.url)).header("authorization", "Bearer duffel_test_setup");
    let call = call.header("duffel-version", "v2");
    let call = match data {
        Some(data) => call.json(&json!({ "data": data })),
        None => call,
    };
    let reply = call.send().await.map_err(|error| error.to_string())?;
    if reply.status < 300 { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

/// An id in the answer.
pub(crate) fn id(answer: &Value) -> Result<String, String> {
    answer["data"]["id"].as_str().map(str::to_owned).ok_or_else(|| "no id".to_owned())
}

pub(crate) fn passengers() -> Value {
    json!([{
        "id": "pas_kit", "given_name": "Amelia", "family_name": "Earhart", "title": "mrs", "gender": "f",
        "born_on": "1987-07-24", "email": "amelia@example.com", "phone_number": "+442080160509",
    }])
}

/// What somebody else orders: bought, or held.
pub(crate) fn order(offer: &str, kind: &str) -> Value {
    let mut data = json!({ "type": kind, "selected_offers": [offer], "passengers": passengers() });
    if kind == "instant" {
        data["payments"] = json!([{ "type": "balance", "amount": "90.80", "currency": "GBP" }]);
    }
    data
}

/// An order that somebody else made, and its id.
pub(crate) async fn ordered(site: &Site, offer: &str, kind: &str) -> Result<String, String> {
    id(&post(site, "/air/orders", Some(order(offer, kind))).await?)
}

/// Cancels an order by hand, as somebody in the dashboard does.
pub(crate) async fn cancel(site: &Site, order: &str) -> Result<(), String> {
    let quote = id(&post(site, "/air/order_cancellations", Some(json!({ "order_id": order }))).await?)?;
    post(site, &format!("/air/order_cancellations/{quote}/actions/confirm"), None).await.map(|_| ())
}

/// Duffel's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let (kind, code) = match status {
        401 => ("authentication_error", "access_token_not_found"),
        404 => ("invalid_request_error", "not_found"),
        429 => ("rate_limit_error", "rate_limit_exceeded"),
        500.. => ("api_error", "internal_server_error"),
        _ => ("validation_error", "validation_required"),
    };
    let error = json!({ "type": kind, "code": code, "title": "the kit says no", "message": "the kit says no" });
    Reply::json(status, &json!({ "errors": [error], "meta": { "status": status, "request_id": "kit" } }))
}

/// What isn't found is a person's, and so is what is limited: nobody says that a 429 did nothing.
pub(crate) fn a_persons() -> Vec<(&'static str, End)> {
    [found_or_a_persons(), vec![("429-storm", End::Person)]].concat()
}
