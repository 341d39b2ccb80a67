//! `resend.cancel_scheduled`: see to it that a scheduled mail doesn't leave.
//!
//! Be so: anybody's cancellation satisfies.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts;
use crate::wire::{self, MAILS, is_id};

/// Cancels a mail that was scheduled and hasn't left.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelScheduled {
    /// The id in the receipt of `resend.send`.
    pub mail: String,
}

/// A mail that is canceled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelScheduledReceipt {
    /// Resend's id.
    pub id: String,
    /// Who canceled it.
    pub doer: Doer,
}

/// The cell `resend.cancel_scheduled`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelScheduledCell;

const SPEC: CellSpec = CellSpec::new(
    "resend.cancel_scheduled",
    "Cancels a scheduled mail that has not left",
    &[
        Rung::Native(facts::UNTIL_CANCELED),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human { place: "https://resend.com/emails/{mail}: is it canceled?" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(facts::ANSWERS_OF_CANCELLATIONS)
.reversal("not reversible; send the mail again")
.residual("the mail may leave before the cancellation arrives; then this is refused and it was received");

impl Cell for CancelScheduledCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CancelScheduled;
    type Receipt = CancelScheduledReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CancelScheduled) -> Answer<CancelScheduledReceipt> {
        let request = Request::post(format!("{MAILS}/{}/cancel", args.mail));
        shot.send(request, |canceled: Canceled| {
            Answer::Happened(CancelScheduledReceipt { id: canceled.id, doer: Doer::Us })
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CancelScheduled) -> Result<Finding<CancelScheduledReceipt>, Fault> {
        let Some(mail) = cx.get::<wire::Mail>(wire::one(&args.mail)?).await? else { return Ok(Finding::Absent) };
        Ok(match mail.event().unwrap_or_default() {
            "canceled" => Finding::Happened(CancelScheduledReceipt { id: mail.id, doer: Doer::CannotTell }),
            "scheduled" => Finding::Absent,
            "queued" => Finding::NotYet("the mail is on its way out".to_owned()),
            event @ ("sent" | "delivered" | "delivery_delayed" | "opened" | "clicked" | "complained" | "bounced"
            | "failed" | "suppressed") => {
                let words = format!("the mail is {event} and can't be canceled any more");
                Finding::Failed(Refusal::new("not-scheduled", words))
            }
            event => Finding::CannotTell(format!("unknown event {event:?}")),
        })
    }
}

#[derive(Deserialize)]
struct Canceled {
    id: String,
}

impl CancelScheduled {
    /// Cancels the mail with this id.
    pub fn of(mail: impl Into<String>) -> Self {
        Self { mail: mail.into() }
    }
}

impl CellArgs for CancelScheduled {
    fn check(&self) -> Result<(), String> {
        if is_id(&self.mail) { Ok(()) } else { Err("mail: give the id of a mail, a UUID".to_owned()) }
    }

    fn echo(&self) -> Echo {
        vec![("mail", self.mail.clone())]
    }
}

impl CellReceipt for CancelScheduledReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and resend.send holds the claim on the mail.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("mail", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
