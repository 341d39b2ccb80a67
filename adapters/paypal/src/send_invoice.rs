//! `paypal.send_invoice`: send an invoice by mail once.
//!
//! A draft of our own is made, which mails nobody, and its id is journaled; then it is sent. PayPal sends a draft
//! once: sending it again has no effect, or is refused. The answer to sending is a link that says little, so what
//! became of an invoice is read from the invoice.

mod address;
mod steps;
mod wire;

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::amounts::{self, from_paypal, to_paypal};
use crate::facts;
pub use address::Address;
use wire::{Invoice, Link, Stage, is_invoice_id};

/// Sends an invoice over these items to this address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInvoice {
    /// Who is billed: the mail goes to this address.
    pub recipient: Address,
    /// What is billed, 1 to 100 items in one currency. No tax, discount or shipping is added: the invoice says what
    /// stands here, or it is not sent.
    pub items: Vec<InvoiceItem>,
    /// When it is due; on receipt unless said otherwise.
    #[serde(default)]
    pub due: PaymentTerm,
    /// A note to the recipient, at most 4000 characters. Models rephrase, so a changed one is no other intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One line of an invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceItem {
    /// What it is, as the recipient reads it; at most 200 characters.
    pub name: String,
    /// How much, in ISO 4217 minor units.
    pub amount: Money,
}

/// When an invoice is due, counted from its date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentTerm {
    /// At once.
    #[default]
    OnReceipt,
    /// In 10 days.
    Net10,
    /// In 15 days.
    Net15,
    /// In 30 days.
    Net30,
    /// In 45 days.
    Net45,
    /// In 60 days.
    Net60,
    /// In 90 days.
    Net90,
    /// Whenever.
    Never,
}

/// An invoice that was sent; whether it is paid is its fate. Who it went to is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendInvoiceReceipt {
    /// `INV2-...`
    pub id: String,
    /// The number that the recipient reads on it.
    pub number: String,
    /// The total.
    pub amount: Money,
    /// PayPal's status of the invoice.
    pub status: String,
}

/// The cell `paypal.send_invoice`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendInvoiceCell;

const INVOICE: &str = "invoice";

const ANSWERS: &[Row] = &[facts::ALREADY_SENT, facts::SENT_ALREADY, facts::INVOICE_GONE, facts::INVOICE_UNAUTHORIZED];

const SPEC: CellSpec = CellSpec::new(
    "paypal.send_invoice",
    "Sends an invoice to a customer by mail",
    &[
        Rung::Native(facts::ONE_SEND),
        Rung::Native(facts::INVOICE_NUMBER),
        Rung::Query(facts::INVOICE_BY_ID),
        Rung::Query(facts::INVOICE_BY_MARK),
        Rung::Human(Human {
            place: "https://www.paypal.com/invoice/manage: an invoice with the reference {mark}; ours is {invoice}",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(ANSWERS)
.later("status of the invoice, or the webhooks INVOICING.INVOICE.PAID and INVOICING.INVOICE.CANCELLED")
.reversal("the mail can't be taken back; until it is paid the invoice can be canceled by hand")
.notes(&[INVOICE])
.residual("a ledger restored from a copy older than the draft sends a second invoice, where PayPal's search does not show the first yet and PayPal does not refuse its number; a draft that was refused, or made again after a failure, is left behind unsent");

impl Cell for SendInvoiceCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = SendInvoice;
    type Receipt = SendInvoiceReceipt;

    async fn prepare(&self, cx: &Context, args: &SendInvoice) -> Result<Step<SendInvoiceReceipt>, Fault> {
        if cx.names().note(INVOICE).is_some() {
            return Ok(Step::Ready);
        }
        if let Some(former) = cx.names().former_note(INVOICE)
            && let Some(sent) = steps::retire(cx, former).await?
        {
            return Ok(Step::Happened(receipt(&sent)?));
        }
        match steps::choose(cx, args, &steps::ours(cx).await?)? {
            Some(step) => Ok(step),
            None => steps::create(cx, args).await,
        }
    }

    async fn attempt(&self, shot: Shot<'_>, args: &SendInvoice) -> Answer<SendInvoiceReceipt> {
        let names = shot.names();
        let Some(noted) = names.note(INVOICE) else {
            return Answer::NotDone("no invoice is noted".to_owned(), None);
        };
        let amount = match args.total() {
            Ok(amount) => amount,
            Err(why) => return Answer::NotDone(why, None),
        };
        // The draft had this total and this number when it was noted.
        let (id, number) = (noted.to_owned(), names.harmless_token("number"));
        let sent = SendInvoiceReceipt { id, number, amount, status: "SENT".to_owned() };
        let request = Request::post(format!("/v2/invoicing/invoices/{noted}/send"))
            .json(json!({ "send_to_recipient": true, "send_to_invoicer": false }));
        shot.send(request, |link: Link| link.names(noted).map_or_else(Answer::Unclear, |()| Answer::Happened(sent)))
            .await
    }

    async fn find(&self, cx: &Context, args: &SendInvoice) -> Result<Finding<SendInvoiceReceipt>, Fault> {
        let mut is_gone = false;
        if let Some(noted) = cx.names().note(INVOICE) {
            match steps::read(cx, noted).await? {
                Some(invoice) if invoice.stage() == Stage::Unknown => return Ok(cannot_tell(&invoice)),
                Some(invoice) if invoice.stage() != Stage::Draft => {
                    args.is_for_the_same(&invoice)?;
                    return Ok(Finding::Happened(receipt(&invoice)?));
                }
                found => is_gone = found.is_none(),
            }
        }
        // A restored or second ledger may have sent another one than the noted.
        let ours = steps::ours(cx).await?;
        if let Some(unknown) = ours.iter().find(|invoice| invoice.stage() == Stage::Unknown) {
            return Ok(cannot_tell(unknown));
        }
        let sent: Vec<&Invoice> = ours.iter().filter(|invoice| invoice.stage() != Stage::Draft).collect();
        sent.iter().try_for_each(|invoice| args.is_for_the_same(invoice))?;
        Ok(match found(sent.into_iter().map(receipt).collect::<Result<_, _>>()?) {
            // A canceled one can be deleted, so this is no proof that it was never sent.
            Finding::Absent if is_gone => Finding::CannotTell("the noted invoice isn't there any more".to_owned()),
            finding => finding,
        })
    }

    async fn fetch(&self, cx: &Context, args: &SendInvoice, id: &str) -> Result<Option<SendInvoiceReceipt>, Fault> {
        if !is_invoice_id(id) {
            return Err(Fault::Unread("an invoice is named by its id, INV2-...".to_owned()));
        }
        let Some(invoice) = steps::read(cx, id).await? else { return Ok(None) };
        if matches!(invoice.stage(), Stage::Draft | Stage::Unknown) {
            return Err(Fault::Unread(format!(
                "{id} has the status {}: nothing says that it was sent",
                invoice.status
            )));
        }
        args.is_for_the_same(&invoice)?;
        receipt(&invoice).map(Some)
    }
}

fn cannot_tell<R>(invoice: &Invoice) -> Finding<R> {
    Finding::CannotTell(format!("{} has the status {}, which doesn't tell", invoice.id, invoice.status))
}

fn receipt(invoice: &Invoice) -> Result<SendInvoiceReceipt, Fault> {
    let amount = invoice.amount.as_ref().ok_or_else(|| Fault::Unread("an invoice without a total".to_owned()))?;
    Ok(SendInvoiceReceipt {
        id: invoice.id.clone(),
        number: invoice.detail.invoice_number.clone().unwrap_or_default(),
        amount: from_paypal(amount)?,
        status: invoice.status.clone(),
    })
}

impl SendInvoice {
    /// An invoice that is due on receipt; for more, `SendInvoice { due, ..SendInvoice::new(..) }`.
    pub fn new(recipient: impl Into<Address>, items: Vec<InvoiceItem>) -> Self {
        Self { recipient: recipient.into(), items, due: PaymentTerm::default(), note: None }
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

    /// Whether an invoice goes to whom the arguments say. Its total is compared with the receipt's.
    fn is_for_the_same(&self, invoice: &Invoice) -> Result<(), Fault> {
        match invoice.recipient() {
            Some(address) if self.recipient.is(address) => Ok(()),
            _ => Err(Fault::Echo("recipient of the invoice".to_owned())),
        }
    }
}

impl InvoiceItem {
    /// The most that PayPal takes for one item, in units of the currency.
    const MOST: i64 = 1_000_000;

    /// A line of an invoice.
    pub fn new(name: impl Into<String>, amount: Money) -> Self {
        Self { name: name.into(), amount }
    }

    fn check(&self) -> Result<(), String> {
        to_paypal(&self.amount)?;
        let exponent = self.amount.exponent().map_err(|error| format!("amount: {error}"))?;
        if exponent > 2 || self.amount.amount > Self::MOST * 10_i64.pow(exponent) {
            return Err(format!("amount: PayPal takes at most {} of a currency with two decimals", Self::MOST));
        }
        match self.name.trim().is_empty() || self.name.chars().count() > 200 {
            true => Err("name: say in 1 to 200 characters what it is".to_owned()),
            false => Ok(()),
        }
    }
}

impl CellArgs for SendInvoice {
    const VOLATILE: &'static [&'static str] = &["note"];

    fn check(&self) -> Result<(), String> {
        self.recipient.check()?;
        if !(1..=100).contains(&self.items.len()) {
            return Err("items: give 1 to 100".to_owned());
        }
        for (number, item) in self.items.iter().enumerate() {
            item.check().map_err(|why| format!("items[{number}].{why}"))?;
        }
        if self.note.as_ref().is_some_and(|note| !(1..=4000).contains(&note.chars().count())) {
            return Err("note: 1 to 4000 characters".to_owned());
        }
        to_paypal(&self.total()?).map(|_| ())
    }

    fn echo(&self) -> Echo {
        self.total().map(|total| amounts::echo(&total)).unwrap_or_default()
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
        amounts::echo(&self.amount)
    }

    fn fate(&self) -> Option<(String, bool)> {
        let is_canceled = matches!(self.status.as_str(), "CANCELLED" | "AUTO_CANCELLED");
        Some((self.status.to_ascii_lowercase(), is_canceled))
    }
}

#[cfg(test)]
mod tests;
