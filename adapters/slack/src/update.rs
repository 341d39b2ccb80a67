//! `slack.update`: see to it that a message says this.
//!
//! Be so: content takes the place of content, so a repeat changes nothing more. The last writer wins.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::alike::{self, Likeness};
use crate::wire::Message;
use crate::{facts, ids, wire};

/// Puts this in the place of what a message of ours says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The conversation's id: `C...`, `G...` or `D...`.
    pub channel: String,
    /// The message's `ts`, as in the receipt of `slack.post`.
    pub ts: String,
    /// The text, up to 40000 characters. With blocks it is what notifications say.
    pub text: String,
    /// Up to 50 blocks of Block Kit. Without any Slack decides what becomes of earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
}

/// A message that says what it was to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateReceipt {
    /// `CHANNEL/TS`
    pub id: String,
    /// The conversation.
    pub channel: String,
    /// What names the message there.
    pub ts: String,
    /// Who wrote it.
    pub doer: Doer,
}

/// The cell `slack.update`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateCell;

/// What Slack describes as turned away for what was asked.
const OWN: [&str; 12] = [
    "block_mismatch",
    "cant_update_message",
    "channel_not_found",
    "edit_window_closed",
    "invalid_blocks",
    "invalid_blocks_format",
    "is_inactive",
    "message_not_found",
    "msg_too_long",
    "no_text",
    "team_access_not_granted",
    "team_not_found",
];

/// Described as not possible at this time, or while something else is under way.
const NOT_NOW: [Row; 2] = [
    facts::not_done("external_channel_migrating", facts::UPDATE),
    facts::not_done("streaming_state_conflict", facts::UPDATE),
];

const ANSWERS: [Row; facts::COMMON + OWN.len() + 2] = facts::table(&OWN, &NOT_NOW, facts::UPDATE);

const SPEC: CellSpec = CellSpec::new(
    "slack.update",
    "Changes what a message says",
    &[
        Rung::Native(facts::SAME_CONTENT),
        Rung::Query(facts::BY_TS),
        Rung::Human(Human { place: "the conversation {channel} in Slack: the message {ts}" }),
    ],
)
.be_so()
.stakes(Stakes::Low)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.reversal("slack.update with the earlier content")
.residual("a message that is gone when it is looked for may have been changed before: a person decides");

impl Cell for UpdateCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Update;
    type Receipt = UpdateReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Update) -> Answer<UpdateReceipt> {
        shot.send(args.request(), |updated: Updated| Answer::Happened(receipt(updated.channel, updated.ts, Doer::Us)))
            .await
    }

    async fn find(&self, cx: &Context, args: &Update) -> Result<Finding<UpdateReceipt>, Fault> {
        Ok(match wire::message(cx, &args.channel, &args.ts).await? {
            Some(message) if args.is_said_by(&message) => {
                Finding::Happened(receipt(args.channel.clone(), message.ts, Doer::CannotTell))
            }
            Some(_) => Finding::Absent,
            None => Finding::CannotTell("the message is gone; it may have been changed before".to_owned()),
        })
    }
}

fn receipt(channel: String, ts: String, doer: Doer) -> UpdateReceipt {
    UpdateReceipt { id: ids::message(&channel, &ts), channel, ts, doer }
}

/// The answer to an update.
#[derive(Deserialize)]
struct Updated {
    channel: String,
    ts: String,
}

impl Update {
    /// A text in the place of a message's content.
    pub fn text(channel: impl Into<String>, ts: impl Into<String>, text: impl Into<String>) -> Self {
        Self { channel: channel.into(), ts: ts.into(), text: text.into(), blocks: Vec::new() }
    }

    fn request(&self) -> Request {
        Request::post("/api/chat.update").form([
            ("channel", Some(self.channel.clone())),
            ("ts", Some(self.ts.clone())),
            ("text", Some(self.text.clone())),
            ("blocks", wire::blocks(&self.blocks)),
        ])
    }

    fn is_said_by(&self, message: &Message) -> bool {
        let blocks = self.blocks.is_empty()
            || message.blocks.as_ref().is_some_and(|stored| alike::holds(stored, &Value::from(self.blocks.clone())));
        blocks && alike::text(&self.text, &message.text) == Likeness::Same
    }
}

impl CellArgs for Update {
    fn check(&self) -> Result<(), String> {
        ids::check_channel(&self.channel)?;
        ids::check_ts("ts", &self.ts)?;
        ids::check_text(&self.text, self.blocks.len())
    }

    fn echo(&self) -> Echo {
        vec![("message", ids::message(&self.channel, &self.ts))]
    }
}

impl CellReceipt for UpdateReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and post holds the claim on the message.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("message", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
