//! `duffel.pay`: pay for an order that is held, from the Duffel balance.
//!
//! Be so: what counts is that the order is paid with this amount. An order carries no trace of who paid it, so a
//! receipt that was found says that it can't tell. After a lost answer the payment may stand at the airline alone,
//! so nothing is sent a second time by itself.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::amounts::{self, from_duffel, to_duffel};
use crate::client::v2;
use crate::facts;
use crate::orders;
use crate::wire::{Answered, PAYMENTS, is_id};

/// Pays for an order that `duffel.hold` made.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pay {
    /// The order: `ord_...`.
    pub order_id: String,
    /// Its present price, in ISO 4217 minor units. Another one is refused.
    pub amount: Money,
}

/// An order that is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PayReceipt {
    /// The order.
    pub id: String,
    /// Duffel's id of the payment, where it answered our own request: `pay_...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<String>,
    /// How much.
    pub amount: Money,
    /// Who paid.
    pub doer: Doer,
}

/// The cell `duffel.pay`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PayCell;

const SPEC: CellSpec = CellSpec::new(
    "duffel.pay",
    "Pays for an order that is held, from the Duffel balance",
    &[
        Rung::Native(facts::ONE_PAYMENT),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human {
            place: "Duffel's support, with the request id of the answer if there was one: is the order {order_id} paid, \
                    at Duffel or at the airline? Name it by its order id once it is paid",
        }),
    ],
)
.be_so()
.stakes(Stakes::High)
.answers(facts::ANSWERS_OF_PAYMENTS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::SOON)
.reversal("duffel.cancel, for what the fare gives back")
.residual("a payment whose answer was lost may stand at the airline without Duffel knowing it, until a person asks Duffel's support; meanwhile the hold may lapse");

/// A payment as Duffel shows it; only what is read.
#[derive(Deserialize)]
struct Payment {
    id: String,
    amount: String,
    currency: String,
    order_id: Option<String>,
    status: Option<String>,
}

impl Cell for PayCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Pay;
    type Receipt = PayReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Pay) -> Answer<PayReceipt> {
        let amount = match to_duffel("amount", &args.amount) {
            Ok(amount) => amount,
            Err(why) => return Answer::NotDone(why, None),
        };
        let payment = json!({ "type": "balance", "amount": amount, "currency": args.amount.currency });
        let body = json!({ "data": { "order_id": args.order_id, "payment": payment } });
        shot.send(v2(Request::post(PAYMENTS)).json(body), |paid: Answered<Payment>| args.paid(paid.data)).await
    }

    async fn find(&self, cx: &Context, args: &Pay) -> Result<Finding<PayReceipt>, Fault> {
        let cannot_tell = |why: &str| Ok(Finding::CannotTell(why.to_owned()));
        let Some(order) = orders::read(cx, &args.order_id).await? else {
            return cannot_tell("there is no such order here");
        };
        if order.is_paid() {
            let (id, amount) = (order.id.clone(), order.total()?);
            return Ok(Finding::Happened(PayReceipt { id, payment: None, amount, doer: Doer::CannotTell }));
        }
        if order.is_cancelled() {
            return cannot_tell("the order is cancelled, and Duffel knows of no payment");
        }
        match order.is_awaiting_payment() {
            true => Ok(Finding::Absent),
            false => cannot_tell("the hold has lapsed, and Duffel knows of no payment"),
        }
    }
}

impl Pay {
    /// Pays this amount for this order.
    pub fn new(order_id: impl Into<String>, amount: Money) -> Self {
        Self { order_id: order_id.into(), amount }
    }

    /// Reads the answer to our own payment.
    fn paid(&self, payment: Payment) -> Answer<PayReceipt> {
        if payment.order_id.as_ref().is_some_and(|order| *order != self.order_id) || !is_id(&payment.id, "pay_") {
            return Answer::Unclear(Fault::Echo("order or id of the payment".to_owned()));
        }
        if let Some(status) = payment.status.filter(|status| status != "succeeded") {
            return Answer::Unclear(Fault::Unread(format!("a payment with the status {status}")));
        }
        match from_duffel(&payment.amount, &payment.currency) {
            Ok(amount) => Answer::Happened(PayReceipt {
                id: self.order_id.clone(),
                payment: Some(payment.id),
                amount,
                doer: Doer::Us,
            }),
            Err(fault) => Answer::Unclear(fault),
        }
    }
}

impl CellArgs for Pay {
    fn check(&self) -> Result<(), String> {
        if !is_id(&self.order_id, "ord_") {
            return Err("order_id: give the id of an order, ord_...".to_owned());
        }
        to_duffel("amount", &self.amount).map(|_| ())
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("order_id", self.order_id.clone())];
        echo.extend(amounts::echo(&self.amount));
        echo
    }

    fn money(&self) -> Option<Money> {
        Some(self.amount.clone())
    }
}

impl CellReceipt for PayReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and the hold has the claim on the order.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("order_id", self.id.clone())];
        echo.extend(amounts::echo(&self.amount));
        echo
    }
}

#[cfg(test)]
mod tests;
