//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The need that the cells name.
pub(crate) const FULL_ACCESS: &str = "the API key has full access";

/// Asks as somebody else of the team does.
pub(crate) async fn asked(call: Call) -> Result<Value, String> {
    let reply = call.header("authorization", "Bearer re_hand").send().await.map_err(|error| error.to_string())?;
    if (200..300).contains(&reply.status) {
        Ok(reply.value())
    } else {
        Err(format!("{} {}", reply.status, reply.value()))
    }
}

/// Sends a mail by hand and returns its id.
pub(crate) async fn mail(site: &Site, to: &str, subject: &str) -> Result<String, String> {
    let body = json!({ "from": "shop@stand-in.dev", "to": [to], "subject": subject, "text": "by hand" });
    made(asked(Call::post(&format!("{}/emails", site.url)).json(&body)).await?)
}

/// Schedules a mail by hand, 20 days ahead by the provider's own clock, and returns its id.
pub(crate) async fn scheduled(site: &Site, number: u64) -> Result<String, String> {
    mail(site, "delivered+clock@resend.dev", "What time is it?").await?;
    // By the list, because reads of one mail may be what a fault has broken.
    let now = asked(Call::new("GET", &format!("{}/emails?limit=1", site.url))).await?;
    let now = now["data"][0]["created_at"].as_str().unwrap_or_default();
    let now: Timestamp = now.parse().map_err(|error| format!("no time: {error}"))?;
    let at = (now + SignedDuration::from_hours(20 * 24)).to_string();
    let body = json!({
        "from": "shop@stand-in.dev", "to": [to(number)], "subject": "Later", "text": "by hand", "scheduled_at": at,
    });
    made(asked(Call::post(&format!("{}/emails", site.url)).json(&body)).await?)
}

fn made(answer: Value) -> Result<String, String> {
    answer["id"].as_str().map(str::to_owned).ok_or_else(|| format!("no id in {answer}"))
}

/// A recipient of its own for every intent.
pub(crate) fn to(number: u64) -> String {
    format!("delivered+{number}@resend.dev")
}

/// Resend's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let name = match status {
        401 => "missing_api_key",
        429 => "rate_limit_exceeded",
        500.. => "internal_server_error",
        _ => "validation_error",
    };
    Reply::json(status, &json!({ "statusCode": status, "name": name, "message": "the kit says no" }))
}
