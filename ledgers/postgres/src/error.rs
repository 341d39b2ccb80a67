//! Every way in which PostgreSQL can fail, told in words that say what happened and what to do.

use std::fmt;

use hapax_core::ledger::LedgerError;
use hapax_core::ledger::rows::Damaged;
use tokio_postgres::error::SqlState;

/// Why something was not done.
pub(crate) enum Failure {
    /// An answer for the caller as it is.
    Answer(LedgerError),
    /// PostgreSQL, or the way to it, failed.
    Sql(tokio_postgres::Error),
    /// What is stored can't be what a ledger wrote.
    Damaged(String),
    /// It took too long.
    Late,
    /// The connection leads to another server than before, one that has everything; a fresh one notes that.
    TakenOver,
    /// The answer to a commit was lost, and whether it counts could not be read.
    Unproved(Box<Self>),
}

/// Without what the server says besides its code: its details are whole rows, so arguments, and this ends up in logs.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(answer) => f.debug_tuple("Answer").field(answer).finish(),
            Self::Sql(error) => write!(f, "Sql({error}, {})", error.code().map_or("no code", SqlState::code)),
            Self::Damaged(what) => f.debug_tuple("Damaged").field(what).finish(),
            Self::Late => f.write_str("Late"),
            Self::TakenOver => f.write_str("TakenOver"),
            Self::Unproved(why) => f.debug_tuple("Unproved").field(why).finish(),
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Damaged> for Failure {
    fn from(damaged: Damaged) -> Self {
        Self::Damaged(damaged.0)
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Answer(error)
    }
}

impl Failure {
    /// The error for the caller.
    pub(crate) fn tell(&self, shown: &str) -> LedgerError {
        match self {
            Self::Answer(answer) => answer.clone(),
            Self::Sql(error) => explain(shown, error),
            Self::Damaged(what) => unusable(
                format!("{shown} is damaged: {what}"),
                "restore the ledger from a backup, then run `hapax ledger restored`",
            ),
            Self::Late | Self::TakenOver => unusable(
                format!("{shown} did not answer in time"),
                "check the database, its locks (pg_stat_activity) and the network, then try again",
            ),
            Self::Unproved(why) => LedgerError::InDoubt {
                what: format!(
                    "the answer to a commit was lost, and whether it counts could not be read ({})",
                    why.tell(shown)
                ),
                hint: "try the same again when the database can be reached".to_owned(),
            },
        }
    }

    /// Why whether a commit counts could not be read; of everything else itself.
    pub(crate) fn cause(&self) -> &Self {
        if let Self::Unproved(why) = self { why } else { self }
    }

    /// Whether it would be the same for every append, since the database is out of reach.
    pub(crate) fn is_of_the_database(&self) -> bool {
        matches!(self, Self::Unproved(_)) || self.is_of_the_way()
    }

    /// Whether the connection is gone, or the server is going: another connection may do better.
    pub(crate) fn is_of_the_way(&self) -> bool {
        match self {
            Self::Sql(error) => match error.code() {
                // Class 57P: the server shuts down, or ended this session; class 08: the connection failed.
                // More callers than a pooler takes may be fewer in a moment.
                Some(_) if pooler_refuses(error).is_some_and(|said| said != CROWDED) => false,
                Some(code) => {
                    code.code().starts_with("57P")
                        || code.code().starts_with("08")
                        || [&SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT, &SqlState::TOO_MANY_CONNECTIONS]
                            .contains(&code)
                }
                None => true,
            },
            Self::Late | Self::TakenOver => true,
            Self::Answer(_) | Self::Damaged(_) | Self::Unproved(_) => false,
        }
    }

    /// Whether the engine doesn't have what was asked for, or not for us.
    pub(crate) fn is_lacking(&self) -> bool {
        const CODES: [&SqlState; 4] = [
            &SqlState::UNDEFINED_FUNCTION,
            &SqlState::INSUFFICIENT_PRIVILEGE,
            &SqlState::FEATURE_NOT_SUPPORTED,
            &SqlState::UNDEFINED_OBJECT,
        ];
        matches!(self, Self::Sql(error) if error.code().is_some_and(|code| CODES.contains(&code)))
    }

    /// Whether another transaction was in the way, so that the same thing can work when it's done again.
    pub(crate) fn is_of_the_moment(&self) -> bool {
        const CODES: [&SqlState; 5] = [
            &SqlState::UNIQUE_VIOLATION,
            &SqlState::T_R_SERIALIZATION_FAILURE,
            &SqlState::T_R_DEADLOCK_DETECTED,
            &SqlState::LOCK_NOT_AVAILABLE,
            &SqlState::FOREIGN_KEY_VIOLATION,
        ];
        matches!(self, Self::Sql(error) if error.code().is_some_and(|code| CODES.contains(&code)))
    }
}

/// An unusable ledger: what is wrong, and what to do.
pub(crate) fn unusable(what: impl Into<String>, hint: impl Into<String>) -> LedgerError {
    LedgerError::Unusable { what: what.into(), hint: hint.into() }
}

/// What a pooler says for itself, always under one code and never in another language, and what it means.
fn pooler_refuses(error: &tokio_postgres::Error) -> Option<(&'static str, &'static str)> {
    const SAID: [(&str, &str, &str); 5] = [
        (
            "statement pooling mode",
            "the pooler before $ gives each statement to any connection, so nothing can be written together",
            "set its pool_mode to transaction or session",
        ),
        ("authentication failed", "$ doesn't let us in", "check user and password, also in the pooler's list of users"),
        ("no such user", "$ doesn't let us in", "check user and password, also in the pooler's list of users"),
        (
            "no such database",
            "the database of $ does not exist",
            "check the address, and the pooler's list of databases",
        ),
        ("no more connections allowed", CROWDED.0, CROWDED.1),
    ];
    let db = error.as_db_error()?;
    if is_of_statements(db.code()) {
        return Some(UNFOLLOWED);
    }
    let of_pooler = *db.code() == SqlState::PROTOCOL_VIOLATION;
    let found = SAID.into_iter().find(|(text, ..)| of_pooler && db.message().contains(text));
    found.map(|(_, what, hint)| (what, hint))
}

const CROWDED: (&str, &str) =
    ("the pooler before $ has no connection left", "raise its max_client_conn, or start fewer processes");

/// What became of a prepared statement where connections are shared and nobody follows them.
const UNFOLLOWED: (&str, &str) = (
    "the pooler before $ shares connections and doesn't follow prepared statements",
    "take prepared_statements out of the configuration, or use one that follows them (PgBouncer from 1.21 with \
     max_prepared_statements)",
);

/// Whether a prepared statement was not there, or one of that name was: it belongs to somebody else.
pub(crate) fn is_of_statements(state: &SqlState) -> bool {
    [&SqlState::INVALID_SQL_STATEMENT_NAME, &SqlState::DUPLICATE_PSTATEMENT].contains(&state)
}

/// That prepared statements can't be used here.
pub(crate) fn unfollowed(shown: &str) -> LedgerError {
    unusable(UNFOLLOWED.0.replace('$', shown), UNFOLLOWED.1)
}

/// The one place where codes of PostgreSQL get their meaning. What it says besides is left out: it may repeat values.
pub(crate) fn explain(shown: &str, error: &tokio_postgres::Error) -> LedgerError {
    let Some(db) = error.as_db_error() else {
        // Without a message of the server: sockets, TLS, encoding.
        let why = std::error::Error::source(error).map_or_else(|| error.to_string(), |source| source.to_string());
        return unusable(
            format!("{shown} can't be reached ({why})"),
            "check that the database runs, its address, the network and the certificate, then try again",
        );
    };
    if let Some((what, hint)) = pooler_refuses(error) {
        return unusable(what.replace('$', shown), hint);
    }
    let state = db.code();
    let (what, hint) = if [&SqlState::INVALID_PASSWORD, &SqlState::INVALID_AUTHORIZATION_SPECIFICATION].contains(&state)
    {
        (format!("{shown} doesn't let us in"), "check user and password, and pg_hba.conf")
    } else if *state == SqlState::UNDEFINED_TABLE || *state == SqlState::INVALID_SCHEMA_NAME {
        return LedgerError::Missing(shown.to_owned());
    } else if *state == SqlState::INVALID_CATALOG_NAME {
        (format!("the database of {shown} does not exist"), "make it, or check the address")
    } else if *state == SqlState::INSUFFICIENT_PRIVILEGE {
        (format!("this user may not do that on {shown}"), "grant what `ledgers/postgres/README.md` lists")
    } else if [&SqlState::DISK_FULL, &SqlState::OUT_OF_MEMORY, &SqlState::INSUFFICIENT_RESOURCES].contains(&state) {
        (format!("the database of {shown} is out of disk or memory"), "free some, then try again")
    } else if *state == SqlState::READ_ONLY_SQL_TRANSACTION {
        (format!("{shown} can only be read"), "give the address of the primary, not of a replica")
    } else if *state == SqlState::LOCK_NOT_AVAILABLE {
        (format!("another program holds {shown} locked"), "wait for it or end it (pg_stat_activity), then try again")
    } else if *state == SqlState::TOO_MANY_CONNECTIONS {
        (format!("{shown} has no connection left"), "raise max_connections, or put a pooler in between")
    } else if state.code().starts_with("57P") || state.code().starts_with("08") {
        (format!("{shown} is going away or not there yet"), "try again when it runs")
    } else if *state == SqlState::DATA_CORRUPTED || *state == SqlState::INDEX_CORRUPTED {
        (format!("{shown} is damaged"), "restore the ledger from a backup, then run `hapax ledger restored`")
    } else {
        // Its message may repeat a value too, such as one that can't be read.
        let at = [db.table(), db.constraint()].into_iter().flatten().map(|name| format!(" {name}")).collect::<String>();
        (format!("{shown} failed ({}{at})", state.code()), "look that code up in the log of the database")
    };
    unusable(what, hint)
}
