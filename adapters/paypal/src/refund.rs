//! `paypal.refund`: give a captured payment back once.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::amounts::{self, from_paypal, to_paypal};
use crate::facts;
use crate::wire::{Capture, Order, Refunded, is_id};

/// Gives back a captured payment, or a part of it. Two equal partial refunds are two refunds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refund {
    /// PayPal's id of the captured payment, as `paypal.pay_order` gave it.
    pub capture_id: String,
    /// How much; everything that is left if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Words for the buyer, at most 255 characters. Models rephrase, so changed ones are no other intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note_to_payer: Option<String>,
}

/// A refund that was accepted; whether the money arrives is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefundReceipt {
    /// PayPal's id of the refund.
    pub id: String,
    /// How much.
    pub amount: Money,
    /// PayPal's status of the refund.
    pub status: String,
    /// The captured payment, if PayPal names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_id: Option<String>,
}

/// The cell `paypal.refund`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefundCell;

const ANSWERS: &[Row] = &[facts::FULLY_REFUNDED, facts::REFUND_INVOICE, facts::REFUND_IN_PROGRESS, facts::UNAUTHORIZED];

const SPEC: CellSpec = CellSpec::new(
    "paypal.refund",
    "Gives back a captured payment or a part of it",
    &[
        Rung::Native(facts::REFUND_KEY),
        Rung::Query(facts::REFUND_BY_MARK),
        Rung::Human(Human {
            place: "https://www.paypal.com/activities: the payment {capture_id} with a refund whose invoice id and custom id are {mark}",
        }),
    ],
)
.stakes(Stakes::High)
.answers(ANSWERS)
.later("status of the refund, or the webhook PAYMENT.CAPTURE.REFUNDED")
.reversal("not reversible")
.residual("PayPal does not say how soon a refund shows in its order, nor what a key that first failed still protects: after 45 days, or after a server error whose refund is not found, a person decides");

impl Cell for RefundCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Refund;
    type Receipt = RefundReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Refund) -> Answer<RefundReceipt> {
        let names = shot.names();
        let mark = names.mark();
        // Two refunds with one invoice id are documented as refused, so it is ours.
        let mut body = json!({ "custom_id": mark, "invoice_id": mark });
        match args.amount.as_ref().map(to_paypal).transpose() {
            Ok(None) => {}
            Ok(Some(amount)) => body["amount"] = json!(amount),
            Err(why) => return Answer::NotDone(why, None),
        }
        if let Some(note) = &args.note_to_payer {
            body["note_to_payer"] = note.as_str().into();
        }
        let request = Request::post(format!("/v2/payments/captures/{}/refund", args.capture_id))
            .header("PayPal-Request-Id", names.token("refund"))
            .header("Prefer", "return=representation")
            .json(body);
        shot.send(request, |refund: Refunded| match refund.custom_id.as_deref() == Some(&mark) {
            true => receipt(&refund).map_or_else(Answer::Unclear, Answer::Happened),
            false => Answer::Unclear(Fault::Echo("mark of the refund".to_owned())),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Refund) -> Result<Finding<RefundReceipt>, Fault> {
        let read = Request::get(format!("/v2/payments/captures/{}", args.capture_id));
        let Some(capture) = cx.get::<Capture>(read).await? else {
            return Ok(Finding::CannotTell("the payment isn't there; has the account changed?".to_owned()));
        };
        if capture.id != args.capture_id {
            return Err(Fault::Echo("id of the payment".to_owned()));
        }
        // Refunds are listed in the order alone.
        let related = capture.supplementary_data.and_then(|data| data.related_ids);
        let Some(named) = related.and_then(|ids| ids.order_id).filter(|id| is_id(id)) else {
            return Ok(Finding::CannotTell("the payment names no order, and refunds are listed there".to_owned()));
        };
        let Some(order) = cx.get::<Order>(Request::get(format!("/v2/checkout/orders/{named}"))).await? else {
            return Ok(Finding::CannotTell("the order of the payment isn't there any more".to_owned()));
        };
        // One that doesn't show the payment isn't whole, and may leave out refunds too.
        let mut captures = order.purchase_units.iter().flat_map(|unit| &unit.payments.captures);
        if order.id != named || !captures.any(|listed| listed.id == args.capture_id) {
            return Ok(Finding::CannotTell(format!("the order {named} doesn't list the payment")));
        }
        let mark = cx.names().mark();
        let listed = order.purchase_units.iter().flat_map(|unit| &unit.payments.refunds);
        let ours = listed.filter(|refund| refund.custom_id.as_deref() == Some(&mark));
        Ok(found(ours.map(receipt).collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, _: &Refund, id: &str) -> Result<Option<RefundReceipt>, Fault> {
        match read(cx, id).await? {
            // Without it a refund of another payment over the same amount could pass for ours.
            Some(refund) if refund.capture().is_none() => Err(Fault::Unread(format!("{id} names no payment"))),
            read => read.as_ref().map(receipt).transpose(),
        }
    }

    async fn follow(&self, cx: &Context, _: &Refund, id: &str) -> Result<Option<RefundReceipt>, Fault> {
        read(cx, id).await?.as_ref().map(receipt).transpose()
    }
}

/// Reads this refund.
async fn read(cx: &Context, id: &str) -> Result<Option<Refunded>, Fault> {
    if !is_id(id) {
        return Err(Fault::Unread("a refund is named by PayPal's id of it".to_owned()));
    }
    match cx.get::<Refunded>(Request::get(format!("/v2/payments/refunds/{id}"))).await? {
        Some(refund) if refund.id != id => Err(Fault::Echo("id of the refund".to_owned())),
        read => Ok(read),
    }
}

fn receipt(refund: &Refunded) -> Result<RefundReceipt, Fault> {
    let amount = refund.amount.as_ref().ok_or_else(|| Fault::Unread("a refund without an amount".to_owned()))?;
    if !is_id(&refund.id) {
        return Err(Fault::Unread("a refund without an id of PayPal's form".to_owned()));
    }
    Ok(RefundReceipt {
        id: refund.id.clone(),
        amount: from_paypal(amount)?,
        status: refund.status.clone(),
        capture_id: refund.capture().map(str::to_owned),
    })
}

impl Refund {
    /// Gives back all that is left of a payment; for a part, `Refund { amount, ..Refund::of(..) }`.
    pub fn of(capture_id: impl Into<String>) -> Self {
        Self { capture_id: capture_id.into(), amount: None, note_to_payer: None }
    }
}

impl CellArgs for Refund {
    const VOLATILE: &'static [&'static str] = &["note_to_payer"];

    fn check(&self) -> Result<(), String> {
        if !is_id(&self.capture_id) {
            return Err("capture_id: give PayPal's id of a captured payment, capital letters and digits".to_owned());
        }
        if self.note_to_payer.as_ref().is_some_and(|note| !(1..=255).contains(&note.chars().count())) {
            return Err("note_to_payer: 1 to 255 characters".to_owned());
        }
        self.amount.as_ref().map(to_paypal).transpose().map(|_| ())
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("capture_id", self.capture_id.clone())];
        echo.extend(self.amount.iter().flat_map(amounts::echo));
        echo
    }

    fn money(&self) -> Option<Money> {
        self.amount.clone()
    }
}

impl CellReceipt for RefundReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.extend(self.capture_id.clone().map(|id| ("capture_id", id)));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some((self.status.to_ascii_lowercase(), matches!(self.status.as_str(), "FAILED" | "CANCELLED")))
    }
}

#[cfg(test)]
mod tests;
