//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// The need that the cell names.
pub(crate) const HISTORY_BOUGHT: &str =
    "additional email activity history is bought and the API key has Email Activity access (6 requests a minute)";

/// Asks as somebody else of the account does.
pub(crate) async fn ask(site: &Site, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let call = Call::new(method, &format!("{}{path}", site.url)).header("authorization", "Bearer SG.hand").json(body);
    let reply = call.send().await.map_err(|error| error.to_string())?;
    match reply.status {
        200..300 => Ok(reply.value()),
        status => Err(format!("{status} {}", reply.value())),
    }
}

/// Makes a batch id.
pub(crate) async fn batch(site: &Site) -> Result<String, String> {
    let made = ask(site, "POST", "/v3/mail/batch", &json!({})).await?;
    made["batch_id"].as_str().map(str::to_owned).ok_or_else(|| format!("no batch id in {made}"))
}

/// Sends a mail by hand, without our mark.
pub(crate) async fn mail(site: &Site, to: &str) -> Result<(), String> {
    let body = json!({
        "personalizations": [{ "to": [{ "email": to }] }], "from": { "email": "shop@stand-in.dev" },
        "subject": "by hand", "content": [{ "type": "text/plain", "value": "by hand" }],
    });
    ask(site, "POST", "/v3/mail/send", &body).await.map(|_| ())
}

/// SendGrid's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    Reply::json(status, &json!({ "errors": [{ "message": "the kit says no", "field": null, "help": null }] }))
}
