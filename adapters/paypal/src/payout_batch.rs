//! `paypal.payout_batch`: pay several receivers once.
//!
//! PayPal completes one payout of a batch id of ours, and refuses a repeat with a link to the batch that is there.
//! It can't be asked by that id, so after a lost answer the same request goes again: it makes the batch, or it is
//! refused and the named batch is read. That an id is taken does not say that anybody was paid: a denied batch takes it
//! too.

mod args;
mod record;

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, Context, Shot};
use hapax_core::identity::Names;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Covers, Fault, Finding, Refusal};
use serde_json::{Value, json};

use crate::amounts::to_paypal;
use crate::facts;
use crate::wire::is_id;

pub use args::{PayoutBatch, PayoutItem, Receiver};
use record::{Accepted, Batch, Header, Stand};
pub use record::{PaidItem, PayoutBatchReceipt};
pub(crate) use record::{named_batch, speaks_of_a_batch_id};

/// The cell `paypal.payout_batch`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PayoutBatchCell;

const ANSWERS: &[Row] = &[facts::BATCH_NAMED, facts::BATCH_UNNAMED, facts::BATCH_TAKEN, facts::UNAUTHORIZED];

const SPEC: CellSpec = CellSpec::new(
    "paypal.payout_batch",
    "Pays several receivers from the PayPal balance",
    &[
        Rung::Native(facts::BATCH_ID),
        Rung::Query(facts::BATCH_BY_NAME),
        Rung::Human(Human {
            place: "https://www.paypal.com/activities: mass payments with items whose unique ids begin with {mark}",
        }),
    ],
)
.stakes(Stakes::High)
.answers(ANSWERS)
.later("status of the batch and of each of its items, or the webhooks PAYMENT.PAYOUTSBATCH.* and PAYMENT.PAYOUTS-ITEM.*")
.reversal("not reversible; an unclaimed item can be canceled, and goes back by itself after 30 days")
.residual("PayPal cannot be asked by our batch id, so what a lost answer did is only learned from a repeat: after 30 days, or where the refusal of a repeat names no batch, a person decides; and should PayPal not keep to its own batch ids, nobody notices");

impl Cell for PayoutBatchCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = PayoutBatch;
    type Receipt = PayoutBatchReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &PayoutBatch) -> Answer<PayoutBatchReceipt> {
        let names = shot.names();
        let body = match args.body(names) {
            Ok(body) => body,
            Err(why) => return Answer::NotDone(why, None),
        };
        let ours = batch_id(names);
        // No PayPal-Request-Id: it is listed for payouts and keeps no second one away.
        let request = Request::post("/v1/payments/payouts").json(body);
        shot.send(request, |answer: Accepted| accepted(&answer.batch_header, &ours)).await
    }

    async fn find(&self, cx: &Context, args: &PayoutBatch) -> Result<Finding<PayoutBatchReceipt>, Fault> {
        let names = cx.names();
        let Some(named) = names.named().filter(|id| is_id(id)) else {
            let why = "a batch can't be asked for by our id of it, and no answer has named it";
            return Ok(Finding::CannotTell(why.to_owned()));
        };
        let Some(batch) = record::read(cx, named).await? else {
            return Ok(Finding::CannotTell(format!("the batch {named} that took our id isn't there")));
        };
        batch.header().is_ours(&batch_id(names))?;
        batch.is_of(args, names)?;
        Ok(match batch.header().stand() {
            // A batch id is ours whatever was sent under it; only the items say what is paid, and to whom.
            Stand::Accepted if !batch.lists_items(args) => {
                Finding::NotYet(format!("the batch {named} doesn't list its items yet"))
            }
            Stand::Accepted => Finding::Happened(batch.receipt()?),
            Stand::Denied => Finding::Failed(denied()),
            Stand::Unknown => Finding::CannotTell(format!("a batch with the status {}", batch.header().status())),
        })
    }

    async fn fetch(&self, cx: &Context, args: &PayoutBatch, id: &str) -> Result<Option<PayoutBatchReceipt>, Fault> {
        if !is_id(id) {
            return Err(Fault::Unread("a payout is named by PayPal's id of its batch".to_owned()));
        }
        let Some(batch) = record::read(cx, id).await? else { return Ok(None) };
        if batch.header().stand() != Stand::Accepted {
            let status = batch.header().status();
            return Err(Fault::Unread(format!("{id} has the status {status}: nothing says that it is paid")));
        }
        show(&batch, args, cx.names()).map(Some)
    }

    async fn follow(&self, cx: &Context, args: &PayoutBatch, id: &str) -> Result<Option<PayoutBatchReceipt>, Fault> {
        let Some(batch) = record::read(cx, id).await? else { return Ok(None) };
        show(&batch, args, cx.names()).map(Some)
    }
}

/// A batch with its items, which carry our mark in every epoch. Before PayPal lists them all only the batch id tells.
fn show(batch: &Batch, args: &PayoutBatch, names: &Names) -> Result<PayoutBatchReceipt, Fault> {
    batch.is_of(args, names)?;
    if batch.lists_items(args) {
        return batch.receipt();
    }
    batch.header().is_ours(&batch_id(names))?;
    batch.header().receipt()
}

/// Reads the answer to our own request.
fn accepted(header: &Header, ours: &str) -> Answer<PayoutBatchReceipt> {
    if let Err(fault) = header.is_ours(ours) {
        return Answer::Unclear(fault);
    }
    match header.stand() {
        Stand::Accepted => header.receipt().map_or_else(Answer::Unclear, Answer::Happened),
        // The id is burnt, so whatever else carried it was not paid either.
        Stand::Denied => Answer::Refused(denied(), Covers::Record),
        Stand::Unknown => {
            Answer::Unclear(Fault::Unread(format!("an accepted batch with the status {}", header.status())))
        }
    }
}

fn denied() -> Refusal {
    Refusal::new("DENIED", "PayPal denied the batch: nothing of it was paid, and its batch id is spent")
}

/// Our id of the batch: another one in each epoch, for a denied batch burns it.
fn batch_id(names: &Names) -> String {
    names.token("payout")
}

/// Our id of the item in this place, counted from 1.
fn item_id(mark: &str, place: usize) -> String {
    format!("{mark}-{place}")
}

impl PayoutBatch {
    fn body(&self, names: &Names) -> Result<Value, String> {
        let mark = names.mark();
        let mut header = json!({ "sender_batch_id": batch_id(names) });
        for (name, words) in [("email_subject", &self.email_subject), ("email_message", &self.email_message)] {
            if let Some(words) = words {
                header[name] = words.as_str().into();
            }
        }
        let item = |(index, item): (usize, &PayoutItem)| {
            let amount = to_paypal(&item.amount)?;
            Ok(json!({
                "recipient_type": item.receiver.kind(), "receiver": item.receiver.text(),
                "amount": { "currency": amount.currency_code, "value": amount.value },
                "sender_item_id": item_id(&mark, index + 1),
            }))
        };
        let items = self.items.iter().enumerate().map(item).collect::<Result<Vec<_>, String>>()?;
        Ok(json!({ "sender_batch_header": header, "items": items }))
    }
}

#[cfg(test)]
mod tests;
