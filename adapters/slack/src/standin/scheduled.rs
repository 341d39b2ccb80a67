//! Scheduled messages: taken on, listed, deleted. What is due is sent by the book.

use super::Slack;
use super::book::Pending;
use super::fail::Fail;
use super::params::{channel, json as json_of, limit, stored, text, time_ms};
use hapax_standin::{Context, PageTokens};
use serde_json::{Value, json};

const LATEST_MS: i64 = 120 * 24 * 3600 * 1_000;
/// So many may be due in a conversation within five minutes.
const MOST: usize = 30;
const WINDOW_S: i64 = 300;

/// Takes it on: this is the effect, though it can still be deleted.
pub(super) fn schedule(context: &mut Context<'_, Slack>) -> Result<Value, Fail> {
    let request = context.request;
    let channel = channel(request)?;
    let said = stored(text(request, "text").unwrap_or_default());
    let blocks = json_of(request, "blocks", "invalid_blocks_format")?;
    if said.is_empty() && blocks.is_none() {
        return Err(Fail("no_text"));
    }
    let at_ms = time_ms(request, "post_at", "invalid_time")?.ok_or(Fail("invalid_time"))?;
    if at_ms <= context.now_ms {
        return Err(Fail("time_in_past"));
    }
    if at_ms > context.now_ms + LATEST_MS {
        return Err(Fail("time_too_far"));
    }
    let post_at = at_ms.div_euclid(1_000);
    let close = |one: &&Pending| one.channel == channel && (one.post_at - post_at).abs() < WINDOW_S;
    if context.state.book.pending.iter().filter(close).count() >= MOST {
        return Err(Fail("restricted_too_many"));
    }
    let pending = Pending {
        id: format!("Q{}", 1_298_000_000 + context.world.ids.number()),
        channel: channel.clone(),
        post_at,
        text: said,
        blocks,
        thread_ts: text(request, "thread_ts").map(str::to_owned),
        has_metadata: json_of(request, "metadata", "invalid_metadata_format")?.is_some(),
        created_ms: context.now_ms,
    };
    context.effect(pending.effect("schedule"));
    let message = json!({ "text": pending.text, "type": "delayed_message", "bot_id": "B0STANDIN" });
    let answer = json!({
        "ok": true,
        "channel": channel,
        "scheduled_message_id": pending.id,
        // Slack's own example has it as a text.
        "post_at": post_at.to_string(),
        "message": message,
    });
    context.state.book.pending.add(pending);
    Ok(answer)
}

/// Takes a pending one away. What was sent, deleted or never there is all the same.
pub(super) fn delete(context: &mut Context<'_, Slack>) -> Result<Value, Fail> {
    const GONE: Fail = Fail("invalid_scheduled_message_id");
    let channel = channel(context.request)?;
    let id = text(context.request, "scheduled_message_id").ok_or(GONE)?;
    context.state.book.pending.get(id).filter(|pending| pending.channel == channel).ok_or(GONE)?;
    let pending = context.state.book.pending.remove(id).ok_or(GONE)?;
    context.effect(pending.effect("unschedule"));
    Ok(json!({ "ok": true }))
}

/// One page of what is pending, soonest first.
pub(super) fn list(context: &mut Context<'_, Slack>) -> Result<Value, Fail> {
    let request = context.request;
    let size = limit(request, 100, 1_000)?;
    let channel = text(request, "channel");
    let listing = context.list(&context.state.book.pending).sorted_by_key(|pending| pending.post_at);
    let listing = listing.equal(channel, |pending| Some(&pending.channel));
    let oldest = time_ms(request, "oldest", "invalid_arguments")?;
    let latest = time_ms(request, "latest", "invalid_arguments")?;
    let listing = listing.filter(|pending| {
        let at = pending.post_at * 1_000;
        oldest.is_none_or(|oldest| at >= oldest) && latest.is_none_or(|latest| at <= latest)
    });
    let tokens = PageTokens::of(&format!("pending {channel:?}"));
    let bad = |_| Fail("invalid_cursor");
    let after = tokens.cursor(text(request, "cursor")).map_err(bad)?;
    let page = listing.after(after.as_deref(), size).map_err(bad)?;
    Ok(json!({
        "ok": true,
        "scheduled_messages": page.values(Pending::value),
        "response_metadata": { "next_cursor": tokens.next(&page).unwrap_or_default() },
    }))
}
