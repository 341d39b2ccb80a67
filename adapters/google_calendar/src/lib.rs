//! Google Calendar (API v3) as hapax cells: create, update and delete events.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod client;
mod create_event;
mod delete_event;
mod facts;
mod grant;
mod guests;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod update_event;
mod when;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::GoogleCalendar;
pub use create_event::{CreateEvent, CreateEventCell, CreateEventReceipt};
pub use delete_event::{DeleteEvent, DeleteEventCell, DeleteEventReceipt};
pub use guests::{Guest, SendUpdates};
pub use update_event::{UpdateEvent, UpdateEventCell, UpdateEventReceipt};
pub use when::When;

/// Google Calendar, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(GoogleCalendar::default())
}
