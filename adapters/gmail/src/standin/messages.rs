//! How mails look in an answer, and how lists are cut into pages.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use hapax_standin::{Request, Twists};
use serde_json::{Value, json};

use super::fail::Fail;
use super::heads;
use super::mailbox::{Mail, Mailbox};

pub(super) fn brief(mail: &Mail) -> Value {
    json!({ "id": mail.id, "threadId": mail.thread, "labelIds": [mail.label] })
}

/// A mail in the format that is asked for; `full` unless said.
pub(super) fn shown(mail: &Mail, request: &Request) -> Result<Value, Fail> {
    let mut value = brief(mail);
    value["internalDate"] = mail.at_ms.to_string().into();
    value["sizeEstimate"] = mail.text.len().into();
    let wanted: Vec<&str> = request
        .query
        .iter()
        .filter(|(name, _)| name == "metadataHeaders" || name == "metadataHeaders[]")
        .map(|(_, header)| header.as_str())
        .collect();
    let all = |_: &str| true;
    let named = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
    match request.param("format").unwrap_or("full") {
        "minimal" => {}
        "raw" => value["raw"] = URL_SAFE.encode(&mail.text).into(),
        "metadata" => value["payload"] = json!({ "headers": headers(mail, named) }),
        "full" => value["payload"] = json!({ "headers": headers(mail, all), "body": { "size": mail.text.len() } }),
        _ => return Err(Fail::invalid("Invalid value at 'format'")),
    }
    Ok(value)
}

fn headers(mail: &Mail, keep: impl Fn(&str) -> bool) -> Vec<Value> {
    let heads = heads::of(&mail.text);
    heads.iter().filter(|(name, _)| keep(name)).map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

/// A list of messages by label, newest first.
pub(super) fn list(mailbox: &Mailbox, request: &Request, twists: &Twists, now_ms: i64) -> Result<Value, Fail> {
    let label = request.param("labelIds");
    let visible_until = twists.list_lag_ms().map(|lag| now_ms - lag);
    let drafts = mailbox.drafts.iter().map(|draft| &draft.mail);
    let mut mails: Vec<&Mail> = mailbox.sent.iter().chain(drafts).collect();
    mails.sort_by_key(|mail| std::cmp::Reverse(mail.at_ms));
    let kept = mails.into_iter().filter(|mail| label.is_none_or(|label| mail.label == label));
    let shown = kept.filter(|mail| visible_until.is_none_or(|until| mail.at_ms <= until));
    let mut entries: Vec<Value> = shown.map(|mail| json!({ "id": mail.id, "threadId": mail.thread })).collect();
    entries.truncate(twists.list_cap().unwrap_or(usize::MAX));
    page("messages", entries, request)
}

/// One page. An empty list has no entry of its name, as Google's JSON leaves out what is empty.
pub(super) fn page(name: &str, entries: Vec<Value>, request: &Request) -> Result<Value, Fail> {
    let number = |param: &str, usual: usize| match request.param(param) {
        None => Ok(usual),
        Some(text) => text.parse::<usize>().map_err(|_| Fail::invalid(&format!("Invalid value at '{param}'"))),
    };
    let (from, most) = (number("pageToken", 0)?, number("maxResults", 100)?.clamp(1, 500));
    let mut answer = json!({ "resultSizeEstimate": entries.len() });
    if from + most < entries.len() {
        answer["nextPageToken"] = (from + most).to_string().into();
    }
    let cut: Vec<Value> = entries.into_iter().skip(from).take(most).collect();
    if !cut.is_empty() {
        answer[name] = cut.into();
    }
    Ok(answer)
}

pub(super) fn place<T>(all: &[T], is_it: impl Fn(&T) -> bool) -> Option<usize> {
    all.iter().position(is_it)
}
