//! What the kit can't know of `paypal.payout_batch`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{error_reply, post};

/// `paypal.payout_batch`.
pub(crate) struct PayoutBatch;

impl PayoutBatch {
    fn sample(first: &str, number: u64) -> Sample {
        let item = |name: &str, amount: u64| {
            let receiver = json!({ "type": "email", "address": format!("{name}@example.com") });
            json!({ "receiver": receiver, "amount": { "amount": amount, "currency": "EUR" } })
        };
        let items = [item(first, 1000 + number % 9000), item("unclaimed", 532)];
        Sample { args: json!({ "items": items }), target: String::new() }
    }
}

#[async_trait]
impl CellSubject for PayoutBatch {
    fn id(&self) -> &'static str {
        "paypal.payout_batch"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/payments/payouts"), prepare: &[], look: Some(("GET", "/v1/payments/payouts/*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample("jane", number))
    }

    /// The mark begins the id of each item.
    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "payout_batch" && effect.carries(&format!("{mark}-1"))
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["items"][0]["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        let sender = json!({ "sender_batch_id": "somebody else's" });
        let header = json!({ "payout_batch_id": "F0RE1GN", "batch_status": "PENDING", "sender_batch_header": sender });
        json!({ "batch_header": header }).as_object().cloned().unwrap_or_default()
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    /// It is denied, and takes its id all the same.
    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Self::sample("denied", number)))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Self::sample("denied-later", number)))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let item = json!({
            "recipient_type": "EMAIL", "receiver": sample.args["items"][0]["receiver"]["address"],
            "amount": { "currency": "EUR", "value": "10.00" },
        });
        let body = json!({ "sender_batch_header": { "sender_batch_id": "by hand" }, "items": [item] });
        Some(post(site, "/v1/payments/payouts", &body).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("name-does-not-resolve", "no token without an address, and nothing departs without a token")]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![
            // An alarm ends automatic sending, and without another request nothing can be asked.
            ("foreign-object", End::Person),
            // Nobody says that a 429 did nothing, and three requests that may have done something are the most.
            ("429-storm", End::Person),
            // Within what batch ids are compared is not written, so other credentials may be another scope.
            ("credentials-rotated", End::Person),
        ]
    }
}
