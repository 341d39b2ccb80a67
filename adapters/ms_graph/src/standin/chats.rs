//! Chats and their messages.

use hapax_standin::{Context, Effect, Record};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::MsGraph;
use super::fail::Fail;
use super::properties::page;

type Visit<'a> = Context<'a, MsGraph>;

/// Messages on a page.
const MOST: usize = 50;

#[derive(Clone)]
pub(super) struct Message {
    id: String,
    chat: String,
    fields: Value,
    created_ms: i64,
}

impl Record for Message {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Message {
    fn value(&self) -> Value {
        let attachments = self.fields["attachments"].as_array().cloned().unwrap_or_default();
        json!({
            "id": self.id, "chatId": self.chat, "messageType": "message", "body": self.fields["body"],
            "attachments": attachments, "createdDateTime": moment(self.created_ms),
            "lastModifiedDateTime": moment(self.created_ms),
        })
    }
}

fn moment(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map(|at| at.to_string()).unwrap_or_default()
}

/// The chat in the path; every one is there but those that are missing.
fn chat(context: &Visit<'_>) -> Result<String, Fail> {
    let id = context.path("chat");
    if id.contains("missing") { Err(Fail::new(404, "NotFound", "The chat was not found.")) } else { Ok(id) }
}

/// Posts: this is the effect. A card's id has to stand in the body, too.
pub(super) fn post(context: &mut Visit<'_>) -> Result<(u16, Value), Fail> {
    let chat = chat(context)?;
    let fields = context.request.json.clone().unwrap_or_default();
    let Some(content) = fields["body"]["content"].as_str() else {
        return Err(Fail::new(400, "BadRequest", "Missing body content"));
    };
    let attached = fields["attachments"].as_array().into_iter().flatten();
    let ids: Vec<&str> = attached.filter_map(|attachment| attachment["id"].as_str()).collect();
    let is_placed = |id: &&str| content.contains(&format!("<attachment id=\"{id}\">"));
    if !ids.iter().all(is_placed) || fields.to_string().contains("refused") {
        return Err(Fail::new(400, "BadRequest", "The message can't be posted."));
    }
    let metadata = ids.first().map(|id| ("hapax".to_owned(), (*id).to_owned())).into_iter().collect();
    let messages = context.state.chats.entry(chat.clone()).or_default();
    // Of several in one millisecond, each has its own number.
    let mut number = context.now_ms;
    while messages.contains(&number.to_string()) {
        number += 1;
    }
    let message = Message { id: number.to_string(), chat: chat.clone(), fields, created_ms: context.now_ms };
    let object = format!("{chat}/{}", message.id);
    let value = messages.add(message).value();
    context.effect(Effect { kind: "chat_message".to_owned(), object, metadata, ..Effect::default() });
    Ok((201, value))
}

/// The newest first. A filter counts only with its order.
pub(super) fn list(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let chat = chat(context)?;
    context.state.chats.entry(chat.clone()).or_default();
    let ordered = context.request.param("$orderby") == Some("lastModifiedDateTime desc");
    let filter = context.request.param("$filter").filter(|_| ordered);
    let since = filter.and_then(|filter| filter.strip_prefix("lastModifiedDateTime gt "));
    let since_ms = since.and_then(|text| text.parse::<Timestamp>().ok()).map(Timestamp::as_millisecond);
    let listing = context.list(&context.state.chats[&chat]).reversed();
    let listing = listing.filter(|message| since_ms.is_none_or(|since_ms| message.created_ms > since_ms));
    page(context.request, listing, MOST, Message::value)
}

pub(super) fn show(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let (chat, id) = (chat(context)?, context.path("message"));
    let message = context.state.chats.get(&chat).and_then(|messages| messages.get(&id));
    message.map(Message::value).ok_or_else(|| Fail::new(404, "itemNotFound", "The message was not found."))
}
