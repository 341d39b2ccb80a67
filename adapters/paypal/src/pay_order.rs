//! `paypal.pay_order`: take money once from a payment method that is saved at PayPal.
//!
//! The order is created without a way to pay, which takes no money, and its id is journaled; then it is
//! captured. From there on the order itself can be spent only once, whatever becomes of keys.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::identity::Names;
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Covers, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::amounts::{self, from_paypal, to_paypal};
use crate::facts;
use crate::wire::{Capture, Order, is_id};

/// Takes this amount from this saved payment method.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayOrder {
    /// How much, in ISO 4217 minor units.
    pub amount: Money,
    /// What pays: saved at PayPal with the buyer's consent, so that nobody has to approve this order.
    pub payment_source: PaymentSource,
    /// What it is for, at most 127 characters. Models rephrase, so a changed one is no other intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A payment method that the buyer let the merchant keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PaymentSource {
    /// A PayPal account.
    Paypal {
        /// PayPal's id of what is saved.
        vault_id: String,
    },
    /// A card, charged while the buyer is away.
    Card {
        /// PayPal's id of what is saved.
        vault_id: String,
    },
    /// A billing agreement, `B-...`.
    BillingAgreement {
        /// Its id.
        id: String,
    },
}

/// A payment that was taken; what became of it is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PayOrderReceipt {
    /// PayPal's id of the captured payment: what `paypal.refund` takes.
    pub id: String,
    /// PayPal's id of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// How much.
    pub amount: Money,
    /// PayPal's status of the captured payment.
    pub status: String,
}

/// The cell `paypal.pay_order`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PayOrderCell;

const ORDER: &str = "order";

const ANSWERS: &[Row] = &[facts::ALREADY_CAPTURED, facts::ORDER_INVOICE, facts::COMPLETING, facts::UNAUTHORIZED];

const SPEC: CellSpec = CellSpec::new(
    "paypal.pay_order",
    "Takes a payment from a payment method saved at PayPal",
    &[
        Rung::Native(facts::ONE_CAPTURE),
        Rung::Native(facts::ORDER_KEY),
        Rung::Query(facts::ORDER_BY_ID),
        Rung::Human(Human {
            place: "https://www.paypal.com/activities: a payment with the custom id {mark}; the order is {order}",
        }),
    ],
)
.stakes(Stakes::High)
.answers(ANSWERS)
.patience(facts::PATIENCE)
.later("status of the captured payment, or the webhooks PAYMENT.CAPTURE.COMPLETED and PAYMENT.CAPTURE.DENIED")
.reversal("by paypal.refund, for 180 days by default")
.notes(&[ORDER])
.residual("a ledger restored from a copy older than the order, more than 6 hours after the order was created, creates a second order and can take the money twice, unless the PayPal account blocks repeated invoice ids");

impl Cell for PayOrderCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = PayOrder;
    type Receipt = PayOrderReceipt;

    async fn prepare(&self, cx: &Context, args: &PayOrder) -> Result<Step<PayOrderReceipt>, Fault> {
        if cx.names().note(ORDER).is_some() {
            return Ok(Step::Ready);
        }
        if let Some(former) = cx.names().former_note(ORDER)
            && let Some(step) = again(cx, args, former).await?
        {
            return Ok(step);
        }
        create(cx, args).await
    }

    async fn attempt(&self, shot: Shot<'_>, args: &PayOrder) -> Answer<PayOrderReceipt> {
        let names = shot.names();
        let Some(order) = names.note(ORDER) else {
            return Answer::NotDone("no order is noted".to_owned(), None);
        };
        let request = Request::post(format!("/v2/checkout/orders/{order}/capture"))
            .header("PayPal-Request-Id", names.token("capture"))
            .header("Prefer", "return=representation")
            .json(json!({ "payment_source": args.payment_source.value() }));
        let mark = names.mark();
        shot.send(request, |answer: Order| captured(&answer, order, &mark)).await
    }

    async fn find(&self, cx: &Context, _: &PayOrder) -> Result<Finding<PayOrderReceipt>, Fault> {
        // Orders can't be searched: without an id there is none of which this ledger knows.
        let Some(noted) = cx.names().note(ORDER) else { return Ok(Finding::Absent) };
        match read(cx, noted).await? {
            Some(order) if order.is_marked(&cx.names().mark()) => stand(&order),
            Some(order) if order.purchase_units.is_empty() => {
                Err(Fault::Unread("an order without its parts".to_owned()))
            }
            Some(_) => Err(Fault::Echo("mark of the order".to_owned())),
            // One that was never captured ends, and then it isn't there; so may one of another account.
            None => Ok(Finding::CannotTell(format!("the order {noted} isn't there any more"))),
        }
    }

    async fn fetch(&self, cx: &Context, _: &PayOrder, id: &str) -> Result<Option<PayOrderReceipt>, Fault> {
        match payment(cx, id).await? {
            Some(capture) if !is_taken(&capture) => {
                Err(Fault::Unread(format!("{id} has the status {}: no money was taken", capture.status)))
            }
            Some(capture) => paid(&capture).map(Some),
            None => Ok(None),
        }
    }

    /// A payment that was under way may have been declined since.
    async fn follow(&self, cx: &Context, _: &PayOrder, id: &str) -> Result<Option<PayOrderReceipt>, Fault> {
        payment(cx, id).await?.as_ref().map(paid).transpose()
    }
}

/// Reads a captured payment.
async fn payment(cx: &Context, id: &str) -> Result<Option<Capture>, Fault> {
    if !is_id(id) {
        return Err(Fault::Unread("a payment is named by the id of its capture".to_owned()));
    }
    match cx.get::<Capture>(Request::get(format!("/v2/payments/captures/{id}"))).await? {
        Some(capture) if capture.id != id => Err(Fault::Echo("id of the payment".to_owned())),
        read => Ok(read),
    }
}

fn paid(capture: &Capture) -> Result<PayOrderReceipt, Fault> {
    let related = capture.supplementary_data.as_ref().and_then(|data| data.related_ids.as_ref());
    receipt(capture, related.and_then(|ids| ids.order_id.clone()))
}

/// Makes the order that will be captured. Within six hours the key gives the same one again, also to a ledger
/// that has forgotten it; then it may be paid already.
async fn create(cx: &Context, args: &PayOrder) -> Result<Step<PayOrderReceipt>, Fault> {
    let made: Order = match cx.step(ANSWERS, args.create(cx.names())?).await? {
        Ok(made) => made,
        Err(refusal) => return Ok(Step::Refused(refusal)),
    };
    if !is_id(&made.id) {
        return Err(Fault::Unread("an order without an id of PayPal's form".to_owned()));
    }
    // A repeat may be answered with less than the whole order.
    let order: Order = match made.status.as_str() {
        "CREATED" if !made.purchase_units.is_empty() => made,
        _ => read(cx, &made.id).await?.ok_or_else(|| Fault::Unread("the new order can't be read".to_owned()))?,
    };
    // A key that PayPal knows from other arguments silently gives the first order.
    if !args.is_echoed_by(&order, &cx.names().mark()) {
        return Err(Fault::Echo("amount or mark of the new order".to_owned()));
    }
    Ok(match stand(&order)? {
        Finding::Absent => Step::Note(ORDER, order.id),
        Finding::Happened(receipt) => Step::Happened(receipt),
        other => return Err(Fault::Unread(format!("an order that can't be paid: {other:?}"))),
    })
}

/// What the order of the epoch before is good for. It can't be taken back, so as long as it can be paid and says
/// what is wanted now it is the one that is paid: another one beside it might be paid too.
async fn again(cx: &Context, args: &PayOrder, former: &str) -> Result<Option<Step<PayOrderReceipt>>, Fault> {
    let Some(order) = read(cx, former).await? else { return Ok(None) };
    Ok(match stand(&order)? {
        Finding::Absent if args.is_echoed_by(&order, &cx.names().mark()) => Some(Step::Note(ORDER, order.id)),
        // Superseded with another amount: what was sent for the old one was refused, or is past its settle.
        Finding::Absent | Finding::Failed(_) => None,
        Finding::Happened(receipt) => Some(Step::Happened(receipt)),
        _ => return Err(Fault::Unread(format!("the order {former} can't be told"))),
    })
}

/// Reads the answer to our own capture.
fn captured(order: &Order, noted: &str, mark: &str) -> Answer<PayOrderReceipt> {
    if order.id != noted || !order.is_marked(mark) {
        return Answer::Unclear(Fault::Echo("id or mark of the order".to_owned()));
    }
    match stand(order) {
        Ok(Finding::Happened(receipt)) => Answer::Happened(receipt),
        Ok(Finding::Failed(refusal)) => Answer::Refused(refusal, Covers::Record),
        Ok(_) => Answer::Unclear(Fault::Unread(format!("a captured order with the status {}", order.status))),
        Err(fault) => Answer::Unclear(fault),
    }
}

/// Where an order stands. Payments that were declined are not counted: no money was taken.
fn stand(order: &Order) -> Result<Finding<PayOrderReceipt>, Fault> {
    let captures: Vec<&Capture> = order.purchase_units.iter().flat_map(|unit| &unit.payments.captures).collect();
    let (declined, others): (Vec<&Capture>, Vec<&Capture>) =
        captures.iter().partition(|capture| is_declined(&capture.status));
    Ok(match (others.as_slice(), order.status.as_str()) {
        ([one], _) if is_taken(one) => Finding::Happened(receipt(one, Some(order.id.clone()))?),
        ([], "COMPLETED") if !declined.is_empty() => {
            Finding::Failed(Refusal::new("DECLINED", "the payment was declined"))
        }
        ([], "VOIDED") => Finding::Failed(Refusal::new("VOIDED", "the order was voided and can't be paid")),
        ([], "CREATED" | "SAVED" | "APPROVED" | "PAYER_ACTION_REQUIRED") => Finding::Absent,
        _ => Finding::CannotTell(format!("status {} with {} payments", order.status, captures.len())),
    })
}

/// Whether it is known that a payment took no money.
fn is_declined(status: &str) -> bool {
    matches!(status, "DECLINED" | "FAILED")
}

/// Whether money was taken, or is on its way.
fn is_taken(capture: &Capture) -> bool {
    matches!(capture.status.as_str(), "COMPLETED" | "PENDING" | "PARTIALLY_REFUNDED" | "REFUNDED")
}

/// Reads this order.
async fn read(cx: &Context, id: &str) -> Result<Option<Order>, Fault> {
    match cx.get::<Order>(Request::get(format!("/v2/checkout/orders/{id}"))).await? {
        Some(order) if order.id != id => Err(Fault::Echo("id of the order".to_owned())),
        read => Ok(read),
    }
}

fn receipt(capture: &Capture, order: Option<String>) -> Result<PayOrderReceipt, Fault> {
    let amount = capture.amount.as_ref().ok_or_else(|| Fault::Unread("a payment without an amount".to_owned()))?;
    if !is_id(&capture.id) {
        return Err(Fault::Unread("a payment without an id of PayPal's form".to_owned()));
    }
    Ok(PayOrderReceipt { id: capture.id.clone(), order, amount: from_paypal(amount)?, status: capture.status.clone() })
}

impl PayOrder {
    /// A payment without words; for more, `PayOrder { description, ..PayOrder::new(..) }`.
    pub fn new(amount: Money, payment_source: PaymentSource) -> Self {
        Self { amount, payment_source, description: None }
    }

    fn create(&self, names: &Names) -> Result<Request, Fault> {
        let mut unit = json!({
            "amount": to_paypal(&self.amount).map_err(Fault::NotSent)?,
            "custom_id": names.mark(),
            // Where the account blocks repeated invoice ids, a second order of ours can't be paid.
            "invoice_id": names.harmless_token("invoice"),
        });
        if let Some(description) = &self.description {
            unit["description"] = description.as_str().into();
        }
        Ok(Request::post("/v2/checkout/orders")
            .header("PayPal-Request-Id", names.harmless_token("create"))
            .header("Prefer", "return=representation")
            .json(json!({ "intent": "CAPTURE", "purchase_units": [unit] })))
    }

    fn is_echoed_by(&self, order: &Order, mark: &str) -> bool {
        let amount = order.purchase_units.first().and_then(|unit| unit.amount.as_ref());
        order.is_marked(mark) && amount.is_some_and(|amount| from_paypal(amount).as_ref() == Ok(&self.amount))
    }
}

impl Order {
    fn is_marked(&self, mark: &str) -> bool {
        matches!(self.purchase_units.as_slice(), [unit] if unit.custom_id.as_deref() == Some(mark))
    }
}

impl PaymentSource {
    fn value(&self) -> Value {
        match self {
            Self::Paypal { vault_id } => json!({ "paypal": { "vault_id": vault_id } }),
            Self::Card { vault_id } => {
                let away = json!({
                    "payment_initiator": "MERCHANT", "payment_type": "UNSCHEDULED", "usage": "SUBSEQUENT",
                });
                json!({ "card": { "vault_id": vault_id, "stored_credential": away } })
            }
            Self::BillingAgreement { id } => json!({ "token": { "id": id, "type": "BILLING_AGREEMENT" } }),
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Paypal { vault_id } | Self::Card { vault_id } => vault_id,
            Self::BillingAgreement { id } => id,
        }
    }
}

impl CellArgs for PayOrder {
    const VOLATILE: &'static [&'static str] = &["description"];

    fn check(&self) -> Result<(), String> {
        to_paypal(&self.amount)?;
        let id = self.payment_source.id();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !(1..=255).contains(&id.len()) || !id.bytes().all(is_plain) {
            return Err("payment_source: give PayPal's id of a saved payment method".to_owned());
        }
        match &self.description {
            Some(words) if !(1..=127).contains(&words.chars().count()) => {
                Err("description: 1 to 127 characters".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn echo(&self) -> Echo {
        amounts::echo(&self.amount)
    }

    fn money(&self) -> Option<Money> {
        Some(self.amount.clone())
    }
}

impl CellReceipt for PayOrderReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        amounts::echo(&self.amount)
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some((self.status.to_ascii_lowercase(), is_declined(&self.status)))
    }
}

#[cfg(test)]
mod tests;
