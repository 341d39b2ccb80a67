//! The file as it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hapax_core::policy::Policy;
use serde::Deserialize;
use toml::Spanned;

use super::problem::Place;
use super::{Config, ConnectionConfig, LedgerPlace, seal};
use crate::exit::Failure;
use crate::known::Known;
use crate::suggest::did_you_mean;

/// A connection's fields, with their places. They depend on the integration, so they are read by hand.
pub(super) type Fields = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    ledger: Spanned<super::ledger::Raw>,
    #[serde(default)]
    namespace: Namespace,
    #[serde(default)]
    clock: Clock,
    #[serde(default)]
    policy: Policy,
    /// Files that declare cells of one's own.
    #[serde(default)]
    declarations: Vec<PathBuf>,
    #[serde(default)]
    connections: BTreeMap<Spanned<String>, Fields>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Namespace {
    secret_file: Option<Spanned<PathBuf>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clock {
    scale: Spanned<u32>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { scale: Spanned::new(0..0, 1) }
    }
}

impl Config {
    /// Reads the text of a configuration file.
    pub(super) fn parse(file: &Path, text: &str) -> Result<Self, Failure> {
        let place = Place { file, text };
        let raw: Raw = toml::from_str(text).map_err(|error| place.syntax(&error))?;
        // Not `folder.join("")`: an empty parent is this folder.
        let folder = file.parent().unwrap_or(Path::new(""));
        if let Some(secret_file) = raw.namespace.secret_file.as_ref().filter(|path| is_secret(path.get_ref())) {
            let why =
                "secret_file holds the secret itself; put the secret into a file of mode 0600 and name the file here";
            return Err(place.problem(&secret_file.span(), why));
        }
        let declarations: Vec<PathBuf> = raw.declarations.iter().map(|path| folder.join(path)).collect();
        let known = Known::with(&declarations)?;
        let connections = raw
            .connections
            .into_iter()
            .map(|(name, fields)| ConnectionConfig::read(&place, &known, &name, fields, folder))
            .collect::<Result<Vec<_>, _>>()?;
        let scale = *raw.clock.scale.get_ref();
        let mut ledger = raw.ledger;
        let (key_env, key_file) = (ledger.as_mut().key_env.take(), ledger.as_mut().key_file.take());
        let config = Self {
            file: file.to_owned(),
            ledger: LedgerPlace::read(&place, ledger, folder)?,
            ledger_key: seal::read(&place, key_env, key_file, folder)?,
            secret_file: raw.namespace.secret_file.map(|path| folder.join(path.into_inner())),
            scale,
            policy: raw.policy,
            known,
            connections,
        };
        config.check_rules()?;
        match config.connections.iter().find(|connection| scale > 1 && !connection.stand_in) {
            Some(real) => {
                let why =
                    format!("a scaled clock is for stand-ins only, and connection {} isn't marked as one", real.name);
                Err(place.problem(&raw.clock.scale.span(), &why))
            }
            None if scale == 0 => Err(place.problem(&raw.clock.scale.span(), "scale must be at least 1")),
            None => Ok(config),
        }
    }
}

impl Config {
    /// A rule with a slip in it would speak of nothing: what it was to hold back would be sent, and what it was to keep would
    /// go by the next one.
    fn check_rules(&self) -> Result<(), Failure> {
        for rule in &self.policy.approve {
            self.known.check_cell_named(&rule.cell).map_err(|what| self.no_such("approve", &what))?;
        }
        for rule in &self.policy.retention {
            let no_such = |what: String| self.no_such("retention", &what);
            rule.cell.as_deref().map_or(Ok(()), |cell| self.known.check_cell_named(cell)).map_err(no_such)?;
            rule.connection.as_deref().map_or(Ok(()), |name| self.check_connection_named(name)).map_err(no_such)?;
        }
        Ok(())
    }

    /// Fails unless there is a connection of this name. The failure says in the end what was meant.
    pub(crate) fn check_connection_named(&self, name: &str) -> Result<(), String> {
        if self.connection(name).is_some() {
            return Ok(());
        }
        let meant = did_you_mean(name, self.connections.iter().map(|connection| connection.name.as_str()));
        Err(format!("the connection `{name}`, which there is not{meant}"))
    }

    fn no_such(&self, rules: &str, what: &str) -> Failure {
        let file = self.file.display();
        let why = format!("nothing was sent, and nothing removed: {file}: a rule of policy.{rules} names {what}");
        Failure::input("bad-config", why)
    }
}

/// Whether a path is in truth a namespace secret.
fn is_secret(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
