//! Shapes of answers that several operations share; only the fields that are read. Names of travelers
//! are not among them, so they can't reach a receipt.

use hapax_core::words::Fault;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::offers::{self, FlightOffer};

/// Where flight orders are.
pub(crate) const FLIGHT_ORDERS: &str = "/v1/booking/flight-orders";

/// An answer with its data.
#[derive(Debug, Deserialize)]
pub(crate) struct Answered<T> {
    pub(crate) data: T,
}

/// A flight order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlightOrder {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) associated_records: Vec<AssociatedRecord>,
    #[serde(default)]
    pub(crate) flight_offers: Vec<FlightOffer>,
    #[serde(default)]
    pub(crate) travelers: Vec<IgnoredAny>,
    #[serde(default)]
    tickets: Vec<IgnoredAny>,
}

/// A record (PNR) in which an order stands.
#[derive(Debug, Deserialize)]
pub(crate) struct AssociatedRecord {
    pub(crate) reference: String,
}

/// Where a flight order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// Seats are held, no ticket is known of.
    Booked,
    /// There are tickets.
    Ticketed,
    /// Every segment is cancelled or denied.
    Cancelled,
    /// Some segments are cancelled or denied.
    PartlyCancelled,
}

impl FlightOrder {
    /// Its record locators, once each.
    pub(crate) fn references(&self) -> Vec<String> {
        let mut references: Vec<String> = Vec::new();
        for record in &self.associated_records {
            if !references.contains(&record.reference) {
                references.push(record.reference.clone());
            }
        }
        references
    }

    /// Its flights, in the same words as those of the offers that were asked for.
    pub(crate) fn flights(&self) -> String {
        offers::flights(&self.flight_offers)
    }

    pub(crate) fn status(&self) -> OrderStatus {
        let seen: Vec<_> = self.flight_offers.iter().filter_map(|offer| offer.seen().ok()).collect();
        let is_off = |status: &str| matches!(status, "CANCELLED" | "DENIED");
        let off: Vec<bool> = seen
            .iter()
            .flat_map(|seen| seen.segments())
            .map(|segment| segment.booking_status.as_deref().is_some_and(is_off))
            .collect();
        match (off.iter().any(|off| *off), off.iter().all(|off| *off)) {
            (true, true) => OrderStatus::Cancelled,
            (true, false) => OrderStatus::PartlyCancelled,
            (false, _) if self.tickets.is_empty() => OrderStatus::Booked,
            (false, _) => OrderStatus::Ticketed,
        }
    }
}

impl OrderStatus {
    /// The status as a fate, and whether that is a failure.
    pub(crate) fn fate(self) -> (String, bool) {
        match self {
            Self::Booked => ("booked".to_owned(), false),
            Self::Ticketed => ("ticketed".to_owned(), false),
            Self::Cancelled => ("cancelled".to_owned(), true),
            Self::PartlyCancelled => ("partly cancelled".to_owned(), false),
        }
    }
}

/// Whether a text is an order id as Amadeus writes them: base64, percent-encoded already. It becomes
/// part of a path as it is, so nothing else may stand in it.
pub(crate) fn is_order_id(text: &str) -> bool {
    let is_ours = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'=' | b'-' | b'_' | b'+');
    (1..250).contains(&text.len()) && text.bytes().all(is_ours)
}

/// The remark by which a person finds a booking. Records are written in capital letters.
pub(crate) fn remark(mark: &str) -> String {
    format!("HAPAX {}", mark.to_uppercase())
}

/// The media type of requests and answers.
pub(crate) const JSON: &str = "application/vnd.amadeus+json";

/// One record, or a list of them: the route by record locator has no document, and clients read both.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    /// The one that is meant.
    pub(crate) fn one(self) -> Result<T, Fault> {
        match self {
            Self::One(one) => Ok(one),
            Self::More(mut more) if more.len() == 1 => Ok(more.remove(0)),
            Self::More(more) => Err(Fault::Unread(format!("{} orders under one record locator", more.len()))),
        }
    }
}
