//! `sendgrid.cancel_scheduled`: see to it that the mails of a batch don't leave.
//!
//! Be so: anybody's cancellation satisfies.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Request, is_plain_segment};
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::facts;

/// Cancels the scheduled mails of a batch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelScheduled {
    /// The `batch_id` with which they were sent.
    pub batch_id: String,
}

/// A batch that is cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelScheduledReceipt {
    /// SendGrid's batch id.
    pub batch_id: String,
    /// Who cancelled it.
    pub doer: Doer,
}

/// The cell `sendgrid.cancel_scheduled`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelScheduledCell;

const BATCHES: &str = "/v3/user/scheduled_sends";
const CANCEL: &str = "cancel";

const SPEC: CellSpec = CellSpec::new(
    "sendgrid.cancel_scheduled",
    "Cancels the scheduled mails of a batch that have not left",
    &[
        Rung::Native(facts::CANCELLED_ONCE),
        Rung::Query(facts::BY_BATCH),
        Rung::Human(Human { place: "GET /v3/user/scheduled_sends/{batch_id}: is its status cancel?" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(facts::ANSWERS_OF_CANCELLATIONS)
.reversal("until send_at by DELETE /v3/user/scheduled_sends/{batch_id}")
.residual("a cancellation on record doesn't tell whether mails have left: later than 10 minutes before send_at SendGrid doesn't stop them");

impl Cell for CancelScheduledCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CancelScheduled;
    type Receipt = CancelScheduledReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CancelScheduled) -> Answer<CancelScheduledReceipt> {
        let request = Request::post(BATCHES).json(json!({ "batch_id": args.batch_id, "status": CANCEL }));
        shot.send(request, |batch: Batch| match batch.status.as_str() {
            CANCEL => Answer::Happened(CancelScheduledReceipt { batch_id: batch.batch_id, doer: Doer::Us }),
            other => Answer::Unclear(Fault::Unread(format!("status {other:?} of the batch"))),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CancelScheduled) -> Result<Finding<CancelScheduledReceipt>, Fault> {
        let listed = cx.get::<Vec<Batch>>(Request::get(format!("{BATCHES}/{}", args.batch_id))).await?;
        let listed = listed.unwrap_or_default();
        if listed.iter().any(|batch| batch.batch_id != args.batch_id) {
            return Err(Fault::Echo("batch_id".to_owned()));
        }
        let batch_id = args.batch_id.clone();
        Ok(match listed.first().map(|batch| batch.status.as_str()) {
            None => Finding::Absent,
            Some(CANCEL) => Finding::Happened(CancelScheduledReceipt { batch_id, doer: Doer::CannotTell }),
            Some(other) => Finding::CannotTell(format!("the batch has the status {other:?}; change it by hand")),
        })
    }
}

/// A batch that somebody cancelled or paused.
#[derive(Deserialize)]
struct Batch {
    batch_id: String,
    status: String,
}

impl CancelScheduled {
    /// Cancels the batch with this id.
    pub fn of(batch_id: impl Into<String>) -> Self {
        Self { batch_id: batch_id.into() }
    }
}

impl CellArgs for CancelScheduled {
    fn check(&self) -> Result<(), String> {
        if is_plain_segment(&self.batch_id) {
            Ok(())
        } else {
            Err("batch_id: give a batch id of SendGrid's".to_owned())
        }
    }

    fn echo(&self) -> Echo {
        vec![("batch_id", self.batch_id.clone())]
    }
}

impl CellReceipt for CancelScheduledReceipt {
    /// Nothing is claimed: anybody's doing satisfies.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("batch_id", self.batch_id.clone())]
    }
}

#[cfg(test)]
mod tests;
