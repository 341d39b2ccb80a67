//! The harmless steps before an invoice is sent, and the question whether it was.

use hapax_core::cell::{Context, Step};
use hapax_core::identity::Names;
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Fault, Finding, Refusal, found};

use super::wire::{Deleted, EPOCH, ITEM, Invoice, Line, Sent, Stage};
use super::{ANSWERS, EVENTS_KEPT, FINALIZED, INVOICE, ITEMS, SendInvoice, SendInvoiceReceipt, receipt};
use crate::amounts::{from_stripe, to_stripe};
use crate::client::{post, step_with_two_keys};
use crate::wire::{List, MARK, is_id, is_marked};

type Prepared = Result<Step<SendInvoiceReceipt>, Fault>;

/// The invoice to go on with: an unsent one of ours that was forgotten, or a new draft. A living one
/// of another epoch is put out of the way first, so that not two can be paid.
pub(super) async fn begin(cx: &Context, args: &SendInvoice) -> Prepared {
    let ours = ours(cx, args).await?;
    match sent(cx, &ours).await? {
        Finding::Absent => {}
        Finding::Happened(receipt) => return Ok(Step::Happened(receipt)),
        Finding::CannotTell(why) => return Err(Fault::Unread(why)),
        _ => return Err(Fault::Unread("invoices with our mark were sent more than once".to_owned())),
    }
    let epoch = Some(cx.names().epoch());
    let (this, other): (Vec<_>, Vec<_>) = ours.into_iter().partition(|invoice| invoice.epoch() == epoch);
    for invoice in other {
        retire(cx, &invoice).await?;
    }
    // Lists are newest first; two workers that forgot take the same one.
    match this.into_iter().next_back() {
        Some(invoice) => Ok(Step::Note(INVOICE, invoice.id)),
        None => create(cx, args).await,
    }
}

/// Makes the draft. Creating is harmless, so a key that a stored failure has burnt is replaced.
async fn create(cx: &Context, args: &SendInvoice) -> Prepared {
    let made = step_with_two_keys(cx, ANSWERS, ["create", "create-again"], |step| args.create(cx.names(), step));
    let invoice: Invoice = match made.await? {
        Ok(invoice) => invoice,
        Err(refusal) => return Ok(Step::Refused(refusal)),
    };
    let is_ours = is_marked(invoice.metadata.as_ref(), &cx.names().mark())
        && invoice.customer.as_ref() == Some(&args.customer)
        && is_id(&invoice.id, &["in_"]);
    match is_ours {
        true => Ok(Step::Note(INVOICE, invoice.id)),
        false => Err(Fault::Echo("customer or mark of the new invoice".to_owned())),
    }
}

/// Adds the items that are missing. Each line carries the number of its item, and the key names what
/// it adds, so that neither a second request nor one after the key's life adds an item twice.
pub(super) async fn fill(cx: &Context, args: &SendInvoice, invoice: &str) -> Prepared {
    let complete = || Ok(Step::Note(ITEMS, args.items.len().to_string()));
    let (mut step, mut stored) = ("items", None);
    for _ in 0..2 {
        let missing = missing(cx, args, invoice).await?;
        if missing.is_empty() {
            return complete();
        }
        match cx.step::<Invoice>(ANSWERS, args.add(cx.names(), step, invoice, &missing)?).await {
            Ok(Ok(_)) => stored = None,
            Ok(Err(refusal)) => return Ok(Step::Refused(refusal)),
            // Another key only after a stored failure: the list may be behind what this one added.
            Err(fault @ Fault::Status(500.., _)) => (step, stored) = ("items-again", Some(fault)),
            Err(fault) => return Err(fault),
        }
    }
    match (missing(cx, args, invoice).await?.len(), stored) {
        (0, _) => complete(),
        (_, Some(fault)) => Err(fault),
        (missing, None) => Err(Fault::Unread(format!("{missing} items were added and don't show yet"))),
    }
}

/// Which items are not on the invoice yet. Lines that are no item of ours, doubled or of another
/// amount make it an invoice that nobody meant.
async fn missing(cx: &Context, args: &SendInvoice, invoice: &str) -> Result<Vec<usize>, Fault> {
    let first = Request::get(format!("/v1/invoices/{invoice}/lines")).query("limit", "100");
    let lines = cx.search(first.clone(), |list: List<Line>, _| Ok(list.page(&first, Some))).await?;
    let mut is_there = vec![false; args.items.len()];
    for line in lines {
        let amount = from_stripe(line.amount, &line.currency)?;
        match line.item() {
            Some(number) if is_there.get(number) == Some(&false) && args.items[number].amount == amount => {
                is_there[number] = true;
            }
            _ => return Err(Fault::Echo("lines of the invoice".to_owned())),
        }
    }
    Ok((0..args.items.len()).filter(|number| !is_there[*number]).collect())
}

/// Finalizes it, if it says what the arguments say, before and after. The status lets that through
/// once, so a burnt key is replaced.
pub(super) async fn finalize(cx: &Context, args: &SendInvoice, invoice: &str) -> Prepared {
    let mut last = None;
    for step in ["finalize", "finalize-again"] {
        if let Some(step) = finalized(cx, args, invoice).await? {
            return Ok(step);
        }
        let finalize = post(format!("/v1/invoices/{invoice}/finalize"), cx.names().harmless_token(step))
            .form([("auto_advance", Some("false".to_owned()))]);
        // Whatever the answer: what counts is where the invoice stands afterwards.
        last = match cx.step::<Invoice>(ANSWERS, finalize).await {
            Ok(Ok(_)) => None,
            Ok(Err(refusal)) => Some(Ok(Step::Refused(refusal))),
            Err(fault @ Fault::Status(..)) => Some(Err(fault)),
            Err(fault) => return Err(fault),
        };
    }
    match (finalized(cx, args, invoice).await?, last) {
        (Some(step), _) => Ok(step),
        (None, Some(said)) => said,
        (None, None) => Err(Fault::Unread(format!("{invoice} was finalized and is a draft"))),
    }
}

/// What the status of the invoice makes of the step; none while it is a draft.
async fn finalized(cx: &Context, args: &SendInvoice, id: &str) -> Result<Option<Step<SendInvoiceReceipt>>, Fault> {
    let Some(invoice) = cx.get::<Invoice>(read(id)).await? else {
        return Err(Fault::Unread(format!("{id} is not there: it was deleted, or the mode or account changed")));
    };
    args.is_echoed_by(&invoice)?;
    match invoice.stage() {
        Stage::Draft => Ok(None),
        Stage::Open | Stage::Paid => Ok(Some(Step::Note(FINALIZED, invoice.number.unwrap_or(invoice.id)))),
        Stage::Dead => {
            let refusal = Refusal::new("voided", "the invoice was voided or given up before it was sent");
            Ok(Some(Step::Refused(refusal)))
        }
        Stage::Unknown => Err(Fault::Unread(format!("{id} has the status {:?}", invoice.status))),
    }
}

/// Deletes an unsent draft, or voids an unsent open invoice, of a former epoch.
async fn retire(cx: &Context, invoice: &Invoice) -> Result<(), Fault> {
    let id = &invoice.id;
    // Whatever the answers: what counts is where the invoice stands afterwards.
    match invoice.stage() {
        Stage::Draft => {
            let _ = cx.try_call::<Deleted>(Request::new(Method::Delete, format!("/v1/invoices/{id}"))).await?;
        }
        Stage::Open => {
            let void = post(format!("/v1/invoices/{id}/void"), cx.names().harmless_token(&format!("void {id}")));
            let _ = cx.try_call::<Invoice>(void).await?;
        }
        Stage::Paid | Stage::Dead | Stage::Unknown => {}
    }
    match cx.get::<Invoice>(read(id)).await? {
        None => Ok(()),
        Some(now) if now.stage() == Stage::Dead => Ok(()),
        Some(now) => Err(Fault::Unread(format!("{id} of a former try is {:?} and was not sent", now.status))),
    }
}

/// The customer's invoices with our mark, newest first, and the one that the former epoch noted: it
/// may be another customer's. Dead ones of former epochs were superseded and don't count. A customer
/// has few invoices, so none is left out by time.
pub(super) async fn ours(cx: &Context, args: &SendInvoice) -> Result<Vec<Invoice>, Fault> {
    let names = cx.names();
    let mark = names.mark();
    let counts = |invoice: Invoice| {
        let was_superseded = invoice.stage() == Stage::Dead && invoice.epoch() < Some(names.epoch());
        (is_marked(invoice.metadata.as_ref(), &mark) && !was_superseded).then_some(invoice)
    };
    let first = Request::get("/v1/invoices").query("limit", "100").query("customer", &args.customer);
    let mut ours = cx.search(first.clone(), |list: List<Invoice>, _| Ok(list.page(&first, counts))).await?;
    if let Some(former) = names.former_note(INVOICE)
        && !ours.iter().any(|invoice| invoice.id == former)
    {
        ours.extend(cx.get::<Invoice>(read(former)).await?.and_then(counts));
    }
    Ok(ours)
}

/// Which of these invoices were sent, by their events. A draft never was. Where the events may be
/// gone, or somebody has put an end to the invoice, no event says nothing.
pub(super) async fn sent(cx: &Context, ours: &[Invoice]) -> Result<Finding<SendInvoiceReceipt>, Fault> {
    let finalized: Vec<&Invoice> = ours.iter().filter(|invoice| invoice.stage() != Stage::Draft).collect();
    let Some(since) = finalized.iter().map(|invoice| invoice.created).min() else {
        return Ok(Finding::Absent);
    };
    // Both times are Stripe's own, so nothing is to be added for skew.
    let first = Request::get("/v1/events")
        .query("limit", "100")
        .query("type", "invoice.sent")
        .query("created[gte]", since.to_string());
    let is_ours = |event: Sent| finalized.iter().find(|invoice| invoice.id == event.invoice()).copied();
    let hits = cx.search(first.clone(), |list: List<Sent>, _| Ok(list.page(&first, is_ours))).await?;
    let kept = i64::try_from(EVENTS_KEPT.as_secs()).unwrap_or(i64::MAX);
    let unclear = finalized.iter().find(|invoice| {
        // Made so long before this operation began that the events may be gone.
        matches!(invoice.stage(), Stage::Dead | Stage::Unknown) || invoice.created + kept <= cx.names().since_unix()
    });
    match (found(hits.into_iter().cloned().map(receipt).collect::<Result<_, _>>()?), unclear) {
        (Finding::Absent, Some(invoice)) => Ok(Finding::CannotTell(format!(
            "{} is {:?}, and no event says whether it was sent",
            invoice.id, invoice.status
        ))),
        (finding, _) => Ok(finding),
    }
}

pub(super) fn read(id: &str) -> Request {
    Request::get(format!("/v1/invoices/{id}"))
}

impl SendInvoice {
    /// A draft in which nothing is left to the account's defaults.
    fn create(&self, names: &Names, step: &str) -> Result<Request, Fault> {
        let total = self.total().map_err(Fault::NotSent)?;
        let epoch = format!("metadata[{EPOCH}]");
        let pairs = [
            ("customer", Some(self.customer.clone())),
            ("currency", Some(total.currency.to_ascii_lowercase())),
            ("collection_method", Some("send_invoice".to_owned())),
            ("days_until_due", Some(self.days_until_due.to_string())),
            ("auto_advance", Some("false".to_owned())),
            ("automatic_tax[enabled]", Some("false".to_owned())),
            ("discounts", Some(String::new())),
            ("pending_invoice_items_behavior", Some("exclude".to_owned())),
            ("description", self.description.clone()),
            (MARK, Some(names.mark())),
            (epoch.as_str(), Some(names.epoch().to_string())),
        ];
        Ok(post("/v1/invoices", names.harmless_token(step)).form(pairs))
    }

    fn add(&self, names: &Names, step: &str, invoice: &str, missing: &[usize]) -> Result<Request, Fault> {
        let key = names.harmless_token(&format!("{step} {missing:?}"));
        let mut pairs = Vec::new();
        for (line, number) in missing.iter().enumerate() {
            let item = &self.items[*number];
            let amount = to_stripe(&item.amount).map_err(Fault::NotSent)?;
            pairs.push((format!("lines[{line}][amount]"), amount.to_string()));
            pairs.push((format!("lines[{line}][description]"), item.description.clone()));
            pairs.push((format!("lines[{line}][metadata][{ITEM}]"), number.to_string()));
        }
        let pairs = pairs.iter().map(|(name, value)| (name.as_str(), Some(value.clone())));
        Ok(post(format!("/v1/invoices/{invoice}/add_lines"), key).form(pairs))
    }
}
