//! OAuth 2.0 access tokens, for integrations whose credentials expire.
//!
//! A [`Grant`] is what a token is got with; [`Tokens`] gets them before they are needed, keeps them
//! in memory until shortly before their end, and shows them to nobody. An integration makes a grant
//! of its credentials and hands three of its verbs on: `refresh`, `authorize` and `reject`.

mod carrier;
mod grant;
mod service_account;
mod tokens;

pub use grant::{Client, Grant};
pub use service_account::ServiceAccount;
pub use tokens::{Token, Tokens};
