//! Gmail (API v1) as hapax cells: send.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod bulk;
mod client;
mod facts;
mod grant;
mod mail;
mod mime;
mod send;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use bulk::{BulkError, bulk, send_bulk};
pub use client::Gmail;
pub use hapax_core::mail_address::{Address, Mailbox, NoAddress};
pub use mail::{Attachment, Mail, Reply};
pub use send::{SendCell, SendReceipt};

/// Gmail, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Gmail::default())
}
