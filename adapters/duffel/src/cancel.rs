//! `duffel.cancel`: see to it that an order is cancelled.
//!
//! Be so: anybody's cancellation satisfies. A quote is taken first, which changes nothing, and noted; then just this
//! quote is confirmed, once. What a second confirmation does is not documented, so none goes out by itself.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::amounts::{from_duffel, to_duffel};
use crate::client::v2;
use crate::facts;
use crate::orders;
use crate::wire::{Answered, CANCELLATIONS, is_id};

/// Cancels an order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The order: `ord_...`.
    pub order_id: String,
    /// The least that it must give back, in ISO 4217 minor units. Without it any refund will do, none as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_refund: Option<Money>,
}

/// An order that is cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelReceipt {
    /// The order.
    pub id: String,
    /// What is given back, where our quote was confirmed and the airline says; it may be nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<Money>,
    /// Where it is given back to: `balance`, `airline_credits` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
    /// Who cancelled it.
    pub doer: Doer,
}

/// The cell `duffel.cancel`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelCell;

/// The note of the quote that is confirmed.
const QUOTE: &str = "quote";

const SPEC: CellSpec = CellSpec::new(
    "duffel.cancel",
    "Cancels an order, for what its fare gives back",
    &[
        Rung::Native(facts::ONE_CANCELLATION),
        Rung::Native(facts::LATEST_QUOTE),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human {
            place: "Duffel's support, with the request id of the answer if there was one: is the order {order_id} \
                    cancelled, at Duffel or at the airline? Name it by its order id once it is cancelled",
        }),
    ],
)
.be_so()
.stakes(Stakes::High)
.answers(facts::ANSWERS_OF_CANCELLATIONS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::SOON)
.notes(&[QUOTE])
.reversal("not reversible; book again, if there are seats and at the price of that day")
.residual("an order whose cancellation was not answered may be cancelled at the airline without Duffel knowing it, until a person asks Duffel's support; a later quote, which may be a late one of our own, makes ours stale, and then a person sends it again");

/// A cancellation, quoted or confirmed; only what is read.
#[derive(Deserialize)]
struct Cancellation {
    id: String,
    order_id: String,
    refund_amount: Option<String>,
    refund_currency: Option<String>,
    refund_to: Option<String>,
    confirmed_at: Option<String>,
}

impl Cell for CancelCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Cancel;
    type Receipt = CancelReceipt;

    async fn prepare(&self, cx: &Context, args: &Cancel) -> Result<Step<CancelReceipt>, Fault> {
        if cx.names().note(QUOTE).is_some() {
            return Ok(Step::Ready);
        }
        match orders::read(cx, &args.order_id).await? {
            None => return Ok(Step::Refused(Refusal::new("not_found", "there is no such order in this mode"))),
            Some(order) if order.is_cancelled() => return Ok(Step::Happened(args.receipt(Doer::CannotTell))),
            Some(_) => {}
        }
        let request = v2(Request::post(CANCELLATIONS)).json(json!({ "data": { "order_id": args.order_id } }));
        let quote: Cancellation = match cx.step::<Answered<_>>(facts::ANSWERS_OF_QUOTES, request).await? {
            Ok(answered) => answered.data,
            Err(refusal) => return Ok(Step::Refused(refusal)),
        };
        if quote.order_id != args.order_id || !is_id(&quote.id, "ore_") {
            return Err(Fault::Echo("order or id of the quote".to_owned()));
        }
        Ok(match args.refuses(quote.refund()?.as_ref()) {
            Some(refusal) => Step::Refused(refusal),
            None => Step::Note(QUOTE, quote.id),
        })
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Cancel) -> Answer<CancelReceipt> {
        let Some(quote) = shot.names().note(QUOTE) else {
            return Answer::NotDone("no quote is noted".to_owned(), None);
        };
        let request = v2(Request::post(format!("{CANCELLATIONS}/{quote}/actions/confirm")));
        shot.send(request, |answered: Answered<Cancellation>| args.confirmed(answered.data, quote)).await
    }

    async fn find(&self, cx: &Context, args: &Cancel) -> Result<Finding<CancelReceipt>, Fault> {
        if let Some(quote) = cx.names().note(QUOTE)
            && let Some(cancellation) = read(cx, quote).await?
        {
            if !args.is_about(&cancellation, quote) {
                return Err(Fault::Unread("the answer is about another cancellation".to_owned()));
            }
            if cancellation.confirmed_at.is_some() {
                return Ok(Finding::Happened(args.receipt_of(cancellation, Doer::CannotTell)));
            }
        }
        // By another quote, or by the airline.
        Ok(match orders::read(cx, &args.order_id).await? {
            None => Finding::CannotTell("there is no such order here, and there was one before".to_owned()),
            Some(order) if order.is_cancelled() => Finding::Happened(args.receipt(Doer::CannotTell)),
            Some(_) => Finding::Absent,
        })
    }
}

/// The cancellation of this id, quoted or confirmed.
async fn read(cx: &Context, id: &str) -> Result<Option<Cancellation>, Fault> {
    let found: Option<Answered<Cancellation>> = cx.get(v2(Request::get(format!("{CANCELLATIONS}/{id}")))).await?;
    Ok(found.map(|found| found.data))
}

impl Cancellation {
    /// What is given back; `None`: the airline doesn't say.
    fn refund(&self) -> Result<Option<Money>, Fault> {
        let both = self.refund_amount.as_ref().zip(self.refund_currency.as_ref());
        both.map(|(amount, currency)| from_duffel(amount, currency)).transpose()
    }
}

impl Cancel {
    /// Cancels this order, whatever it gives back.
    pub fn of(order_id: impl Into<String>) -> Self {
        Self { order_id: order_id.into(), least_refund: None }
    }

    /// Why a quote over this refund is not taken, if it isn't.
    fn refuses(&self, refund: Option<&Money>) -> Option<Refusal> {
        let least = self.least_refund.as_ref()?;
        let is_enough = |refund: &Money| refund.currency == least.currency && refund.amount >= least.amount;
        match refund {
            Some(refund) if is_enough(refund) => None,
            Some(refund) => Some(Refusal::new("refund_too_small", format!("it gives back {refund}, not {least}"))),
            None => Some(Refusal::new("refund_unknown", "the airline doesn't say what it gives back")),
        }
    }

    /// Reads the answer to our own confirmation.
    fn confirmed(&self, cancellation: Cancellation, quote: &str) -> Answer<CancelReceipt> {
        if !self.is_about(&cancellation, quote) {
            return Answer::Unclear(Fault::Echo("order or quote of the cancellation".to_owned()));
        }
        match cancellation.confirmed_at {
            Some(_) => Answer::Happened(self.receipt_of(cancellation, Doer::Us)),
            None => Answer::Unclear(Fault::Unread("a cancellation that isn't confirmed".to_owned())),
        }
    }

    fn is_about(&self, cancellation: &Cancellation, quote: &str) -> bool {
        cancellation.id == quote && cancellation.order_id == self.order_id
    }

    /// It is cancelled, whatever else can be read of it.
    fn receipt_of(&self, confirmed: Cancellation, doer: Doer) -> CancelReceipt {
        let refund = confirmed.refund().unwrap_or_default();
        CancelReceipt { refund, refund_to: confirmed.refund_to, ..self.receipt(doer) }
    }

    fn receipt(&self, doer: Doer) -> CancelReceipt {
        CancelReceipt { id: self.order_id.clone(), refund: None, refund_to: None, doer }
    }
}

impl CellArgs for Cancel {
    fn check(&self) -> Result<(), String> {
        if !is_id(&self.order_id, "ord_") {
            return Err("order_id: give the id of an order, ord_...".to_owned());
        }
        self.least_refund.as_ref().map_or(Ok(()), |least| to_duffel("least_refund", least).map(|_| ()))
    }

    fn echo(&self) -> Echo {
        vec![("order_id", self.order_id.clone())]
    }
}

impl CellReceipt for CancelReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and the booking has the claim on the order.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("order_id", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
