//! `slack.post`: post a message into a conversation or a thread once.
//!
//! Slack has no key for it, but a message takes metadata. Ours has our mark, by which the
//! conversation is looked through; an absence there only suggests.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::identity::Names;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::wire::{EVENT_TYPE, MARK, Message, Messages};
use crate::{facts, ids, wire};

/// Posts this there. Two equal messages are two messages.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Post {
    /// The conversation's id: `C...`, `G...` or `D...`.
    pub channel: String,
    /// The text, up to 40000 characters. With blocks it is what notifications say.
    pub text: String,
    /// Up to 50 blocks of Block Kit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
    /// `ts` of the message that this is a reply to; that of the thread's first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<String>,
    /// Whether a reply is shown in the channel, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reply_broadcast: bool,
    /// Whether links to pages are shown as previews; Slack decides if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfurl_links: Option<bool>,
    /// Whether links to media are shown as previews; Slack decides if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfurl_media: Option<bool>,
}

/// A message that was posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostReceipt {
    /// `CHANNEL/TS`: a `ts` alone is unique only within its conversation.
    pub id: String,
    /// The conversation.
    pub channel: String,
    /// What names the message there.
    pub ts: String,
    /// `ts` of the thread's first message, if it is a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<String>,
}

/// The cell `slack.post`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostCell;

/// What Slack describes as turned away for what was asked.
const OWN: [&str; 19] = [
    "channel_not_found",
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_metadata_format",
    "invalid_metadata_schema",
    "is_archived",
    "message_limit_exceeded",
    "metadata_must_be_sent_from_app",
    "metadata_too_large",
    "msg_too_long",
    "no_text",
    "not_in_channel",
    "restricted_action",
    "restricted_action_non_threadable_channel",
    "restricted_action_read_only_channel",
    "restricted_action_thread_only_channel",
    "slack_connect_file_link_sharing_blocked",
    "team_access_not_granted",
    "too_many_attachments",
];

const ANSWERS: [Row; facts::COMMON + OWN.len() + 2] = facts::table(&OWN, &facts::adrift(facts::POST), facts::POST);

const SPEC: CellSpec = CellSpec::new(
    "slack.post",
    "Posts a message into a conversation or a thread",
    &[
        Rung::Native(facts::CLIENT_MSG_ID),
        Rung::Query(facts::BY_MARK),
        Rung::Human(Human { place: "the conversation {channel} in Slack: a message with that text since then" }),
    ],
)
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.reversal("slack.delete; who has read it has read it")
.residual("a message that Slack shows only minutes later, or that somebody deleted before we looked, is not found: a person decides whether to post again");

impl Cell for PostCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Post;
    type Receipt = PostReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Post) -> Answer<PostReceipt> {
        let request = args.request(shot.names());
        shot.send(request, |posted: Posted| Answer::Happened(posted.receipt())).await
    }

    async fn find(&self, cx: &Context, args: &Post) -> Result<Finding<PostReceipt>, Fault> {
        let first = wire::conversation(&args.channel, args.thread_ts.as_deref(), cx.names().since_unix());
        let mark = cx.names().mark();
        let ours = |message: Message| message.is_marked(&mark).then_some(message);
        let mut hits = cx.search(first.clone(), |page: Messages, _| page.page(&first, ours)).await?;
        // Every page of a thread may begin with its first message.
        hits.sort_by(|one, other| one.ts.cmp(&other.ts));
        hits.dedup_by(|one, other| one.ts == other.ts);
        Ok(found(hits.into_iter().map(|message| receipt(&args.channel, message)).collect()))
    }

    async fn fetch(&self, cx: &Context, args: &Post, id: &str) -> Result<Option<PostReceipt>, Fault> {
        let ts = match id.split_once('/') {
            Some((channel, _)) if channel != args.channel => return Err(Fault::Echo("channel".to_owned())),
            Some((_, ts)) => ts,
            None => id,
        };
        if !ids::is_ts(ts) {
            return Err(Fault::Unread("a message is named by its ts, such as 1700000000.000100".to_owned()));
        }
        match wire::message(cx, &args.channel, ts).await? {
            Some(message) if message.is_marked(&cx.names().mark()) => Ok(Some(receipt(&args.channel, message))),
            Some(_) => Err(Fault::Echo("metadata".to_owned())),
            None => Ok(None),
        }
    }
}

fn receipt(channel: &str, message: Message) -> PostReceipt {
    let thread_ts = wire::thread_of(&message.ts, message.thread_ts);
    PostReceipt { id: ids::message(channel, &message.ts), channel: channel.to_owned(), ts: message.ts, thread_ts }
}

/// The answer to a post.
#[derive(Deserialize)]
struct Posted {
    channel: String,
    ts: String,
    message: Option<InThread>,
}

#[derive(Deserialize)]
struct InThread {
    thread_ts: Option<String>,
}

impl Posted {
    fn receipt(self) -> PostReceipt {
        let thread_ts = wire::thread_of(&self.ts, self.message.and_then(|message| message.thread_ts));
        PostReceipt { id: ids::message(&self.channel, &self.ts), channel: self.channel, ts: self.ts, thread_ts }
    }
}

impl Post {
    /// A text into a conversation; for more, `Post { thread_ts, ..Post::text(..) }`.
    pub fn text(channel: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            channel: channel.into(),
            text: text.into(),
            blocks: Vec::new(),
            thread_ts: None,
            reply_broadcast: false,
            unfurl_links: None,
            unfurl_media: None,
        }
    }

    fn request(&self, names: &Names) -> Request {
        let metadata = json!({ "event_type": EVENT_TYPE, "event_payload": { MARK: names.mark() } });
        Request::post("/api/chat.postMessage").form([
            ("channel", Some(self.channel.clone())),
            ("text", Some(self.text.clone())),
            ("blocks", wire::blocks(&self.blocks)),
            ("thread_ts", self.thread_ts.clone()),
            ("reply_broadcast", self.reply_broadcast.then(|| "true".to_owned())),
            ("unfurl_links", self.unfurl_links.map(|wanted| wanted.to_string())),
            ("unfurl_media", self.unfurl_media.map(|wanted| wanted.to_string())),
            ("metadata", Some(metadata.to_string())),
            ("client_msg_id", Some(names.token("post"))),
        ])
    }
}

impl CellArgs for Post {
    fn check(&self) -> Result<(), String> {
        ids::check_channel(&self.channel)?;
        ids::check_text(&self.text, self.blocks.len())?;
        if self.reply_broadcast && self.thread_ts.is_none() {
            return Err("reply_broadcast: only a reply can be shown in the channel, too; say its thread_ts".to_owned());
        }
        self.thread_ts.as_deref().map_or(Ok(()), |ts| ids::check_ts("thread_ts", ts))
    }

    fn echo(&self) -> Echo {
        echo(&self.channel, self.thread_ts.as_deref())
    }
}

impl CellReceipt for PostReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        echo(&self.channel, self.thread_ts.as_deref())
    }
}

/// Outside of a thread the thread is the empty text, so that a reply that ends in the channel shows.
fn echo(channel: &str, thread: Option<&str>) -> Echo {
    vec![("channel", channel.to_owned()), ("thread_ts", thread.unwrap_or_default().to_owned())]
}

#[cfg(test)]
mod tests;
