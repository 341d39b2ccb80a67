//! Duffel orders as hapax cells: book flights, hold them, pay for what is held, cancel.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod amounts;
mod book;
mod cancel;
mod client;
mod facts;
mod hold;
mod orders;
mod passengers;
mod pay;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use book::{Book, BookCell, BookReceipt, Service};
pub use cancel::{Cancel, CancelCell, CancelReceipt};
pub use client::Duffel;
pub use hapax_core::words::Doer;
pub use hold::{Hold, HoldCell, HoldReceipt};
pub use passengers::{Date, Gender, IdentityDocument, LoyaltyAccount, Passenger, Personal, Title};
pub use pay::{Pay, PayCell, PayReceipt};
pub use wire::OrderStatus;

/// Duffel, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Duffel)
}
