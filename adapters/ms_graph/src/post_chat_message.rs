//! `ms_graph.post_chat_message`: post a message into a Teams chat once.
//!
//! Graph has no key for it and no field of the caller's. The message is a card, whose id is ours and
//! stands in the message; a look walks the chat's history for it, and an absence there only suggests.

use std::fmt;

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::facts;
use crate::wire::{self, List};

/// Posts this there. Two equal messages are two messages. Debug shows nothing of it.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PostChatMessage {
    /// The chat's id: `19:...@thread.v2`, `19:...@unq.gbl.spaces`.
    pub chat: String,
    /// What it says. Without a card of yours it stands in a card as a text block, which understands a
    /// little Markdown; with one it stands above it, as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// An Adaptive Card, `{"type": "AdaptiveCard", ...}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Value>,
}

/// A message that was posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostChatMessageReceipt {
    /// `CHAT/MESSAGE`: a message's id is unique only within its chat.
    pub id: String,
    /// The chat.
    pub chat: String,
    /// Graph's id of the message.
    pub message: String,
}

/// The cell `ms_graph.post_chat_message`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostChatMessageCell;

const ANSWERS: [Row; facts::COMMON.len()] = facts::table(&[]);

const SPEC: CellSpec = CellSpec::new(
    "ms_graph.post_chat_message",
    "Posts a message into a Teams chat",
    &[
        Rung::Query(facts::MARKED_CARD),
        Rung::Human(Human { place: "the chat {chat} in Teams: a message with that text since then" }),
    ],
)
.stakes(Stakes::Low)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.reversal("delete the message in Teams; who has read it has read it")
.residual("a message that Teams shows only minutes later, or that somebody deleted before we looked, is not found: a person decides whether to post again");

/// A message of a chat, with the fields that are read. System messages have no card.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: String,
    chat_id: Option<String>,
    attachments: Option<Vec<Attachment>>,
}

#[derive(Clone, Deserialize)]
struct Attachment {
    id: Option<String>,
}

impl Message {
    fn is_marked(&self, mark: &str) -> bool {
        let ids = self.attachments.iter().flatten().filter_map(|attachment| attachment.id.as_deref());
        ids.into_iter().any(|id| id.eq_ignore_ascii_case(mark))
    }
}

impl Cell for PostChatMessageCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = PostChatMessage;
    type Receipt = PostChatMessageReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &PostChatMessage) -> Answer<PostChatMessageReceipt> {
        let mark = shot.names().mark();
        let request = Request::post(wire::chat(&args.chat)).json(args.body(&mark));
        shot.send(request, |message: Message| match args.contradiction(&message, &mark) {
            Some(field) => Answer::Unclear(Fault::Echo(field.to_owned())),
            None => args.receipt(message).map_or_else(Answer::Unclear, Answer::Happened),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &PostChatMessage) -> Result<Finding<PostChatMessageReceipt>, Fault> {
        let mark = cx.names().mark();
        let first = history(&args.chat, cx.names().since_unix())?;
        let ours = |message: Message| message.is_marked(&mark).then_some(message);
        let mut hits = cx.search(first.clone(), |page: List<Message>, _| page.page(&first, ours)).await?;
        // A message that changes while pages are read may stand on two of them.
        hits.sort_by(|one, other| one.id.cmp(&other.id));
        hits.dedup_by(|one, other| one.id == other.id);
        Ok(found(hits.into_iter().map(|message| args.receipt(message)).collect::<Result<_, _>>()?))
    }

    async fn fetch(
        &self,
        cx: &Context,
        args: &PostChatMessage,
        id: &str,
    ) -> Result<Option<PostChatMessageReceipt>, Fault> {
        let message = match id.rsplit_once('/') {
            Some((chat, _)) if chat != args.chat => return Err(Fault::Echo("chat".to_owned())),
            Some((_, message)) => message,
            None => id,
        };
        if !is_message(message) {
            return Err(Fault::Unread("a message is named by its number in the chat".to_owned()));
        }
        let read = Request::get(format!("{}/{message}", wire::chat(&args.chat)));
        match cx.get::<Message>(read).await? {
            None => Ok(None),
            Some(message) if message.is_marked(&cx.names().mark()) => args.receipt(message).map(Some),
            Some(_) => Err(Fault::Echo("attachments".to_owned())),
        }
    }
}

/// A read of a chat from a second since 1970 on. The filter counts only with the same order (F14).
fn history(chat: &str, since: i64) -> Result<Request, Fault> {
    let since = Timestamp::from_second(since.max(0)).map_err(|_| Fault::Unread("a time that is none".to_owned()))?;
    Ok(Request::get(wire::chat(chat))
        .query("$top", "50")
        .query("$orderby", "lastModifiedDateTime desc")
        .query("$filter", format!("lastModifiedDateTime gt {since}")))
}

impl PostChatMessage {
    /// A text into a chat.
    pub fn text(chat: impl Into<String>, text: impl Into<String>) -> Self {
        Self { chat: chat.into(), text: Some(text.into()), card: None }
    }

    fn body(&self, mark: &str) -> Value {
        let place = format!("<attachment id=\"{mark}\"></attachment>");
        let (content, card) = match (&self.card, &self.text) {
            (Some(card), Some(text)) => (format!("<p>{}</p>{place}", escaped(text)), card.clone()),
            (Some(card), None) => (place, card.clone()),
            (None, text) => (place, text_card(text.as_deref().unwrap_or_default())),
        };
        json!({
            "body": { "contentType": "html", "content": content },
            "attachments": [{
                "id": mark, "contentType": "application/vnd.microsoft.card.adaptive", "content": card.to_string(),
            }],
        })
    }

    /// What an answer to our request says otherwise than we did. A card with another id could not be
    /// found again.
    fn contradiction(&self, message: &Message, mark: &str) -> Option<&'static str> {
        match (message.chat_id.as_deref() == Some(&self.chat), message.is_marked(mark)) {
            (false, _) => Some("chatId"),
            (_, false) => Some("attachments"),
            _ => None,
        }
    }

    fn receipt(&self, message: Message) -> Result<PostChatMessageReceipt, Fault> {
        if !is_message(&message.id) {
            return Err(Fault::Unread("a message without an id".to_owned()));
        }
        let id = format!("{}/{}", self.chat, message.id);
        Ok(PostChatMessageReceipt { id, chat: self.chat.clone(), message: message.id })
    }
}

fn text_card(text: &str) -> Value {
    json!({
        "type": "AdaptiveCard", "version": "1.4", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "body": [{ "type": "TextBlock", "text": text, "wrap": true }],
    })
}

/// A text as it stands in HTML, with its lines.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.replace("\r\n", "\n").replace('\n', "<br>")
}

/// Whether this is a message's id: when it was made, in milliseconds.
fn is_message(id: &str) -> bool {
    (1..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

impl CellArgs for PostChatMessage {
    fn check(&self) -> Result<(), String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":@._-".contains(&byte);
        let chat = &self.chat;
        if !chat.starts_with("19:") || chat.len() > 250 || chat.contains("..") || !chat.bytes().all(is_plain) {
            return Err("chat: give the chat's id, as in 19:...@thread.v2".to_owned());
        }
        match (&self.text, &self.card) {
            (None, None) => Err("text, card: give one of them".to_owned()),
            (Some(text), _) if text.trim().is_empty() => Err("text: it is empty".to_owned()),
            (_, Some(card)) if card["type"] != "AdaptiveCard" => {
                Err("card: give an object of the type AdaptiveCard".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn echo(&self) -> Echo {
        vec![("chat", self.chat.clone())]
    }
}

impl CellReceipt for PostChatMessageReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("chat", self.chat.clone())]
    }
}

impl fmt::Debug for PostChatMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostChatMessage").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
