//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// Where nobody else posts.
const ASIDE: &str = "C0ASIDE";

/// Asks a method, as the same app does elsewhere.
pub(crate) async fn ask(site: &Site, method: &str, fields: &[(&str, &str)]) -> Result<Value, String> {
    let call = Call::post(&format!("{}/api/{method}", site.url)).header("authorization", "Bearer xoxb-local-test");
    let reply = call.form(fields).send().await.map_err(|error| error.to_string())?;
    let answer = reply.value();
    if answer["ok"] == true { Ok(answer) } else { Err(format!("{method}: {} {answer}", reply.status)) }
}

/// A text out of an answer.
pub(crate) fn text(answer: &Value, name: &str) -> Result<String, String> {
    answer[name].as_str().map(str::to_owned).ok_or_else(|| format!("no {name} in {answer}"))
}

/// Posts a message by hand and returns its `ts`.
pub(crate) async fn posted(site: &Site, channel: &str, said: &str) -> Result<String, String> {
    text(&ask(site, "chat.postMessage", &[("channel", channel), ("text", said)]).await?, "ts")
}

/// A second 30 days ahead by the provider's own clock: later than any run lasts.
pub(crate) async fn later(site: &Site) -> Result<i64, String> {
    let ts = posted(site, ASIDE, "What time is it?").await?;
    let now = ts.split_once('.').and_then(|(seconds, _)| seconds.parse::<i64>().ok()).ok_or("no time")?;
    Ok(now + 30 * 24 * 3600)
}

/// Schedules a message by hand and returns its id.
pub(crate) async fn scheduled(site: &Site, channel: &str, said: &str, post_at: i64) -> Result<String, String> {
    let at = post_at.to_string();
    let fields = [("channel", channel), ("text", said), ("post_at", at.as_str())];
    text(&ask(site, "chat.scheduleMessage", &fields).await?, "scheduled_message_id")
}

/// A conversation of its own for every intent.
pub(crate) fn channel(number: u64) -> String {
    format!("C0KIT{number:06}")
}

/// Slack's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let error = if status >= 500 { "service_unavailable" } else { "access_denied" };
    Reply::json(status, &json!({ "ok": false, "error": error }))
}

/// A refusal as Slack writes it.
pub(crate) fn refusal() -> Reply {
    Reply::json(200, &json!({ "ok": false, "error": "channel_not_found" }))
}
