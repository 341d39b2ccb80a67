//! `slack.delete`: see to it that a message is gone.
//!
//! Be so: anybody's deletion satisfies. A message is deleted once.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{facts, ids, wire};

/// Deletes a message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// The conversation's id: `C...`, `G...` or `D...`.
    pub channel: String,
    /// The message's `ts`, as in the receipt of `slack.post`.
    pub ts: String,
}

/// A message that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeleteReceipt {
    /// `CHANNEL/TS`
    pub id: String,
    /// The conversation.
    pub channel: String,
    /// What named the message there.
    pub ts: String,
    /// Who deleted it.
    pub doer: Doer,
}

/// The cell `slack.delete`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeleteCell;

/// What Slack describes as turned away for what was asked.
const OWN: [&str; 3] = ["cant_delete_message", "channel_not_found", "compliance_exports_prevent_deletion"];

const GONE: [Row; 1] = [facts::taken("message_not_found", facts::DELETE)];

const ANSWERS: [Row; facts::COMMON + OWN.len() + 1] = facts::table(&OWN, &GONE, facts::DELETE);

const SPEC: CellSpec = CellSpec::new(
    "slack.delete",
    "Deletes a message",
    &[
        Rung::Native(facts::UNTIL_DELETED),
        Rung::Query(facts::BY_TS),
        Rung::Human(Human { place: "the conversation {channel} in Slack: the message {ts}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.reversal("not reversible; post the message again")
.residual("a ts that never named a message in the conversation counts as deleted, and so does a message that the workspace's plan hides");

impl Cell for DeleteCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Delete;
    type Receipt = DeleteReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Delete) -> Answer<DeleteReceipt> {
        let request = Request::post("/api/chat.delete")
            .form([("channel", Some(args.channel.clone())), ("ts", Some(args.ts.clone()))]);
        shot.send(request, |deleted: Deleted| Answer::Happened(receipt(deleted.channel, deleted.ts, Doer::Us))).await
    }

    async fn find(&self, cx: &Context, args: &Delete) -> Result<Finding<DeleteReceipt>, Fault> {
        Ok(match wire::message(cx, &args.channel, &args.ts).await? {
            Some(_) => Finding::Absent,
            None => Finding::Happened(receipt(args.channel.clone(), args.ts.clone(), Doer::CannotTell)),
        })
    }
}

fn receipt(channel: String, ts: String, doer: Doer) -> DeleteReceipt {
    DeleteReceipt { id: ids::message(&channel, &ts), channel, ts, doer }
}

/// The answer to a deletion.
#[derive(Deserialize)]
struct Deleted {
    channel: String,
    ts: String,
}

impl Delete {
    /// Deletes this message.
    pub fn of(channel: impl Into<String>, ts: impl Into<String>) -> Self {
        Self { channel: channel.into(), ts: ts.into() }
    }
}

impl CellArgs for Delete {
    fn check(&self) -> Result<(), String> {
        ids::check_channel(&self.channel)?;
        ids::check_ts("ts", &self.ts)
    }

    fn echo(&self) -> Echo {
        vec![("message", ids::message(&self.channel, &self.ts))]
    }
}

impl CellReceipt for DeleteReceipt {
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
