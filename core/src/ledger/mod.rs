//! The ledger: a small trait. The protocol lives in the core, so two backends cannot differ in it.

mod layer;
mod memory;
mod retention;
pub mod rows;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::identity::{Fingerprint, OperationKey};
use crate::protocol::{Record, Stamp};

pub use layer::Layer;
pub use memory::MemoryLedger;
pub use retention::{Keep, Pruned, Retention};

/// The ledger's own id of an operation: a UUIDv7, so that rows lie in time order. Nothing that a
/// provider sees is derived from it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationId(pub uuid::Uuid);

impl OperationId {
    /// A fresh id.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::now_v7())
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::str::FromStr for OperationId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}

/// Storage of operations.
///
/// Contract, held by one suite for all backends: when a call returns `Ok`, what it wrote survives
/// the loss of the process and of power; when it returns [`LedgerError::Moved`],
/// [`LedgerError::Claimed`] or [`LedgerError::Similar`], nothing was written; after any other error
/// the caller loads again before it believes anything. After [`LedgerError::InDoubt`] even a load that
/// finds nothing of it proves nothing: it may still be written.
#[async_trait]
pub trait Ledger: Send + Sync + 'static {
    /// Appends records if the operation is still at revision `seen` (0: it must not exist), all or
    /// nothing. Unique are (connection, cell, key) and (account, claim).
    async fn append(&self, append: Append) -> Result<Appended, LedgerError>;

    /// Loads an operation with all its records.
    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError>;

    /// The header and an operation: what every call begins with. A ledger that can reads both at once.
    async fn look_up(&self, by: By<'_>) -> Result<(Header, Option<Stored>), LedgerError> {
        let header = self.header().await?;
        Ok((header, self.load(by).await?))
    }

    /// Ends when another process has moved an operation on from this revision, or may have. None: this ledger can't tell,
    /// and whoever waits for another process loads the operation now and then.
    fn moved_on(&self, _operation: OperationId, _seen: u64) -> Option<MovedOn<'_>> {
        None
    }

    /// Operations that are due by `now`, oldest first, of these cells and connections.
    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError>;

    /// When the first of what is not due by `after` will be, in wall-clock milliseconds, of these
    /// cells and connections. None: nothing that is known now becomes due later.
    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError>;

    /// Operations for people, newest first.
    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError>;

    /// What is known of the ledger as a whole.
    async fn header(&self) -> Result<Header, LedgerError>;

    /// Notes the secret that a ledger is used with, by its check value, if it has none yet. Several
    /// processes may do so at once: the first one wins, and all get the value that is noted.
    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError>;

    /// Notes that the ledger was restored from a backup, or is used with another secret from now
    /// on. The executor adds the event to the operations that aren't final.
    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError>;

    /// Removes arguments, receipts and words of providers from operations that [`Retention::takes`]; key, fingerprint,
    /// claim and outcome stay. A ledger does a part in each call, and says where the next one goes on.
    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError>;
}

/// The future of [`Ledger::moved_on`].
pub type MovedOn<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A shared ledger.
pub type SharedLedger = Arc<dyn Ledger>;

/// What to append.
#[derive(Clone, Debug)]
pub struct Append {
    /// To which operation.
    pub operation: OperationId,
    /// At which revision the writer saw it; 0 makes a new one.
    pub seen: u64,
    /// What happened.
    pub records: Vec<Record>,
    /// What the ledger needs to find the operation by, as of after these records.
    pub index: Index,
    /// For a first append: refuse, writing nothing, if a similar operation began since this
    /// wall-clock time.
    pub refuse_similar: bool,
    /// For a first append: how far back (wall-clock milliseconds) similar operations count.
    pub similar_since_ms: i64,
}

/// What the ledger finds operations by. Everything else is in the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Name of the connection.
    pub connection: String,
    /// Account at the provider.
    pub account: String,
    /// `stripe.charge`.
    pub cell: String,
    /// The caller's key.
    pub key: OperationKey,
    /// Fingerprint of the arguments.
    pub fingerprint: Fingerprint,
    /// Where the operation stands.
    pub phase: Phase,
    /// When work on it is due, in wall-clock milliseconds; none: never by itself.
    pub due_ms: Option<i64>,
    /// The provider's id that it claims, if it does.
    pub claim: Option<String>,
}

/// Where an operation stands, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Held until somebody approves.
    Held,
    /// Under way.
    Open,
    /// With a person.
    Person,
    /// It happened.
    Succeeded,
    /// It didn't.
    Refused,
}

impl Phase {
    /// The word in the ledger and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Open => "open",
            Self::Person => "person",
            Self::Succeeded => "succeeded",
            Self::Refused => "refused",
        }
    }

    /// All of them.
    pub const ALL: [Self; 5] = [Self::Held, Self::Open, Self::Person, Self::Succeeded, Self::Refused];

    /// Whether the operation ended.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Refused)
    }
}

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The new revision.
    pub revision: u64,
    /// After a first append: other operations with the same account, cell and fingerprint and
    /// another key that began recently, found in the same transaction.
    pub similar: Vec<OperationId>,
}

/// How to find one operation.
#[derive(Clone, Debug)]
pub enum By<'a> {
    /// By its id.
    Id(OperationId),
    /// By the caller's key.
    Key {
        /// Name of the connection.
        connection: &'a str,
        /// `stripe.charge`.
        cell: &'a str,
        /// The key.
        key: &'a OperationKey,
    },
    /// By the provider's id that it claims.
    Claim {
        /// Account at the provider.
        account: &'a str,
        /// The provider's id.
        id: &'a str,
    },
}

/// An operation as stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its id.
    pub operation: OperationId,
    /// Its records, in order; their count is the revision.
    pub records: Vec<Record>,
}

/// A cell on a connection that a worker can serve.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serves {
    /// Name of the connection.
    pub connection: String,
    /// `stripe.charge`.
    pub cell: String,
}

/// Which operations to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only in these phases; empty: all.
    pub phases: Vec<Phase>,
    /// Only of this cell.
    pub cell: Option<String>,
    /// Only on this connection.
    pub connection: Option<String>,
    /// At most so many; 0: all.
    pub limit: u32,
}

/// What is known of a ledger as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Check value of the namespace secret that it is used with; empty: not yet used.
    pub secret_check: String,
    /// When it was last noted as restored.
    pub restored: Option<Stamp>,
    /// Its newest record.
    pub newest: Option<Stamp>,
}

/// Why the ledger did not do it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerError {
    /// The operation moved on, or exists already. Nothing was written.
    #[error("the operation moved on; nothing was written")]
    Moved,
    /// Another operation claims this id of the provider's. Nothing was written.
    #[error("operation {0} claims this id of the provider's; nothing was written")]
    Claimed(OperationId),
    /// Similar operations began recently, and the append wanted to be refused then. Nothing was
    /// written.
    #[error("similar operations began recently; nothing was written")]
    Similar(Vec<OperationId>),
    /// The ledger isn't there.
    #[error(
        "the ledger {0} does not exist; run `hapax init` for a new one, or restore it from a backup and run `hapax ledger restored`"
    )]
    Missing(String),
    /// Whether it was written isn't known, and could not be found out: it may even be written later.
    #[error("whether it was written isn't known: {what}; {hint}")]
    InDoubt {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The ledger can't be used as it is: locked, full, read-only, corrupt, newer.
    #[error("the ledger can't be used: {what}; {hint}")]
    Unusable {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
}
