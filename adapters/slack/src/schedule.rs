//! `slack.schedule`: schedule a message once.
//!
//! A scheduled message that has metadata never posts, so ours has no mark. What is left is to look
//! through what is pending for what looks like ours; the second in which it is due tells much.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::identity::Names;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::alike::{self, Likeness};
use crate::wire::{Message, Messages, Pending, Scheduled};
use crate::{facts, ids, wire};

/// Posts this there at that time. Two equal messages are two messages.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The conversation's id: `C...`, `G...` or `D...`.
    pub channel: String,
    /// When it is posted, in seconds since 1970; at most 120 days ahead. A second that nothing else
    /// is scheduled for makes it sure to be found again.
    pub post_at: i64,
    /// The text, up to 40000 characters. With blocks it is what notifications say.
    pub text: String,
    /// Up to 50 blocks of Block Kit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
    /// `ts` of the message that this is a reply to; that of the thread's first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<String>,
}

/// A message that Slack will post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleReceipt {
    /// `Q...`, or `CHANNEL/TS` if a person named the message that came of it.
    pub id: String,
    /// The conversation.
    pub channel: String,
    /// When it is posted, in seconds since 1970.
    pub post_at: i64,
}

/// The cell `slack.schedule`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScheduleCell;

/// What Slack describes as turned away for what was asked.
const OWN: [&str; 18] = [
    "channel_not_found",
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_time",
    "is_archived",
    "message_limit_exceeded",
    "msg_too_long",
    "no_text",
    "not_in_channel",
    "restricted_action",
    "restricted_action_non_threadable_channel",
    "restricted_action_read_only_channel",
    "restricted_action_thread_only_channel",
    "restricted_too_many",
    "team_access_not_granted",
    "time_in_past",
    "time_too_far",
    "too_many_attachments",
];

const ANSWERS: [Row; facts::COMMON + OWN.len() + 2] =
    facts::table(&OWN, &facts::adrift(facts::SCHEDULE), facts::SCHEDULE);

const SPEC: CellSpec = CellSpec::new(
    "slack.schedule",
    "Schedules a message for a conversation or a thread",
    &[
        Rung::Query(facts::BY_CONTENT),
        Rung::Human(Human { place: "chat.scheduledMessages.list of the app, or the conversation {channel} at {post_at}" }),
    ],
)
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.later("slack.delete_scheduled takes it back; at its time it is posted")
.reversal("slack.delete_scheduled until it is due, afterwards slack.delete")
.residual("a message with the same text for the same second in the same conversation that was scheduled without hapax, at most ten minutes before ours, is taken for ours");

/// Seconds around the time at which a message that was scheduled is looked for in the conversation.
const EARLY: i64 = 60;
const LATE: i64 = 15 * 60;

impl Cell for ScheduleCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Schedule;
    type Receipt = ScheduleReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Schedule) -> Answer<ScheduleReceipt> {
        shot.send(args.request(), |taken: Taken| Answer::Happened(taken.receipt())).await
    }

    async fn find(&self, cx: &Context, args: &Schedule) -> Result<Finding<ScheduleReceipt>, Fault> {
        let (first, since) = (wire::pending(), cx.names().since_unix());
        let compare = |one: Scheduled| match args.likeness(&one, since) {
            Likeness::Other => None,
            likeness => Some((likeness, one)),
        };
        let hits = cx.search(first.clone(), |page: Pending, _| Ok(page.page(&first, compare))).await?;
        let (ours, unsure): (Vec<_>, Vec<_>) = hits.into_iter().partition(|(like, _)| *like == Likeness::Same);
        if !ours.is_empty() {
            return Ok(found(ours.into_iter().map(|(_, one)| receipt(one)).collect()));
        }
        if let Some((_, one)) = unsure.first() {
            return Ok(Finding::CannotTell(format!("{} could be ours: Slack may store the text otherwise", one.id)));
        }
        if cx.clock().now().wall_ms / 1_000 + Names::SKEW_SECONDS < args.post_at {
            return Ok(Finding::Absent);
        }
        self.find_sent(cx, args).await
    }

    async fn fetch(&self, cx: &Context, args: &Schedule, id: &str) -> Result<Option<ScheduleReceipt>, Fault> {
        if ids::is_scheduled(id) {
            let first = wire::pending();
            let named = |one: Scheduled| (one.id == id).then_some(one);
            let hits = cx.search(first.clone(), |page: Pending, _| Ok(page.page(&first, named))).await?;
            return match hits.into_iter().next() {
                Some(one) if args.likeness(&one, 0) == Likeness::Other => Err(Fault::Echo("text".to_owned())),
                one => Ok(one.map(receipt)),
            };
        }
        let ts = id.strip_prefix(&format!("{}/", args.channel)).unwrap_or(id);
        if !ids::is_ts(ts) {
            return Err(Fault::Unread(
                "name it by its id, Q..., or by the ts of the message that came of it".to_owned(),
            ));
        }
        match wire::message(cx, &args.channel, ts).await? {
            Some(message) if args.may_have_become(&message) => Ok(Some(args.sent(&message))),
            Some(_) => Err(Fault::Echo("text".to_owned())),
            None => Ok(None),
        }
    }
}

impl ScheduleCell {
    /// Looks for the message where it must be by now. One that is there settles nothing: another
    /// operation may have scheduled the same, and its claim is on the id that Slack gave it.
    async fn find_sent(&self, cx: &Context, args: &Schedule) -> Result<Finding<ScheduleReceipt>, Fault> {
        if !cx.is_met(facts::READS_HISTORY) {
            return Ok(Finding::CannotTell("it was due, and the app may not read the conversation".to_owned()));
        }
        let first = wire::conversation(&args.channel, args.thread_ts.as_deref(), args.post_at - EARLY);
        let ours = |message: Message| args.may_have_become(&message).then_some(message.ts);
        let hits = cx.search(first.clone(), |page: Messages, _| page.page(&first, ours)).await?;
        Ok(match hits.first() {
            None => Finding::Absent,
            Some(ts) => Finding::CannotTell(format!("it was due, and the message {ts} looks like it")),
        })
    }
}

fn receipt(one: Scheduled) -> ScheduleReceipt {
    ScheduleReceipt { id: one.id, channel: one.channel_id, post_at: one.post_at }
}

/// The answer to a request.
#[derive(Deserialize)]
struct Taken {
    channel: String,
    #[serde(deserialize_with = "wire::read_id")]
    scheduled_message_id: String,
    #[serde(deserialize_with = "wire::read_seconds")]
    post_at: i64,
}

impl Taken {
    fn receipt(self) -> ScheduleReceipt {
        ScheduleReceipt { id: self.scheduled_message_id, channel: self.channel, post_at: self.post_at }
    }
}

impl Schedule {
    /// A text into a conversation at a time; for more, `Schedule { thread_ts, ..Schedule::text(..) }`.
    pub fn text(channel: impl Into<String>, post_at: i64, text: impl Into<String>) -> Self {
        Self { channel: channel.into(), post_at, text: text.into(), blocks: Vec::new(), thread_ts: None }
    }

    fn request(&self) -> Request {
        Request::post("/api/chat.scheduleMessage").form([
            ("channel", Some(self.channel.clone())),
            ("post_at", Some(self.post_at.to_string())),
            ("text", Some(self.text.clone())),
            ("blocks", wire::blocks(&self.blocks)),
            ("thread_ts", self.thread_ts.clone()),
        ])
    }

    /// Compares an entry that is pending, made since then, with the intent.
    fn likeness(&self, one: &Scheduled, since: i64) -> Likeness {
        if one.channel_id == self.channel && one.post_at == self.post_at && one.date_created >= since {
            alike::text(&self.text, &one.text)
        } else {
            Likeness::Other
        }
    }

    /// Whether a message of the conversation can be what was scheduled.
    fn may_have_become(&self, message: &Message) -> bool {
        let seconds = message.ts.split_once('.').and_then(|(seconds, _)| seconds.parse::<i64>().ok());
        let in_time = seconds.is_none_or(|at| (self.post_at - EARLY..=self.post_at + LATE).contains(&at));
        in_time && alike::text(&self.text, &message.text) != Likeness::Other
    }

    fn sent(&self, message: &Message) -> ScheduleReceipt {
        let id = ids::message(&self.channel, &message.ts);
        ScheduleReceipt { id, channel: self.channel.clone(), post_at: self.post_at }
    }
}

impl CellArgs for Schedule {
    fn check(&self) -> Result<(), String> {
        ids::check_channel(&self.channel)?;
        ids::check_post_at(self.post_at)?;
        ids::check_text(&self.text, self.blocks.len())?;
        self.thread_ts.as_deref().map_or(Ok(()), |ts| ids::check_ts("thread_ts", ts))
    }

    fn echo(&self) -> Echo {
        vec![("channel", self.channel.clone()), ("post_at", self.post_at.to_string())]
    }
}

impl CellReceipt for ScheduleReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("channel", self.channel.clone()), ("post_at", self.post_at.to_string())]
    }
}

#[cfg(test)]
mod tests;
