//! What is run and killed: one job for each cell, with what it needs at the provider.

use hapax_standin::client::Call;
use serde_json::{Value, json};

/// One intent of one cell.
pub(crate) struct Job {
    pub(crate) cell: &'static str,
    pub(crate) args: Value,
    /// Kind of effect in the stand-in's list.
    pub(crate) effect: &'static str,
    /// Path of the request that counts, for the fault proxy.
    pub(crate) shot: &'static str,
}

pub(crate) const CELLS: [&str; 4] = ["stripe.charge", "stripe.refund", "stripe.capture", "stripe.cancel_payment"];

/// The job of a cell, after making what it needs.
pub(crate) async fn job(cell: &'static str, provider: &str) -> Job {
    let money = json!({ "amount": 1000, "currency": "EUR" });
    match cell {
        "stripe.charge" => Job {
            cell,
            args: json!({ "amount": money, "payment_method": "pm_card_visa" }),
            effect: "charge",
            shot: "/v1/payment_intents/*/confirm",
        },
        "stripe.refund" => Job {
            cell,
            args: json!({ "payment_intent": intent(provider, "automatic").await, "amount": money }),
            effect: "refund",
            shot: "/v1/refunds",
        },
        "stripe.capture" => Job {
            cell,
            args: json!({ "payment_intent": intent(provider, "manual").await }),
            effect: "capture",
            shot: "/v1/payment_intents/*/capture",
        },
        "stripe.cancel_payment" => Job {
            cell,
            args: json!({ "payment_intent": intent(provider, "manual").await }),
            effect: "cancel",
            shot: "/v1/payment_intents/*/cancel",
        },
        other => panic!("no job for {other}"),
    }
}

/// A confirmed payment, made straight at the provider.
async fn intent(provider: &str, capture: &str) -> String {
    let form = [
        ("amount", "5000"),
        ("currency", "eur"),
        ("payment_method", "pm_card_visa"),
        ("capture_method", capture),
        ("confirm", "true"),
    ];
    let call = Call::post(&format!("{provider}/v1/payment_intents")).header("authorization", "Bearer sk_test_crash");
    let reply = call.form(&form).send().await.expect("the stand-in answers");
    let made: Value = serde_json::from_slice(&reply.body).expect("JSON");
    made["id"].as_str().expect("an id").to_owned()
}
