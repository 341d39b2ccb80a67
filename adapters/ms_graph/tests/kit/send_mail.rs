//! What the kit can't know of `ms_graph.send_mail`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site;

/// `ms_graph.send_mail`.
pub(crate) struct SendMail;

fn mail_to(address: &str, number: u64) -> Sample {
    let to = json!([{ "address": address, "name": "Jané" }]);
    let args = json!({ "to": to, "subject": format!("Invoice {number}"), "text": "It is due." });
    Sample { args, target: String::new() }
}

/// A mail that somebody writes by hand to the same person.
async fn by_hand(site: &Site, sample: &Sample) -> Result<(), String> {
    let to = json!([{ "emailAddress": { "address": sample.args["to"][0]["address"] } }]);
    let mail = json!({ "subject": "by hand", "toRecipients": to });
    let draft = site::post(site, "me/messages", Some(&mail)).await?;
    let id = draft["id"].as_str().unwrap_or_default();
    site::post(site, &format!("me/messages/{id}/send"), None).await.map(|_| ())
}

#[async_trait]
impl CellSubject for SendMail {
    fn id(&self) -> &'static str {
        "ms_graph.send_mail"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: ("POST", "/v1.0/me/messages/*/send"),
            prepare: &[("POST", "/v1.0/me/messages")],
            look: Some(("GET", "/v1.0/me/messages*")),
        }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(mail_to(&format!("jane{number}@example.com"), number))
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
        members(json!({ "id": "AAkALgforeign", "isDraft": false }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(mail_to(&format!("jane{number}@example.invalid"), number)))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..51 {
            if let Err(why) = by_hand(site, sample).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(by_hand(site, sample).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        site::a_persons()
    }
}
