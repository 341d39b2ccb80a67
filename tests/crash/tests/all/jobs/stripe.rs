//! Stripe's cells.

use hapax_standin::client::Call;
use serde_json::json;

use super::{Intent, Job, Site, text};

pub(super) const JOBS: [Job; 4] = [
    Job { cell: "stripe.charge", effect: "charge", shot: ("POST", "/v1/payment_intents/*/confirm") },
    Job { cell: "stripe.refund", effect: "refund", shot: ("POST", "/v1/refunds") },
    Job { cell: "stripe.capture", effect: "capture", shot: ("POST", "/v1/payment_intents/*/capture") },
    Job { cell: "stripe.cancel_payment", effect: "cancel", shot: ("POST", "/v1/payment_intents/*/cancel") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let money = json!({ "amount": 1000 + number, "currency": "EUR" });
    match cell {
        "stripe.charge" => Intent::marked(json!({ "amount": money, "payment_method": "pm_card_visa" })),
        "stripe.refund" => {
            let payment = payment(site, "automatic").await;
            Intent::marked(json!({ "payment_intent": payment, "amount": money }))
        }
        "stripe.capture" | "stripe.cancel_payment" => {
            let payment = payment(site, "manual").await;
            Intent::known_by(&payment, json!({ "payment_intent": payment }))
        }
        other => panic!("no intent of {other}"),
    }
}

/// A payment that is made, or only held.
async fn payment(site: &Site, capture: &str) -> String {
    let form = [
        ("amount", "5000"),
        ("currency", "eur"),
        ("payment_method", "pm_card_visa"),
        ("capture_method", capture),
        ("confirm", "true"),
    ];
    let key = format!("Bearer {}", Site::credential("stripe", "api_key"));
    let call = Call::post(&format!("{}/v1/payment_intents", site.url)).header("authorization", &key);
    text(&site.ask(call.form(&form)).await["id"])
}
