//! The file: made once, never in place of another one, and refused if anything about it is wrong.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hapax_core::ledger::LedgerError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{explain, unusable};
use crate::migrate;

/// How a ledger is used. The defaults suit a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long to wait for a lock of another process before giving up.
    pub lock_patience: Duration,
    /// How many appends may wait for the writer; callers beyond that wait to hand theirs over.
    pub queue: usize,
    /// How many reads may run at once.
    pub readers: usize,
    /// How many entries of the index are kept in memory at least (some 40 bytes each; three for an operation) before they
    /// are written in bulk. Large ledgers keep a thirty-second of all, at most 786,432, and half as many more meanwhile.
    pub leads_in_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { lock_patience: Duration::from_secs(10), queue: 4096, readers: 4, leads_in_memory: 768 }
    }
}

/// Makes a new file with an empty ledger in it.
pub(crate) fn create(path: &Path, options: &Options) -> Result<Connection, LedgerError> {
    reserve(path)?;
    let made = connect(path, options).and_then(|mut connection| {
        migrate::migrate(&mut connection).map_err(|failure| failure.tell(path))?;
        sync_folder(path)?;
        Ok(connection)
    });
    if made.is_err() {
        // Ours and empty: left behind, it would stand in the way of the next try.
        remove_all(path);
    }
    made
}

/// Opens an existing ledger for the writer.
pub(crate) fn open(path: &Path, options: &Options) -> Result<Connection, LedgerError> {
    present(path)?;
    let mut connection = raw(path, options)?;
    // Before anything is read: SQLite opens what it can't write without a word, and then fails to
    // make the files beside it.
    if connection.is_readonly("main").map_err(|error| explain(path, &error))? {
        return Err(read_only(path));
    }
    let version = migrate::check(&connection, path)?;
    configure(&connection, path)?;
    if version < migrate::SCHEMA_VERSION {
        migrate::migrate(&mut connection).map_err(|failure| failure.tell(path))?;
    }
    Ok(connection)
}

/// Opens one more connection, for reading.
pub(crate) fn reader(path: &Path, options: &Options) -> Result<Connection, LedgerError> {
    let connection = raw(path, options)?;
    connection.pragma_update(None, "query_only", true).map_err(|error| explain(path, &error))?;
    Ok(connection)
}

fn connect(path: &Path, options: &Options) -> Result<Connection, LedgerError> {
    let connection = raw(path, options)?;
    configure(&connection, path)?;
    Ok(connection)
}

/// Without CREATE: SQLite must never make the file that it doesn't find.
fn raw(path: &Path, options: &Options) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let set_up = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(options.lock_patience)?;
        connection.set_prepared_statement_cache_capacity(64);
        // Without it a newly bound value expires a statement, so that each one is parsed and planned at every use.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(connection)
    };
    set_up().map_err(|error| explain(path, &error))
}

fn configure(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let set = || {
        let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        // A commit returns only after the log is flushed; on a Mac, after the drive has it too.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "checkpoint_fullfsync", true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What retention removes must not linger in free pages.
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "cache_size", -32_000)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        Ok(mode)
    };
    let mode = set().map_err(|error| explain(path, &error))?;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(unusable(
        format!("the file system under {} doesn't support SQLite's write-ahead log", path.display()),
        "put the ledger on a local disk, or use the Postgres ledger",
    ))
}

fn present(path: &Path) -> Result<(), LedgerError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            Err(unusable(format!("{} is a folder", path.display()), "give the path of the ledger's file"))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            folder_present(path)?;
            Err(LedgerError::Missing(path.display().to_string()))
        }
        Err(error) => Err(system(path, &error)),
    }
}

/// Takes the name, so that nothing that exists is ever overwritten.
fn reserve(path: &Path) -> Result<(), LedgerError> {
    folder_present(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Arguments are personal data: for the owner alone, and SQLite gives its other files the same mode.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(unusable(
            format!("{} exists already, and a ledger is never overwritten", path.display()),
            "use it as it is, or give another path",
        )),
        Err(error) => Err(system(path, &error)),
    }
}

fn folder_present(path: &Path) -> Result<(), LedgerError> {
    let folder = folder(path);
    if folder.is_dir() {
        return Ok(());
    }
    Err(unusable(
        format!("the folder {} of the ledger does not exist", folder.display()),
        "check the path and whether the disk is mounted, or make the folder",
    ))
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Makes the new name survive the loss of power, as what is in the file does.
fn sync_folder(path: &Path) -> Result<(), LedgerError> {
    #[cfg(unix)]
    fs::File::open(folder(path)).and_then(|folder| folder.sync_all()).map_err(|error| system(path, &error))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn remove_all(path: &Path) {
    for end in ["-wal", "-shm", ""] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        if let Err(error) = fs::remove_file(&name) {
            tracing::debug!(%error, "an unfinished ledger was not removed");
        }
    }
}

fn read_only(path: &Path) -> LedgerError {
    unusable(
        format!("{} can only be read", path.display()),
        "let this user write the file and its folder (SQLite keeps two more files, -wal and -shm, beside it)",
    )
}

fn system(path: &Path, error: &std::io::Error) -> LedgerError {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => read_only(path),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            unusable(format!("the disk under {} is full", path.display()), "free some space on it, then try again")
        }
        _ => unusable(format!("{} can't be used ({error})", path.display()), "check the path and the rights on it"),
    }
}

/// Which file the ledger was when it was opened. A file that was removed or replaced meanwhile would
/// take appends that nobody ever finds again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SameFile {
    #[cfg(unix)]
    identity: (u64, u64),
}

impl SameFile {
    pub(crate) fn of(path: &Path) -> Result<Self, LedgerError> {
        let found = fs::metadata(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => LedgerError::Missing(path.display().to_string()),
            _ => system(path, &error),
        })?;
        #[cfg(unix)]
        let same = {
            use std::os::unix::fs::MetadataExt;
            Self { identity: (found.dev(), found.ino()) }
        };
        #[cfg(not(unix))]
        let same = {
            let _ = found;
            Self {}
        };
        Ok(same)
    }

    pub(crate) fn check(&self, path: &Path) -> Result<(), LedgerError> {
        if Self::of(path)? == *self {
            return Ok(());
        }
        Err(unusable(
            format!("{} was replaced while it was in use", path.display()),
            "stop everything that uses the ledger, put the right file back, run `hapax ledger restored` if it is a \
             backup, and start again",
        ))
    }
}
