//! What the kit can't know of the cells: where their requests go, what must be there first, what one effect is.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::client::Call;
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

pub(crate) const KEY: &str = "Bearer sk_test_12345";
const INTENT: (&str, &str) = ("GET", "/v1/payment_intents*");

pub(crate) async fn post(site: &Site, path: &str, fields: &[(&str, &str)]) -> Result<Value, String> {
    let call = Call::post(&format!("{}{path}", site.url)).header("authorization", KEY).form(fields);
    let reply = call.send().await.map_err(|error| error.to_string())?;
    if reply.status == 200 { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

pub(crate) async fn get(site: &Site, path: &str) -> Result<Value, String> {
    let call = Call::get(&format!("{}{path}", site.url)).header("authorization", KEY);
    call.send().await.map(|reply| reply.value()).map_err(|error| error.to_string())
}

/// A payment that is made, or only held.
pub(crate) async fn payment(site: &Site, amount: u64, capture: &str) -> Result<String, String> {
    let amount = amount.to_string();
    let fields = [
        ("amount", amount.as_str()),
        ("currency", "eur"),
        ("payment_method", "pm_card_visa"),
        ("payment_method_types[0]", "card"),
        ("capture_method", capture),
        ("confirm", "true"),
    ];
    let made = post(site, "/v1/payment_intents", &fields).await?;
    made["id"].as_str().map(str::to_owned).ok_or_else(|| "no id".to_owned())
}

pub(crate) fn amount_of(number: u64) -> u64 {
    1_000 + number
}

pub(crate) fn error_reply(status: u16) -> Reply {
    let kind = if status >= 500 { "api_error" } else { "invalid_request_error" };
    Reply::json(status, &json!({ "error": { "type": kind, "message": "the kit says no" } }))
}

/// `stripe.charge`.
pub(crate) struct Charge;

impl Charge {
    fn args(number: u64, method: &str) -> Value {
        json!({ "amount": { "amount": amount_of(number), "currency": "EUR" }, "payment_method": method })
    }
}

#[async_trait]
impl CellSubject for Charge {
    fn id(&self) -> &'static str {
        "stripe.charge"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: ("POST", "/v1/payment_intents/*/confirm"),
            prepare: &[("POST", "/v1/payment_intents")],
            look: Some(INTENT),
        }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Sample { args: Self::args(number, "pm_card_visa"), target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "charge" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "pi_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: Self::args(number, "pm_card_chargeDeclined"), target: String::new() }))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: Self::args(number, "pm_processing_failed"), target: String::new() }))
    }

    fn can_die(&self) -> bool {
        true
    }

    async fn kill(&self, site: &Site, _: &Sample, mark: &str) -> Option<Result<(), String>> {
        let cancel = async {
            let list = get(site, "/v1/payment_intents?limit=100").await?;
            let all = list["data"].as_array().cloned().unwrap_or_default();
            let ours =
                all.iter().find(|intent| intent["metadata"]["hapax"] == mark).ok_or("no intent with our mark")?;
            let path = format!("/v1/payment_intents/{}/cancel", ours["id"].as_str().unwrap_or_default());
            post(site, &path, &[]).await.map(|_| ())
        };
        Some(cancel.await)
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let amount = sample.args["amount"]["amount"].as_u64().unwrap_or(1_000);
        Some(payment(site, amount, "automatic").await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![
            // The intent protects the step: a burnt key is replaced.
            ("stored-500", End::Succeeded),
            ("500-before", End::Succeeded),
            ("401-in-the-middle", End::Succeeded),
            ("stored-500-repaired", End::Succeeded),
            ("effect-after-deadline", End::Succeeded),
            ("effect-beyond-settle", End::Succeeded),
            ("twins", End::Succeeded),
            ("window-over", End::Succeeded),
            ("found-but-dead", End::Person),
            ("look-fails-for-ever", End::Succeeded),
        ]
    }
}

/// `stripe.refund`.
pub(crate) struct Refund;

impl Refund {
    fn sample(target: String, amount: u64) -> Sample {
        let args = json!({ "payment_intent": target, "amount": { "amount": amount, "currency": "EUR" } });
        Sample { args, target }
    }
}

#[async_trait]
impl CellSubject for Refund {
    fn id(&self) -> &'static str {
        "stripe.refund"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/refunds"), prepare: &[], look: Some(("GET", "/v1/refunds*")) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample(payment(site, 90_000 + number, "automatic").await?, amount_of(number)))
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
        members(json!({ "id": "re_foreign", "amount": 1 }))
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
        Some(made.map(|target| Self::sample(target, 2_000 + number)))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        let fields = [
            ("amount", "90000"),
            ("currency", "eur"),
            ("payment_method", "pm_card_refundFail"),
            ("payment_method_types[0]", "card"),
            ("confirm", "true"),
        ];
        let made = post(site, "/v1/payment_intents", &fields).await;
        Some(made.map(|made| Self::sample(made["id"].as_str().unwrap_or_default().to_owned(), amount_of(number))))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..101 {
            let fields = [("payment_intent", sample.target.as_str()), ("amount", "1")];
            if let Err(why) = post(site, "/v1/refunds", &fields).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let amount = sample.args["amount"]["amount"].to_string();
        let fields = [("payment_intent", sample.target.as_str()), ("amount", amount.as_str())];
        Some(post(site, "/v1/refunds", &fields).await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![
            // Stripe itself does not know: neither the key nor an absence counts.
            ("stored-500", End::Person),
            ("500-before", End::Person),
            ("stored-500-repaired", End::Succeeded),
            ("401-in-the-middle", End::Succeeded),
            ("effect-after-deadline", End::Succeeded),
            ("twins", End::Succeeded),
            ("window-over", End::Succeeded),
        ]
    }
}

/// `stripe.capture`.
pub(crate) struct Capture;

#[async_trait]
impl CellSubject for Capture {
    fn id(&self) -> &'static str {
        "stripe.capture"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/payment_intents/*/capture"), prepare: &[], look: Some(INTENT) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let target = payment(site, amount_of(number), "manual").await?;
        Ok(Sample { args: json!({ "payment_intent": target }), target })
    }

    async fn equal_intents(&self, site: &Site, number: u64) -> Result<(Sample, Sample), String> {
        let one = self.intent(site, number).await?;
        Ok((one.clone(), one))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "capture" && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["amount"] = json!({ "amount": 77, "currency": "EUR" });
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "pi_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        let target = payment(site, amount_of(number), "manual").await;
        let much = json!({ "amount": 90_000 + number, "currency": "EUR" });
        Some(target.map(|target| Sample { args: json!({ "payment_intent": target, "amount": much }), target }))
    }

    fn can_die(&self) -> bool {
        true
    }

    async fn kill(&self, site: &Site, sample: &Sample, _: &str) -> Option<Result<(), String>> {
        let path = format!("/v1/payment_intents/{}/cancel", sample.target);
        Some(post(site, &path, &[]).await.map(|_| ()))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("/v1/payment_intents/{}/capture", sample.target);
        Some(post(site, &path, &[]).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("equal-intents", "a payment is captured once: a second capture of it is no second intent"),
            ("equal-intents-one-record", "a payment is captured once: a second capture of it is no second intent"),
        ]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        by_status()
    }
}

/// `stripe.cancel_payment`.
pub(crate) struct CancelPayment;

#[async_trait]
impl CellSubject for CancelPayment {
    fn id(&self) -> &'static str {
        "stripe.cancel_payment"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/payment_intents/*/cancel"), prepare: &[], look: Some(INTENT) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let target = payment(site, amount_of(number), "manual").await?;
        Ok(Sample { args: json!({ "payment_intent": target }), target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "cancel" && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["reason"] = "duplicate".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "pi_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn can_die(&self) -> bool {
        true
    }

    async fn kill(&self, site: &Site, sample: &Sample, _: &str) -> Option<Result<(), String>> {
        let path = format!("/v1/payment_intents/{}/capture", sample.target);
        Some(post(site, &path, &[]).await.map(|_| ()))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("/v1/payment_intents/{}/cancel", sample.target);
        Some(post(site, &path, &[]).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("equal-intents", "a payment is canceled once: a second cancellation of it is no second intent"),
            ("equal-intents-one-record", "a payment is canceled once: a second cancellation of it is no second intent"),
        ]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        by_status()
    }
}

/// The status of the payment lets each operation through once, whatever becomes of keys.
pub(crate) fn by_status() -> Vec<(&'static str, End)> {
    vec![
        ("stored-500", End::Succeeded),
        ("500-before", End::Succeeded),
        ("stored-500-repaired", End::Succeeded),
        ("401-in-the-middle", End::Succeeded),
        ("effect-after-deadline", End::Succeeded),
        ("twins", End::Succeeded),
        ("window-over", End::Succeeded),
        // Stripe states no time for its repairs, so what is dead closes nothing before patience is over, and the
        // looks end sooner.
        ("found-but-dead", End::Person),
    ]
}
