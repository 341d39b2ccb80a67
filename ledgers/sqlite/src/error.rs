//! Every way in which SQLite can fail, told in words that say what happened and what to do.

use std::path::Path;

use hapax_core::ledger::LedgerError;
use hapax_core::ledger::rows::Damaged;
use rusqlite::{ErrorCode, ffi};

/// Why something in a transaction was not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An answer of the contract: moved, claimed, similar. Nothing was written, and the transaction
    /// goes on without this append.
    Answer(LedgerError),
    /// SQLite failed.
    Sql(rusqlite::Error),
    /// What is stored can't be what a ledger wrote.
    Damaged(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Damaged> for Failure {
    fn from(damaged: Damaged) -> Self {
        Self::Damaged(damaged.0)
    }
}

impl Failure {
    /// The error for the caller.
    pub(crate) fn tell(self, path: &Path) -> LedgerError {
        match self {
            Self::Answer(answer) => answer,
            Self::Sql(error) => explain(path, &error),
            Self::Damaged(what) => unusable(format!("{} is damaged: {what}", path.display()), RESTORE),
        }
    }

    /// Whether another process holds the file.
    pub(crate) fn is_busy(&self) -> bool {
        let code = if let Self::Sql(error) = self { error.sqlite_error_code() } else { None };
        matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether a flush failed: everything was written before, and only whether it survives isn't known.
    pub(crate) fn is_of_a_flush(&self) -> bool {
        let code =
            if let Self::Sql(error) = self { error.sqlite_error().map(|error| error.extended_code) } else { None };
        matches!(code, Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC))
    }

    /// Whether only this append is at fault, so that others in the same transaction may go on.
    pub(crate) fn is_its_own(&self) -> bool {
        match self {
            Self::Answer(_) => true,
            Self::Sql(error) => {
                matches!(error.sqlite_error_code(), Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig))
            }
            Self::Damaged(_) => true,
        }
    }
}

const RESTORE: &str = "keep a copy of it and of the files beside it (-wal, -shm), restore the ledger from a backup, \
                       then run `hapax ledger restored`";

/// An unusable ledger: what is wrong, and what to do.
pub(crate) fn unusable(what: impl Into<String>, hint: impl Into<String>) -> LedgerError {
    LedgerError::Unusable { what: what.into(), hint: hint.into() }
}

/// The same where what was written before the failure may count after a loss of power.
pub(crate) fn in_doubt(error: LedgerError) -> LedgerError {
    match error {
        LedgerError::Unusable { what, hint } => LedgerError::InDoubt { what, hint },
        error => error,
    }
}

/// The one place where codes of SQLite get their meaning.
pub(crate) fn explain(path: &Path, error: &rusqlite::Error) -> LedgerError {
    let file = path.display();
    let detail = error.to_string();
    let (what, hint) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => (
            format!("another program holds {file} locked"),
            "wait for it or close it (a backup, a database browser, another hapax), then try again",
        ),
        Some(ErrorCode::DiskFull) => {
            (format!("the disk under {file} is full"), "free some space on it, then try again")
        }
        Some(ErrorCode::ReadOnly) => (
            format!("{file} or its folder can't be written"),
            "let this user write the file and its folder (SQLite keeps two more files, -wal and -shm, beside it)",
        ),
        Some(ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => (
            format!("{file}, or the files beside it (-wal, -shm), can't be opened"),
            "check the path, that the folder exists, and that this user may read and write there",
        ),
        Some(ErrorCode::NotADatabase) => {
            (format!("{file} is not a ledger (no SQLite file, or its beginning is damaged)"), RESTORE)
        }
        Some(ErrorCode::DatabaseCorrupt) => (format!("{file} is damaged ({detail})"), RESTORE),
        Some(ErrorCode::SystemIoFailure) => (
            format!("the disk failed while {file} was used ({detail})"),
            "check the disk and its free space, then try again; what was not confirmed may not be there",
        ),
        Some(ErrorCode::TooBig) => {
            (format!("a record is too large for {file}"), "keep arguments and receipts under some megabytes")
        }
        Some(ErrorCode::OutOfMemory) => {
            (format!("memory ran out while {file} was used"), "free some memory, then try again")
        }
        Some(ErrorCode::ConstraintViolation) => {
            (format!("a rule of {file} forbids it ({detail})"), "this is a mistake in the program; please report it")
        }
        _ => (
            format!("{file} failed ({detail})"),
            "see the message of SQLite in it; `hapax ledger verify` checks the file",
        ),
    };
    unusable(what, hint)
}
