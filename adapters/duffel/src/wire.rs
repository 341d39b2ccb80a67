//! Shapes of answers that several operations share; only the fields that are read. Names of passengers are not
//! among them, so they can't reach a receipt.

use std::collections::BTreeMap;

use hapax_core::money::Money;
use hapax_core::transport::is_plain_segment;
use hapax_core::words::Fault;
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::amounts::from_duffel;

/// Where orders are.
pub(crate) const ORDERS: &str = "/air/orders";

/// Where payments of held orders are.
pub(crate) const PAYMENTS: &str = "/air/payments";

/// Where cancellations are.
pub(crate) const CANCELLATIONS: &str = "/air/order_cancellations";

/// An answer with its data.
#[derive(Debug, Deserialize)]
pub(crate) struct Answered<T> {
    pub(crate) data: T,
}

/// A page of orders.
#[derive(Debug, Deserialize)]
pub(crate) struct Orders {
    pub(crate) data: Vec<Order>,
    /// Without it nobody says whether this is all.
    pub(crate) meta: Cursors,
}

/// Where a list goes on.
#[derive(Debug, Deserialize)]
pub(crate) struct Cursors {
    pub(crate) after: Option<String>,
}

/// An order.
#[derive(Debug, Deserialize)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) booking_reference: Option<String>,
    total_amount: String,
    total_currency: String,
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) passengers: Vec<IgnoredAny>,
    #[serde(default)]
    documents: Option<Vec<IgnoredAny>>,
    cancelled_at: Option<String>,
    pub(crate) payment_status: Option<PaymentStatus>,
}

/// Whether an order is paid.
#[derive(Debug, Deserialize)]
pub(crate) struct PaymentStatus {
    pub(crate) awaiting_payment: bool,
    pub(crate) payment_required_by: Option<String>,
    pub(crate) price_guarantee_expires_at: Option<String>,
    pub(crate) paid_at: Option<String>,
}

/// Where an order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// Seats are held and not paid.
    Held,
    /// Seats were held, and nobody paid in time.
    Lapsed,
    /// It is bought; no ticket is known of.
    Booked,
    /// There are tickets.
    Ticketed,
    /// It is cancelled.
    Cancelled,
}

impl Order {
    fn mark(&self) -> Option<&str> {
        self.metadata.as_ref()?.get(MARK).map(String::as_str)
    }

    /// Whether it carries this mark.
    pub(crate) fn is_marked(&self, mark: &str) -> bool {
        self.mark() == Some(mark)
    }

    /// Whether it carries the mark of another operation.
    pub(crate) fn is_anothers(&self, mark: &str) -> bool {
        self.mark().is_some_and(|found| found != mark)
    }

    /// What it costs.
    pub(crate) fn total(&self) -> Result<Money, Fault> {
        from_duffel(&self.total_amount, &self.total_currency)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled_at.is_some()
    }

    pub(crate) fn is_paid(&self) -> bool {
        self.payment_status.as_ref().is_some_and(|status| status.paid_at.is_some())
    }

    pub(crate) fn is_awaiting_payment(&self) -> bool {
        self.payment_status.as_ref().is_some_and(|status| status.awaiting_payment)
    }

    /// Where an order stands that was bought at once.
    pub(crate) fn status(&self) -> OrderStatus {
        match (self.is_cancelled(), self.documents.as_ref().is_some_and(|documents| !documents.is_empty())) {
            (true, _) => OrderStatus::Cancelled,
            (false, true) => OrderStatus::Ticketed,
            (false, false) => OrderStatus::Booked,
        }
    }

    /// Where an order stands that was held: without a payment that is awaited or was made, it has lapsed.
    pub(crate) fn status_of_hold(&self) -> OrderStatus {
        match (self.status(), &self.payment_status) {
            (OrderStatus::Booked, Some(status)) if status.awaiting_payment => OrderStatus::Held,
            (OrderStatus::Booked, Some(status)) if status.paid_at.is_none() => OrderStatus::Lapsed,
            (status, _) => status,
        }
    }
}

impl OrderStatus {
    /// The status as a fate, and whether that is a failure.
    pub(crate) fn fate(self) -> (String, bool) {
        match self {
            Self::Held => ("held".to_owned(), false),
            Self::Lapsed => ("lapsed".to_owned(), true),
            Self::Booked => ("booked".to_owned(), false),
            Self::Ticketed => ("ticketed".to_owned(), false),
            Self::Cancelled => ("cancelled".to_owned(), true),
        }
    }
}

/// The name of our mark among the metadata.
pub(crate) const MARK: &str = "hapax";

/// Whether a text is an id of Duffel's of this kind: `ord_...`. It becomes part of a path or a query as it is.
pub(crate) fn is_id(text: &str, prefix: &str) -> bool {
    text.len() > prefix.len() && text.starts_with(prefix) && is_plain_segment(text)
}
