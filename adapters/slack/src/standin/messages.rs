//! Messages: posted, changed, deleted.

use super::Slack;
use super::book::{Message, new_ts};
use super::fail::{Fail, limited};
use super::params::{channel, json as json_of, stored, text};
use hapax_standin::{Context, Reply};
use serde_json::{Value, json};

const MOST_CHARACTERS: usize = 40_000;

/// Posts: this is the effect.
pub(super) fn post(context: &mut Context<'_, Slack>) -> Result<Value, Reply> {
    let request = context.request;
    let channel = channel(request)?;
    let posted = context.state.posts.as_mut().map(|limit| limit.take(&channel, context.now_ms));
    if let Some(Err(exceeded)) = posted {
        return Err(limited(exceeded.retry_after_s()));
    }
    let said = stored(text(request, "text").unwrap_or_default());
    let blocks = json_of(request, "blocks", "invalid_blocks_format")?;
    if said.is_empty() && blocks.is_none() {
        return Err(Fail("no_text").into());
    }
    if said.chars().count() > MOST_CHARACTERS {
        return Err(Fail("msg_too_long").into());
    }
    let metadata = json_of(request, "metadata", "invalid_metadata_format")?;
    if metadata.as_ref().is_some_and(|given| !given["event_type"].is_string() || !given["event_payload"].is_object()) {
        return Err(Fail("invalid_metadata_schema").into());
    }
    let ts = new_ts(context.now_ms, &context.world.ids);
    let message = Message {
        id: format!("{channel}/{ts}"),
        channel: channel.clone(),
        ts: ts.clone(),
        text: said,
        blocks,
        metadata,
        thread_ts: text(request, "thread_ts").map(str::to_owned),
        is_broadcast: text(request, "reply_broadcast") == Some("true"),
        is_tombstone: false,
        created_ms: context.now_ms,
    };
    context.effect(message.effect("message"));
    let value = message.value(true);
    context.state.book.messages.add(message);
    Ok(json!({ "ok": true, "channel": channel, "ts": ts, "message": value }))
}

/// Puts content in the place of content; a repeat that changes nothing is no effect.
pub(super) fn update(context: &mut Context<'_, Slack>) -> Result<Value, Fail> {
    let request = context.request;
    let channel = channel(request)?;
    let ts = text(request, "ts").ok_or(Fail("message_not_found"))?;
    let said = text(request, "text").map(stored);
    let blocks = json_of(request, "blocks", "invalid_blocks_format")?;
    if said.is_none() && blocks.is_none() {
        return Err(Fail("no_text"));
    }
    let message = context.state.book.message(&channel, ts).ok_or(Fail("message_not_found"))?;
    let before = (message.text.clone(), message.blocks.clone());
    message.text = said.unwrap_or_else(|| message.text.clone());
    message.blocks = blocks.or_else(|| message.blocks.clone());
    let message = message.clone();
    if before != (message.text.clone(), message.blocks.clone()) {
        context.effect(message.effect("update"));
    }
    Ok(json!({ "ok": true, "channel": channel, "ts": ts, "text": message.text, "message": message.value(true) }))
}

/// Takes a message away; one that others reply to leaves a tombstone.
pub(super) fn delete(context: &mut Context<'_, Slack>) -> Result<Value, Fail> {
    let channel = channel(context.request)?;
    let ts = text(context.request, "ts").ok_or(Fail("message_not_found"))?;
    let has_replies = context.state.book.has_replies(&channel, ts);
    let message = context.state.book.message(&channel, ts).ok_or(Fail("message_not_found"))?;
    message.is_tombstone = true;
    let message = message.clone();
    if !has_replies {
        context.state.book.messages.remove(&message.id);
    }
    context.effect(message.effect("delete"));
    Ok(json!({ "ok": true, "channel": channel, "ts": ts }))
}
