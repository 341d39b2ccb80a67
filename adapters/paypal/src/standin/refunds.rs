use hapax_standin::{Context, Effect};
use serde_json::{Value, json};

use super::amount::Amount;
use super::fail::Fail;
use super::orders::Order;
use super::{Paypal, invoice_of, planted};

/// A refund of a captured payment.
#[derive(Clone, Debug)]
pub(super) struct Refund {
    id: String,
    pub(super) created_ms: i64,
    capture: String,
    amount: Amount,
    /// The request's body.
    sent: Value,
}

impl Refund {
    pub(super) fn value(&self) -> Value {
        let mut value = json!({
            "id": self.id, "status": "COMPLETED", "amount": self.amount.value(),
            "links": [
                { "rel": "self", "href": format!("https://api-m.paypal.com/v2/payments/refunds/{}", self.id) },
                { "rel": "up", "href": format!("https://api-m.paypal.com/v2/payments/captures/{}", self.capture) },
            ],
        });
        for name in ["custom_id", "invoice_id", "note_to_payer"] {
            if let Some(text) = self.sent[name].as_str() {
                value[name] = text.into();
            }
        }
        value
    }
}

pub(super) fn show_capture(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    let id = context.path("id");
    context.state.orders.iter().find(|order| is_paid_by(order, &id)).map(Order::capture_value).ok_or_else(Fail::missing)
}

pub(super) fn show(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    let id = context.path("id");
    let mut refunds = context.state.orders.iter().flat_map(|order| &order.refunds);
    refunds.find(|refund| refund.id == id).map(Refund::value).ok_or_else(Fail::missing)
}

pub(super) fn create(context: &mut Context<'_, Paypal>) -> Result<(u16, Value), Fail> {
    let (id, sent) = (context.path("id"), context.request.json_at("").clone());
    let all = context.state.orders.iter().flat_map(|order| &order.refunds);
    let invoice = invoice_of(&sent);
    if context.state.blocks_repeated_invoice_ids
        && invoice.is_some()
        && all.clone().any(|refund| invoice_of(&refund.sent) == invoice)
    {
        return Err(Fail::unprocessable("DUPLICATE_INVOICE_ID"));
    }
    let wanted = match &sent["amount"] {
        Value::Null => None,
        amount => Some(Amount::read(amount)?),
    };
    let order = context.state.orders.iter_mut().find(|order| is_paid_by(order, &id)).ok_or_else(Fail::missing)?;
    let capture = order.capture.as_mut().ok_or_else(Fail::missing)?;
    let refunded: i64 = order.refunds.iter().map(|refund| refund.amount.thousandths).sum();
    let left = capture.amount.less(refunded);
    let amount = wanted.unwrap_or_else(|| left.clone());
    match capture.status {
        _ if !capture.can_be_refunded => return Err(Fail::unprocessable("REFUND_TIME_LIMIT_EXCEEDED")),
        "PENDING" => return Err(Fail::unprocessable("PENDING_CAPTURE")),
        "REFUNDED" => return Err(Fail::unprocessable("CAPTURE_FULLY_REFUNDED")),
        "COMPLETED" | "PARTIALLY_REFUNDED" => {}
        _ => return Err(Fail::unprocessable("REFUND_NOT_ALLOWED")),
    }
    if amount.currency != left.currency {
        return Err(Fail::unprocessable("REFUND_CAPTURE_CURRENCY_MISMATCH"));
    }
    if amount.thousandths > left.thousandths {
        return Err(Fail::unprocessable("REFUND_AMOUNT_EXCEEDED"));
    }
    capture.status = if amount == left { "REFUNDED" } else { "PARTIALLY_REFUNDED" };
    let new = context.world.ids.letters(17).to_uppercase();
    let refund = Refund { id: new, created_ms: context.now_ms, capture: id, amount, sent };
    let value = refund.value();
    let effect = Effect {
        kind: "refund".to_owned(),
        object: refund.id.clone(),
        metadata: planted(&refund.sent),
        amount: refund.amount.thousandths / 10,
        currency: refund.amount.currency.clone(),
        ..Effect::default()
    };
    order.refunds.push(refund);
    context.effect(effect);
    Ok((201, value))
}

fn is_paid_by(order: &Order, capture: &str) -> bool {
    order.capture.as_ref().is_some_and(|paid| paid.id == capture)
}
