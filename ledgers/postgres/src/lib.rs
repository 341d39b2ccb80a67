//! PostgreSQL ledger of hapax: many hosts.
//!
//! A task per writer takes every append that is waiting and writes all of them in one transaction: callers who come
//! together share the flush, and a lonely caller never waits for company. Nothing is kept in a session, so a pooler in
//! transaction mode may stand in between.
//!
//! What is durable when `Ok` comes back, what the SQL relies on, and what each error means is told in `README.md` and
//! `SCHEMA.md` of this crate.
//!
//! ```no_run
//! # async fn example() -> Result<(), hapax_core::ledger::LedgerError> {
//! use hapax_core::ledger::{Filter, Ledger};
//! use hapax_ledger_postgres::{Address, Options, PostgresLedger};
//!
//! let url = std::env::var("DATABASE_URL").unwrap_or_default();
//! let ledger = PostgresLedger::open(Address::parse(&url.into())?, Options::default()).await?;
//! let newest = ledger.list(&Filter { limit: 10, ..Filter::default() }).await?;
//! # Ok(()) }
//! ```

mod address;
mod batch;
mod between;
mod by_keys;
mod clock;
mod codec;
mod counters;
mod error;
mod export;
mod gather;
mod health;
mod import;
mod ledger;
mod link;
mod look_up;
mod maintain;
mod migrate;
mod names;
mod options;
mod plan;
#[cfg(all(test, unix))]
mod plans;
mod pool;
mod read;
mod readers;
mod rows;
#[cfg(test)]
mod schedules;
mod shared;
mod steps;
mod tls;
mod verify;
mod watch;
mod writer;

pub use address::{Address, SCHEMA};
pub use clock::DatabaseClock;
pub use counters::Counters;
pub use health::Health;
pub use ledger::PostgresLedger;
pub use migrate::SCHEMA_VERSION;
pub use options::Options;
pub use verify::Verified;
