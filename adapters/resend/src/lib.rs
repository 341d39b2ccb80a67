//! Resend mails as hapax cells: send, send_batch, cancel_scheduled.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod address;
mod attachment;
mod cancel_scheduled;
mod client;
mod facts;
mod mail;
mod search;
mod send;
mod send_batch;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use attachment::Attachment;
pub use cancel_scheduled::{CancelScheduled, CancelScheduledCell, CancelScheduledReceipt};
pub use client::Resend;
pub use hapax_core::mail_address::{Address, Mailbox, NoAddress};
pub use hapax_core::words::Doer;
pub use mail::{Mail, Template, Variable};
pub use send::{MailReceipt, SendCell};
pub use send_batch::{BatchReceipt, SendBatch, SendBatchCell};

/// Resend, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Resend)
}
