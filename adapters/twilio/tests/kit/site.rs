//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// The account that every request acts in.
pub(crate) const ACCOUNT: &str = "AC5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";
/// From whom.
pub(crate) const FROM: &str = "+15551234567";

/// Basic authentication of the account with the token `site`.
const BASIC: &str = "Basic QUM1ZTVlNWU1ZTVlNWU1ZTVlNWU1ZTVlNWU1ZTVlNWU1ZTpzaXRl";

/// Makes or changes something.
pub(crate) async fn post(site: &Site, path: &str, fields: &[(&str, &str)]) -> Result<Value, String> {
    let call = Call::post(&format!("{}/2010-04-01/Accounts/{ACCOUNT}{path}", site.url));
    let reply = call.header("authorization", BASIC).form(fields).send().await.map_err(|error| error.to_string())?;
    if (200..300).contains(&reply.status) { Ok(reply.value()) } else { Err(format!("{path}: {}", reply.value())) }
}

/// Sends a message by hand.
pub(crate) async fn message(site: &Site, to: &str, body: &str) -> Result<Value, String> {
    post(site, "/Messages.json", &[("To", to), ("From", FROM), ("Body", body)]).await
}

/// Schedules a message by hand, 30 days ahead by the provider's own clock, and returns its SID.
pub(crate) async fn scheduled(site: &Site, number: u64) -> Result<String, String> {
    let now = message(site, "+15559990000", "What time is it?").await?;
    let now = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(now["date_created"].as_str().unwrap_or_default())
        .map_err(|error| error.to_string())?;
    let at = jiff::Timestamp::from_second(now.as_second() + 30 * 24 * 3600).map_err(|error| error.to_string())?;
    let (body, at) = (format!("scheduled {number}"), at.to_string());
    let fields = [
        ("To", "+15559990001"),
        ("MessagingServiceSid", "MG00000000000000000000000000000000"),
        ("Body", body.as_str()),
        ("ScheduleType", "fixed"),
        ("SendAt", at.as_str()),
    ];
    let made = post(site, "/Messages.json", &fields).await?;
    made["sid"].as_str().map(str::to_owned).ok_or_else(|| format!("no SID in {made}"))
}

/// A number of its own for every intent.
pub(crate) fn to(number: u64) -> String {
    format!("+1555{:07}", 2_000_000 + number)
}

/// Twilio's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let code = if status >= 500 { 20_000 + u32::from(status) } else { 20_001 };
    let body = json!({ "code": code, "message": "the kit says no", "more_info": "", "status": status });
    Reply::json(status, &body)
}
