//! What the demo happens on: providers, breakable lines, ledger.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hapax_catalog::start_stand_in;
use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::identity::NamespaceSecret;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{Fault, FaultProxy, Server, When};
use tempfile::TempDir;

use crate::commands::init::write_new;
use crate::exit::Failure;

/// How much faster time passes, so that nobody waits for the leases of a killed worker. An answer may
/// take 80 s; that is 1.6 s here, which a slow machine can keep.
const SCALE: u32 = 50;

/// Everything that must live as long as the demo.
pub(super) struct Stage {
    /// Charges cards.
    pub(super) stripe: Provider,
    /// Sends mails.
    pub(super) gmail: Provider,
    /// Books flights.
    pub(super) amadeus: Provider,
    folder: TempDir,
}

/// A stand-in, behind a line that can break.
pub(super) struct Provider {
    integration: &'static str,
    server: Server,
    line: FaultProxy,
}

impl Stage {
    pub(super) async fn set_up() -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(|error| broken("its folder", &error))?;
        let stripe = Provider::start("stripe").await?;
        let (gmail, amadeus) = (Provider::start("gmail").await?, Provider::start("amadeus").await?);
        let stage = Self { stripe, gmail, amadeus, folder };
        write_new(&stage.folder.path().join("hapax.secret"), NamespaceSecret::generate().expose())?;
        drop(SqliteLedger::create(stage.folder.path().join("hapax.ledger"))?);
        write_new(&stage.config(), &stage.configuration())?;
        Ok(stage)
    }

    fn configuration(&self) -> String {
        format!(
            "[ledger]\npath = \"hapax.ledger\"\n[namespace]\nsecret_file = \"hapax.secret\"\n[clock]\nscale = {SCALE}\n\
             {}{}meets = [\"gmail.readonly\"]\n{}",
            self.stripe.connection(),
            self.gmail.connection(),
            self.amadeus.connection()
        )
    }

    /// The configuration that workers get.
    pub(super) fn config(&self) -> PathBuf {
        self.folder.path().join("hapax.toml")
    }

    /// Where workers run, so that no configuration of the user's is found.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Provider {
    async fn start(integration: &'static str) -> Result<Self, Failure> {
        let clock = ScaledClock::new(SCALE);
        let server = start_stand_in(integration, 0, Arc::new(move || clock.now().wall_ms)).await;
        let server = server.map_err(|error| broken("a provider", &error))?;
        let line = FaultProxy::start(&server.url()).await.map_err(|error| broken("a line", &error))?;
        Ok(Self { integration, server, line })
    }

    fn connection(&self) -> String {
        let Self { integration, line, .. } = self;
        let url = line.url();
        format!("[connections.{integration}]\nintegration = \"{integration}\"\nbase_url = \"{url}\"\nstand_in = true\n")
    }

    /// An address at the provider, behind the line that breaks.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.line.url())
    }

    /// A credential that it accepts.
    pub(super) fn credential(&self, field: &str) -> &'static str {
        let known = hapax_catalog::stand_in_credentials(self.integration).iter();
        known.filter(|(name, _)| *name == field).map(|(_, value)| *value).next().unwrap_or_default()
    }

    /// How often something has happened so far, by the provider's own count.
    pub(super) fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }

    /// The line breaks once, when the provider has done what it was asked and before it can say so.
    pub(super) fn lose_answer(&self, path: &str) {
        self.line.inject(When::on("POST", path), Fault::CutAfterCommit);
    }
}

fn broken(what: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::internal(format!("nothing was sent: the demo could not set up {what} ({error})"))
}
