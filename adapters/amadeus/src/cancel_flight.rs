//! `amadeus.cancel_flight`: see to it that an order is cancelled.
//!
//! Be so: anybody's cancellation satisfies. The order is read first: only an order that was seen here
//! can be told from one that never was when it is gone.

use hapax_core::capability::{
    CellSpec, Failures, Human, Meaning, Native, Query, Repeat, Row, Rung, Scope, Stakes, Window,
};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts;
use crate::wire::{Answered, FLIGHT_ORDERS, FlightOrder, OrderStatus, is_order_id};

/// Cancels a flight order that isn't ticketed yet.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelFlight {
    /// The order's id, as `amadeus.book_flight` gave it.
    pub order_id: String,
}

/// An order that is cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelFlightReceipt {
    /// The order's id.
    pub id: String,
    /// Who cancelled it.
    pub doer: Doer,
}

/// The cell `amadeus.cancel_flight`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelFlightCell;

/// The note of the record locator of an order that was seen, or [`NEVER`].
const RECORD: &str = "record";
/// What is noted of an order that can't be seen here.
const NEVER: &str = "never seen";

/// An order is cancelled at most once, however often that is asked.
const ONE_ORDER: Native = Native::state("cancellable")
    .kept(Window::Ever, "a cancelled order never comes back")
    .repeat(Repeat::Refuses)
    .failures(Failures::Rerun)
    .scope(&[Scope::Account, Scope::Mode])
    .from(&[facts::MANAGE_ORDER, facts::IDEMPOTENT]);

/// Whether a read shows a cancellation at once is not written, so an order that is still there suggests.
const BY_ID: Query = Query::by_token().reaches(Window::Ever).from(&[facts::MANAGE_ORDER]);

const ANSWERS: [Row; 7] = facts::table(&[
    &facts::rows(400, ["4926", "32171"], Meaning::Refused, facts::MANAGE_ORDER),
    &[
        Row::new(404, "*", "*", Meaning::Taken, facts::MANAGE_ORDER),
        facts::OTHER_400,
        facts::UNAUTHORIZED,
        facts::LIMITED,
        facts::QUOTA,
    ],
]);

const SPEC: CellSpec = CellSpec::new(
    "amadeus.cancel_flight",
    "Cancels a flight order that is not ticketed yet",
    &[
        Rung::Native(ONE_ORDER),
        Rung::Query(BY_ID),
        Rung::Human(Human { place: "the record {record} of the order {order_id}: cancelled, or without segments" }),
    ],
)
.be_so()
.stakes(Stakes::High)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.notes(&[RECORD])
.reversal("not reversible; book again, if there are seats and at the price of that day")
.residual("what a cancelled order answers is undocumented: an order that was seen here and is gone counts as cancelled, and one that was never seen here is a person's");

impl Cell for CancelFlightCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CancelFlight;
    type Receipt = CancelFlightReceipt;

    async fn prepare(&self, cx: &Context, args: &CancelFlight) -> Result<Step<CancelFlightReceipt>, Fault> {
        if cx.names().note(RECORD).is_some() {
            return Ok(Step::Ready);
        }
        Ok(match read(cx, args).await? {
            None => Step::Note(RECORD, cx.names().former_note(RECORD).unwrap_or(NEVER).to_owned()),
            Some(order) if order.status() == OrderStatus::Cancelled => Step::Happened(args.receipt(Doer::CannotTell)),
            Some(order) => Step::Note(RECORD, format!("PNR {}", order.references().join(" "))),
        })
    }

    async fn attempt(&self, shot: Shot<'_>, args: &CancelFlight) -> Answer<CancelFlightReceipt> {
        let request = Request::new(Method::Delete, args.path());
        shot.send_for_status(request, 204, |_| Answer::Happened(args.receipt(Doer::Us))).await
    }

    async fn find(&self, cx: &Context, args: &CancelFlight) -> Result<Finding<CancelFlightReceipt>, Fault> {
        let was_seen = cx.names().note(RECORD).is_some_and(|record| record != NEVER);
        let Some(order) = read(cx, args).await? else {
            return Ok(if was_seen {
                Finding::Happened(args.receipt(Doer::CannotTell))
            } else {
                Finding::CannotTell("there is no such order here, and there was none before".to_owned())
            });
        };
        Ok(match order.status() {
            _ if order.flights().is_empty() => Finding::CannotTell("the order has no flights".to_owned()),
            OrderStatus::Cancelled => Finding::Happened(args.receipt(Doer::CannotTell)),
            OrderStatus::PartlyCancelled => Finding::CannotTell("some of its flights are cancelled".to_owned()),
            OrderStatus::Booked | OrderStatus::Ticketed => Finding::Absent,
        })
    }
}

async fn read(cx: &Context, args: &CancelFlight) -> Result<Option<FlightOrder>, Fault> {
    let found: Option<Answered<FlightOrder>> = cx.get(Request::get(args.path())).await?;
    Ok(found.map(|found| found.data))
}

impl CancelFlight {
    /// Cancels this order.
    pub fn of(order_id: impl Into<String>) -> Self {
        Self { order_id: order_id.into() }
    }

    fn path(&self) -> String {
        format!("{FLIGHT_ORDERS}/{}", self.order_id)
    }

    fn receipt(&self, doer: Doer) -> CancelFlightReceipt {
        CancelFlightReceipt { id: self.order_id.clone(), doer }
    }
}

impl CellArgs for CancelFlight {
    fn check(&self) -> Result<(), String> {
        if is_order_id(&self.order_id) {
            Ok(())
        } else {
            Err("order_id: give the id of a flight order as Amadeus wrote it, percent signs included".to_owned())
        }
    }

    fn echo(&self) -> Echo {
        vec![("order_id", self.order_id.clone())]
    }
}

impl CellReceipt for CancelFlightReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and the booking holds the claim on the order.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("order_id", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
