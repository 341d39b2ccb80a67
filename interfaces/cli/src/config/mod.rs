//! `hapax.toml`: what it may say, where it is looked for, and what is wrong with it.

mod connection;
mod credentials;
mod find;
mod ledger;
mod problem;
mod raw;
mod seal;

use std::path::{Path, PathBuf};

use hapax_core::identity::NamespaceSecret;
use hapax_core::policy::Policy;
use hapax_ledger_sealed::Keys;

use crate::exit::Failure;
use crate::known::Known;

pub(crate) use connection::ConnectionConfig;
use connection::Source;
pub(crate) use credentials::{credentials, variable};
pub(crate) use find::{find, find_optional};
pub(crate) use ledger::LedgerPlace;

/// The sample that `hapax init` writes and the documentation shows.
pub(crate) const SAMPLE: &str = include_str!("../../hapax.sample.toml");

/// Name of the file when nothing else is said.
pub(crate) const FILE: &str = "hapax.toml";

/// Environment variable that takes the place of the secret's file.
const SECRET_VARIABLE: &str = "HAPAX_NAMESPACE_SECRET";

/// Configuration, read and checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// The file that it stands in; empty: there is none.
    pub(crate) file: PathBuf,
    pub(crate) ledger: LedgerPlace,
    /// None: it isn't sealed.
    ledger_key: Option<Source>,
    /// None: the environment must hold the secret.
    pub(crate) secret_file: Option<PathBuf>,
    pub(crate) scale: u32,
    pub(crate) policy: Policy,
    /// The catalog, and the declarations that the file names.
    pub(crate) known: Known,
    pub(crate) connections: Vec<ConnectionConfig>,
}

impl Config {
    /// Reads a configuration file.
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let shown = file.display();
        let text = std::fs::read_to_string(file).map_err(|error| {
            let todo = "make one with `hapax init`, or name another with --config";
            Failure::input("no-config", format!("nothing was sent: {shown} can't be read ({error}); {todo}"))
        })?;
        Self::parse(file, &text)
    }

    /// The sample as if it stood in this file.
    pub(crate) fn sample(file: &Path) -> Result<Self, Failure> {
        Self::parse(file, SAMPLE)
    }

    /// The secret that tokens are derived from.
    pub(crate) fn secret(&self) -> Result<NamespaceSecret, Failure> {
        match std::env::var(SECRET_VARIABLE) {
            Ok(text) if !text.is_empty() => Ok(NamespaceSecret::parse(&text)?),
            _ => match &self.secret_file {
                Some(file) => Ok(NamespaceSecret::read(file)?),
                None => {
                    let todo =
                        format!("set {SECRET_VARIABLE}, or secret_file under [namespace] in {}", self.file.display());
                    Err(Failure::input("bad-secret", format!("nothing was sent: there is no namespace secret; {todo}")))
                }
            },
        }
    }

    /// The keys that the ledger is sealed with; none: it isn't.
    pub(crate) fn ledger_keys(&self) -> Result<Option<Keys>, Failure> {
        self.ledger_key.as_ref().map(seal::keys).transpose()
    }

    /// Whether every connection is a stand-in.
    pub(crate) fn is_stand_in_only(&self) -> bool {
        self.connections.iter().all(|connection| connection.stand_in)
    }

    /// The connection of this name.
    pub(crate) fn connection(&self, name: &str) -> Option<&ConnectionConfig> {
        self.connections.iter().find(|connection| connection.name == name)
    }
}

#[cfg(test)]
mod fuzzed;
#[cfg(test)]
mod tests;
