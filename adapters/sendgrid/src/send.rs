//! `sendgrid.send`: send a mail once.
//!
//! SendGrid has no key that keeps a second mail away. Our mark is a custom arg, by which a mail is found where the
//! activity can be asked or a webhook tells; otherwise a person decides.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellReceipt, Context, Shot};
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::activity::{self, Message};
use crate::facts;
use crate::mail::Mail;

/// A mail that SendGrid took on; whether it arrives is its fate. It names nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MailReceipt {
    /// SendGrid's id of the request, its `X-Message-Id`.
    pub id: String,
    /// What became of it for all recipients, once that was read: `processed`, `delivered` or `not_delivered`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The cell `sendgrid.send`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendCell;

/// How long after its time a scheduled mail may still not be shown, in seconds.
const SHOWN_WITHIN_S: i64 = 600;
const NOT_DELIVERED: &str = "not_delivered";

const SPEC: CellSpec = CellSpec::new(
    "sendgrid.send",
    "Sends a mail",
    &[
        Rung::Query(facts::BY_MARK),
        Rung::Query(facts::WEBHOOK),
        Rung::Annul(facts::CANCEL_BATCH),
        Rung::Human(Human { place: "https://app.sendgrid.com/email_activity: messages with the unique arg hapax={mark}, or your store of event webhooks" }),
    ],
)
.stakes(Stakes::Medium)
.answers(facts::ANSWERS)
.patience(facts::PATIENCE)
.later("status of its messages in the email activity, or the event webhooks delivered, bounce and dropped")
.reversal("not reversible once it has left; a scheduled one by sendgrid.cancel_scheduled of its batch")
.residual("SendGrid keeps no second mail away: without the paid activity and without a webhook only a person can find out what became of a lost answer, and a mail that isn't found goes to a person, too");

impl Cell for SendCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Mail;
    type Receipt = MailReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Mail) -> Answer<MailReceipt> {
        let request = Request::post("/v3/mail/send").json(args.written(&shot.names().mark()));
        shot.send_for_status(request, 202, |accepted| match id(accepted) {
            Some(id) => Answer::Happened(MailReceipt { id, status: None }),
            None => Answer::Unclear(Fault::Unread("a 202 without X-Message-Id".to_owned())),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Mail) -> Result<Finding<MailReceipt>, Fault> {
        let mark = cx.names().mark();
        let mut ours = Vec::new();
        for (id, messages) in activity::marked(cx, &mark).await? {
            // What the filter means is practice, so each mail is read by itself.
            if activity::mark_of(cx, &messages).await?.as_ref() == Some(&mark) {
                ours.push(receipt(id, &messages));
            }
        }
        if ours.is_empty() && args.may_not_be_shown_yet(now_s(cx)) {
            return Ok(Finding::CannotTell("a scheduled mail may not be shown before it leaves".to_owned()));
        }
        Ok(found(ours))
    }

    async fn fetch(&self, cx: &Context, args: &Mail, id: &str) -> Result<Option<MailReceipt>, Fault> {
        let id = activity::request_of(id);
        let messages = activity::of_request(cx, id).await?;
        if messages.is_empty() {
            return Ok(None);
        }
        if !messages.iter().all(|message| args.is_to(&message.to_email)) {
            return Err(Fault::Echo("to".to_owned()));
        }
        match activity::mark_of(cx, &messages).await? {
            Some(mark) if mark != cx.names().mark() => Err(Fault::Echo("custom_args.hapax".to_owned())),
            _ => Ok(Some(receipt(id.to_owned(), &messages))),
        }
    }
}

impl Mail {
    fn may_not_be_shown_yet(&self, now_s: i64) -> bool {
        self.send_at.is_some_and(|at| now_s < at.as_second() + SHOWN_WITHIN_S)
    }
}

fn now_s(cx: &Context) -> i64 {
    cx.clock().now().wall_ms / 1000
}

fn id(accepted: &Response) -> Option<String> {
    let id = activity::request_of(accepted.header("x-message-id")?);
    activity::is_id(id).then(|| id.to_owned())
}

/// The worst that became of it for anybody.
fn receipt(id: String, messages: &[Message]) -> MailReceipt {
    let rank = |status: &str| match status {
        NOT_DELIVERED => 2,
        "delivered" => 0,
        _ => 1,
    };
    let worst = messages.iter().max_by_key(|message| rank(&message.status));
    MailReceipt { id, status: worst.map(|message| message.status.clone()) }
}

impl CellReceipt for MailReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn fate(&self) -> Option<(String, bool)> {
        let status = self.status.clone()?;
        let failed = status == NOT_DELIVERED;
        Some((status, failed))
    }
}

#[cfg(test)]
mod tests;
