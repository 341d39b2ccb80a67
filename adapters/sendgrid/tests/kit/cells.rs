//! What the kit can't know of SendGrid's cells.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site;

const ONCE: &str = "it is made so once: a second intent of it has no effect of its own";
const LATE: &str =
    "a late cancellation is read as refused only by a look after settle, so the first call doesn't say refused yet";

fn mail_to(to: &str, number: u64) -> Value {
    json!({
        "from": { "address": "shop@stand-in.dev", "name": "Jané & Co, Shop" },
        "to": [{ "address": to, "name": "山田" }],
        "cc": [{ "address": format!("copy{number}@stand-in.dev") }],
        "subject": format!("Invoice {number}"),
        "text": "It is due.",
    })
}

/// `sendgrid.send`.
pub(crate) struct Send;

#[async_trait]
impl CellSubject for Send {
    fn id(&self) -> &'static str {
        "sendgrid.send"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v3/mail/send"), prepare: &[], look: Some(("GET", "/v3/messages*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Sample { args: mail_to(&format!("guest{number}@stand-in.dev"), number), target: String::new() })
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
        members(json!({ "msg_id": "foreign.1" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let mut args = mail_to(&format!("guest{number}@stand-in.dev"), number);
        args["from"] = json!({ "address": "shop@unverified.example" });
        Some(Ok(Sample { args, target: String::new() }))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: mail_to(&format!("bounce{number}@stand-in.dev"), number), target: String::new() }))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let to = sample.args["to"][0]["address"].as_str().unwrap_or_default();
        Some(site::mail(site, to).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![
            // Nobody says that a 429 did nothing, and nothing keeps a second mail away.
            ("429-storm", End::Person),
            // The process is stopped in its second try: what it wrote down may have left, so a person has it.
            ("connection-refused", End::Any),
            // Cut before the first byte left, it goes again; after it, nobody can tell, and a person has it.
            ("connection-cut-at-once", End::Any),
            // The provider goes on in the end, inside settle, and it is found.
            ("hangs-before", End::Succeeded),
            // A departure that was written and answered with an error was not made, and nobody can know that.
            ("ledger-writes-and-fails", End::Any),
        ]
    }
}

/// `sendgrid.cancel_scheduled`.
pub(crate) struct CancelScheduled;

#[async_trait]
impl CellSubject for CancelScheduled {
    fn id(&self) -> &'static str {
        "sendgrid.cancel_scheduled"
    }

    fn routes(&self) -> Routes {
        const BATCHES: &str = "/v3/user/scheduled_sends";
        Routes { shot: ("POST", BATCHES), prepare: &[], look: Some(("GET", "/v3/user/scheduled_sends/*")) }
    }

    async fn intent(&self, site: &Site, _: u64) -> Result<Sample, String> {
        let target = site::batch(site).await?;
        Ok(Sample { args: json!({ "batch_id": target }), target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "cancel" && effect.object == sample.target
    }

    fn is_receipt_of(&self, receipt: &Value, effect: &Effect) -> bool {
        receipt["batch_id"] == effect.object.as_str()
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "batch_id": "another" })
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "batch_id": "foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let body = json!({ "batch_id": sample.target, "status": "cancel" });
        Some(site::ask(site, "POST", "/v3/user/scheduled_sends", &body).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE), ("superseded", LATE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![("429-storm", End::Person)]
    }
}

/// `sendgrid.upsert_contact`.
pub(crate) struct UpsertContact;

fn contact(number: u64, lists: Value) -> Sample {
    let target = format!("guest{number}@stand-in.dev");
    let args = json!({ "email": target, "first_name": "Jané", "city": format!("City {number}"), "lists": lists });
    Sample { args, target }
}

#[async_trait]
impl CellSubject for UpsertContact {
    fn id(&self) -> &'static str {
        "sendgrid.upsert_contact"
    }

    fn routes(&self) -> Routes {
        const SEARCH: (&str, &str) = ("POST", "/v3/marketing/contacts/search/emails");
        Routes { shot: ("PUT", "/v3/marketing/contacts"), prepare: &[], look: Some(SEARCH) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(contact(number, json!(["guests"])))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "contact" && effect.metadata.get("email") == Some(&sample.target)
    }

    /// A receipt names nobody. Its job is that of the effect, a later one that changed nothing, or none where the
    /// contact was found as it was to be.
    fn is_receipt_of(&self, receipt: &Value, effect: &Effect) -> bool {
        let job = receipt["job"].as_str().unwrap_or_default();
        job == effect.object || receipt["doer"] == if job.is_empty() { "cannot_tell" } else { "us" }
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["city"] = "Elsewhere".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "job_id": "../foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(contact(number, json!(["unknown"]))))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let mut contact = sample.args.clone();
        contact.as_object_mut().map(|fields| fields.remove("lists"));
        let body = json!({ "list_ids": sample.args["lists"], "contacts": [contact] });
        Some(site::ask(site, "PUT", "/v3/marketing/contacts", &body).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![("429-storm", End::Person)]
    }
}
