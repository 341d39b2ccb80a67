//! What the kit can't know of Resend's cells.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, mail, to};

const MAILS: (&str, &str) = ("GET", "/emails*");
const LATE: &str =
    "a late cancellation is read as refused only by a look after settle, so the first call doesn't say refused yet";
const ONCE: &str = "a mail is canceled once: a second cancellation of it is no second intent";

/// Nobody says that a 429 did nothing, and three requests that may have done something are the most.
const LIMITED: (&str, End) = ("429-storm", End::Person);

/// Nobody says what an answered 5xx leaves of a key, so it isn't relied on, and an absence only suggests.
fn unsaid() -> Vec<(&'static str, End)> {
    vec![LIMITED, ("502-before", End::Person), ("503-before", End::Person), ("504-before", End::Person)]
}

fn mail_to(address: &str, number: u64) -> Value {
    json!({
        "from": { "address": "shop@stand-in.dev", "name": "Jané & Co, Shop" },
        "to": [{ "address": address, "name": "山田" }],
        "subject": format!("Invoice {number}"),
        "text": "It is due.",
    })
}

/// Other people's mails, more than a page of them.
async fn clutter(site: &Site) -> Result<(), String> {
    for number in 0..101 {
        mail(site, &format!("delivered+clutter{number}@resend.dev"), "clutter").await?;
    }
    Ok(())
}

/// `resend.send`.
pub(crate) struct Send;

#[async_trait]
impl CellSubject for Send {
    fn id(&self) -> &'static str {
        "resend.send"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/emails"), prepare: &[], look: Some(MAILS) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Sample { args: mail_to(&to(number), number), target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "mail" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["text"] = "It is overdue.".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "object": "contact", "id": "foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: mail_to(&format!("jane{number}@example.com"), number), target: String::new() }))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: mail_to(&format!("bounced+{number}@resend.dev"), number), target: String::new() }))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, _: &Sample) -> Option<Result<(), String>> {
        Some(clutter(site).await)
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let to = sample.args["to"][0]["address"].as_str().unwrap_or_default();
        Some(mail(site, to, "by hand").await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        unsaid()
    }
}

/// `resend.send_batch`.
pub(crate) struct SendBatch;

fn batch(one: &str, number: u64) -> Sample {
    let mails = json!([mail_to(one, number), mail_to(&format!("delivered+second{number}@resend.dev"), number)]);
    Sample { args: json!({ "mails": mails }), target: String::new() }
}

#[async_trait]
impl CellSubject for SendBatch {
    fn id(&self) -> &'static str {
        "resend.send_batch"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/emails/batch"), prepare: &[], look: Some(MAILS) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(batch(&to(number), number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "batch" && effect.carries(mark)
    }

    fn is_receipt_of(&self, receipt: &Value, effect: &Effect) -> bool {
        let ids = receipt["ids"].as_array().map(Vec::len).unwrap_or_default();
        receipt["ids"][0] == effect.object.as_str() && i64::try_from(ids).is_ok_and(|ids| ids == effect.amount)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["mails"][1]["text"] = "It is overdue.".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": [{ "id": "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" }] }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(batch(&format!("jane{number}@example.com"), number)))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, _: &Sample) -> Option<Result<(), String>> {
        Some(clutter(site).await)
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for mail_of in sample.args["mails"].as_array().into_iter().flatten() {
            let to = mail_of["to"][0]["address"].as_str().unwrap_or_default();
            if let Err(why) = mail(site, to, "by hand").await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        unsaid()
    }
}

/// `resend.cancel_scheduled`.
pub(crate) struct CancelScheduled;

#[async_trait]
impl CellSubject for CancelScheduled {
    fn id(&self) -> &'static str {
        "resend.cancel_scheduled"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/emails/*/cancel"), prepare: &[], look: Some(("GET", "/emails/*")) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let target = site::scheduled(site, number).await?;
        Ok(Sample { args: json!({ "mail": target }), target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "cancel" && effect.object == sample.target
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "mail": "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" })
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        // One that was never scheduled can't be canceled.
        let made = mail(site, &to(number), "At once").await;
        Some(made.map(|target| Sample { args: json!({ "mail": target }), target }))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let call = hapax_standin::client::Call::post(&format!("{}/emails/{}/cancel", site.url, sample.target));
        Some(site::asked(call).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE), ("superseded", LATE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![LIMITED]
    }
}
