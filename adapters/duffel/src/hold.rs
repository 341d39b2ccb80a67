//! `duffel.hold`: hold the seats of an offer without paying for them yet.
//!
//! The same request as for buying, without a payment. What is held lapses by itself, so a hold that nobody knows of
//! costs its seats for some days and no money.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts;
use crate::orders::{self, Wanted};
use crate::passengers::Passenger;
use crate::wire::{Answered, Order, OrderStatus};

/// Holds the seats of an offer that need not be paid at once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The offer, with `requires_instant_payment` false: `off_...`.
    pub offer_id: String,
    /// Who travels: all passengers of the offer.
    pub passengers: Vec<Passenger>,
    /// Customer users who may manage the order: `icu_...`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
    /// Pairs to keep with the order, beside ours. Nothing sensitive.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

/// An order whose seats are held. No names: receipts are kept for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoldReceipt {
    /// Duffel's id of the order: what `duffel.pay` takes.
    pub id: String,
    /// The airline's reference (PNR).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub booking_reference: Option<String>,
    /// What it costs now, and what `duffel.pay` has to pay unless that changes.
    pub amount: Money,
    /// How many travel.
    pub passengers: usize,
    /// Until when it must be paid, as Duffel writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_required_by: Option<String>,
    /// Until when the price can't change, if it is guaranteed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_guarantee_expires_at: Option<String>,
    /// Where the order stands.
    pub status: OrderStatus,
}

/// The cell `duffel.hold`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HoldCell;

const SPEC: CellSpec = CellSpec::new(
    "duffel.hold",
    "Holds the seats of an offer, to be paid later",
    &[
        Rung::Native(facts::ONE_ORDER),
        Rung::Query(facts::BY_MARK),
        Rung::Human(Human {
            place: "Duffel's support, with the request id of the answer if there was one, or the airline: an order of \
                    the offer {offer_id} with the metadata hapax={mark}. Unpaid, it lapses by itself. Name what you \
                    find by its order id or its booking reference",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(facts::ANSWERS_OF_ORDERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("GET of the order: payment_status and cancelled_at")
.reversal("it lapses by itself where nobody pays, or duffel.cancel")
.residual("a hold whose answer was lost may take its seats at the airline, without Duffel knowing it, until it lapses by itself");

impl Cell for HoldCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Hold;
    type Receipt = HoldReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Hold) -> Answer<HoldReceipt> {
        let mark = shot.names().mark();
        let request = args.wanted().request("hold", &mark, &[]);
        shot.send(request, |order: Answered<Order>| orders::made(&order.data, &mark, receipt)).await
    }

    async fn find(&self, cx: &Context, args: &Hold) -> Result<Finding<HoldReceipt>, Fault> {
        orders::ours(cx, &args.offer_id, receipt).await
    }

    async fn fetch(&self, cx: &Context, _: &Hold, id: &str) -> Result<Option<HoldReceipt>, Fault> {
        orders::named(cx, id).await?.as_ref().map(receipt).transpose()
    }
}

fn receipt(order: &Order) -> Result<HoldReceipt, Fault> {
    let payment = order.payment_status.as_ref();
    Ok(HoldReceipt {
        id: order.id.clone(),
        booking_reference: order.booking_reference.clone(),
        amount: order.total()?,
        passengers: order.passengers.len(),
        payment_required_by: payment.and_then(|status| status.payment_required_by.clone()),
        price_guarantee_expires_at: payment.and_then(|status| status.price_guarantee_expires_at.clone()),
        status: order.status_of_hold(),
    })
}

impl Hold {
    /// Holds this offer for these passengers; for more, `Hold { metadata, ..Hold::new(..) }`.
    pub fn new(offer_id: impl Into<String>, passengers: Vec<Passenger>) -> Self {
        Self { offer_id: offer_id.into(), passengers, users: Vec::new(), metadata: BTreeMap::new() }
    }

    fn wanted(&self) -> Wanted<'_> {
        let Self { offer_id, passengers, users, metadata } = self;
        Wanted { offer: offer_id, passengers, users, metadata }
    }
}

impl CellArgs for Hold {
    fn check(&self) -> Result<(), String> {
        self.wanted().check()
    }

    fn echo(&self) -> Echo {
        vec![("passengers", self.passengers.len().to_string())]
    }
}

impl CellReceipt for HoldReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("passengers", self.passengers.to_string())]
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some(self.status.fate())
    }
}

#[cfg(test)]
mod tests;
