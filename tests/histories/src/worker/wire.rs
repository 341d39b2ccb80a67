use std::path::PathBuf;
use std::time::Duration;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::executor::{OperationView, PersonSays, RunReport};
use hapax_core::ledger::OperationId;
use hapax_core::protocol::Stamp;
use hapax_ledger_postgres::{Address, Options};
use hapax_ledger_sealed::Keys;
use hapax_standin::third_party::postgres::{PASSWORD, USER};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Planted;
use crate::history::Says;

/// What a worker is made of. It is not shown, because of the secret.
#[derive(Clone, Serialize, Deserialize)]
pub struct Setup {
    /// How much faster than real time everything runs.
    pub scale: u32,
    /// The namespace secret, which is made for the run.
    pub secret: String,
    /// Where the ledger is.
    pub ledger: Place,
    /// The key of its seals, if it is sealed, made for the run.
    pub seals: Option<String>,
    /// The connections.
    pub accounts: Vec<Account>,
    /// A bug that it is to have.
    pub planted: Option<Planted>,
}

/// Where a ledger is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Place {
    /// In a file of SQLite.
    File(PathBuf),
    /// In a schema of PostgreSQL on this machine, as the tests' own role.
    Schema {
        /// Its port.
        port: u16,
        /// The schema.
        schema: String,
    },
}

/// A connection to a stand-in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    /// The adapter, which is the connection's name too.
    pub integration: String,
    /// Where the provider is.
    pub base_url: String,
}

/// A question.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Its number, which the answer has too.
    pub id: u64,
    /// What is wanted.
    pub want: Want,
}

/// What can be asked for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Want {
    /// An intent, once.
    Run {
        /// On which connection.
        connection: String,
        /// Which cell.
        cell: String,
        /// The caller's key.
        key: String,
        /// Its arguments.
        args: Value,
        /// After this moment nothing is sent.
        good_until_ms: Option<i64>,
        /// How long the caller waits.
        wait_ms: u64,
    },
    /// A person's decision.
    Resolve {
        /// Of which operation.
        operation: OperationId,
        /// The revision that they saw.
        seen: u64,
        /// Who.
        by: String,
        /// When they looked at the provider.
        looked: Stamp,
        /// What they say.
        says: Says,
    },
    /// A person's approval.
    Approve {
        /// Of which operation.
        operation: OperationId,
        /// The revision that they saw.
        seen: u64,
        /// Who.
        by: String,
    },
    /// What waits for a person.
    Inbox,
}

/// An answer to a question.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// The number of the question.
    pub id: u64,
    /// What came.
    pub answer: Answer,
}

/// What can come.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What a call came to.
    Report(RunReport),
    /// Why nothing was done.
    Error {
        /// Its stable code.
        code: String,
        /// For people.
        text: String,
    },
    /// What waits for a person.
    Inbox(Vec<OperationView>),
}

impl From<Says> for PersonSays {
    fn from(says: Says) -> Self {
        match says {
            Says::Happened(id) => Self::Happened { id },
            Says::DidNotHappen => Self::DidNotHappen,
            Says::SendAgain => Self::SendAgain,
        }
    }
}

impl Setup {
    /// The keys of its seals.
    pub(crate) fn keys(&self) -> Result<Option<Keys>, String> {
        let keys = self.seals.as_ref().map(|key| Keys::parse(&key.clone().into()));
        keys.transpose().map_err(|error| error.to_string())
    }
}

impl Place {
    /// So few that leads are carried over all the time, while workers are killed.
    pub(crate) const OF_FILE: hapax_ledger_sqlite::Options = hapax_ledger_sqlite::Options {
        lock_patience: Duration::from_secs(10),
        queue: 4096,
        readers: 4,
        leads_in_memory: 30,
    };

    /// A worker that is cut off from its database says so while callers still listen.
    pub(crate) const OPTIONS: Options = Options {
        patience: Duration::from_millis(1_500),
        queue: 4096,
        writers: 1,
        readers: 2,
        prepared: false,
        lossless_failover: false,
    };

    /// The address of a schema.
    pub(crate) fn address(&self) -> Result<Address, String> {
        let Self::Schema { port, schema } = self else { return Err("a file has no address".to_owned()) };
        let url = format!("postgres://{USER}@127.0.0.1:{port}/postgres?sslmode=disable");
        let address = Address::parse(&url.into()).map_err(|error| error.to_string())?;
        address.password(&PASSWORD.to_owned().into()).schema(schema).map_err(|error| error.to_string())
    }
}

impl Account {
    /// The name of the account at every provider.
    pub(crate) const NAME: &str = "histories";

    /// The connection, which meets all that its cells need: stand-ins do.
    pub(crate) fn connection(&self) -> Result<Connection, String> {
        let name = self.integration.as_str();
        let integration = hapax_catalog::integration(name).ok_or_else(|| format!("there is no adapter {name}"))?;
        let known = hapax_catalog::stand_in_credentials(name).iter();
        let credentials = known.fold(Credentials::none(), |all, (field, value)| all.with(field, (*value).into()));
        let cells = integration.cells();
        let needs = cells.iter().flat_map(|cell| cell.spec().published().1).map(|need| need.words().to_owned());
        let needs: Vec<String> = needs.collect();
        let connection = Connection::new(name, integration, credentials).map_err(|error| error.to_string())?;
        let connection = connection.at(&self.base_url).map_err(|error| error.to_string())?;
        Ok(connection.account(Self::NAME).stand_in().meets(needs))
    }
}
