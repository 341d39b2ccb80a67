//! `resend.send_batch`: send up to a hundred mails in one request, all or none.
//!
//! One operation and one key for the whole. Each mail carries the mark and its place as a tag, so
//! that a look can tell how much of the batch is there.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Shot};
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::post;
use crate::mail::Mail;
use crate::search::{self, is_of};
use crate::send::{Made, unsure};
use crate::{facts, wire};

/// Sends these mails, each to its own recipients, in one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendBatch {
    /// 1 to 100 mails, without attachments and not scheduled.
    pub mails: Vec<Mail>,
}

/// A batch that Resend took on. It names nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchReceipt {
    /// Resend's ids, in the order of the mails.
    pub ids: Vec<String>,
}

/// The cell `resend.send_batch`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendBatchCell;

/// Mails in a batch.
const MOST: usize = 100;

const SPEC: CellSpec = CellSpec::new(
    "resend.send_batch",
    "Sends up to a hundred mails in one request, all or none",
    &[
        Rung::Native(facts::KEY),
        Rung::Query(facts::BY_TAG),
        Rung::Query(facts::WEBHOOK),
        Rung::Human(Human { place: "https://resend.com/emails: mails since then with the tags hapax={mark}-0, {mark}-1 and so on" }),
    ],
)
.stakes(Stakes::Medium)
.answers(facts::ANSWERS_OF_SENDS)
.patience(facts::PATIENCE)
.later("last_event of each mail, or the webhooks email.delivered, email.bounced, email.failed and email.suppressed")
.reversal("not reversible")
.residual("whether a batch that broke off half-way without an answer keeps its key is not documented: a repeat may then send its first mails again; after an answered server error a batch that isn't found whole goes to a person");

impl Cell for SendBatchCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = SendBatch;
    type Receipt = BatchReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &SendBatch) -> Answer<BatchReceipt> {
        let names = shot.names();
        let mark = names.mark();
        let mails = args.mails.iter().enumerate().map(|(place, mail)| mail.written(&tag(&mark, place)));
        let request = post("/emails/batch", names.token("send"))
            .header("x-batch-validation", "strict")
            .json(mails.collect::<Vec<Value>>().into());
        let wanted = args.mails.len();
        shot.send(request, |made: MadeBatch| made.receipt(wanted).map_or_else(Answer::Unclear, Answer::Happened)).await
    }

    async fn find(&self, cx: &Context, args: &SendBatch) -> Result<Finding<BatchReceipt>, Fault> {
        let found = search::marked(cx, &args.mails).await?;
        let (mark, wanted) = (cx.names().mark(), args.mails.len());
        let mut places: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (value, mail) in found.ours {
            let Some(place) = place(&value, &mark).filter(|place| *place < wanted) else {
                return Ok(Finding::CannotTell("a mail carries our mark and no place of this batch".to_owned()));
            };
            places.entry(place).or_default().push(mail.id);
        }
        Ok(match places.values().map(Vec::len).max() {
            None if found.unsure > 0 => unsure(found.unsure),
            None => Finding::Absent,
            Some(1) if places.len() == wanted => {
                Finding::Happened(BatchReceipt { ids: places.into_values().flatten().collect() })
            }
            Some(1) => Finding::CannotTell(format!("{} of the {wanted} mails of this batch are listed", places.len())),
            Some(times) => Finding::Several((0..times).map(|time| one_of(&places, time)).collect()),
        })
    }

    async fn fetch(&self, cx: &Context, args: &SendBatch, id: &str) -> Result<Option<BatchReceipt>, Fault> {
        let Some(mail) = cx.get::<wire::Mail>(wire::one(id)?).await? else { return Ok(None) };
        let ours = mail.mark().ok().flatten().is_some_and(|tag| is_of(tag, &cx.names().mark()));
        if !ours {
            return Err(Fault::Echo("tag of the batch".to_owned()));
        }
        match self.find(cx, args).await? {
            Finding::Happened(receipt) if receipt.ids.iter().any(|known| known == id) => Ok(Some(receipt)),
            Finding::CannotTell(why) => Err(Fault::Unread(why)),
            _ => Err(Fault::Unread("the batch of this mail is not listed as a whole".to_owned())),
        }
    }
}

/// The mails that were listed as the `time`-th of their places.
fn one_of(places: &BTreeMap<usize, Vec<String>>, time: usize) -> BatchReceipt {
    BatchReceipt { ids: places.values().filter_map(|ids| ids.get(time).cloned()).collect() }
}

/// The value of our tag on one mail of a batch.
fn tag(mark: &str, place: usize) -> String {
    format!("{mark}-{place}")
}

/// The place in the batch that such a value names.
fn place(tag: &str, mark: &str) -> Option<usize> {
    tag.strip_prefix(mark)?.strip_prefix('-')?.parse().ok()
}

/// Resend's answer to a batch: the ids in the order of the mails, and in permissive mode what was wrong.
#[derive(Deserialize)]
struct MadeBatch {
    data: Vec<Made>,
    #[serde(default)]
    errors: Vec<Value>,
}

impl MadeBatch {
    fn receipt(self, wanted: usize) -> Result<BatchReceipt, Fault> {
        let ids = self.data.into_iter().map(Made::id).collect::<Result<Vec<_>, _>>()?;
        let mut apart = ids.clone();
        apart.sort();
        apart.dedup();
        if self.errors.is_empty() && ids.len() == wanted && apart.len() == wanted {
            Ok(BatchReceipt { ids })
        } else {
            let count = apart.len();
            Err(Fault::Unread(format!("{count} ids and {} errors for {wanted} mails", self.errors.len())))
        }
    }
}

impl SendBatch {
    /// A batch of these mails.
    pub fn of(mails: impl IntoIterator<Item = Mail>) -> Self {
        Self { mails: mails.into_iter().collect() }
    }
}

impl CellArgs for SendBatch {
    fn check(&self) -> Result<(), String> {
        if self.mails.is_empty() || self.mails.len() > MOST {
            return Err(format!("mails: a batch has 1 to {MOST} mails"));
        }
        for (number, mail) in self.mails.iter().enumerate() {
            mail.check().map_err(|why| format!("mails[{number}].{why}"))?;
            // Resend drops both in silence.
            if !mail.attachments.is_empty() {
                return Err(format!("mails[{number}].attachments: a batch takes none; send this mail by itself"));
            }
            if mail.scheduled_at.is_some() {
                return Err(format!("mails[{number}].scheduled_at: a batch leaves at once; send this mail by itself"));
            }
        }
        Ok(())
    }
}

impl CellReceipt for BatchReceipt {
    /// That of the first mail, which stands for the batch.
    fn id(&self) -> &str {
        self.ids.first().map(String::as_str).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
