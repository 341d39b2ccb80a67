//! Twilio messages and calls (API 2010-04-01) as hapax cells: send_message, cancel_message, call.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod address;
mod alike;
mod call;
mod callback;
mod cancel_message;
mod client;
mod facts;
mod send_message;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use address::{Address, PhoneNumber, Sender};
pub use call::{Call, CallCell, CallReceipt};
pub use cancel_message::{CancelMessage, CancelMessageCell, CancelMessageReceipt};
pub use client::Twilio;
pub use hapax_core::words::Doer;
pub use send_message::{Content, MessageReceipt, SendMessage, SendMessageCell};

/// Twilio, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Twilio)
}
