//! The harmless steps before an invoice is sent, and the reads that a look shares with them.

use hapax_core::capability::{Meaning, meaning_of};
use hapax_core::cell::{Context, Page, Step};
use hapax_core::transport::{Method, Request};
use hapax_core::words::Fault;
use serde_json::{Value, json};

use super::wire::{Hits, Invoice, Stage, is_invoice_id};
use super::{ANSWERS, INVOICE, PaymentTerm, SendInvoice, SendInvoiceReceipt, receipt};
use crate::amounts::{from_paypal, to_paypal};

/// Hits that PayPal puts on one page at most.
const PAGE: u32 = 100;

/// By what PayPal says that it knows our number already.
const NUMBER_TAKEN: &str = "DUPLICATE_INVOICE_NUMBER";

/// Reads one invoice. `None` only if PayPal says itself that it has none; its sample of that has no issue, so the
/// name of the error decides.
pub(super) async fn read(cx: &Context, id: &str) -> Result<Option<Invoice>, Fault> {
    let ask = Request::get(path(id));
    let shown = format!("{ask:?}");
    match cx.try_call::<Invoice>(ask).await? {
        Ok(invoice) if invoice.id == id => Ok(Some(invoice)),
        Ok(_) => Err(Fault::Echo("id of the invoice".to_owned())),
        Err((404, code)) if code.kind == "RESOURCE_NOT_FOUND" => Ok(None),
        Err((status, code)) => Err(Fault::Status(status, format!("{shown}: {} {}", code.name(), code.message))),
    }
}

/// All invoices with our mark, but for those of former epochs that were canceled: they are why there is a new one.
pub(super) async fn ours(cx: &Context) -> Result<Vec<Invoice>, Fault> {
    let mark = cx.names().mark();
    searched(cx, &json!({ "reference": mark })).await
}

/// What a search shows, each read by its id: a hit may be less than the invoice, and older.
async fn searched(cx: &Context, by: &Value) -> Result<Vec<Invoice>, Fault> {
    let (mark, number) = (cx.names().mark(), cx.names().harmless_token("number"));
    let is_dead = |invoice: &Invoice| invoice.stage() == Stage::Canceled && !invoice.has_number(&number);
    let mut invoices = Vec::new();
    for id in hits(cx, by).await? {
        // One that was deleted since is none of ours that is still there.
        let Some(invoice) = read(cx, &id).await? else { continue };
        if invoice.is_marked(&mark) && !is_dead(&invoice) {
            invoices.push(invoice);
        }
    }
    invoices.sort_by(|one, other| one.age().cmp(&other.age()));
    Ok(invoices)
}

async fn hits(cx: &Context, by: &Value) -> Result<Vec<String>, Fault> {
    let ask = |number: u32| {
        Request::post("/v2/invoicing/search-invoices")
            .query("page", number.to_string())
            .query("page_size", PAGE.to_string())
            .query("total_required", "true")
            .json(by.clone())
    };
    let (mut number, mut shown) = (1, 0);
    cx.search(ask(1), |page: Hits, _| {
        if page.items.is_none() && page.total_items != Some(0) {
            return Err(Fault::Unread("a search that shows neither invoices nor that there are none".to_owned()));
        }
        let ids: Vec<String> = page.items.unwrap_or_default().into_iter().map(|hit| hit.id).collect();
        if !ids.iter().all(|id| is_invoice_id(id)) {
            return Err(Fault::Unread("an invoice without an id of PayPal's form".to_owned()));
        }
        let is_last = match page.total_pages {
            Some(pages) => number >= pages,
            None => ids.len() < PAGE as usize,
        };
        shown += ids.len();
        if is_last && page.total_items.is_some_and(|total| shown < total as usize) {
            return Err(Fault::Unread("a search that shows fewer invoices than it counts".to_owned()));
        }
        number += 1;
        Ok(Page { hits: ids, next: (!is_last).then(|| ask(number)) })
    })
    .await
}

/// What is to be done about invoices of ours that are there already; none if there is nothing to go on with.
pub(super) fn choose(
    cx: &Context,
    args: &SendInvoice,
    ours: &[Invoice],
) -> Result<Option<Step<SendInvoiceReceipt>>, Fault> {
    if let Some(unknown) = ours.iter().find(|invoice| invoice.stage() == Stage::Unknown) {
        return Err(Fault::Unread(format!("{} has the status {}, which doesn't tell", unknown.id, unknown.status)));
    }
    let sent: Vec<&Invoice> = ours.iter().filter(|invoice| invoice.stage() != Stage::Draft).collect();
    match sent.as_slice() {
        [] => {}
        [one] => {
            args.is_for_the_same(one)?;
            return Ok(Some(Step::Happened(receipt(one)?)));
        }
        _ => return Err(Fault::Unread(format!("{} invoices with our mark were sent", sent.len()))),
    }
    // Drafts of former epochs have another number, and are not sent any more.
    let number = cx.names().harmless_token("number");
    match ours.iter().find(|draft| draft.has_number(&number)) {
        Some(draft) => note(cx, args, draft).map(Some),
        None => Ok(None),
    }
}

/// Makes the draft that will be sent.
pub(super) async fn create(cx: &Context, args: &SendInvoice) -> Result<Step<SendInvoiceReceipt>, Fault> {
    let number = cx.names().harmless_token("number");
    let creation = args.creation(&cx.names().mark(), &number).map_err(Fault::NotSent)?;
    match cx.try_call::<Invoice>(creation).await? {
        Ok(made) => {
            let id = made.new_id().ok_or_else(|| Fault::Unread("a draft without an id of PayPal's form".to_owned()))?;
            let draft = match made.is_whole() {
                true => made,
                false => read(cx, id).await?.ok_or_else(|| Fault::Unread("the new draft can't be read".to_owned()))?,
            };
            note(cx, args, &draft)
        }
        // Only we write our numbers, so this is a draft of which the search by mark doesn't know yet.
        Err((_, code)) if code.code == NUMBER_TAKEN => {
            let known = searched(cx, &json!({ "invoice_number": number })).await?;
            choose(cx, args, &known)?.ok_or_else(|| {
                Fault::Unread("PayPal has an invoice with our number and doesn't show it yet".to_owned())
            })
        }
        Err((status, code)) => match meaning_of(ANSWERS, status, &code) {
            Some(Meaning::Refused) => Ok(Step::Refused(code.refusal())),
            _ => Err(Fault::Status(status, format!("creating the draft: {} {}", code.name(), code.message))),
        },
    }
}

/// Compares a draft with the intent before anything relies on it.
fn note(cx: &Context, args: &SendInvoice, draft: &Invoice) -> Result<Step<SendInvoiceReceipt>, Fault> {
    let names = cx.names();
    if !draft.is_marked(&names.mark()) || !draft.has_number(&names.harmless_token("number")) {
        return Err(Fault::Echo("mark or number of the draft".to_owned()));
    }
    if draft.stage() != Stage::Draft {
        return Err(Fault::Unread(format!("a draft with the status {}", draft.status)));
    }
    let total = draft.amount.as_ref().map(from_paypal).transpose()?;
    if total != Some(args.total().map_err(Fault::NotSent)?) {
        return Err(Fault::Echo("total of the draft".to_owned()));
    }
    args.is_for_the_same(draft)?;
    Ok(Step::Note(INVOICE, draft.id.clone()))
}

/// Sees to it that the draft of the epoch before can't be sent any more; gives it back if it was sent already. One
/// that was canceled since is out of the way.
pub(super) async fn retire(cx: &Context, former: &str) -> Result<Option<Invoice>, Fault> {
    let Some(invoice) = read(cx, former).await? else { return Ok(None) };
    match invoice.stage() {
        Stage::Sent => return Ok(Some(invoice)),
        Stage::Canceled => return Ok(None),
        Stage::Unknown => return Err(Fault::Unread(format!("{former} has the status {}", invoice.status))),
        Stage::Draft => {}
    }
    // Whatever the answer, which is empty: what counts is whether the draft is there afterwards.
    match cx.try_call::<Value>(Request::new(Method::Delete, path(former))).await {
        Ok(_) | Err(Fault::Unread(_)) => {}
        Err(fault) => return Err(fault),
    }
    match read(cx, former).await? {
        None => Ok(None),
        Some(invoice) if invoice.stage() == Stage::Sent => Ok(Some(invoice)),
        Some(_) => Err(Fault::Unread("the draft of the epoch before could not be deleted".to_owned())),
    }
}

fn path(id: &str) -> String {
    format!("/v2/invoicing/invoices/{id}")
}

impl SendInvoice {
    fn creation(&self, mark: &str, number: &str) -> Result<Request, String> {
        let items = self.items.iter().map(|item| {
            let amount = to_paypal(&item.amount)?;
            Ok(json!({ "name": item.name, "quantity": "1", "unit_amount": amount, "unit_of_measure": "AMOUNT" }))
        });
        let mut detail = json!({
            "reference": mark,
            "invoice_number": number,
            "currency_code": self.total()?.currency,
            "payment_term": { "term_type": self.due.word() },
        });
        if let Some(note) = &self.note {
            detail["note"] = note.as_str().into();
        }
        Ok(Request::post("/v2/invoicing/invoices").header("Prefer", "return=representation").json(json!({
            "detail": detail,
            "primary_recipients": [{ "billing_info": { "email_address": self.recipient.as_str() } }],
            "items": items.collect::<Result<Vec<Value>, String>>()?,
        })))
    }
}

impl PaymentTerm {
    const fn word(self) -> &'static str {
        match self {
            Self::OnReceipt => "DUE_ON_RECEIPT",
            Self::Net10 => "NET_10",
            Self::Net15 => "NET_15",
            Self::Net30 => "NET_30",
            Self::Net45 => "NET_45",
            Self::Net60 => "NET_60",
            Self::Net90 => "NET_90",
            Self::Never => "NO_DUE_DATE",
        }
    }
}
