//! Resend's cells.

use hapax_standin::client::Call;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "resend.send", effect: "mail", shot: ("POST", "/emails") },
    Job { cell: "resend.send_batch", effect: "batch", shot: ("POST", "/emails/batch") },
    Job { cell: "resend.cancel_scheduled", effect: "cancel", shot: ("POST", "/emails/*/cancel") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    match cell {
        "resend.send" => Intent::marked(mail(&format!("delivered+{number}@resend.dev"), number)),
        "resend.send_batch" => {
            let to = |place: u64| format!("delivered+{number}-{place}@resend.dev");
            Intent::marked(json!({ "mails": [mail(&to(0), number), mail(&to(1), number)] }))
        }
        "resend.cancel_scheduled" => {
            let mail = scheduled(site, number).await;
            Intent::known_by(&mail, json!({ "mail": mail }))
        }
        other => panic!("no intent of {other}"),
    }
}

fn mail(to: &str, number: u64) -> Value {
    json!({
        "from": { "address": "shop@stand-in.dev" },
        "to": [{ "address": to }],
        "subject": format!("Invoice {number}"),
        "text": "It is due.",
    })
}

/// A mail that leaves in 29 days of the provider's time, which is later than any trial lasts.
async fn scheduled(site: &Site, number: u64) -> String {
    let now = Timestamp::from_millisecond(site.now_ms).expect("a time");
    let body = json!({
        "from": "shop@stand-in.dev",
        "to": [format!("delivered+{number}@resend.dev")],
        "subject": "Later",
        "text": "Later",
        "scheduled_at": (now + SignedDuration::from_hours(29 * 24)).to_string(),
    });
    let bearer = format!("Bearer {}", Site::credential("resend", "api_key"));
    let call = Call::post(&format!("{}/emails", site.url)).header("authorization", &bearer).json(&body);
    text(&site.ask(call).await["id"])
}
