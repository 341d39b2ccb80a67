//! `gmail.send`: send a mail once.
//!
//! A draft is created, which nobody gets, and its id and thread are journaled; then the draft is
//! sent, which uses it up. From there on the draft itself can be sent only once.

use std::collections::BTreeSet;

use hapax_core::capability::{CellSpec, Human, Meaning, Rung, Stakes, meaning_of};
use hapax_core::cell::{Cell, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::transport::{Body, Method, Request, is_plain_segment};
use hapax_core::words::{Answer, Fault, Finding, Refusal, found};
use lettre::message::Mailboxes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::{MAILBOX, NO_SCOPE};
use crate::facts::{self, ANSWERS, DRAFT_NOTE, THREAD_NOTE};
use crate::mail::Mail;
use crate::mime::{KEY, written};
use crate::wire::{Draft, Header, Message, Page, encoded, values};

/// A mail that Gmail accepted. Whether it arrives, only a bounce would tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendReceipt {
    /// Gmail's id of the message.
    pub id: String,
    /// Gmail's id of its thread.
    pub thread_id: String,
}

/// The cell `gmail.send`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendCell;

const SPEC: CellSpec = CellSpec::new(
    "gmail.send",
    "Sends a mail from a mailbox",
    &[
        Rung::Native(facts::BY_DRAFT),
        Rung::Query(facts::DRAFT_THERE),
        Rung::Query(facts::IN_SENT),
        Rung::Human(Human {
            place: "https://mail.google.com/mail/#all/{thread}, and Sent: \"Show original\" of our mail has X-Hapax-Key: {mark}",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("a bounce in the mailbox, or nothing")
.reversal("not reversible")
.notes(&[DRAFT_NOTE, THREAD_NOTE])
.residual("that Gmail sends a draft and deletes it in one step is not written; somebody may send or delete the draft by hand, and then a person looks");

/// A mail above this goes to the upload address, as Google asks for (F13).
const MOST_IN_JSON: usize = 4 * 1024 * 1024;

impl Cell for SendCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Mail;
    type Receipt = SendReceipt;

    async fn prepare(&self, cx: &Context, args: &Mail) -> Result<Step<SendReceipt>, Fault> {
        let names = cx.names();
        let Some(draft) = names.note(DRAFT_NOTE) else {
            if let Some(former) = names.former_note(DRAFT_NOTE) {
                retire(cx, former).await?;
            }
            return create(cx, args).await;
        };
        if names.note(THREAD_NOTE).is_some() {
            return Ok(Step::Ready);
        }
        // A draft that is gone is not replaced: two drafts in one epoch could both be sent.
        match cx.get::<Draft>(read_draft(draft)).await? {
            Some(draft) => Ok(Step::Note(THREAD_NOTE, draft.message.thread_id)),
            None => Err(Fault::Unread("the draft is gone before it was sent; somebody deleted or sent it".to_owned())),
        }
    }

    async fn attempt(&self, shot: Shot<'_>, _args: &Mail) -> Answer<SendReceipt> {
        let names = shot.names();
        let (Some(draft), Some(thread)) = (names.note(DRAFT_NOTE), names.note(THREAD_NOTE)) else {
            return Answer::NotDone("no draft is noted".to_owned(), None);
        };
        let request = Request::post(format!("{MAILBOX}/drafts/send")).json(json!({ "id": draft }));
        shot.send(request, |message: Message| {
            if message.thread_id != thread {
                return Answer::Unclear(Fault::Unread("a mail in another thread than the draft's".to_owned()));
            }
            receipt(message).map_or_else(Answer::Unclear, Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Mail) -> Result<Finding<SendReceipt>, Fault> {
        let Some(draft) = cx.names().note(DRAFT_NOTE) else {
            return by_mark(cx, args, Finding::Absent).await;
        };
        // A restored or second ledger may have sent another draft than the noted one, so a noted
        // draft that is still there proves nothing about SENT.
        let (otherwise, where_it_is) = match cx.get::<Draft>(read_draft(draft)).await? {
            Some(_) => (Finding::Absent, "the draft is still there"),
            None => {
                let why = "the draft is gone and SENT doesn't show the mail: it may be deleted, or show later";
                (Finding::NotYet(why.to_owned()), "the draft is gone, sent or deleted")
            }
        };
        match by_mark(cx, args, otherwise).await {
            Err(Fault::Status(403, why)) if why.contains(NO_SCOPE) => {
                Ok(Finding::CannotTell(format!("{where_it_is}, and the token may not read SENT")))
            }
            other => other,
        }
    }

    async fn fetch(&self, cx: &Context, args: &Mail, id: &str) -> Result<Option<SendReceipt>, Fault> {
        if !is_plain_segment(id) {
            return Err(Fault::Unread("a mail is named by Gmail's id of the message".to_owned()));
        }
        let Some((message, headers)) = read_heads(cx, id).await? else { return Ok(None) };
        // A mail by hand has no mark; an equal one of another operation is that one's.
        let mark = cx.names().mark();
        if values(&headers, KEY).any(|value| !value.is_empty() && value != mark) {
            return Err(Fault::Echo("mark".to_owned()));
        }
        goes_to_the_same(args, &headers)?;
        receipt(message).map(Some)
    }
}

/// Makes the draft that will be sent. It is harmless: nobody gets a draft.
async fn create(cx: &Context, args: &Mail) -> Result<Step<SendReceipt>, Fault> {
    let mail = written(args, &cx.names().mark()).map_err(Fault::NotSent)?;
    match cx.try_call::<Draft>(creation(args, &mail)).await? {
        Ok(draft) if !is_plain_segment(&draft.id) => Err(Fault::Unread("a draft without an id".to_owned())),
        Ok(draft) if args.reply.as_ref().is_some_and(|reply| reply.thread_id != draft.message.thread_id) => {
            Err(Fault::Echo("thread of the new draft".to_owned()))
        }
        Ok(draft) => Ok(Step::Note(DRAFT_NOTE, draft.id)),
        // Nothing is spent here, so what would be Taken for a sent draft is a refusal: a mail or a
        // thread that Gmail doesn't know.
        Err((status, code)) => match meaning_of(ANSWERS, status, &code) {
            Some(Meaning::Refused | Meaning::Taken) => Ok(Step::Refused(Refusal::new(code.code, code.message))),
            _ => Err(Fault::Status(status, format!("creating the draft: {} {}", code.code, code.message))),
        },
    }
}

fn creation(args: &Mail, mail: &[u8]) -> Request {
    let mut message = json!({});
    if let Some(reply) = &args.reply {
        message["threadId"] = reply.thread_id.clone().into();
    }
    if mail.len() <= MOST_IN_JSON {
        message["raw"] = encoded(mail).into();
        return Request::post(format!("{MAILBOX}/drafts")).json(json!({ "message": message }));
    }
    let boundary = "hapax-upload-of-a-mail-in-two-parts";
    let head = format!(
        "--{boundary}\r\nContent-Type: application/json\r\n\r\n{}\r\n--{boundary}\r\nContent-Type: message/rfc822\r\n\r\n",
        json!({ "message": message })
    );
    let mut request = Request::post(format!("/upload{MAILBOX}/drafts")).query("uploadType", "multipart");
    let body = [head.as_bytes(), mail, format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
    request.body = Body::Bytes(format!("multipart/related; boundary={boundary}"), body);
    request
}

/// Sees to it that the draft of the epoch before can't be sent any more.
async fn retire(cx: &Context, former: &str) -> Result<(), Fault> {
    // Whatever the answer, which may be empty: what counts is whether the draft is there afterwards.
    let delete = Request::new(Method::Delete, format!("{MAILBOX}/drafts/{former}"));
    match cx.try_call::<Value>(delete).await {
        Ok(_) | Err(Fault::Unread(_)) => {}
        Err(fault) => return Err(fault),
    }
    match cx.get::<Draft>(read_draft(former)).await? {
        None => Ok(()),
        Some(_) => Err(Fault::Unread("the draft of the epoch before could not be deleted".to_owned())),
    }
}

/// Walks the mails of SENT since the operation began for our mark. Without any, it is what the
/// draft says.
async fn by_mark(cx: &Context, args: &Mail, otherwise: Finding<SendReceipt>) -> Result<Finding<SendReceipt>, Fault> {
    let names = cx.names();
    let (mark, since_ms) = (names.mark(), names.since_unix().max(0).saturating_mul(1000));
    let (mut hits, mut token) = (Vec::new(), None);
    for _ in 0..Context::MAX_PAGES {
        let page: Page = cx.call(sent(token)).await?;
        // The newest come first, which is not written: a page ends the walk only if all of it is older.
        let mut is_older = !page.ids.is_empty();
        for id in &page.ids {
            // One that was deleted since the list was made is no mail of ours that is still there.
            let Some((message, headers)) = read_heads(cx, id).await? else { continue };
            is_older &= message.is_older_than(since_ms);
            if values(&headers, KEY).any(|value| value == mark) {
                goes_to_the_same(args, &headers)?;
                hits.push(receipt(message)?);
            }
        }
        token = page.next.filter(|_| !is_older);
        if token.is_none() {
            return Ok(match found(hits) {
                Finding::Absent => otherwise,
                finding => finding,
            });
        }
    }
    Err(Fault::Unread(format!("SENT did not end within {} pages", Context::MAX_PAGES)))
}

fn sent(token: Option<String>) -> Request {
    let first = Request::get(format!("{MAILBOX}/messages")).query("labelIds", "SENT").query("maxResults", "100");
    match token {
        Some(token) => first.query("pageToken", token),
        None => first,
    }
}

/// Every mail of Gmail's has it, so a server that doesn't show it drops headers that it doesn't know.
const WITNESS: &str = "MIME-Version";

/// A message with the headers that we compare. Where the server drops headers that it doesn't know,
/// the whole mail is read.
async fn read_heads(cx: &Context, id: &str) -> Result<Option<(Message, Vec<Header>)>, Fault> {
    if !is_plain_segment(id) {
        return Err(Fault::Unread("a message without an id".to_owned()));
    }
    let path = format!("{MAILBOX}/messages/{id}");
    let mut heads = Request::get(&path).query("format", "metadata");
    for name in [KEY, WITNESS, "To", "Cc"] {
        heads = heads.query("metadataHeaders", name);
    }
    let Some(message) = cx.get::<Message>(heads).await? else { return Ok(None) };
    if let Some(headers) = message.headers().filter(|headers| values(headers, WITNESS).next().is_some()) {
        return Ok(Some((message, headers)));
    }
    let Some(whole) = cx.get::<Message>(Request::get(path).query("format", "raw")).await? else { return Ok(None) };
    let headers = whole.headers().ok_or_else(|| Fault::Unread("a message without headers".to_owned()))?;
    Ok(Some((whole, headers)))
}

/// Somebody may have edited our draft before they sent it, or a person may name another mail.
fn goes_to_the_same(args: &Mail, headers: &[Header]) -> Result<(), Fault> {
    let mut shown = BTreeSet::new();
    for value in values(headers, "To").chain(values(headers, "Cc")) {
        let people: Mailboxes =
            value.parse().map_err(|_| Fault::Unread("a mail whose recipients can't be read".to_owned()))?;
        shown.extend(people.into_iter().map(|one| one.email.to_string().to_lowercase()));
    }
    let asked: BTreeSet<String> = args.visible().map(|address| address.as_str().to_lowercase()).collect();
    if shown == asked { Ok(()) } else { Err(Fault::Echo("recipients".to_owned())) }
}

fn read_draft(id: &str) -> Request {
    Request::get(format!("{MAILBOX}/drafts/{id}")).query("format", "minimal")
}

fn receipt(message: Message) -> Result<SendReceipt, Fault> {
    if !is_plain_segment(&message.id) || !message.has_label("SENT") {
        return Err(Fault::Unread("a message that is not in SENT".to_owned()));
    }
    Ok(SendReceipt { id: message.id, thread_id: message.thread_id })
}

impl CellReceipt for SendReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("thread_id", self.thread_id.clone())]
    }
}

#[cfg(test)]
mod tests;
