//! SQLite ledger of hapax: one file, in the process, no server.
//!
//! One thread owns the connection that writes. It takes every append that is waiting, writes all of
//! them in one transaction and flushes once, so callers who come together share the flush and a lonely
//! caller never waits for company. Reads have connections of their own.
//!
//! What is durable when `Ok` comes back, what the file looks like inside and what each error means
//! is told in `README.md` and `SCHEMA.md` of this crate.
//!
//! ```no_run
//! # async fn example() -> Result<(), hapax_core::ledger::LedgerError> {
//! use hapax_core::ledger::{Filter, Ledger};
//! use hapax_ledger_sqlite::SqliteLedger;
//!
//! let ledger = SqliteLedger::open("hapax.ledger")?; // a missing file is an error, not an empty ledger
//! let newest = ledger.list(&Filter { limit: 10, ..Filter::default() }).await?;
//! # Ok(()) }
//! ```

mod append;
mod codec;
mod counters;
mod error;
mod export;
mod file;
mod gather;
mod import;
mod leads;
mod ledger;
mod migrate;
mod names;
mod prune;
mod read;
mod readers;
#[cfg(test)]
mod schedules;
mod steps;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use counters::Counters;
pub use file::Options;
pub use ledger::SqliteLedger;
pub use migrate::{APPLICATION_ID, SCHEMA_VERSION};
pub use verify::Verified;
