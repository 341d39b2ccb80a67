//! `stripe.send_invoice`: mail an invoice once.
//!
//! A draft of our own is created, its items are added, its total is checked and it is finalized, each
//! step journaled; nothing of that reaches the customer. Then it is sent. Stripe lets an invoice be
//! sent as often as it is asked to and keeps no trace on it, so the key is all that makes a second
//! request harmless, and the event `invoice.sent` all that shows it afterwards.

mod steps;
mod wire;

use std::time::Duration;

use hapax_core::capability::{CellSpec, Human, Query, Row, Rung, Source, Stakes, Window};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::money::Money;
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amounts::{self, from_stripe, to_stripe};
use crate::client::post;
use crate::facts;
use crate::wire::{MARK, is_id, is_marked};
use wire::{Invoice, Stage};

/// Sends an invoice over these items to this customer by mail.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInvoice {
    /// `cus_...`: who is billed; the mail goes to the address that Stripe has of them.
    pub customer: String,
    /// What is billed, 1 to 250 items in one currency. Customer discounts, taxes and pending items
    /// are left out: the invoice says what stands here, or it is not sent.
    pub items: Vec<InvoiceItem>,
    /// Days until payment is due, counted from the creation of the invoice; 30 unless said
    /// otherwise.
    #[serde(default = "a_month")]
    pub days_until_due: u16,
    /// A memo on the invoice. Models rephrase, so a changed one is no other intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// One line of an invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceItem {
    /// What it is, as the customer reads it; at most 5000 characters.
    pub description: String,
    /// How much, in ISO 4217 minor units.
    pub amount: Money,
}

/// An invoice that was mailed; whether it is paid is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendInvoiceReceipt {
    /// `in_...`
    pub id: String,
    /// The number that the customer reads on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The total.
    pub amount: Money,
    /// Stripe's status of the invoice.
    pub status: String,
    /// Who is billed.
    pub customer: String,
}

/// The cell `stripe.send_invoice`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendInvoiceCell;

const INVOICE: &str = "invoice";
const ITEMS: &str = "items";
const FINALIZED: &str = "finalized";

/// Items that Stripe takes on one invoice (<https://docs.stripe.com/api/invoiceitems/create>).
const MOST_ITEMS: usize = 250;

/// How far back events go.
const EVENTS_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

const READ: &str = "2026-11-28";
const EVENTS: Source = Source::official("https://docs.stripe.com/api/events/list", READ);
const SENT: Source = Source::official("https://docs.stripe.com/api/events/types#event_types-invoice.sent", READ);

/// The event embeds the invoice and with it our mark. When it appears is not stated: the lag is the
/// worst case, and absence only suggests.
const BY_EVENT: Query =
    Query::by_mark(MARK, facts::MARK_FORM).reaches(Window::AtLeast(EVENTS_KEPT)).from(&[EVENTS, SENT]);

const ANSWERS: &[Row] =
    &[facts::OTHER_PARAMETERS, facts::IN_USE, facts::LOCKED, facts::LIMITED, facts::UNAUTHORIZED, facts::ADRIFT_500];

const SPEC: CellSpec = CellSpec::new(
    "stripe.send_invoice",
    "Sends an invoice to a customer by mail",
    &[
        Rung::Native(facts::KEY),
        Rung::Query(BY_EVENT),
        Rung::Human(Human {
            place: "the activity of https://dashboard.stripe.com/invoices/{invoice}, or search the Dashboard for metadata:hapax={mark}",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("status of the invoice, or the webhooks invoice.paid, invoice.voided and invoice.marked_uncollectible")
.reversal("the mail can't be taken back; until it is paid the invoice can be voided by hand")
.notes(&[INVOICE, ITEMS, FINALIZED])
.residual("a mail that Stripe answered with a stored 500 may leave after 24 hours, when a person may have sent the invoice by hand; a draft that was refused, or made again after a failure, is left behind unsent");

impl Cell for SendInvoiceCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = SendInvoice;
    type Receipt = SendInvoiceReceipt;

    async fn prepare(&self, cx: &Context, args: &SendInvoice) -> Result<Step<SendInvoiceReceipt>, Fault> {
        let names = cx.names();
        match (names.note(INVOICE), names.note(ITEMS), names.note(FINALIZED)) {
            (None, ..) => steps::begin(cx, args).await,
            (Some(invoice), None, _) => steps::fill(cx, args, invoice).await,
            (Some(invoice), Some(_), None) => steps::finalize(cx, args, invoice).await,
            (Some(_), Some(_), Some(_)) => Ok(Step::Ready),
        }
    }

    async fn attempt(&self, shot: Shot<'_>, _args: &SendInvoice) -> Answer<SendInvoiceReceipt> {
        let names = shot.names();
        let Some(noted) = names.note(INVOICE) else {
            return Answer::NotDone("no invoice is noted".to_owned(), None);
        };
        let request = post(format!("/v1/invoices/{noted}/send"), names.token("send"));
        let mark = names.mark();
        shot.send(request, |invoice: Invoice| {
            if invoice.id != noted || !is_marked(invoice.metadata.as_ref(), &mark) {
                return Answer::Unclear(Fault::Echo("id or mark of the invoice".to_owned()));
            }
            if matches!(invoice.stage(), Stage::Draft | Stage::Unknown) {
                let status = invoice.status.unwrap_or_default();
                return Answer::Unclear(Fault::Unread(format!("a sent invoice with the status {status}")));
            }
            receipt(invoice).map_or_else(Answer::Unclear, Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &SendInvoice) -> Result<Finding<SendInvoiceReceipt>, Fault> {
        let ours = steps::ours(cx, args).await?;
        if let Some(noted) = cx.names().note(INVOICE)
            && !ours.iter().any(|invoice| invoice.id == noted)
        {
            return Ok(Finding::CannotTell(format!("{noted} is not there; has the mode or account changed?")));
        }
        steps::sent(cx, &ours).await
    }

    async fn fetch(&self, cx: &Context, _args: &SendInvoice, id: &str) -> Result<Option<SendInvoiceReceipt>, Fault> {
        if !is_id(id, &["in_"]) {
            return Err(Fault::Unread("an invoice is named by its id, in_...".to_owned()));
        }
        match cx.get::<Invoice>(steps::read(id)).await? {
            Some(invoice) if matches!(invoice.stage(), Stage::Draft | Stage::Unknown) => {
                Err(Fault::Unread(format!("{id} has the status {:?}: it was never sent", invoice.status)))
            }
            Some(invoice) => receipt(invoice).map(Some),
            None => Ok(None),
        }
    }
}

/// The link to the hosted invoice is not read: whoever has it can see the invoice, so it isn't kept.
fn receipt(invoice: Invoice) -> Result<SendInvoiceReceipt, Fault> {
    Ok(SendInvoiceReceipt {
        amount: from_stripe(invoice.total, &invoice.currency)?,
        id: invoice.id,
        number: invoice.number,
        status: invoice.status.unwrap_or_default(),
        customer: invoice.customer.ok_or_else(|| Fault::Unread("an invoice without a customer".to_owned()))?,
    })
}

fn a_month() -> u16 {
    30
}

impl SendInvoice {
    /// An invoice that is due in 30 days; for more, `SendInvoice { days_until_due, ..SendInvoice::new(..) }`.
    pub fn new(customer: impl Into<String>, items: Vec<InvoiceItem>) -> Self {
        Self { customer: customer.into(), items, days_until_due: a_month(), description: None }
    }

    /// The sum of the items.
    fn total(&self) -> Result<Money, String> {
        let currency = self.items.first().map(|item| item.amount.currency.clone()).unwrap_or_default();
        if self.items.iter().any(|item| item.amount.currency != currency) {
            return Err("items: give all amounts in one currency".to_owned());
        }
        let sum = self.items.iter().try_fold(0_i64, |sum, item| sum.checked_add(item.amount.amount));
        Ok(Money { amount: sum.ok_or("items: the sum is too much")?, currency })
    }

    /// Whether an invoice is over what the arguments say, and to whom they say.
    fn is_echoed_by(&self, invoice: &Invoice) -> Result<(), Fault> {
        let total = from_stripe(invoice.total, &invoice.currency)?;
        match (self.total() == Ok(total), invoice.customer.as_ref() == Some(&self.customer)) {
            (true, true) => Ok(()),
            (false, _) => Err(Fault::Echo("total of the invoice".to_owned())),
            (true, false) => Err(Fault::Echo("customer of the invoice".to_owned())),
        }
    }
}

impl InvoiceItem {
    /// A line of an invoice.
    pub fn new(description: impl Into<String>, amount: Money) -> Self {
        Self { description: description.into(), amount }
    }
}

impl CellArgs for SendInvoice {
    const VOLATILE: &'static [&'static str] = &["description"];

    fn check(&self) -> Result<(), String> {
        if !is_id(&self.customer, &["cus_"]) {
            return Err("customer: give the id of a customer, cus_...".to_owned());
        }
        if self.items.is_empty() || self.items.len() > MOST_ITEMS {
            return Err(format!("items: give 1 to {MOST_ITEMS}"));
        }
        for (number, item) in self.items.iter().enumerate() {
            to_stripe(&item.amount).map_err(|why| format!("items[{number}].{why}"))?;
            if item.description.trim().is_empty() || item.description.chars().count() > 5000 {
                return Err(format!("items[{number}].description: say in 1 to 5000 characters what it is"));
            }
        }
        to_stripe(&self.total()?).map(|_| ())
    }

    fn echo(&self) -> Echo {
        let mut echo = self.total().map(|total| amounts::echo(&total)).unwrap_or_default();
        echo.push(("customer", self.customer.clone()));
        echo
    }

    fn money(&self) -> Option<Money> {
        self.total().ok()
    }
}

impl CellReceipt for SendInvoiceReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.push(("customer", self.customer.clone()));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some((self.status.clone(), matches!(self.status.as_str(), "void" | "uncollectible")))
    }
}

#[cfg(test)]
mod tests;
