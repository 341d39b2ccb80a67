//! `duffel.book`: buy the flights of an offer from the Duffel balance.
//!
//! Nothing documented makes a repeat harmless, so none goes out by itself. The order carries our mark, and a look
//! lists the orders of the offer and finds it.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::amounts::{self, to_duffel};
use crate::facts;
use crate::orders::{self, Wanted};
use crate::passengers::Passenger;
use crate::wire::{Answered, Order, OrderStatus, is_id};

/// Buys an offer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// The offer, as a search gave it: `off_...`.
    pub offer_id: String,
    /// Who travels: all passengers of the offer.
    pub passengers: Vec<Passenger>,
    /// What it costs with its services, in ISO 4217 minor units. It is taken from the Duffel balance.
    pub amount: Money,
    /// Bags and seats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<Service>,
    /// Customer users who may manage the order: `icu_...`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
    /// Pairs to keep with the order, beside ours. Nothing sensitive.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

/// A bag or a seat of the offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// `ase_...`
    pub id: String,
    /// How many.
    pub quantity: u32,
}

/// An order that is bought. No names: receipts are kept for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BookReceipt {
    /// Duffel's id of the order: `ord_...`.
    pub id: String,
    /// The airline's reference (PNR).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub booking_reference: Option<String>,
    /// What it costs.
    pub amount: Money,
    /// How many travel.
    pub passengers: usize,
    /// Where the order stands.
    pub status: OrderStatus,
}

/// The cell `duffel.book`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BookCell;

const SPEC: CellSpec = CellSpec::new(
    "duffel.book",
    "Buys the flights of an offer from the Duffel balance",
    &[
        Rung::Native(facts::ONE_ORDER),
        Rung::Query(facts::BY_MARK),
        Rung::Human(Human {
            place: "Duffel's support, with the request id of the answer if there was one, or the airline: an order of \
                    the offer {offer_id} with the metadata hapax={mark}. An order that only the airline knows is in no \
                    list of Duffel's. Name what you find by its order id or its booking reference",
        }),
    ],
)
.stakes(Stakes::High)
.answers(facts::ANSWERS_OF_ORDERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("GET of the order: cancelled_at, and its documents once it is ticketed")
.reversal("duffel.cancel, for what the fare gives back")
.residual("an order whose answer was lost may stand at the airline without Duffel knowing it, until a person asks Duffel's support");

impl Cell for BookCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Book;
    type Receipt = BookReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Book) -> Answer<BookReceipt> {
        let amount = match to_duffel("amount", &args.amount) {
            Ok(amount) => amount,
            Err(why) => return Answer::NotDone(why, None),
        };
        let payment = json!({ "type": "balance", "amount": amount, "currency": args.amount.currency });
        let mut more = vec![("payments", json!([payment]))];
        if !args.services.is_empty() {
            more.push(("services", json!(args.services)));
        }
        let mark = shot.names().mark();
        let request = args.wanted().request("instant", &mark, &more);
        shot.send(request, |order: Answered<Order>| orders::made(&order.data, &mark, receipt)).await
    }

    async fn find(&self, cx: &Context, args: &Book) -> Result<Finding<BookReceipt>, Fault> {
        orders::ours(cx, &args.offer_id, receipt).await
    }

    async fn fetch(&self, cx: &Context, _: &Book, id: &str) -> Result<Option<BookReceipt>, Fault> {
        orders::named(cx, id).await?.as_ref().map(receipt).transpose()
    }
}

/// A hold that nobody has paid is not what was asked for: somebody else's, or a purchase that wasn't taken as one.
fn receipt(order: &Order) -> Result<BookReceipt, Fault> {
    if order.is_awaiting_payment() {
        return Err(Fault::Echo("payment of the order".to_owned()));
    }
    Ok(BookReceipt {
        id: order.id.clone(),
        booking_reference: order.booking_reference.clone(),
        amount: order.total()?,
        passengers: order.passengers.len(),
        status: order.status(),
    })
}

impl Book {
    /// Buys this offer for these passengers; for more, `Book { services, ..Book::new(..) }`.
    pub fn new(offer_id: impl Into<String>, passengers: Vec<Passenger>, amount: Money) -> Self {
        let (services, users, metadata) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { offer_id: offer_id.into(), passengers, amount, services, users, metadata }
    }

    fn wanted(&self) -> Wanted<'_> {
        let Self { offer_id, passengers, users, metadata, .. } = self;
        Wanted { offer: offer_id, passengers, users, metadata }
    }
}

impl CellArgs for Book {
    fn check(&self) -> Result<(), String> {
        self.wanted().check()?;
        to_duffel("amount", &self.amount)?;
        match self.services.iter().find(|service| !is_id(&service.id, "ase_") || service.quantity == 0) {
            Some(_) => Err("services: give ids of services of the offer, ase_..., and how many of each".to_owned()),
            None => Ok(()),
        }
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.push(("passengers", self.passengers.len().to_string()));
        echo
    }

    fn money(&self) -> Option<Money> {
        Some(self.amount.clone())
    }
}

impl CellReceipt for BookReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.push(("passengers", self.passengers.to_string()));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some(self.status.fate())
    }
}

#[cfg(test)]
mod tests;
