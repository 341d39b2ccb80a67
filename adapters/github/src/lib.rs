#![doc = include_str!("../README.md")]

mod client;
mod create;
#[cfg(feature = "standin")]
pub mod standin;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::Github;
pub use create::{Create, CreateCell, CreateReceipt};

/// Github, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Github)
}
