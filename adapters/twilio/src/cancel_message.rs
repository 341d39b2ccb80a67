//! `twilio.cancel_message`: see to it that a scheduled message doesn't leave.
//!
//! Be so: anybody's cancellation satisfies.

use hapax_core::capability::{CellSpec, Human, Meaning, Native, Query, Repeat, Row, Rung, Stakes, Window};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client;
use crate::facts;
use crate::wire::{self, MESSAGES, Message, is_sid};

/// Cancels a message that was scheduled and hasn't left.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelMessage {
    /// `SM...` or `MM...`: the id in the receipt of `twilio.send_message`.
    pub message: String,
}

/// A message that is canceled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelMessageReceipt {
    /// `SM...` or `MM...`
    pub id: String,
    /// Twilio's status of the message.
    pub status: String,
    /// Who canceled it.
    pub doer: Doer,
}

/// The cell `twilio.cancel_message`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelMessageCell;

/// It is canceled already, or has left: the look says which. The HTTP status is not documented.
const NOT_SCHEDULED: Row = Row::new(0, "*", "30409", Meaning::Taken, facts::NOT_SCHEDULED);

const SPEC: CellSpec = CellSpec::new(
    "twilio.cancel_message",
    "Cancels a scheduled message that has not left",
    &[
        Rung::Native(
            Native::state("scheduled")
                .kept(Window::Ever, "a message is never scheduled again")
                .repeat(Repeat::Refuses)
                .from(&[facts::NOT_SCHEDULED]),
        ),
        Rung::Query(Query::by_token().reaches(Window::Ever).from(&[facts::SPEC])),
        Rung::Human(Human { place: "https://console.twilio.com/us1/monitor/logs/sms: the message {message}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&[NOT_SCHEDULED, facts::TOO_MANY_REQUESTS, facts::ANY_429, facts::UNAUTHORIZED])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("not reversible; send the message again")
.residual("the message may leave before the cancellation arrives; then this is refused and it was received");

impl Cell for CancelMessageCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CancelMessage;
    type Receipt = CancelMessageReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CancelMessage) -> Answer<CancelMessageReceipt> {
        let request =
            Request::post(wire::record(MESSAGES, &args.message)).form([("Status", Some("canceled".to_owned()))]);
        shot.send(request, |message: Message| match message.status.as_str() {
            "canceled" => Answer::Happened(receipt(message, Doer::Us)),
            status => Answer::Unclear(Fault::Unread(format!("a canceled message with the status {status}"))),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CancelMessage) -> Result<Finding<CancelMessageReceipt>, Fault> {
        let read = client::record(MESSAGES, &args.message);
        let Some(message) = cx.get::<Message>(read).await? else { return Ok(Finding::Absent) };
        Ok(match message.status.as_str() {
            "canceled" => Finding::Happened(receipt(message, Doer::CannotTell)),
            "scheduled" => Finding::Absent,
            "accepted" => Finding::NotYet("the message is on its way to a queue".to_owned()),
            "queued" | "sending" | "sent" | "delivered" | "undelivered" | "partially_delivered" | "read" | "failed" => {
                let words = format!("the message has the status {} and can't be canceled any more", message.status);
                Finding::Failed(Refusal::new("30409", words))
            }
            status => Finding::CannotTell(format!("unknown status {status}")),
        })
    }
}

fn receipt(message: Message, doer: Doer) -> CancelMessageReceipt {
    CancelMessageReceipt { id: message.sid, status: message.status, doer }
}

impl CancelMessage {
    /// Cancels the message with this id.
    pub fn of(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl CellArgs for CancelMessage {
    fn check(&self) -> Result<(), String> {
        if is_sid(&self.message, &["SM", "MM"]) {
            Ok(())
        } else {
            Err("message: give the SID of a message, SM... or MM...".to_owned())
        }
    }

    fn echo(&self) -> Echo {
        vec![("message", self.message.clone())]
    }
}

impl CellReceipt for CancelMessageReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and send_message holds the claim on the record.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("message", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
