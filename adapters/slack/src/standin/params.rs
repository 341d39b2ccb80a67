//! What a request asks for: a form, or the query of a GET.

use super::fail::Fail;
use hapax_standin::Request;
use serde_json::Value;

pub(super) fn text<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.field(name).or_else(|| request.param(name)).filter(|value| !value.is_empty())
}

/// A field that holds JSON.
pub(super) fn json(request: &Request, name: &str, bad: &'static str) -> Result<Option<Value>, Fail> {
    text(request, name).map(|text| serde_json::from_str(text).map_err(|_| Fail(bad))).transpose()
}

/// The conversation, if the app may act in it.
pub(super) fn channel(request: &Request) -> Result<String, Fail> {
    let channel = text(request, "channel").ok_or(Fail("channel_not_found"))?;
    match channel {
        missing if missing.starts_with("C0MISSING") => Err(Fail("channel_not_found")),
        archived if archived.starts_with("C0ARCHIVED") => Err(Fail("is_archived")),
        outside if outside.starts_with("C0OUTSIDE") => Err(Fail("not_in_channel")),
        known if known.starts_with(['C', 'G', 'D']) => Ok(known.to_owned()),
        _ => Err(Fail("channel_not_found")),
    }
}

/// How many entries a page has.
pub(super) fn limit(request: &Request, usual: usize, most: usize) -> Result<usize, Fail> {
    let bad = |_| Fail("invalid_limit");
    let asked: usize = text(request, "limit").map_or(Ok(usual), |text| text.parse().map_err(bad))?;
    Ok(asked.clamp(1, most))
}

/// Milliseconds since 1970 of a `ts` or of seconds; the digits behind the milliseconds only name a message.
pub(super) fn time_ms(request: &Request, name: &str, bad: &'static str) -> Result<Option<i64>, Fail> {
    let Some(text) = text(request, name) else { return Ok(None) };
    let seconds = text.split_once('.').map_or(text, |(seconds, _)| seconds);
    seconds.parse::<i64>().map(|seconds| Some(seconds * 1_000)).map_err(|_| Fail(bad))
}

/// A text as Slack stores it: what it could take for its own signs is escaped.
pub(super) fn stored(text: &str) -> String {
    let mut stored = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some((before, behind)) = rest.split_once('&') {
        stored.push_str(before);
        let is_escaped = ["amp;", "lt;", "gt;"].iter().any(|escape| behind.starts_with(escape));
        stored.push_str(if is_escaped { "&" } else { "&amp;" });
        rest = behind;
    }
    stored.push_str(rest);
    stored
}
