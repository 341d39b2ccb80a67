//! Shapes that several operations share; only the fields that are read.

use hapax_core::cell::{Context, Page};
use hapax_core::transport::{Body, Request};
use hapax_core::words::Fault;
use serde::Deserialize;
use serde_json::Value;

/// What the metadata of our messages is called; every app and member of the workspace can read it.
pub(crate) const EVENT_TYPE: &str = "hapax";
/// The field of its payload that holds our mark.
pub(crate) const MARK: &str = "key";
/// Messages on a page, as Slack recommends at most.
const PAGE_SIZE: &str = "200";

/// A message of a conversation.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) ts: String,
    #[serde(default)]
    pub(crate) text: String,
    pub(crate) subtype: Option<String>,
    pub(crate) thread_ts: Option<String>,
    pub(crate) blocks: Option<Value>,
    pub(crate) metadata: Option<Value>,
}

impl Message {
    /// Whether it carries this mark.
    pub(crate) fn is_marked(&self, mark: &str) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| {
            metadata["event_type"] == EVENT_TYPE && metadata["event_payload"][MARK].as_str() == Some(mark)
        })
    }

    /// What stays of a deleted message that has replies.
    pub(crate) fn is_tombstone(&self) -> bool {
        self.subtype.as_deref() == Some("tombstone")
    }
}

/// The thread that a message is a reply in. One that others reply to names itself.
pub(crate) fn thread_of(ts: &str, thread_ts: Option<String>) -> Option<String> {
    thread_ts.filter(|thread| thread != ts)
}

/// A page of a conversation or of a thread.
#[derive(Debug, Deserialize)]
pub(crate) struct Messages {
    messages: Vec<Message>,
    has_more: bool,
    response_metadata: Option<Cursor>,
}

/// A page of the messages that are pending. Where the next one is has to be said.
#[derive(Debug, Deserialize)]
pub(crate) struct Pending {
    pub(crate) scheduled_messages: Vec<Scheduled>,
    response_metadata: Cursor,
}

/// A message that is pending.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Scheduled {
    #[serde(deserialize_with = "read::id")]
    pub(crate) id: String,
    pub(crate) channel_id: String,
    #[serde(deserialize_with = "read::seconds")]
    pub(crate) post_at: i64,
    #[serde(deserialize_with = "read::seconds")]
    pub(crate) date_created: i64,
    #[serde(default)]
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
struct Cursor {
    next_cursor: Option<String>,
}

impl Messages {
    /// What `keep` keeps of this page, and the request for the next one.
    pub(crate) fn page<R>(self, first: &Request, keep: impl FnMut(Message) -> Option<R>) -> Result<Page<R>, Fault> {
        let next = self.response_metadata.and_then(|at| at.after(first));
        if self.has_more && next.is_none() {
            return Err(Fault::Unread("a page says that there is more, and not where".to_owned()));
        }
        Ok(Page { hits: self.messages.into_iter().filter_map(keep).collect(), next })
    }
}

impl Pending {
    /// What `keep` keeps of this page, and the request for the next one.
    pub(crate) fn page<R>(self, first: &Request, keep: impl FnMut(Scheduled) -> Option<R>) -> Page<R> {
        let next = self.response_metadata.after(first);
        Page { hits: self.scheduled_messages.into_iter().filter_map(keep).collect(), next }
    }
}

impl Cursor {
    /// The request for the next page; an empty cursor is the end.
    fn after(self, first: &Request) -> Option<Request> {
        let cursor = self.next_cursor.filter(|cursor| !cursor.is_empty())?;
        let mut next = first.clone();
        if let Body::Form(pairs) = &mut next.body {
            pairs.push(("cursor".to_owned(), cursor));
        }
        Some(next)
    }
}

/// A read of a whole conversation, or of one thread in it, from a second since 1970 on.
pub(crate) fn conversation(channel: &str, thread: Option<&str>, since: i64) -> Request {
    let path = if thread.is_some() { "/api/conversations.replies" } else { "/api/conversations.history" };
    ask(path).form([
        ("channel", Some(channel.to_owned())),
        ("ts", thread.map(str::to_owned)),
        ("oldest", Some(format!("{}.000000", since.max(0)))),
        ("inclusive", Some("true".to_owned())),
        ("include_all_metadata", Some("true".to_owned())),
        ("limit", Some(PAGE_SIZE.to_owned())),
    ])
}

/// A read of all that is pending.
pub(crate) fn pending() -> Request {
    ask("/api/chat.scheduledMessages.list").form([("limit", Some("100".to_owned()))])
}

/// A read is a POST with a form, as Slack's own SDKs send it.
fn ask(path: &str) -> Request {
    Request::post(path)
}

/// One message, a reply or not; none if Slack says that there is no such one. A tombstone is none.
///
/// # Errors
/// [`Fault`] if it can't be read; that is no absence.
pub(crate) async fn message(cx: &Context, channel: &str, ts: &str) -> Result<Option<Message>, Fault> {
    let first = ask("/api/conversations.replies").form([
        ("channel", Some(channel.to_owned())),
        ("ts", Some(ts.to_owned())),
        ("oldest", Some(ts.to_owned())),
        ("latest", Some(ts.to_owned())),
        ("inclusive", Some("true".to_owned())),
        ("include_all_metadata", Some("true".to_owned())),
        ("limit", Some("1".to_owned())),
    ]);
    let shown = format!("{first:?}");
    let page = match cx.try_call::<Messages>(first).await? {
        Ok(page) => page,
        // Slack says so inside a 200. A status that is none is somebody else's, whatever is quoted in its body.
        Err((200, code)) if code.code == "thread_not_found" => return Ok(None),
        Err((status, code)) => return Err(Fault::Status(status, format!("{shown}: {}", code.message))),
    };
    match page.messages.into_iter().find(|message| message.ts == ts) {
        Some(message) if message.is_tombstone() => Ok(None),
        Some(message) => Ok(Some(message)),
        // The one that was asked for comes first, so what is on later pages is not it; but only an
        // answer that is whole says so.
        None if page.has_more => Err(Fault::Unread("the message is not on the page that it must be on".to_owned())),
        None => Ok(None),
    }
}

/// Blocks as a form carries them.
pub(crate) fn blocks(blocks: &[Value]) -> Option<String> {
    (!blocks.is_empty()).then(|| Value::from(blocks.to_vec()).to_string())
}

pub(crate) use read::{id as read_id, seconds as read_seconds};

/// Numbers and ids that Slack's answers write in two ways.
mod read {
    use serde::{Deserialize, Deserializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(i64),
        Text(String),
    }

    /// An id of a scheduled message; lists write it as a number, and without its `Q`.
    pub(crate) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Number(number) => format!("Q{number}"),
            Written::Text(text) if text.starts_with('Q') => text,
            Written::Text(text) => format!("Q{text}"),
        })
    }

    /// Seconds since 1970; some answers write them as a text.
    pub(crate) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Number(seconds) => Ok(seconds),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}
