#![doc = include_str!("../README.md")]

mod client;
mod execute;
mod facts;
mod session;
mod sqlstate;
mod statement;
#[cfg(test)]
mod testing;
mod values;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::Postgres;
pub use execute::{Execute, ExecuteCell, ExecuteReceipt, Isolation, Rows, Statement, StatementResult};

/// What a database needs before it can be used: the table of finished operations and its guard.
pub const SET_UP: &str = include_str!("set_up.sql");

/// PostgreSQL, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Postgres)
}
