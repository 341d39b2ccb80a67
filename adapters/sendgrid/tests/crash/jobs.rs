//! SendGrid's cells.

use hapax_standin::client::Call;
use serde_json::json;

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "sendgrid.send", effect: "mail", shot: ("POST", "/v3/mail/send") },
    Job { cell: "sendgrid.cancel_scheduled", effect: "cancel", shot: ("POST", "/v3/user/scheduled_sends") },
    Job { cell: "sendgrid.upsert_contact", effect: "contact", shot: ("PUT", "/v3/marketing/contacts") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let email = format!("guest{number}@stand-in.dev");
    match cell {
        "sendgrid.send" => Intent::marked(json!({
            "from": { "address": "shop@stand-in.dev" },
            "to": [{ "address": email }],
            "subject": format!("Invoice {number}"),
            "text": "It is due.",
        })),
        "sendgrid.cancel_scheduled" => {
            let bearer = format!("Bearer {}", Site::credential("sendgrid", "api_key"));
            let call = Call::post(&format!("{}/v3/mail/batch", site.url)).header("authorization", &bearer);
            let batch = text(&site.ask(call).await["batch_id"]);
            Intent::known_by(&batch, json!({ "batch_id": batch }))
        }
        "sendgrid.upsert_contact" => {
            Intent::known_by(&email, json!({ "email": email, "city": format!("City {number}") }))
        }
        other => panic!("no intent of {other}"),
    }
}
