//! The conformance kit of hapax: every fault of the catalogue over every cell that an adapter hands in, and the
//! contract of a ledger.
//!
//! An adapter hands itself in as a [`kit::Subject`]: its integration, its stand-in, and per cell what the kit can't
//! know. Each run has a fresh provider, fault proxy, ledger and clock; it plays one fault, recovers until nothing is
//! due, and checks the [`kit::Invariant`]s. [`planted`] bugs show that the kit can fail.

pub mod faults;
mod forward;
#[cfg(feature = "third-party")]
pub mod independent;
pub mod kit;
pub mod ledger;
pub mod planted;
mod prove;
pub mod results;
#[cfg(feature = "third-party")]
pub mod shapes;
mod shortfalls;
pub mod trial;

pub use forward::Forward;
pub use prove::prove;
pub use shortfalls::shortfalls;
