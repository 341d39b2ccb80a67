//! hapax: side-effecting API calls that are safe to retry. *Effectively once where the provider
//! lets us prove it, loud where it does not.*

pub mod capability;
pub mod cell;
pub mod clock;
pub mod executor;
pub mod group;
pub mod identity;
pub mod ledger;
pub mod money;
pub mod policy;
pub mod protocol;
pub mod transport;
pub mod words;
