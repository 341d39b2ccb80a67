//! `[ledger]`: a file, or a schema of a PostgreSQL database.

use std::fmt;
use std::path::{Path, PathBuf};

use hapax_ledger_postgres::{Address, Options};
use secrecy::SecretString;
use serde::Deserialize;
use toml::Spanned;

use super::connection::{is_variable, no_variable};
use super::credentials::variable;
use super::problem::Place;
use crate::exit::Failure;

/// Where the password is if nothing else is said, as for PostgreSQL's own programs.
const PASSWORD_VARIABLE: &str = "PGPASSWORD";

/// The section as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    path: Option<PathBuf>,
    pub(super) key_env: Option<Spanned<String>>,
    pub(super) key_file: Option<Spanned<PathBuf>>,
    url: Option<Spanned<String>>,
    url_env: Option<Spanned<String>>,
    schema: Option<String>,
    password_env: Option<Spanned<String>>,
    password_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
    #[serde(default)]
    synchronous_replica: bool,
    #[serde(default)]
    prepared_statements: bool,
}

/// Where the ledger is.
#[derive(Clone, Debug)]
pub(crate) enum LedgerPlace {
    /// In one SQLite file.
    File(PathBuf),
    /// In a PostgreSQL database.
    Postgres(Box<PostgresPlace>),
}

/// A database, and where the way in is found. Nothing of it is read before it is needed.
#[derive(Clone, Debug)]
pub(crate) struct PostgresPlace {
    /// Without a password; none: in the environment.
    url: Option<String>,
    url_env: Option<String>,
    schema: Option<String>,
    password_env: Option<String>,
    password_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
    pub(crate) options: Options,
}

impl Default for LedgerPlace {
    fn default() -> Self {
        Self::File(PathBuf::new())
    }
}

impl LedgerPlace {
    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    pub(super) fn read(place: &Place<'_>, raw: Spanned<Raw>, folder: &Path) -> Result<Self, Failure> {
        let span = raw.span();
        let raw = raw.into_inner();
        // Where it isn't set, its name is shown.
        for (field, name) in [("url_env", &raw.url_env), ("password_env", &raw.password_env)] {
            if let Some(name) = name.as_ref().filter(|name| !is_variable(name.get_ref())) {
                return Err(place.problem(&name.span(), &no_variable(field)));
            }
        }
        match (raw.path, &raw.url, &raw.url_env) {
            (Some(path), None, None) => {
                // A file of that name would be made, and its name shown everywhere, with the password in it.
                if path.to_string_lossy().contains("://") {
                    let why = "path is the address of a database, and names a file; say it as url, without its password, \
                               which belongs into password_env or password_file";
                    return Err(place.problem(&span, why));
                }
                let of_postgres = raw.schema.is_some()
                    || raw.password_env.is_some()
                    || raw.password_file.is_some()
                    || raw.ca_file.is_some()
                    || raw.synchronous_replica
                    || raw.prepared_statements;
                if of_postgres {
                    return Err(place.problem(&span, "only path belongs to a ledger that is a file"));
                }
                Ok(Self::File(folder.join(path)))
            }
            (None, Some(_), None) | (None, None, Some(_)) => {
                if let Some(url) = &raw.url
                    && Address::parse(&url.get_ref().clone().into()).is_ok_and(|address| address.has_password())
                {
                    let why = "url holds a password; put it into password_env or password_file, or name a variable \
                               with the whole address in url_env";
                    return Err(place.problem(&url.span(), why));
                }
                Ok(Self::Postgres(Box::new(PostgresPlace {
                    url: raw.url.map(Spanned::into_inner),
                    url_env: raw.url_env.map(Spanned::into_inner),
                    schema: raw.schema,
                    password_env: raw.password_env.map(Spanned::into_inner),
                    password_file: raw.password_file.map(|path| folder.join(path)),
                    ca_file: raw.ca_file.map(|path| folder.join(path)),
                    options: Options {
                        lossless_failover: raw.synchronous_replica,
                        prepared: raw.prepared_statements,
                        ..Options::default()
                    },
                })))
            }
            (None, None, None) => {
                Err(place.problem(&span, "missing field `path` or `url`; `hapax init` writes a whole sample"))
            }
            _ => Err(place.problem(&span, "only one of path, url and url_env can be said")),
        }
    }
}

impl PostgresPlace {
    /// The address with everything that is secret in it.
    pub(crate) fn address(&self) -> Result<Address, Failure> {
        let lacks =
            |what: String| Failure::input("missing-credential", format!("nothing was sent: the ledger lacks {what}"));
        let read = |path: &Path, field: &str| {
            std::fs::read_to_string(path)
                .map_err(|error| lacks(format!("what it needs: the file that {field} names can't be read ({error})")))
        };
        let url: SecretString = match (&self.url, &self.url_env) {
            (Some(url), _) => url.clone().into(),
            (None, Some(name)) => {
                variable(name).ok_or_else(|| lacks(format!("its address: set {name} in the environment")))?.into()
            }
            (None, None) => return Err(Failure::internal("nothing was sent: the ledger has no address")),
        };
        let mut address = Address::parse(&url)?;
        let password = match (&self.password_env, &self.password_file) {
            (Some(name), _) => {
                Some(variable(name).ok_or_else(|| lacks(format!("its password: set {name} in the environment")))?)
            }
            (None, Some(path)) => Some(read(path, "password_file")?.trim().to_owned()),
            (None, None) if address.has_password() => None,
            (None, None) => variable(PASSWORD_VARIABLE),
        };
        if let Some(password) = password {
            address = address.password(&password.into());
        }
        if let Some(schema) = &self.schema {
            address = address.schema(schema)?;
        }
        if let Some(path) = &self.ca_file {
            address = address.believing(read(path, "ca_file")?.as_bytes())?;
        }
        Ok(address)
    }
}

/// Without anything that may be secret.
impl fmt::Display for LedgerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Postgres(at) => match at.address() {
                Ok(address) => write!(f, "{address}"),
                Err(_) => f.write_str("the PostgreSQL ledger"),
            },
        }
    }
}
