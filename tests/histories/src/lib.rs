//! Histories: what callers, workers, people and the provider saw of a long random run, and whether it can have been.
//!
//! - [`history`] is what was seen, with a text that people read and that is read again.
//! - [`check`] judges it: a pure function.
//! - [`shrink`] makes a failing one small.
//! - [`run`] makes them: several real worker processes on one ledger, callers, people, a provider that is broken, a
//!   network that is cut, workers that are killed and stopped.
//! - [`worker`] is such a process.

pub mod check;
pub mod history;
pub mod run;
pub mod shrink;
pub mod worker;
