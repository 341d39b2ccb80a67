//! What the kit can't know of transfers and subscriptions.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::client::Call;
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::cells::{KEY, amount_of, by_status, error_reply, payment, post};

/// `stripe.transfer`, in a group of its own or in one of the caller's.
pub(crate) struct Transfer {
    pub(crate) grouped: bool,
}

impl Transfer {
    fn sample(&self, number: u64, amount: u64) -> Sample {
        let mut args = json!({ "amount": { "amount": amount, "currency": "EUR" }, "destination": "acct_kit" });
        if self.grouped {
            args["transfer_group"] = format!("ORDER_{number}").into();
        }
        Sample { args, target: String::new() }
    }

    /// The same without our mark.
    async fn others(site: &Site, sample: &Sample, amount: &str) -> Result<(), String> {
        let mut fields = vec![("amount", amount), ("currency", "eur"), ("destination", "acct_kit")];
        fields.extend(sample.args["transfer_group"].as_str().map(|group| ("transfer_group", group)));
        post(site, "/v1/transfers", &fields).await.map(|_| ())
    }
}

#[async_trait]
impl CellSubject for Transfer {
    fn id(&self) -> &'static str {
        "stripe.transfer"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/transfers"), prepare: &[], look: Some(("GET", "/v1/transfers*")) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        payment(site, 900_000, "automatic").await?;
        Ok(self.sample(number, amount_of(number)))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "transfer" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "tr_foreign", "destination": "acct_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        let made = payment(site, 1_000, "automatic").await;
        // More than there is.
        Some(made.map(|_| self.sample(number, 2_000 + number)))
    }

    fn clutters(&self) -> bool {
        self.grouped
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..101 {
            if let Err(why) = Self::others(site, sample, "1").await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(Self::others(site, sample, &sample.args["amount"]["amount"].to_string()).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        by_key()
    }
}

/// `stripe.create_subscription`.
pub(crate) struct CreateSubscription;

impl CreateSubscription {
    fn sample(number: u64) -> Sample {
        let items = json!([{ "price": "price_seat", "quantity": 3 }, { "price": "price_base" }]);
        Sample { args: json!({ "customer": format!("cus_{number}"), "items": items }), target: String::new() }
    }

    /// The same without our mark.
    async fn others(site: &Site, customer: &Value) -> Result<(), String> {
        let customer = customer.as_str().unwrap_or_default();
        let fields = [("customer", customer), ("items[0][price]", "price_seat"), ("items[0][quantity]", "3")];
        post(site, "/v1/subscriptions", &fields).await.map(|_| ())
    }
}

#[async_trait]
impl CellSubject for CreateSubscription {
    fn id(&self) -> &'static str {
        "stripe.create_subscription"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/subscriptions"), prepare: &[], look: Some(("GET", "/v1/subscriptions*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample(number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "subscribe" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["items"][0]["quantity"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "sub_foreign", "customer": "cus_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let mut sample = Self::sample(number);
        sample.args["default_payment_method"] = "pm_card_chargeDeclined".into();
        Some(Ok(sample))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..101 {
            if let Err(why) = Self::others(site, &sample.args["customer"]).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(Self::others(site, &sample.args["customer"]).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        by_key()
    }
}

/// `stripe.cancel_subscription`, one way or the other.
pub(crate) struct CancelSubscription {
    pub(crate) at_period_end: bool,
}

impl CancelSubscription {
    fn sample(&self, target: String) -> Sample {
        let when = if self.at_period_end { "at_period_end" } else { "now" };
        Sample { args: json!({ "subscription": target, "when": when }), target }
    }

    async fn subscribed(site: &Site, number: u64, method: &str) -> Result<String, String> {
        let customer = format!("cus_{number}");
        let fields =
            [("customer", customer.as_str()), ("items[0][price]", "price_seat"), ("default_payment_method", method)];
        let made = post(site, "/v1/subscriptions", &fields).await?;
        made["id"].as_str().map(str::to_owned).ok_or_else(|| "no id".to_owned())
    }
}

#[async_trait]
impl CellSubject for CancelSubscription {
    fn id(&self) -> &'static str {
        "stripe.cancel_subscription"
    }

    fn routes(&self) -> Routes {
        let method = if self.at_period_end { "POST" } else { "DELETE" };
        let path = "/v1/subscriptions/*";
        Routes { shot: (method, path), prepare: &[], look: Some(("GET", path)) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        Self::subscribed(site, number, "pm_card_visa").await.map(|target| self.sample(target))
    }

    async fn equal_intents(&self, site: &Site, number: u64) -> Result<(Sample, Sample), String> {
        let one = self.intent(site, number).await?;
        Ok((one.clone(), one))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        let kind = if self.at_period_end { "cancel_at_period_end" } else { "cancel_subscription" };
        effect.kind == kind && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let other = Self { at_period_end: !self.at_period_end };
        other.sample(sample.target.clone()).args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "sub_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    /// A DELETE is answered 404 or it is done.
    fn refuses(&self) -> bool {
        self.at_period_end
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        // What isn't paid yet has no period that could end.
        let made = Self::subscribed(site, number, "pm_card_chargeDeclined").await;
        self.at_period_end.then(|| made.map(|target| self.sample(target)))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("{}/v1/subscriptions/{}", site.url, sample.target);
        let call = Call::new("DELETE", &path).header("authorization", KEY);
        Some(call.send().await.map(|_| ()).map_err(|error| error.to_string()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        const ONCE: &str = "a subscription is canceled once: a second cancellation of it is no second intent";
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        by_status()
    }
}

/// Stripe itself does not know what a stored 500 did: neither the key nor an absence counts.
fn by_key() -> Vec<(&'static str, End)> {
    vec![
        ("stored-500", End::Person),
        ("500-before", End::Person),
        ("stored-500-repaired", End::Succeeded),
        ("401-in-the-middle", End::Succeeded),
        ("effect-after-deadline", End::Succeeded),
        ("twins", End::Succeeded),
        ("window-over", End::Succeeded),
    ]
}
