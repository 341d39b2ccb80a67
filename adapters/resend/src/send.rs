//! `resend.send`: send a mail once.
//!
//! Resend's key keeps a second mail away for a day. Our mark is a tag, by which a mail can be found.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellReceipt, Context, Shot};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client::post;
use crate::mail::Mail;
use crate::wire::{self, MAILS, is_id};
use crate::{facts, search};

/// A mail that Resend took on; whether it arrives is its fate. It names nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MailReceipt {
    /// Resend's id.
    pub id: String,
    /// What happened to it last, once that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event: Option<String>,
    /// When it leaves, if that was read and it is scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<String>,
}

/// The cell `resend.send`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendCell;

const SPEC: CellSpec = CellSpec::new(
    "resend.send",
    "Sends a mail",
    &[
        Rung::Native(facts::KEY),
        Rung::Query(facts::BY_TAG),
        Rung::Query(facts::WEBHOOK),
        Rung::Human(Human { place: "https://resend.com/logs: a POST to /emails since then whose request has the tag hapax={mark}" }),
    ],
)
.stakes(Stakes::Medium)
.answers(facts::ANSWERS_OF_SENDS)
.patience(facts::PATIENCE)
.later("last_event of the mail, or the webhooks email.delivered, email.bounced, email.failed and email.suppressed")
.reversal("not reversible once it has left; a scheduled one by resend.cancel_scheduled")
.residual("after an answered server error or three limits in a row, which nobody says did nothing, a mail that isn't found goes to a person; an answer is an id alone, so another mail's id would be believed");

impl Cell for SendCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Mail;
    type Receipt = MailReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Mail) -> Answer<MailReceipt> {
        let names = shot.names();
        let request = post(MAILS, names.token("send")).json(args.written(&names.mark()));
        shot.send(request, |made: Made| match made.id() {
            Ok(id) => Answer::Happened(MailReceipt { id, last_event: None, scheduled_at: None }),
            Err(fault) => Answer::Unclear(fault),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Mail) -> Result<Finding<MailReceipt>, Fault> {
        let found_there = search::marked(cx, std::slice::from_ref(args)).await?;
        if found_there.ours.is_empty() && found_there.unsure > 0 {
            return Ok(unsure(found_there.unsure));
        }
        Ok(found(found_there.ours.into_iter().map(|(_, mail)| receipt(mail)).collect()))
    }

    async fn fetch(&self, cx: &Context, args: &Mail, id: &str) -> Result<Option<MailReceipt>, Fault> {
        match cx.get::<wire::Mail>(wire::one(id)?).await? {
            Some(mail) if !args.is_to(&mail) => Err(Fault::Echo("to".to_owned())),
            Some(mail) if !args.is_like(&mail) => Err(Fault::Echo("subject".to_owned())),
            Some(mail) => Ok(Some(receipt(mail))),
            None => Ok(None),
        }
    }
}

/// What is said where mails that could be ours are shown without tags.
pub(crate) fn unsure<R>(count: usize) -> Finding<R> {
    Finding::CannotTell(format!("{count} mail(s) to these recipients could be ours: they are shown without tags"))
}

fn receipt(mail: wire::Mail) -> MailReceipt {
    let last_event = mail.event().map(str::to_owned);
    MailReceipt { id: mail.id, last_event, scheduled_at: mail.scheduled_at }
}

/// Resend's answer to a mail. It names no kind; an answer that does speaks of something else.
#[derive(Deserialize)]
pub(crate) struct Made {
    id: String,
    object: Option<String>,
}

impl Made {
    /// The id, if it is one of a mail.
    pub(crate) fn id(self) -> Result<String, Fault> {
        match self.object.as_deref() {
            None | Some("email") if is_id(&self.id) => Ok(self.id),
            _ => Err(Fault::Unread("an answer that names no mail".to_owned())),
        }
    }
}

impl CellReceipt for MailReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn fate(&self) -> Option<(String, bool)> {
        let event = self.last_event.clone()?;
        let failed = matches!(event.as_str(), "bounced" | "failed" | "suppressed" | "canceled");
        Some((event, failed))
    }
}

#[cfg(test)]
mod tests;
