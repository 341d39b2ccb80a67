//! What the kit can't know of `hubspot.send_single_email`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, post, routes};

const SEND: &str = "/marketing/v3/transactional/single-email/send";

const ALIKE: &str = "two equal mails have no mark by which their effects could be counted apart; that their sendIds differ \
                     is a unit test";

pub(crate) struct SendSingleEmail;

fn mail(email_id: u64, to: String) -> Sample {
    let args = json!({ "email_id": email_id, "to": to, "custom_properties": { "order": "1042" } });
    Sample { args, target: to }
}

#[async_trait]
impl CellSubject for SendSingleEmail {
    fn id(&self) -> &'static str {
        "hubspot.send_single_email"
    }

    fn routes(&self) -> Routes {
        routes(SEND, None)
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(mail(1042, format!("jane{number}@example.com")))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "mail" && effect.carries(&sample.target) && effect.token.is_some()
    }

    /// The receipt names the request that was answered, which may be a repeat, and the mail by its `sendId`.
    fn is_receipt_of(&self, receipt: &Value, effect: &Effect) -> bool {
        effect.token.as_deref() == receipt["send_id"].as_str()
    }

    /// A send says nothing of ours that could be counted by.
    fn counts_apart(&self) -> bool {
        false
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["email_id"] = 1043.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "status": "foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(mail(404, format!("jane{number}@example.com"))))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(mail(1042, format!("bounced{number}@example.com"))))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let body = json!({ "emailId": sample.args["email_id"], "message": { "to": sample.args["to"] } });
        Some(post(site, SEND, &body).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ALIKE)]
    }

    /// Nobody says that a 429 did nothing, and what an answered 5xx leaves of a `sendId`. The status of a send names nothing
    /// of the mail, so another's can't be told from one that can't be read, and goes again under the same `sendId`.
    fn ends(&self) -> Vec<(&'static str, End)> {
        let unsaid = [
            "429-storm",
            "502-before",
            "503-before",
            "504-before",
            "500-after",
            "502-after",
            "503-after",
            "504-after",
            "stored-500-with-effect",
        ];
        let unsaid = unsaid.map(|fault| (fault, End::Person));
        [unsaid.as_slice(), &[("foreign-object", End::Succeeded)]].concat()
    }
}
