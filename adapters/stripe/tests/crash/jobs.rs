//! How Stripe's cells are killed: a module of the crash suite, `tests/crash`.

use hapax_standin::client::Call;
use serde_json::json;

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "stripe.charge", effect: "charge", shot: ("POST", "/v1/payment_intents/*/confirm") },
    Job { cell: "stripe.refund", effect: "refund", shot: ("POST", "/v1/refunds") },
    Job { cell: "stripe.capture", effect: "capture", shot: ("POST", "/v1/payment_intents/*/capture") },
    Job { cell: "stripe.cancel_payment", effect: "cancel", shot: ("POST", "/v1/payment_intents/*/cancel") },
    Job { cell: "stripe.transfer", effect: "transfer", shot: ("POST", "/v1/transfers") },
    Job { cell: "stripe.create_subscription", effect: "subscribe", shot: ("POST", "/v1/subscriptions") },
    Job { cell: "stripe.cancel_subscription", effect: "cancel_subscription", shot: ("DELETE", "/v1/subscriptions/*") },
    Job { cell: "stripe.send_invoice", effect: "invoice_mail", shot: ("POST", "/v1/invoices/*/send") },
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
        "stripe.transfer" => {
            // It moves what a charge brought in.
            payment(site, "automatic").await;
            Intent::marked(json!({ "amount": money, "destination": "acct_crash" }))
        }
        "stripe.create_subscription" => Intent::marked(json!({
            "customer": format!("cus_crash{number}"),
            "items": [{ "price": "price_crash", "quantity": 1 }],
            "default_payment_method": "pm_card_visa",
        })),
        "stripe.cancel_subscription" => {
            let subscription = subscription(site, number).await;
            Intent::known_by(&subscription, json!({ "subscription": subscription, "when": "now" }))
        }
        "stripe.send_invoice" => Intent::marked(json!({
            "customer": format!("cus_crash{number}"),
            "items": [
                { "description": "Advice", "amount": money },
                { "description": "Travel", "amount": { "amount": 500, "currency": "EUR" } },
            ],
        })),
        other => panic!("no intent of {other}"),
    }
}

/// A subscription that runs.
async fn subscription(site: &Site, number: u64) -> String {
    let customer = format!("cus_crash{number}");
    let form = [
        ("customer", customer.as_str()),
        ("items[0][price]", "price_crash"),
        ("default_payment_method", "pm_card_visa"),
    ];
    made(site, "/v1/subscriptions", &form).await
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
    made(site, "/v1/payment_intents", &form).await
}

/// The id of what a request straight at the provider made.
async fn made(site: &Site, path: &str, form: &[(&str, &str)]) -> String {
    let key = format!("Bearer {}", Site::credential("stripe", "api_key"));
    let call = Call::post(&format!("{}{path}", site.url)).header("authorization", &key);
    text(&site.ask(call.form(form)).await["id"])
}
