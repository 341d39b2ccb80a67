//! What a worker is put together from. It comes from the environment, so that each new process is the same again.

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials, SharedIntegration};
use hapax_core::clock::{ScaledClock, SharedClock};
use hapax_core::identity::NamespaceSecret;
use hapax_core::transport::{HttpTransport, SharedTransport};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Failure;

/// What a caller of a handler wants once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// `stripe.charge`.
    pub(crate) cell: String,
    /// Its arguments.
    pub(crate) args: Value,
}

/// Name of the one connection.
pub(crate) const CONNECTION: &str = "shop";

/// The parts.
pub(crate) struct Parts {
    pub(crate) clock: SharedClock,
    pub(crate) ledger: PathBuf,
    pub(crate) listen: SocketAddr,
    /// Where the provider is.
    pub(crate) provider: String,
    pub(crate) secret: NamespaceSecret,
    pub(crate) transport: SharedTransport,
    integration: String,
}

impl Parts {
    /// As the process that started this one says.
    pub(crate) fn from_environment() -> Result<Self, Failure> {
        let told = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
        Ok(Self {
            clock: Arc::new(ScaledClock::new(told("HAPAX_TEST_SCALE")?.parse()?)),
            ledger: told("HAPAX_TEST_LEDGER")?.into(),
            listen: told("HAPAX_TEST_LISTEN")?.parse()?,
            provider: told("HAPAX_TEST_PROVIDER")?,
            secret: NamespaceSecret::read(told("HAPAX_TEST_SECRET")?.as_ref())?,
            transport: Arc::new(HttpTransport::new()),
            integration: told("HAPAX_TEST_INTEGRATION")?,
        })
    }

    /// The account at the provider, a stand-in.
    pub(crate) fn connection(&self) -> Result<Connection, Failure> {
        let (integration, credentials): (SharedIntegration, _) = match self.integration.as_str() {
            "stripe" => (hapax_stripe::integration(), hapax_stripe::standin::CREDENTIALS),
            "slack" => (hapax_slack::integration(), hapax_slack::standin::CREDENTIALS),
            other => return Err(format!("there is no integration {other}").into()),
        };
        let credentials = credentials
            .iter()
            .fold(Credentials::none(), |all, (name, secret)| all.with(name, (*secret).to_owned().into()));
        let needs = integration.cells().into_iter().flat_map(|cell| cell.spec().published().1);
        let needs: Vec<String> = needs.map(|need| need.words().to_owned()).collect();
        Ok(Connection::new(CONNECTION, integration, credentials)?
            .at(&self.provider)?
            .account("tests")
            .stand_in()
            .meets(needs))
    }
}
