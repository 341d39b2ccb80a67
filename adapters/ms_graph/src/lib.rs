//! Microsoft Graph (v1.0) as hapax cells: send_mail, create_event, post_chat_message.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod attendee;
mod client;
mod create_event;
mod facts;
mod grant;
mod mail;
mod post_chat_message;
mod send_mail;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod when;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use attendee::Attendee;
pub use client::MsGraph;
pub use create_event::{CreateEvent, CreateEventCell, CreateEventReceipt};
pub use hapax_core::mail_address::{Address, Mailbox, NoAddress};
pub use mail::{Attachment, SendMail};
pub use post_chat_message::{PostChatMessage, PostChatMessageCell, PostChatMessageReceipt};
pub use send_mail::{SendMailCell, SendMailReceipt};

/// Microsoft Graph, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(MsGraph::default())
}
