//! How Twilio's cells are killed: a module of the crash suite, `tests/crash`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_standin::client::Call;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{Intent, Job, Site, text};

const FROM: &str = "+15551234567";

pub(super) const JOBS: &[Job] = &[
    Job { cell: "twilio.send_message", effect: "message", shot: ("POST", "/2010-04-01/Accounts/*/Messages.json") },
    Job { cell: "twilio.cancel_message", effect: "cancel", shot: ("POST", "/2010-04-01/Accounts/*/Messages/*.json") },
    Job { cell: "twilio.call", effect: "call", shot: ("POST", "/2010-04-01/Accounts/*/Calls.json") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let to = format!("+1555{:07}", 2_000_000 + number);
    match cell {
        "twilio.send_message" => {
            Intent::known_by(&to, json!({ "to": to, "from": FROM, "body": format!("Your table {number} is ready.") }))
        }
        "twilio.call" => {
            let twiml = "<Response><Say>Your table is ready.</Say></Response>";
            Intent::known_by(&to, json!({ "to": to, "from": FROM, "twiml": twiml }))
        }
        "twilio.cancel_message" => {
            let message = scheduled(site, &to).await;
            Intent::known_by(&message, json!({ "message": message }))
        }
        other => panic!("no intent of {other}"),
    }
}

/// A message that leaves in 30 days of the provider's time, which is later than any trial lasts.
async fn scheduled(site: &Site, to: &str) -> String {
    let now = Timestamp::from_millisecond(site.now_ms).expect("a time");
    let at = (now + SignedDuration::from_hours(30 * 24)).to_string();
    let form = [
        ("To", to),
        ("MessagingServiceSid", "MG00000000000000000000000000000000"),
        ("Body", "Your table is ready."),
        ("ScheduleType", "fixed"),
        ("SendAt", at.as_str()),
    ];
    let account = Site::credential("twilio", "account_sid");
    let basic = STANDARD.encode(format!("{account}:{}", Site::credential("twilio", "auth_token")));
    let call = Call::post(&format!("{}/2010-04-01/Accounts/{account}/Messages.json", site.url));
    text(&site.ask(call.header("authorization", &format!("Basic {basic}")).form(&form)).await["sid"])
}
