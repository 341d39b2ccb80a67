//! What the kit can't know of `ms_graph.post_chat_message`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site;

/// `ms_graph.post_chat_message`.
pub(crate) struct PostChatMessage;

fn message(chat: &str, number: u64) -> Sample {
    let args = json!({ "chat": format!("19:{chat}@thread.v2"), "text": format!("Deploy {number} is done.") });
    Sample { args, target: String::new() }
}

/// A message that somebody writes into the chat.
async fn by_hand(site: &Site, sample: &Sample) -> Result<(), String> {
    let body = json!({ "body": { "content": sample.args["text"] } });
    let chat = sample.args["chat"].as_str().unwrap_or_default();
    site::post(site, &format!("chats/{chat}/messages"), Some(&body)).await.map(|_| ())
}

#[async_trait]
impl CellSubject for PostChatMessage {
    fn id(&self) -> &'static str {
        "ms_graph.post_chat_message"
    }

    fn routes(&self) -> Routes {
        const MESSAGES: &str = "/v1.0/chats/*/messages";
        Routes { shot: ("POST", MESSAGES), prepare: &[], look: Some(("GET", MESSAGES)) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(message(&format!("c{number}"), number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "chat_message" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["text"] = "Something else".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "1", "chatId": "19:foreign@thread.v2" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(message(&format!("missing{number}"), number)))
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
