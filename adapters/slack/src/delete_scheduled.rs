//! `slack.delete_scheduled`: see to it that a scheduled message isn't posted.
//!
//! Be so: anybody's deletion satisfies. Slack doesn't say of an id that is not pending whether it was
//! deleted or sent; that it wasn't due yet does.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::identity::Names;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{Pending, Scheduled};
use crate::{facts, ids, wire};

/// Deletes a message that was scheduled and isn't due yet.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteScheduled {
    /// The conversation's id: `C...`, `G...` or `D...`.
    pub channel: String,
    /// `Q...`: the id in the receipt of `slack.schedule`, by the same app.
    pub scheduled_message_id: String,
    /// When it is due, in seconds since 1970, as in that receipt.
    pub post_at: i64,
}

/// A scheduled message that is deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeleteScheduledReceipt {
    /// `Q...`
    pub id: String,
    /// The conversation.
    pub channel: String,
    /// Who deleted it.
    pub doer: Doer,
}

/// The cell `slack.delete_scheduled`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeleteScheduledCell;

/// What Slack describes as turned away for what was asked.
const OWN: [&str; 1] = ["channel_not_found"];

const GONE: [Row; 1] = [facts::taken("invalid_scheduled_message_id", facts::UNSCHEDULE)];

const ANSWERS: [Row; facts::COMMON + OWN.len() + 1] = facts::table(&OWN, &GONE, facts::UNSCHEDULE);

const SPEC: CellSpec = CellSpec::new(
    "slack.delete_scheduled",
    "Deletes a scheduled message before it is posted",
    &[
        Rung::Native(facts::UNTIL_GONE),
        Rung::Query(facts::PENDING_BY_ID),
        Rung::Human(Human { place: "chat.scheduledMessages.list of the app: {scheduled_message_id}; and the conversation {channel} at {post_at}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.reversal("not reversible; schedule the message again")
.residual("after a lost answer a wrong id or time, or a message of another app, which no list shows, counts as deleted; what is due within ten minutes goes to a person");

impl Cell for DeleteScheduledCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = DeleteScheduled;
    type Receipt = DeleteScheduledReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &DeleteScheduled) -> Answer<DeleteScheduledReceipt> {
        let request = Request::post("/api/chat.deleteScheduledMessage").form([
            ("channel", Some(args.channel.clone())),
            ("scheduled_message_id", Some(args.scheduled_message_id.clone())),
        ]);
        shot.send(request, |deleted: Deleted| {
            if deleted.ok {
                Answer::Happened(args.receipt(Doer::Us))
            } else {
                Answer::Unclear(Fault::Unread("not ok, and no error".to_owned()))
            }
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &DeleteScheduled) -> Result<Finding<DeleteScheduledReceipt>, Fault> {
        // No filter: an id that belongs elsewhere, or is due at another time, is not gone.
        let first = wire::pending();
        let named = |one: Scheduled| (one.id == args.scheduled_message_id).then_some(one);
        let hits = cx.search(first.clone(), |page: Pending, _| Ok(page.page(&first, named))).await?;
        if let Some(one) = hits.first() {
            return Ok(if one.channel_id == args.channel {
                Finding::Absent
            } else {
                Finding::CannotTell(format!("{} is scheduled for another conversation", one.id))
            });
        }
        let now = cx.clock().now().wall_ms / 1_000;
        Ok(if now + Names::SKEW_SECONDS < args.post_at {
            Finding::Happened(args.receipt(Doer::CannotTell))
        } else {
            Finding::CannotTell("it is not pending, and it may have been due: it was deleted or sent".to_owned())
        })
    }
}

/// The answer, which says nothing of what was deleted.
#[derive(Deserialize)]
struct Deleted {
    ok: bool,
}

impl DeleteScheduled {
    fn receipt(&self, doer: Doer) -> DeleteScheduledReceipt {
        DeleteScheduledReceipt { id: self.scheduled_message_id.clone(), channel: self.channel.clone(), doer }
    }
}

impl CellArgs for DeleteScheduled {
    fn check(&self) -> Result<(), String> {
        ids::check_channel(&self.channel)?;
        ids::check_post_at(self.post_at)?;
        if ids::is_scheduled(&self.scheduled_message_id) {
            Ok(())
        } else {
            Err("scheduled_message_id: give the id of a scheduled message, Q...".to_owned())
        }
    }

    fn echo(&self) -> Echo {
        vec![("scheduled_message_id", self.scheduled_message_id.clone())]
    }
}

impl CellReceipt for DeleteScheduledReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and schedule holds the claim on the id.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("scheduled_message_id", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
