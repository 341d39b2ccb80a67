//! How mails look in an answer, and how lists are cut into pages.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use hapax_standin::{Beyond, Context, Listing, PageSize, Record, Request};
use serde_json::{Value, json};

use super::fail::Fail;
use super::mailbox::Mail;
use super::{Gmail, heads};

const SIZE: PageSize = PageSize { usual: 100, most: 500, beyond: Beyond::Clamped };

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
pub(super) fn list(context: &mut Context<'_, Gmail>) -> Result<Value, Fail> {
    context.state.may_read()?;
    let mails = Listing::new(context.state.mailbox.mails(), context.now_ms, context.twists);
    let newest = mails.sorted_by_key(|mail| std::cmp::Reverse(mail.at_ms));
    let kept = newest.equal(context.request.param("labelIds"), |mail| Some(mail.label));
    page("messages", kept, context.request, |mail| json!({ "id": mail.id, "threadId": mail.thread }))
}

pub(super) fn show(context: &mut Context<'_, Gmail>) -> Result<Value, Fail> {
    context.state.may_read()?;
    let id = context.path("id");
    let mail = context.state.mailbox.mails().find(|mail| mail.id == id).ok_or_else(Fail::not_found)?;
    shown(mail, context.request)
}

/// One page. An empty list has no entry of its name, as Google's JSON leaves out what is empty.
pub(super) fn page<T: Record>(
    name: &str,
    listing: Listing<'_, T>,
    request: &Request,
    value: impl Fn(&T) -> Value,
) -> Result<Value, Fail> {
    let unfit = |param: &str| Fail::invalid(&format!("Invalid value at '{param}'"));
    let from = request.param("pageToken").map_or(Ok(0), |text| text.parse().map_err(|_| unfit("pageToken")))?;
    let size = SIZE.read(request.param("maxResults")).map_err(|_| unfit("maxResults"))?;
    let page = listing.from_offset(from, size);
    let mut answer = json!({ "resultSizeEstimate": page.total });
    if page.has_more() {
        answer["nextPageToken"] = (from + size).to_string().into();
    }
    if !page.records.is_empty() {
        answer[name] = page.values(value).into();
    }
    Ok(answer)
}
