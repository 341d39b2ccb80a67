//! Who an intent is: operation keys, fingerprints, and the tokens and marks derived from them.

mod derive;
mod fingerprint;
mod form;
mod operation_key;
mod secret;

pub use derive::{Names, Seed};
pub use fingerprint::{FINGERPRINT_VERSION, Fingerprint, differing_fields, fingerprint};
pub use form::Form;
pub use operation_key::{KeyError, OperationKey};
pub use secret::{NamespaceSecret, SecretError};
