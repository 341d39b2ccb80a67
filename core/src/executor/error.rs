use crate::identity::KeyError;
use crate::ledger::{LedgerError, OperationId};

/// Why the executor did nothing. Each text says first what happened to the effect.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The connection isn't configured.
    #[error("nothing was sent: there is no connection {name:?}; known are: {known}")]
    UnknownConnection {
        /// Which.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// The connection's integration has no such cell.
    #[error("nothing was sent: connection {connection:?} has no cell {cell:?}; it has: {known}")]
    UnknownCell {
        /// On which connection.
        connection: String,
        /// Which.
        cell: String,
        /// The ones there are.
        known: String,
    },
    /// The operation key isn't one.
    #[error("nothing was sent: {0}")]
    Key(#[from] KeyError),
    /// The arguments don't fit.
    #[error("nothing was sent: the arguments don't fit {cell}: {why}; `hapax explain {cell}` shows the schema")]
    Arguments {
        /// Of which cell.
        cell: String,
        /// What is wrong.
        why: String,
    },
    /// The key was used with other arguments.
    #[error(
        "nothing was sent: key {key} belongs to operation {operation} with other arguments ({fields} differ); use a new key for a new intent, or supersede a refused one"
    )]
    KeyReused {
        /// Which key.
        key: String,
        /// Its operation.
        operation: OperationId,
        /// The fields that differ, without values.
        fields: String,
    },
    /// The key was used on a stand-in, and the connection is none now, or the other way round.
    #[error(
        "nothing was sent: key {key} belongs to operation {operation}, which {} a stand-in, and connection {connection:?} {}; use another ledger for stand-ins, or a new key", if *.was { "was for" } else { "was not for" }, if *.was { "is none now" } else { "is one now" }
    )]
    OtherStandIn {
        /// Which key.
        key: String,
        /// Its operation.
        operation: OperationId,
        /// The connection.
        connection: String,
        /// Whether the operation was for a stand-in.
        was: bool,
    },
    /// The cell's guarantee is below what policy requires.
    #[error(
        "nothing was sent: {cell} offers less than the policy requires ({why}); `hapax explain {cell}` says what would raise it"
    )]
    Requirement {
        /// Which cell.
        cell: String,
        /// What is missing.
        why: String,
    },
    /// It can't be done in this state.
    #[error("nothing was changed: {0}")]
    NotNow(String),
    /// The operation isn't in the ledger.
    #[error("nothing was changed: there is no operation {0}")]
    UnknownOperation(String),
    /// Somebody decided on what they saw, and it has changed since.
    #[error(
        "nothing was changed: you saw revision {seen}, and the operation is at {now}; look at it again (`hapax show`)"
    )]
    Stale {
        /// What they saw.
        seen: u64,
        /// Where it is.
        now: u64,
    },
    /// The ledger's newest record lies in the future.
    #[error("nothing was sent: the ledger's newest record lies {0} s in the future; set this machine's clock")]
    Future(i64),
    /// The ledger was used with another secret.
    #[error(
        "nothing was sent: this ledger was used with another namespace secret; give the old one back, or, if the ledger is whole, run `hapax ledger restored --new-secret` to go on with the new one"
    )]
    OtherSecret,
    /// A scaled clock with a connection that isn't a stand-in.
    #[error("nothing was sent: a scaled clock is for stand-ins only, and connection {0:?} isn't marked as one")]
    ClockNotAllowed(String),
    /// Two integrations have a cell of the same id, or two connections the same name.
    #[error("nothing was sent: {0:?} is configured twice")]
    Twice(String),
    /// The ledger said no before anything was sent.
    #[error("nothing was sent: {0}")]
    Ledger(LedgerError),
    /// A decision may have been recorded, and then work goes on by it.
    #[error(
        "it is not known whether this was recorded: {0}; look at the operation (`hapax show`) before you decide again"
    )]
    InDoubt(LedgerError),
}

impl ExecutorError {
    /// Why a decision was not recorded, or may not have been.
    pub(super) fn of_decision(error: LedgerError) -> Self {
        match error {
            LedgerError::InDoubt { .. } => Self::InDoubt(error),
            error => Self::Ledger(error),
        }
    }
}

impl ExecutorError {
    /// A stable code; one page each in the docs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownConnection { .. } => "unknown-connection",
            Self::UnknownCell { .. } => "unknown-cell",
            Self::Key(_) => "bad-key",
            Self::Arguments { .. } => "bad-arguments",
            Self::KeyReused { .. } => "key-reused",
            Self::OtherStandIn { .. } => "other-stand-in",
            Self::Requirement { .. } => "requirement",
            Self::NotNow(_) => "not-now",
            Self::UnknownOperation(_) => "unknown-operation",
            Self::Stale { .. } => "stale-revision",
            Self::Future(_) => "ledger-in-the-future",
            Self::OtherSecret => "other-secret",
            Self::ClockNotAllowed(_) => "clock-not-allowed",
            Self::Twice(_) => "configured-twice",
            Self::Ledger(_) => "ledger",
            Self::InDoubt(_) => "not-known",
        }
    }
}
