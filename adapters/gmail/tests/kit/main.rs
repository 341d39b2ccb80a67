//! Hands Gmail's cell and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod elsewhere;

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_gmail::standin::StandIn;
use hapax_standin::client::Call;
use hapax_standin::{Effect, Reply, Server, World};
use serde_json::{Map, Value, json};

struct Gmail;

fn token(text: &str) -> Credentials {
    Credentials::none().with("access_token", text.into())
}

#[async_trait]
impl Subject for Gmail {
    fn integration(&self) -> SharedIntegration {
        hapax_gmail::integration()
    }

    fn credentials(&self) -> Credentials {
        token("ya29.kit-first")
    }

    fn rotated(&self) -> Credentials {
        token("ya29.kit-second")
    }

    fn met(&self) -> Vec<String> {
        vec!["gmail.readonly".to_owned()]
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("found:failed", "a draft that is gone and not in SENT proves nothing, so no look finds it dead"),
            ("event:alarm", "no mail of another draft can be taken for ours, and a second one can't be sent"),
            ("event:fated", "a bounce is another mail, which is not followed"),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        const HANDLE: &str = "a draft can be sent once, whatever else goes wrong";
        vec![
            ("fresh-key-per-attempt", "Gmail has no key"),
            ("claim-not-stored", "every mail carries our mark, so none can be taken for another intent's"),
            ("reported-before-durable", HANDLE),
            ("echo-not-compared", "an answer repeats the thread only, and that is compared in the cell"),
            ("second-refusal-closes", "the draft is looked for before a second request leaves"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(Send)]
    }
}

/// `gmail.send`.
struct Send;

/// A mail that somebody writes by hand to the same person.
async fn by_hand(site: &Site, sample: &Sample) -> Result<(), String> {
    let to = sample.args["to"][0]["address"].as_str().unwrap_or_default();
    let mail = format!("To: {to}\r\nSubject: by hand\r\nMIME-Version: 1.0\r\n\r\nby hand\r\n");
    let url = format!("{}/gmail/v1/users/me/messages/send", site.url);
    let call = Call::post(&url).header("authorization", "Bearer ya29.hand");
    let reply = call.json(&json!({ "raw": URL_SAFE_NO_PAD.encode(mail) })).send().await;
    match reply {
        Ok(reply) if reply.status == 200 => Ok(()),
        Ok(reply) => Err(format!("{} {}", reply.status, reply.value())),
        Err(error) => Err(error.to_string()),
    }
}

fn mail_to(address: &str, number: u64) -> Value {
    json!({ "to": [{ "address": address, "name": "Jané" }], "subject": format!("Invoice {number}"), "text": "It is due." })
}

#[async_trait]
impl CellSubject for Send {
    fn id(&self) -> &'static str {
        "gmail.send"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: ("POST", "/gmail/v1/users/me/drafts/send"),
            prepare: &[("POST", "/gmail/v1/users/me/drafts")],
            look: Some(("GET", "/gmail/v1/users/me/messages*")),
        }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Sample { args: mail_to(&format!("jane{number}@example.com"), number), target: String::new() })
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
        json!({ "id": "mforeign", "threadId": "tforeign" }).as_object().cloned().unwrap_or_default()
    }

    fn error_reply(&self, status: u16) -> Reply {
        let error = json!({ "code": status, "message": "the kit says no", "errors": [{ "reason": "kit" }] });
        Reply::json(status, &json!({ "error": error }))
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: mail_to(&format!("jane{number}@example.invalid"), number), target: String::new() }))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..101 {
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
        Vec::new()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Gmail), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
