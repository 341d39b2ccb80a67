//! What is read of a conversation: its history, and a thread.

use super::Slack;
use super::book::Message;
use super::fail::{Fail, limited};
use super::params::{channel, limit, text, time_ms};
use hapax_standin::{Context, Listing, PageTokens, Reply};
use serde_json::{Value, json};

/// What apps outside the Marketplace get of a page.
const FEW: usize = 15;

/// One page of a conversation, newest first.
pub(super) fn history(context: &mut Context<'_, Slack>) -> Result<Value, Reply> {
    let size = page_size(context, "history", 100, 999)?;
    let channel = channel(context.request)?;
    let listing = context.list(&context.state.book.messages).reversed();
    let listing = listing.filter(|message| message.channel == channel && message.is_in_history());
    page(context, &format!("history {channel}"), listing, size)
}

/// One page of a thread, oldest first; of a message in a thread that isn't its first, that message.
pub(super) fn replies(context: &mut Context<'_, Slack>) -> Result<Value, Reply> {
    let size = page_size(context, "replies", 1_000, 1_000)?;
    let channel = channel(context.request)?;
    let ts = text(context.request, "ts").ok_or(Fail("thread_not_found"))?;
    let listing = context.list(&context.state.book.messages);
    let listing = listing.filter(|message| message.channel == channel && belongs(message, ts));
    if listing.clone().all().is_empty() {
        return Err(Fail("thread_not_found").into());
    }
    page(context, &format!("replies {channel} {ts}"), listing, size)
}

fn belongs(message: &Message, ts: &str) -> bool {
    message.ts == ts || message.thread_ts.as_deref() == Some(ts)
}

/// How many messages a page has, if the app may read one now.
fn page_size(context: &mut Context<'_, Slack>, method: &str, usual: usize, most: usize) -> Result<usize, Reply> {
    let Some(reads) = &mut context.state.reads else { return Ok(limit(context.request, usual, most)?) };
    match reads.take(method, context.now_ms) {
        Ok(_) => Ok(limit(context.request, FEW, FEW)?),
        Err(exceeded) => Err(limited(exceeded.retry_after_s())),
    }
}

fn page(context: &Context<'_, Slack>, list: &str, listing: Listing<'_, Message>, size: usize) -> Result<Value, Reply> {
    let request = context.request;
    let oldest = time_ms(request, "oldest", "invalid_ts_oldest")?;
    let latest = time_ms(request, "latest", "invalid_ts_latest")?;
    let exact = text(request, "oldest").filter(|oldest| text(request, "latest") == Some(oldest));
    let listing = listing.filter(|message| {
        let at = message.created_ms.div_euclid(1_000) * 1_000;
        oldest.is_none_or(|oldest| at >= oldest)
            && latest.is_none_or(|latest| at <= latest)
            && exact.is_none_or(|ts| message.ts == ts)
    });
    let tokens = PageTokens::of(list);
    let bad = |_| Fail("invalid_cursor");
    let after = tokens.cursor(text(request, "cursor")).map_err(bad)?;
    let page = listing.after(after.as_deref(), size).map_err(bad)?;
    let with_metadata = text(request, "include_all_metadata") == Some("true");
    Ok(json!({
        "ok": true,
        "messages": page.values(|message| message.value(with_metadata)),
        "has_more": page.has_more(),
        "response_metadata": { "next_cursor": tokens.next(&page).unwrap_or_default() },
    }))
}
