//! What a person writes: one file of TOML for one provider, with its cells.
//!
//! Everything that is left out takes the worst value that it can have. Unknown fields are errors, and each error names
//! its line.

mod cell;
mod guard;
mod look;
mod source;
mod time;

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

pub use cell::{
    CellDeclaration, ExampleDeclaration, FateDeclaration, MoneyDeclaration, Profile, ReceiptDeclaration,
    SettleDeclaration,
};
pub use guard::{FormWord, GuardDeclaration, LifeWord};
pub use look::{By, LookDeclaration, NextPage, RecordDeclaration, RequestDeclaration};
pub use source::{NeedDeclaration, RowDeclaration, SourceDeclaration};
pub use time::Time;

/// One provider and its cells, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// First half of the cells' ids: lower-case letters, digits and `_`.
    pub name: Spanned<String>,
    /// Where its requests go. A connection may name another address, a template never can.
    pub base_url: Spanned<String>,
    /// Source of every fact that names none of its own.
    pub source: Option<SourceDeclaration>,
    /// Secrets, by name. The file holds their names alone.
    #[serde(default)]
    pub credentials: BTreeMap<Spanned<String>, CredentialDeclaration>,
    /// How a secret goes into each request.
    pub authorization: Option<AuthorizationDeclaration>,
    /// Where an answer carries its error.
    #[serde(default)]
    pub errors: ErrorsDeclaration,
    /// Requests per second that a connection keeps to.
    pub requests_per_second: Option<Spanned<u32>>,
    /// A harmless request that says who we are, for `hapax doctor`.
    pub whoami: Option<WhoamiDeclaration>,
    /// The operations, by name.
    pub cells: BTreeMap<Spanned<String>, CellDeclaration>,
}

/// A secret that connections bring.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialDeclaration {
    /// What it is, in a few words.
    pub what: String,
    /// The environment variable that is looked at when a connection says nothing else.
    pub variable: Spanned<String>,
    /// Whether connections can do without it.
    #[serde(default)]
    pub optional: bool,
}

/// A header that carries secrets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthorizationDeclaration {
    /// Its name.
    #[serde(default = "authorization")]
    pub header: Spanned<String>,
    /// Its value: a template over the names of the credentials, such as `Bearer {{ token }}`.
    pub value: Spanned<String>,
}

fn authorization() -> Spanned<String> {
    Spanned::new(0..0, "Authorization".to_owned())
}

/// Where an answer carries its error: paths into its JSON. An answer in which none of them finds anything is not the
/// provider's own, unless it is a success.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorsDeclaration {
    /// The machine's code.
    pub code: Option<Spanned<String>>,
    /// The kind of error.
    pub kind: Option<Spanned<String>>,
    /// A sentence for people. What looks like a name in it is left out.
    pub message: Option<Spanned<String>>,
}

/// Who we are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhoamiDeclaration {
    /// Its path.
    pub path: Spanned<String>,
    /// Where the answer names the account.
    pub account: Spanned<String>,
}
