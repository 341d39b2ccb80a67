//! Encryption at rest for any ledger of hapax: a layer over it that seals what somebody else said (arguments, receipts,
//! handles, words of providers) before it is written, and opens it when it is read.
//!
//! What operations are found by stays readable, or the ledger below could find nothing: `README.md` lists it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hapax_core::ledger::{Filter, Ledger, LedgerError, MemoryLedger};
//! use hapax_ledger_sealed::{Keys, SealedLedger};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let keys = Keys::parse(&Keys::generate())?; // keep it: without it nothing can be read
//! let ledger = SealedLedger::open(Arc::new(MemoryLedger::new()), keys).await?;
//! let newest = ledger.list(&Filter { limit: 10, ..Filter::default() }).await?;
//! # Ok(()) }
//! ```

mod keys;
mod ledger;
mod mark;
mod records;
mod seal;

pub use keys::{KeyId, Keys, KeysError};
pub use ledger::SealedLedger;
pub use mark::{mark, unmark};
pub use records::{Broken, Seals};
