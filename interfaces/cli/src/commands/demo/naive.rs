//! A retry loop as it is often written: an error means that nothing happened, so try again.

use hapax_standin::client::Call;
use serde_json::Value;

use super::stage::Stage;
use crate::exit::Failure;

/// Charges 25.00 EUR in one request with a key made for this attempt. Returns the payment.
pub(super) async fn charge(stage: &Stage, attempt: u32) -> Option<String> {
    let fields = [
        ("amount", "2500"),
        ("currency", "eur"),
        ("payment_method", "pm_card_visa"),
        ("payment_method_types[0]", "card"),
        ("confirm", "true"),
    ];
    post(stage, "/v1/payment_intents", &fields, attempt).await
}

/// Gives back 5.00 EUR of a payment.
pub(super) async fn refund(stage: &Stage, payment: &str, attempt: u32) -> Option<String> {
    post(stage, "/v1/refunds", &[("payment_intent", payment), ("amount", "500")], attempt).await
}

/// One attempt. `None` is any failure: no answer, or an answer that isn't a success.
async fn post(stage: &Stage, path: &str, fields: &[(&str, &str)], attempt: u32) -> Option<String> {
    // The mistake: a key that is made anew for each attempt protects nothing.
    let key = format!("fresh-{attempt}-{}", hapax_core::ledger::OperationId::fresh());
    let reply = authorized(Call::post(&format!("{}{path}", stage.url())))
        .header("idempotency-key", &key)
        .form(fields)
        .send()
        .await
        .ok()?;
    let id = reply.value()["id"].as_str().map(str::to_owned);
    id.filter(|_| reply.status == 200)
}

/// What a person sees who looks at the payment in the provider's records: its newest refund.
pub(super) async fn look_up_refund(stage: &Stage, payment: &str) -> Result<String, Failure> {
    let url = format!("{}/v1/refunds?payment_intent={payment}&limit=1", stage.url());
    let reply = authorized(Call::get(&url)).send().await;
    let value = reply.map(|reply| reply.value()).unwrap_or(Value::Null);
    let id = value["data"][0]["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| Failure::internal("the demo's provider did not repair what it lost; please report this"))
}

fn authorized(call: Call) -> Call {
    let key = hapax_catalog::stand_in_credentials("stripe").first().map_or("", |(_, value)| value);
    call.header("authorization", &format!("Bearer {key}"))
}
