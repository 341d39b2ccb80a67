//! Kit.

pub mod ledger;
