//! How PayPal's cells are killed: a module of the crash suite, `tests/crash`.

use hapax_standin::client::Call;
use serde_json::{Value, json};

use super::{Intent, Job, Site, text};

/// A client of its own, as PayPal wants it.
const SETUP: &str = "Basic c2V0dXA6c2V0dXAtc2VjcmV0";

pub(super) const JOBS: &[Job] = &[
    Job { cell: "paypal.pay_order", effect: "payment", shot: ("POST", "/v2/checkout/orders/*/capture") },
    Job { cell: "paypal.payout_batch", effect: "payout_batch", shot: ("POST", "/v1/payments/payouts") },
    Job { cell: "paypal.refund", effect: "refund", shot: ("POST", "/v2/payments/captures/*/refund") },
    Job { cell: "paypal.send_invoice", effect: "invoice", shot: ("POST", "/v2/invoicing/invoices/*/send") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let amount = json!({ "amount": 1000 + number % 1000, "currency": "EUR" });
    match cell {
        "paypal.pay_order" => Intent::marked(json!({
            "amount": amount, "payment_source": { "type": "paypal", "vault_id": "8kk8451t" },
        })),
        "paypal.payout_batch" => {
            let address = format!("payee-{number}@example.com");
            let item = json!({ "receiver": { "type": "email", "address": address }, "amount": amount });
            Intent::known_by(&address, json!({ "items": [item] }))
        }
        "paypal.refund" => Intent::marked(json!({ "capture_id": paid(site).await, "amount": amount })),
        "paypal.send_invoice" => Intent::marked(json!({
            "recipient": format!("jane{number}@example.com"), "items": [{ "name": "Advice", "amount": amount }],
        })),
        other => panic!("no intent of {other}"),
    }
}

/// A payment over 20.00 EUR that somebody took.
async fn paid(site: &Site) -> String {
    let token = Call::post(&format!("{}/v1/oauth2/token", site.url)).header("authorization", SETUP);
    let token = site.ask(token.form(&[("grant_type", "client_credentials")])).await;
    let bearer = format!("Bearer {}", text(&token["access_token"]));
    let post = async |path: &str, body: &Value| {
        let call = Call::post(&format!("{}{path}", site.url)).header("authorization", &bearer).json(body);
        site.ask(call).await
    };
    let unit = json!({ "amount": { "currency_code": "EUR", "value": "20.00" } });
    let order = post("/v2/checkout/orders", &json!({ "intent": "CAPTURE", "purchase_units": [unit] })).await;
    let source = json!({ "payment_source": { "paypal": { "vault_id": "8kk8451t" } } });
    let paid = post(&format!("/v2/checkout/orders/{}/capture", text(&order["id"])), &source).await;
    text(&paid["purchase_units"][0]["payments"]["captures"][0]["id"])
}
