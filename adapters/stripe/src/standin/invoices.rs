//! Invoices: a draft with its lines, finalized, mailed as often as it is asked for, voided or given up.
//!
//! Who is billed decides what happens, as the payment method does for charges. These customers are ours, not Stripe's:
//! `cus_missing` does not exist, `cus_without_email` can't be mailed to and `cus_email_removed` not any more when it is
//! sent, `cus_discounted` has a discount of a tenth, `cus_with_credit` has paid beforehand, and what is sent to
//! `cus_gives_up` is given up a while later.

use super::book::seconds;
use super::desk::{About, Desk};
use super::fail::Fail;
use super::list::{Entry, page};
use super::money;
use super::params::Metadata;
use hapax_standin::{Request, Twists};
use serde_json::{Value, json};

/// Items that an invoice has at most.
const MOST_LINES: usize = 250;

#[derive(Clone, Debug)]
pub(super) struct Invoice {
    pub(super) id: String,
    pub(super) customer: String,
    pub(super) currency: String,
    pub(super) description: Option<String>,
    pub(super) days_until_due: Option<i64>,
    pub(super) is_mailed: bool,
    pub(super) has_discount: bool,
    pub(super) metadata: Metadata,
    pub(super) lines: Vec<Line>,
    pub(super) status: &'static str,
    pub(super) number: Option<String>,
    pub(super) created_ms: i64,
    /// When what was sent to a customer who never pays is given up.
    pub(super) given_up_ms: Option<i64>,
}

/// An item, on an invoice or pending.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) customer: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) description: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) created_ms: i64,
}

pub(super) fn create(mut invoice: Invoice, takes_pending: bool, desk: &mut Desk<'_>) -> Value {
    (invoice.id, invoice.created_ms) = (desk.world.ids.next("in", 24), desk.now_ms);
    if takes_pending {
        let items = std::mem::take(&mut desk.book.pending_items);
        let (taken, left) = items.into_iter().partition(|item| item.customer == invoice.customer);
        (invoice.lines, desk.book.pending_items) = (taken, left);
    }
    let value = invoice.value();
    desk.book.invoices.push(invoice);
    desk.event("invoice.created", value.clone());
    value
}

pub(super) fn add_item(invoice: Option<&str>, mut line: Line, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    (line.id, line.created_ms) = (desk.world.ids.next("ii", 24), desk.now_ms);
    let value = line.value();
    match invoice {
        Some(id) => draft(id, desk)?.take(vec![line])?,
        None => desk.book.pending_items.push(line),
    }
    desk.event("invoiceitem.created", value.clone());
    Ok(value)
}

pub(super) fn add_lines(id: &str, mut lines: Vec<Line>, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    let now = desk.now_ms;
    for line in &mut lines {
        (line.id, line.created_ms) = (desk.world.ids.next("il", 24), now);
    }
    let invoice = draft(id, desk)?;
    for line in &mut lines {
        (line.currency, line.customer) = (invoice.currency.clone(), invoice.customer.clone());
        money::step(line.amount, &line.currency)?;
    }
    invoice.take(lines)?;
    let value = invoice.value();
    desk.event("invoice.updated", value.clone());
    Ok(value)
}

pub(super) fn finalize(id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    let number = format!("STANDIN-{:04}", desk.book.invoices.iter().filter(|one| one.number.is_some()).count() + 1);
    let invoice = draft(id, desk)?;
    let is_paid = invoice.customer == "cus_with_credit" || invoice.total() == 0;
    (invoice.number, invoice.status) = (Some(number), if is_paid { "paid" } else { "open" });
    let value = invoice.value();
    desk.event("invoice.finalized", value.clone());
    Ok(value)
}

/// Every request mails it once more: this is the effect.
pub(super) fn send(id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    if desk.invoice(id)?.status == "draft" {
        finalize(id, desk)?;
    }
    let gives_up_at = desk.now_ms + desk.settles_after_ms;
    let invoice = desk.invoice(id)?;
    if !matches!(invoice.status, "open" | "paid") {
        return Err(Fail::invalid(format!("Invoices with the status {} can't be sent.", invoice.status)));
    }
    if !invoice.is_mailed || invoice.customer == "cus_email_removed" {
        return Err(Fail::invalid("This invoice can't be sent: nobody is to be mailed."));
    }
    if invoice.customer == "cus_gives_up" {
        invoice.given_up_ms = invoice.given_up_ms.or(Some(gives_up_at));
    }
    let invoice = invoice.clone();
    let about = About {
        object: &invoice.id,
        amount: invoice.total(),
        currency: &invoice.currency,
        metadata: &invoice.metadata,
    };
    desk.effect("invoice_mail", &about);
    desk.event("invoice.sent", invoice.value());
    Ok(invoice.value())
}

pub(super) fn turn(
    id: &str,
    desk: &mut Desk<'_>,
    from: &[&str],
    to: &'static str,
    event: &'static str,
) -> Result<Value, Fail> {
    let invoice = desk.invoice(id)?;
    if !from.contains(&invoice.status) {
        return Err(Fail::invalid(format!("An invoice with the status {} can't become {to}.", invoice.status)));
    }
    invoice.status = to;
    let value = invoice.value();
    desk.event(event, value.clone());
    Ok(value)
}

/// Lets go of what was sent to customers who never pay.
pub(super) fn catch_up(desk: &mut Desk<'_>) {
    let now = desk.now_ms;
    let is_due = |one: &&Invoice| one.status == "open" && one.given_up_ms.is_some_and(|at| at <= now);
    let due: Vec<String> = desk.book.invoices.iter().filter(is_due).map(|one| one.id.clone()).collect();
    for id in due {
        // It is open, so it can be given up.
        let _ = turn(&id, desk, &["open"], "uncollectible", "invoice.marked_uncollectible");
    }
}

/// Answers a GET about invoices.
pub(super) fn read(request: &Request, twists: &Twists, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    match request.segments().as_slice() {
        ["v1", "invoices"] => {
            let (customer, status) = (request.param("customer"), request.param("status"));
            let wanted = desk.book.invoices.iter().filter(|one| {
                customer.is_none_or(|customer| one.customer == customer)
                    && status.is_none_or(|status| one.status == status)
            });
            let entries = wanted.map(|one| Entry { created_ms: one.created_ms, value: one.value() }).collect();
            page(entries, request, twists, desk.now_ms)
        }
        ["v1", "invoices", id] => Ok(desk.invoice(id)?.value()),
        ["v1", "invoices", id, "lines"] => {
            let lines = desk.invoice(id)?.lines.iter();
            let entries = lines.map(|line| Entry { created_ms: line.created_ms, value: line.value() }).collect();
            page(entries, request, twists, desk.now_ms)
        }
        _ => Err(super::routes::unknown_path(request)),
    }
}

/// Deletes a draft; nothing else can be.
pub(super) fn delete(id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    let value = draft(id, desk)?.value();
    desk.book.invoices.retain(|one| one.id != id);
    desk.event("invoice.deleted", value);
    Ok(json!({ "id": id, "object": "invoice", "deleted": true }))
}

fn draft<'a>(id: &str, desk: &'a mut Desk<'_>) -> Result<&'a mut Invoice, Fail> {
    let invoice = desk.invoice(id)?;
    if invoice.status == "draft" {
        return Ok(invoice);
    }
    Err(Fail::invalid("This invoice is finalized and can't be changed any more.").code("invoice_already_finalized"))
}

impl Invoice {
    fn take(&mut self, lines: Vec<Line>) -> Result<(), Fail> {
        if self.lines.len() + lines.len() > MOST_LINES {
            return Err(Fail::invalid(format!("An invoice has at most {MOST_LINES} items.")));
        }
        self.lines.extend(lines);
        Ok(())
    }

    fn total(&self) -> i64 {
        let sum: i64 = self.lines.iter().map(|line| line.amount).sum();
        if self.has_discount { sum - sum / 10 } else { sum }
    }

    pub(super) fn value(&self) -> Value {
        let due = self.days_until_due.filter(|_| self.number.is_some());
        let due = due.map(|days| seconds(self.created_ms) + days * 86_400);
        json!({
            "id": self.id, "object": "invoice", "auto_advance": false, "created": seconds(self.created_ms),
            "collection_method": if self.is_mailed { "send_invoice" } else { "charge_automatically" },
            "currency": self.currency, "customer": self.customer, "description": self.description,
            "due_date": due, "livemode": false, "metadata": self.metadata, "number": self.number,
            "status": self.status, "subtotal": self.lines.iter().map(|line| line.amount).sum::<i64>(),
            "total": self.total(),
        })
    }
}

impl Line {
    pub(super) fn empty() -> Self {
        let (id, customer, currency) = (String::new(), String::new(), String::new());
        Self { id, customer, amount: 0, currency, description: None, metadata: Metadata::new(), created_ms: 0 }
    }

    fn value(&self) -> Value {
        json!({
            "id": self.id, "object": "line_item", "amount": self.amount, "currency": self.currency,
            "description": self.description, "livemode": false, "metadata": self.metadata,
        })
    }
}
