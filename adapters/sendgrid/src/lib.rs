//! SendGrid mails and contacts as hapax cells: send, cancel_scheduled, upsert_contact.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod activity;
mod attachment;
mod cancel_scheduled;
mod client;
mod facts;
mod mail;
mod send;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod upsert_contact;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use attachment::Attachment;
pub use cancel_scheduled::{CancelScheduled, CancelScheduledCell, CancelScheduledReceipt};
pub use client::SendGrid;
pub use hapax_core::mail_address::{Address, Mailbox, NoAddress};
pub use hapax_core::words::Doer;
pub use mail::{Mail, Template};
pub use send::{MailReceipt, SendCell};
pub use upsert_contact::{UpsertContact, UpsertContactCell, UpsertContactReceipt};

/// SendGrid, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(SendGrid)
}
