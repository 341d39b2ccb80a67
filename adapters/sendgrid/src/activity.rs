//! The email activity: what SendGrid shows of mails that it took on.

use std::collections::BTreeMap;

use hapax_core::cell::Context;
use hapax_core::transport::Request;
use hapax_core::words::Fault;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The custom arg that carries our mark.
pub(crate) const MARK: &str = "hapax";
/// Messages that one answer holds at most; there are no pages.
const MOST: usize = 1000;
const MESSAGES: &str = "/v3/messages";

/// A message: what one recipient gets of a mail.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Message {
    msg_id: String,
    pub(crate) to_email: String,
    pub(crate) status: String,
}

/// The messages of one request, under the id that SendGrid gave to it.
pub(crate) type Mails = BTreeMap<String, Vec<Message>>;

#[derive(Deserialize)]
struct List {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Whole {
    unique_args: Option<String>,
}

/// A question to the activity.
pub(crate) fn messages(query: &str, limit: usize) -> Request {
    Request::get(MESSAGES).query("query", query).query("limit", limit.to_string())
}

/// The mails with this mark, as far as the filter tells.
pub(crate) async fn marked(cx: &Context, mark: &str) -> Result<Mails, Fault> {
    listed(cx, &format!("(unique_args['{MARK}']=\"{mark}\")")).await
}

/// The messages of the request with this id. Ids may come from callers, so they are checked before they become part of
/// a query.
pub(crate) async fn of_request(cx: &Context, id: &str) -> Result<Vec<Message>, Fault> {
    if !is_id(id) {
        return Err(Fault::Unread("a mail is named by its X-Message-Id: letters, digits, - and _".to_owned()));
    }
    let mails = listed(cx, &format!("msg_id LIKE '{id}%'")).await?;
    Ok(mails.into_iter().find(|(request, _)| request == id).map(|(_, messages)| messages).unwrap_or_default())
}

async fn listed(cx: &Context, query: &str) -> Result<Mails, Fault> {
    let List { messages } = cx.call(self::messages(query, MOST)).await?;
    if messages.len() >= MOST {
        return Err(Fault::Unread(format!("{MOST} messages or more: there may be others")));
    }
    let mut mails = Mails::new();
    for message in messages {
        mails.entry(request_of(&message.msg_id).to_owned()).or_default().push(message);
    }
    Ok(mails)
}

/// The value of our custom arg on the mail of these messages; `None` inside if it has none.
///
/// # Errors
/// The message can't be read by itself: nobody can say whose it is.
pub(crate) async fn mark_of(cx: &Context, messages: &[Message]) -> Result<Option<String>, Fault> {
    let unread = || Fault::Unread("a message that is listed and can't be read by itself".to_owned());
    let id = messages.first().map(|message| message.msg_id.as_str()).filter(|id| id.split('.').all(is_id));
    let one = Request::get(format!("{MESSAGES}/{}", id.ok_or_else(unread)?));
    let whole: Whole = cx.get(one).await?.ok_or_else(unread)?;
    let args: Map<String, Value> =
        whole.unique_args.and_then(|args| serde_json::from_str(&args).ok()).ok_or_else(unread)?;
    Ok(args.get(MARK).and_then(Value::as_str).map(str::to_owned))
}

/// The part of a message's id that names the request, which is its `X-Message-Id`.
pub(crate) fn request_of(id: &str) -> &str {
    id.split_once('.').map_or(id, |(request, _)| request)
}

/// Whether this can be a part of an id of SendGrid's.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
