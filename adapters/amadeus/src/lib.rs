//! Amadeus bookings as hapax cells: book and cancel flights, book hotels.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod book_flight;
mod book_hotel;
mod cancel_flight;
mod card;
mod client;
mod facts;
mod guests;
mod hotel_wire;
mod offers;
mod personal;
#[cfg(test)]
mod shapes;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod travelers;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use book_flight::{BookFlight, BookFlightCell, BookFlightReceipt, Ticketing};
pub use book_hotel::{BookHotel, BookHotelCell, BookHotelReceipt};
pub use cancel_flight::{CancelFlight, CancelFlightCell, CancelFlightReceipt};
pub use client::Amadeus;
pub use guests::{Agency, Guest, Room, Stay};
pub use hapax_core::words::Doer;
pub use offers::FlightOffer;
pub use personal::{Airline, Country, Date, Personal};
pub use travelers::{
    Address, Contact, Device, Document, DocumentType, Gender, LoyaltyProgram, Name, Phone, Purpose, Traveler,
};
pub use wire::OrderStatus;

/// Amadeus, for a connection. Each call gives an integration with tokens of its own.
pub fn integration() -> SharedIntegration {
    Arc::new(Amadeus::default())
}
