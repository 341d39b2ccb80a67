//! What the kit can't know of the cells: where their requests go, what must be there first, what one effect is.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{error_reply, paid, post};

const CAPTURE: (&str, &str) = ("POST", "/v2/checkout/orders/*/capture");

/// Nobody says that a 429 did nothing, and three requests that may have done something are the most.
const LIMITED: &str = "429-storm";

/// `paypal.pay_order`.
pub(crate) struct PayOrder;

impl PayOrder {
    fn sample(source: &str, number: u64) -> Sample {
        let amount = 1000 + i64::try_from(number % 9000).unwrap_or_default();
        let args = json!({
            "amount": { "amount": amount, "currency": "EUR" },
            "payment_source": { "type": "paypal", "vault_id": source },
        });
        Sample { args, target: String::new() }
    }
}

#[async_trait]
impl CellSubject for PayOrder {
    fn id(&self) -> &'static str {
        "paypal.pay_order"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: CAPTURE,
            prepare: &[("POST", "/v2/checkout/orders")],
            look: Some(("GET", "/v2/checkout/orders/*")),
        }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample("8kk8451t", number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "payment" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "F0RE1GN" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        // The order is completed by it, with a payment that was declined.
        Some(Ok(Self::sample("refused-by-bank", number)))
    }

    /// One order is captured once, whatever becomes of the key.
    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, _: &Sample) -> Option<Result<(), String>> {
        Some(paid(site, "8kk8451t").await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![(LIMITED, End::Person)]
    }
}

/// `paypal.refund`.
pub(crate) struct Refund;

impl Refund {
    async fn sample(site: &Site, source: &str, number: u64) -> Result<Sample, String> {
        let target = paid(site, source).await?;
        let amount = 100 + i64::try_from(number % 400).unwrap_or_default();
        let args = json!({ "capture_id": target, "amount": { "amount": amount, "currency": "EUR" } });
        Ok(Sample { args, target })
    }
}

#[async_trait]
impl CellSubject for Refund {
    fn id(&self) -> &'static str {
        "paypal.refund"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: ("POST", "/v2/payments/captures/*/refund"),
            prepare: &[],
            look: Some(("GET", "/v2/checkout/orders/*")),
        }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        Self::sample(site, "8kk8451t", number).await
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "refund" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "F0RE1GN", "custom_id": "somebody else's" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Self::sample(site, "no-refund", number).await)
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("/v2/payments/captures/{}/refund", sample.target);
        let body = json!({ "amount": { "currency_code": "EUR", "value": "1.00" } });
        Some(post(site, &path, &body).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("name-does-not-resolve", "no token without an address, and nothing departs without a token")]
    }

    /// What a failure leaves of a key is undocumented, so after one nothing is sent without a person.
    fn ends(&self) -> Vec<(&'static str, End)> {
        [LIMITED, "502-before", "503-before", "504-before"].map(|fault| (fault, End::Person)).to_vec()
    }
}
