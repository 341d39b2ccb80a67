//! Connections for reading. They never wait for the writer: each sees the newest committed state.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hapax_core::ledger::LedgerError;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::error::{Failure, unusable};
use crate::file::{self, Options, SameFile};

pub(crate) struct Readers {
    path: PathBuf,
    options: Options,
    same: SameFile,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, options: Options, same: SameFile) -> Self {
        let permits = Arc::new(Semaphore::new(options.readers.max(1)));
        Self { path, options, same, idle: Mutex::default(), permits }
    }

    /// Runs a read of a few pages. It takes less time than to wake a thread, so it is done here, where a connection is
    /// idle. If another process holds the file, it waits on a thread where that is allowed. A page that is not in memory
    /// costs one read of the disk, where every write waits for a flush.
    pub(crate) async fn read_few<T, Read>(self: &Arc<Self>, read: Read) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        Read: Fn(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        match self.right_here(&read) {
            Some(done) => done,
            None => self.read(read).await,
        }
    }

    /// Nothing if it would have to wait, for a turn, a connection or the file.
    fn right_here<T>(&self, read: impl Fn(&Connection) -> Result<T, Failure>) -> Option<Result<T, LedgerError>> {
        let _permit = self.permits.try_acquire().ok()?;
        let connection = self.idle().pop()?;
        // Whether the file was replaced meanwhile is left to the writer: what stands in the old one was true, and whoever
        // acts on it writes first.
        let patient = |is: bool| connection.busy_timeout(if is { self.options.lock_patience } else { Duration::ZERO });
        let value = patient(false).map_err(Failure::from).and_then(|()| read(&connection));
        let must_wait = value.as_ref().is_err_and(Failure::is_busy);
        // A connection that failed is closed: the next read begins with a fresh one.
        if patient(true).is_ok() && (value.is_ok() || must_wait) {
            self.rest(connection);
        }
        (!must_wait).then(|| value.map_err(|failure| failure.tell(&self.path)))
    }

    /// Runs a read on a thread where waiting for the disk is allowed.
    pub(crate) async fn read<T, Read>(self: &Arc<Self>, read: Read) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        Read: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let stopped = || {
            unusable("a read of the ledger was cut off", "try again; the program is shutting down or a read panicked")
        };
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| stopped())?;
        let readers = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            readers.on_connection(read)
        });
        done.await.map_err(|_| stopped())?
    }

    fn on_connection<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, LedgerError> {
        self.same.check(&self.path)?;
        let connection = match self.idle().pop() {
            Some(connection) => connection,
            None => file::reader(&self.path, &self.options)?,
        };
        // A connection that failed is closed: the next read begins with a fresh one.
        let value = read(&connection).map_err(|failure| failure.tell(&self.path))?;
        self.rest(connection);
        Ok(value)
    }

    /// Keeps a connection for the next read. One whose transaction is still open is closed: it would go on seeing the past.
    fn rest(&self, connection: Connection) {
        if connection.is_autocommit() {
            self.idle().push(connection);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
