//! Puts an executor together from the configuration.

use std::path::PathBuf;
use std::sync::Arc;

use hapax_core::cell::Connection;
use hapax_core::clock::{ScaledClock, SharedClock, SystemClock};
use hapax_core::executor::{Executor, ExecutorError};
use hapax_core::ledger::SharedLedger;
use hapax_core::transport::HttpTransport;

use crate::config::{self, Config, ConnectionConfig};
use crate::exit::{Exit, Failure};
use crate::exported;
use crate::known::Known;
use crate::ledger::OpenLedger;
use crate::output::Output;
use crate::probe::PauseAt;

/// What every command gets.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) output: Output,
    /// `--config` or `HAPAX_CONFIG`.
    pub(crate) config: Option<PathBuf>,
}

/// How the ledger comes to whoever opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comes {
    /// As it was left, and with the secret that it was used with.
    AsItWas,
    /// Given back from a backup, or taken in from an export, with the secret that it was used with.
    Restored,
    /// As it was left, and with a new secret.
    WithNewSecret,
}

impl Comes {
    /// Whether it is let in although the check value in it is of no secret, or of another one. Never both forgetful and with
    /// another secret: what it forgot is found by marks of the secret that it was sent with, and by nothing else.
    async fn accepts(self, ledger: &OpenLedger, secret_check: &str) -> Result<bool, Failure> {
        let known = match self {
            Self::AsItWas => return Ok(false),
            Self::Restored | Self::WithNewSecret => ledger.shared().header().await?.secret_check,
        };
        let taken_in = exported::taken_in_with(&known);
        Ok(match self {
            Self::WithNewSecret => taken_in.is_none(),
            _ => taken_in.is_some_and(|check| check.is_empty() || check == secret_check),
        })
    }
}

/// An executor at work.
pub(crate) struct Opened {
    pub(crate) executor: Executor,
    pub(crate) ledger: OpenLedger,
    pub(crate) clock: SharedClock,
    pub(crate) config: Config,
    /// Connections that can't be used, and why: one account's missing key must not stop the others.
    pub(crate) left_out: Vec<(String, Failure)>,
}

impl Context {
    /// The integrations there are, without opening anything.
    pub(crate) fn known(&self) -> Result<Known, Failure> {
        Ok(config::find_optional(self.config.as_deref())?.known)
    }

    /// Opens everything that the configuration names.
    pub(crate) async fn open(&self) -> Result<Opened, Failure> {
        self.open_as(Comes::AsItWas).await
    }

    /// The same with something put around the ledger.
    pub(crate) async fn open_around(
        &self,
        around: impl FnOnce(SharedLedger) -> SharedLedger,
    ) -> Result<Opened, Failure> {
        self.assemble(Comes::AsItWas, around).await
    }

    /// The same with a ledger that is about to be noted as what it is.
    pub(crate) async fn open_as(&self, comes: Comes) -> Result<Opened, Failure> {
        self.assemble(comes, |ledger| ledger).await
    }

    async fn assemble(
        &self,
        comes: Comes,
        around: impl FnOnce(SharedLedger) -> SharedLedger,
    ) -> Result<Opened, Failure> {
        let config = config::find(self.config.as_deref())?;
        let secret = config.secret()?;
        let secret_check = secret.check_value();
        let ledger = OpenLedger::open(&config, comes == Comes::Restored).await?;
        let clock = clock_of(&config, &ledger);
        let mut builder = Executor::builder(around(ledger.shared()), Arc::new(HttpTransport::new()), secret)
            .clock(clock.clone())
            .policy(config.policy.clone());
        if comes.accepts(&ledger, &secret_check).await? {
            builder = builder.accept_other_secret();
        }
        if let Some(pause) = PauseAt::from_environment()?.filter(|_| config.is_stand_in_only()) {
            builder = builder.probe(Arc::new(pause));
        }
        let mut left_out = Vec::new();
        for one in &config.connections {
            match connect(one, &config.known) {
                Ok(connection) => builder = builder.connection(connection),
                Err(failure) => left_out.push((one.name.clone(), failure)),
            }
        }
        let executor = match builder.build().await {
            Ok(executor) => executor,
            Err(error) => return Err(closed(&ledger, comes, error).await),
        };
        Ok(Opened { executor, ledger, clock, config, left_out })
    }
}

impl Opened {
    /// Fails with the reason why this connection can't be used, if it can't.
    pub(crate) fn require(&self, connection: &str) -> Result<(), Failure> {
        match self.left_out.iter().find(|(name, _)| name == connection) {
            Some((_, failure)) => Err(failure.clone()),
            None => Ok(()),
        }
    }

    /// Says on stderr which connections this command can't serve.
    pub(crate) fn warn(&self, output: &Output) {
        for (name, failure) in &self.left_out {
            output.note(format!("connection {name} is left out: {}", failure.message));
        }
    }
}

/// Why nothing was opened: another secret, or an import that was not finished, which looks like one.
async fn closed(ledger: &OpenLedger, comes: Comes, error: ExecutorError) -> Failure {
    let Ok(header) = ledger.shared().header().await else { return error.into() };
    let is_import = exported::taken_in_with(&header.secret_check).is_some();
    match (&error, comes) {
        (ExecutorError::OtherSecret, Comes::AsItWas) if is_import => {
            Failure::of_ledger("an import into this ledger was not finished; run `hapax ledger restored`")
        }
        (ExecutorError::OtherSecret, Comes::Restored | Comes::WithNewSecret) if is_import => other_secret(
            "an import into this ledger was not finished, and its export was made with another namespace secret; \
             configure that one",
        ),
        (ExecutorError::OtherSecret, Comes::Restored) => other_secret(
            "this ledger was used with another namespace secret; what a backup has forgotten is found with that one only, \
             so configure it; if it is lost, or was replaced, and the ledger is whole (no backup was given back), run \
             `hapax ledger restored --new-secret`",
        ),
        _ => error.into(),
    }
}

fn other_secret(why: &str) -> Failure {
    Failure { exit: Exit::Ledger, ..Failure::input("other-secret", format!("nothing was changed: {why}")) }
}

/// One connection as the core wants it.
pub(crate) fn connect(config: &ConnectionConfig, known: &Known) -> Result<Connection, Failure> {
    let integration = known
        .integration(&config.integration)
        .ok_or_else(|| Failure::internal(format!("nothing was sent: integration {} has gone", config.integration)))?;
    let credentials = config::credentials(config, &integration)?;
    let mut connection = Connection::new(&config.name, integration, credentials)?.meets(config.meets.iter().cloned());
    if let Some(base_url) = &config.base_url {
        connection = connection.at(base_url)?;
    }
    if let Some(account) = &config.account {
        connection = connection.account(account);
    }
    Ok(if config.stand_in { connection.stand_in() } else { connection })
}

/// The clock that the configuration asks for, else the one that all who share the ledger go by.
fn clock_of(config: &Config, ledger: &OpenLedger) -> SharedClock {
    match (config.scale, ledger.clock()) {
        (0 | 1, Some(shared)) => shared,
        _ => clock(config),
    }
}

/// The clock that the configuration asks for.
pub(crate) fn clock(config: &Config) -> SharedClock {
    match config.scale {
        0 | 1 => Arc::new(SystemClock::new()),
        factor => Arc::new(ScaledClock::new(factor)),
    }
}
