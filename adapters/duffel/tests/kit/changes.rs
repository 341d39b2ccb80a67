//! What the kit can't know of the cells that pay for orders and cancel them.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{a_persons, cancel, error_reply, ordered, post};

const ONE_ORDER: (&str, &str) = ("GET", "/air/orders/*");
const QUOTE: (&str, &str) = ("GET", "/air/order_cancellations/*");
const CONFIRM: (&str, &str) = ("POST", "/air/order_cancellations/*/actions/confirm");

/// `duffel.pay`.
pub(crate) struct Pay;

impl Pay {
    async fn sample(site: &Site, offer: &str) -> Result<Sample, String> {
        let target = ordered(site, offer, "hold").await?;
        let args = json!({ "order_id": target, "amount": { "amount": 9080, "currency": "GBP" } });
        Ok(Sample { args, target })
    }
}

#[async_trait]
impl CellSubject for Pay {
    fn id(&self) -> &'static str {
        "duffel.pay"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/air/payments"), prepare: &[], look: Some(ONE_ORDER) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        Self::sample(site, &format!("off_kit{number}")).await
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "payment" && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": {
            "id": "pay_foreign", "order_id": "ord_foreign", "amount": "1.00", "currency": "GBP", "status": "succeeded",
        } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Self::sample(site, &format!("off_kitpoor{number}")).await)
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let payment = json!({ "type": "balance", "amount": "90.80", "currency": "GBP" });
        let data = json!({ "order_id": sample.target, "payment": payment });
        Some(post(site, "/air/payments", Some(data)).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        const ONCE: &str = "an order is paid once: a second payment of it is no second intent";
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}

/// `duffel.cancel`.
pub(crate) struct Cancel;

impl Cancel {
    async fn sample(site: &Site, offer: &str) -> Result<Sample, String> {
        let target = ordered(site, offer, "instant").await?;
        Ok(Sample { args: json!({ "order_id": target }), target })
    }
}

#[async_trait]
impl CellSubject for Cancel {
    fn id(&self) -> &'static str {
        "duffel.cancel"
    }

    fn routes(&self) -> Routes {
        Routes { shot: CONFIRM, prepare: &[ONE_ORDER, ("POST", "/air/order_cancellations")], look: Some(QUOTE) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        Self::sample(site, &format!("off_kit{number}")).await
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "cancel" && effect.object == sample.target
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "order_id": "ord_another" })
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": {
            "id": "ore_foreign", "order_id": "ord_foreign", "confirmed_at": "2026-11-28T10:42:14Z",
        } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Self::sample(site, &format!("off_fixed{number}")).await)
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(cancel(site, &sample.target).await)
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        const ONCE: &str = "an order is cancelled once: a second cancellation of it is no second intent";
        vec![
            ("equal-intents", ONCE),
            ("equal-intents-one-record", ONCE),
            (
                "refused-answer-lost",
                "what can't be cancelled is refused with the quote, before the request that counts",
            ),
        ]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}
