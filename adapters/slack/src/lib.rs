//! Slack messages (Web API) as hapax cells: post, schedule, delete_scheduled, update, delete.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod alike;
mod client;
mod delete;
mod delete_scheduled;
mod facts;
mod ids;
mod post;
mod schedule;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod update;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::Slack;
pub use delete::{Delete, DeleteCell, DeleteReceipt};
pub use delete_scheduled::{DeleteScheduled, DeleteScheduledCell, DeleteScheduledReceipt};
pub use hapax_core::words::Doer;
pub use post::{Post, PostCell, PostReceipt};
pub use schedule::{Schedule, ScheduleCell, ScheduleReceipt};
pub use update::{Update, UpdateCell, UpdateReceipt};

/// Slack, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Slack)
}
