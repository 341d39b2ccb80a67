//! hapax: side-effecting API calls that are safe to retry. *Effectively once where the provider
//! lets us prove it, loud where it does not.*

pub mod capability;
pub mod cell;
pub mod clock;
pub mod executor;
pub mod group;
pub mod identity;
pub mod ledger;
#[cfg(feature = "mail")]
pub mod mail_address;
pub mod money;
#[cfg(feature = "oauth")]
pub mod oauth;
pub mod policy;
pub mod protocol;
#[cfg(feature = "testing")]
pub mod testing;
pub mod transport;
pub mod words;
