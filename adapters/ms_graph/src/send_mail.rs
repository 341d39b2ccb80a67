//! `ms_graph.send_mail`: send a mail once.
//!
//! A draft is created, which nobody gets, and its immutable id is journaled; then the draft is sent.
//! From there on the same id is the copy in Sent Items, and no draft any more. That what is no draft is
//! not sent once more is on no page, so a second request is not sent by itself.

use hapax_core::capability::{CellSpec, Human, Meaning, Row, Rung, Stakes, meaning_of};
use hapax_core::cell::{Cell, CellReceipt, Context, Shot, Step};
use hapax_core::transport::Method;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::facts::{self, DRAFT_NOTE};
use crate::mail::{Envelope, SendMail};
use crate::wire::{self, MAILBOX, Marked, Properties};

/// A mail that Exchange accepted. Whether it arrives, only a mail of non-delivery would tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendMailReceipt {
    /// Its immutable id: read it with `Prefer: IdType="ImmutableId"`.
    pub id: String,
}

/// The cell `ms_graph.send_mail`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendMailCell;

const ANSWERS: [Row; facts::COMMON.len() + facts::DRAFT.len()] = facts::table(&facts::DRAFT);

const SPEC: CellSpec = CellSpec::new(
    "ms_graph.send_mail",
    "Sends a mail from an Outlook mailbox",
    &[
        Rung::Native(facts::BY_DRAFT),
        Rung::Query(facts::BY_ID),
        Rung::Query(facts::MARKED_MAIL),
        Rung::Human(Human {
            place: "Outlook, Drafts and Sent Items of the mailbox: \"{subject}\"; the API reads it by the immutable id {draft}",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.settle(facts::LEFT_THE_QUEUE, facts::QUEUED)
.patience(facts::PATIENCE)
.later("a mail of non-delivery in the mailbox, or nothing")
.reversal("not reversible")
.notes(&[DRAFT_NOTE])
.residual("a mail whose answer was lost and that still is a draft goes to a person, because it may be queued, and that Graph refuses to send it once more is not written; somebody may edit, send or delete the draft by hand");

/// A mail, with the fields that are read.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: String,
    is_draft: bool,
    parent_folder_id: Option<String>,
    #[serde(flatten)]
    envelope: Envelope,
    #[serde(default)]
    single_value_extended_properties: Properties,
}

impl Marked for Message {
    fn properties(&self) -> &Properties {
        &self.single_value_extended_properties
    }
}

impl Cell for SendMailCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = SendMail;
    type Receipt = SendMailReceipt;

    async fn prepare(&self, cx: &Context, args: &SendMail) -> Result<Step<SendMailReceipt>, Fault> {
        if cx.names().note(DRAFT_NOTE).is_some() {
            return Ok(Step::Ready);
        }
        if let Some(former) = cx.names().former_note(DRAFT_NOTE) {
            retire(cx, former).await?;
        }
        create(cx, args).await
    }

    async fn attempt(&self, shot: Shot<'_>, _: &SendMail) -> Answer<SendMailReceipt> {
        let Some(draft) = shot.names().note(DRAFT_NOTE).map(str::to_owned) else {
            return Answer::NotDone("no draft is noted".to_owned(), None);
        };
        let request = wire::lasting(Method::Post, format!("{}/send", wire::message(&draft)));
        // A 202 may ask to try again later. It was accepted all the same (F7).
        shot.send_for_status(request, 202, |_| Answer::Happened(SendMailReceipt { id: draft })).await
    }

    async fn find(&self, cx: &Context, args: &SendMail) -> Result<Finding<SendMailReceipt>, Fault> {
        let mut otherwise = Finding::Absent;
        let mut sent = Vec::new();
        if let Some(draft) = cx.names().note(DRAFT_NOTE) {
            match read(cx, draft).await? {
                Some(mail) if mail.id != draft => {
                    return Err(Fault::Unread("the answer is about another mail".to_owned()));
                }
                Some(mail) if !mail.is_draft => sent.push(mail),
                Some(_) => {}
                None => {
                    let why = "neither a draft nor a sent mail has the draft's id: it is on its way, or was deleted";
                    otherwise = Finding::NotYet(why.to_owned());
                }
            }
        }
        // A restored or second ledger may have sent another draft than the noted one, besides or instead.
        for mail in wire::items::<Message>(cx, messages(), wire::message).await? {
            if !mail.is_draft && sent.iter().all(|known| known.id != mail.id) {
                sent.push(mail);
            }
        }
        let hits = sent.into_iter().map(|mail| args.receipt(mail)).collect::<Result<Vec<_>, _>>()?;
        Ok(match found(hits) {
            Finding::Absent => otherwise,
            finding => finding,
        })
    }

    async fn fetch(&self, cx: &Context, args: &SendMail, id: &str) -> Result<Option<SendMailReceipt>, Fault> {
        if !wire::is_id(id) {
            return Err(Fault::Unread("a mail is named by its immutable id".to_owned()));
        }
        match read(cx, id).await? {
            None => Ok(None),
            Some(mail) if mail.is_draft => Err(Fault::Unread("this mail is a draft, so it wasn't sent".to_owned())),
            Some(mail) => {
                wire::check_not_anothers(cx, &mail)?;
                args.receipt(mail).map(Some)
            }
        }
    }
}

fn messages() -> String {
    format!("/v1.0/{MAILBOX}/messages")
}

async fn read(cx: &Context, id: &str) -> Result<Option<Message>, Fault> {
    cx.get(wire::expanded(wire::message(id))).await
}

/// Makes the draft that will be sent. It is harmless: nobody gets a draft.
async fn create(cx: &Context, args: &SendMail) -> Result<Step<SendMailReceipt>, Fault> {
    let request = wire::lasting(Method::Post, messages()).json(args.draft(&cx.names().mark()));
    match cx.try_call::<Message>(request).await? {
        Ok(draft) if !wire::is_id(&draft.id) => Err(Fault::Unread("a draft without an id".to_owned())),
        Ok(draft) if !draft.is_draft => Err(Fault::Unread("a new mail that is no draft".to_owned())),
        Ok(draft) => Ok(Step::Note(DRAFT_NOTE, draft.id)),
        // Nothing is spent here, so what would be Taken for a sent draft is a refusal.
        Err((status, code)) => match meaning_of(&ANSWERS, status, &code) {
            Some(Meaning::Refused | Meaning::Taken) => Ok(Step::Refused(code.refusal())),
            _ => Err(Fault::Status(status, format!("creating the draft: {} {}", code.name(), code.message))),
        },
    }
}

/// Sees to it that the draft of the epoch before isn't sent any more. It is deleted only while it is a
/// draft: the same id would then name the sent mail.
async fn retire(cx: &Context, former: &str) -> Result<(), Fault> {
    let Some(before) = read_draft(cx, former).await? else { return Ok(()) };
    // Whatever the answer, which may be empty: what counts is where the draft is afterwards.
    match cx.try_call::<Value>(wire::lasting(Method::Delete, wire::message(former))).await {
        Ok(_) | Err(Fault::Unread(_)) => {}
        Err(fault) => return Err(fault),
    }
    match read_draft(cx, former).await? {
        // Deleting may only move it to another folder.
        Some(after) if after.parent_folder_id == before.parent_folder_id => {
            Err(Fault::Unread("the draft of the epoch before could not be deleted".to_owned()))
        }
        _ => Ok(()),
    }
}

async fn read_draft(cx: &Context, id: &str) -> Result<Option<Message>, Fault> {
    match read(cx, id).await? {
        Some(mail) if !mail.is_draft => {
            Err(Fault::Unread("the mail of the epoch before was sent, so no other one is".to_owned()))
        }
        draft => Ok(draft),
    }
}

impl SendMail {
    fn receipt(&self, mail: Message) -> Result<SendMailReceipt, Fault> {
        wire::check_id(&mail.id)?;
        match self.shown_otherwise(&mail.envelope) {
            None => Ok(SendMailReceipt { id: mail.id }),
            Some(field) => Err(Fault::Echo(field.to_owned())),
        }
    }
}

impl CellReceipt for SendMailReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests;
