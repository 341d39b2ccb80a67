//! HubSpot's CRM and its single sends as hapax cells: upsert_contact, create_deal, create_ticket, create_note,
//! send_single_email.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod client;
mod create_deal;
mod create_note;
mod create_ticket;
mod facts;
mod record;
mod send_single_email;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod upsert_contact;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::HubSpot;
pub use create_deal::{CreateDeal, CreateDealCell};
pub use create_note::{CreateNote, CreateNoteCell};
pub use create_ticket::{CreateTicket, CreateTicketCell};
pub use hapax_core::words::Doer;
pub use record::{Association, AssociationCategory, RecordReceipt};
pub use send_single_email::{SendSingleEmail, SendSingleEmailCell, SingleEmailReceipt};
pub use upsert_contact::{ContactReceipt, UpsertContact, UpsertContactCell};

/// HubSpot, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(HubSpot)
}
