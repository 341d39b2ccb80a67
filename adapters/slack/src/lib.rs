//! Slack messages (Web API) as hapax cells: post, schedule, delete_scheduled, update, delete.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod alike;
mod client;
mod facts;
mod ids;
mod post;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::Slack;
pub use hapax_core::words::Doer;
pub use post::{Post, PostCell, PostReceipt};

/// Slack, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Slack)
}
