//! What others do at PayPal: they ask the stand-in itself, past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// A client of its own, as PayPal wants it.
const SETUP: &str = "Basic c2V0dXA6c2V0dXAtc2VjcmV0";

/// Asks as somebody else of the same merchant does.
pub(crate) async fn post(site: &Site, path: &str, body: &Value) -> Result<Value, String> {
    ask(site, "POST", path, body).await
}

/// The same with another method.
pub(crate) async fn ask(site: &Site, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let say = |error: std::io::Error| error.to_string();
    let token = Call::post(&format!("{}/v1/oauth2/token", site.url)).header("authorization", SETUP);
    let token = token.form(&[("grant_type", "client_credentials")]).send().await.map_err(say)?;
    let bearer = format!("Bearer {}", token.value()["access_token"].as_str().unwrap_or_default());
    let call = Call::new(method, &format!("{}{path}", site.url)).header("authorization", &bearer).json(body);
    let reply = call.send().await.map_err(say)?;
    if reply.status < 300 { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

/// A payment over 20.00 EUR that somebody took, and its id.
pub(crate) async fn paid(site: &Site, source: &str) -> Result<String, String> {
    let unit = json!({ "amount": { "currency_code": "EUR", "value": "20.00" } });
    let order = post(site, "/v2/checkout/orders", &json!({ "intent": "CAPTURE", "purchase_units": [unit] })).await?;
    let path = format!("/v2/checkout/orders/{}/capture", order["id"].as_str().unwrap_or_default());
    let paid = post(site, &path, &json!({ "payment_source": { "paypal": { "vault_id": source } } })).await?;
    let id = paid["purchase_units"][0]["payments"]["captures"][0]["id"].as_str();
    id.map(str::to_owned).ok_or_else(|| "no payment".to_owned())
}

/// PayPal's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let (name, issue) = match status {
        401 => ("AUTHENTICATION_FAILURE", "INVALID_TOKEN"),
        404 => ("RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID"),
        409 => ("RESOURCE_CONFLICT", "PREVIOUS_REQUEST_IN_PROGRESS"),
        429 => ("RATE_LIMIT_REACHED", "RATE_LIMIT_REACHED"),
        500.. => ("INTERNAL_SERVER_ERROR", "INTERNAL_SERVICE_ERROR"),
        _ => ("UNPROCESSABLE_ENTITY", "TRANSACTION_REFUSED"),
    };
    let details = json!([{ "issue": issue, "description": "the kit says no" }]);
    Reply::json(status, &json!({ "name": name, "message": "the kit says no", "debug_id": "kit", "details": details }))
}
