use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use async_trait::async_trait;
use hapax_core::ledger::{
    Append, Appended, By, Filter, Header, Index, Ledger, LedgerError, OperationId, Pruned, Retention, Serves, Stored,
};
use hapax_core::protocol::Stamp;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::counters::{Counters, Tally};
use crate::error::unusable;
use crate::export;
use crate::file::{self, Options, SameFile};
use crate::gather::{self, Job, Reply};
use crate::leads::Leads;
use crate::names::Names;
use crate::prune;
use crate::read::{self, Wanted};
use crate::readers::Readers;
use crate::verify::{self, Verified};
use crate::writer::{Apart, Writer};

/// A ledger in one SQLite file.
///
/// Several processes may use the file at once, each through a `SqliteLedger` of its own. Dropping it
/// finishes what was handed over and closes the file.
pub struct SqliteLedger {
    path: PathBuf,
    // An option only so that dropping can hang up before it waits for the writer.
    jobs: Option<mpsc::Sender<Job<Apart>>>,
    writer: Option<JoinHandle<()>>,
    readers: Arc<Readers>,
    leads: Arc<Leads>,
    tally: Arc<Tally>,
}

impl SqliteLedger {
    /// Makes a new, empty ledger.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if something is at that path already, or it can't be written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::create_with(path, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`SqliteLedger::create`].
    pub fn create_with(path: impl AsRef<Path>, options: Options) -> Result<Self, LedgerError> {
        let connection = file::create(path.as_ref(), &options)?;
        Self::start(path.as_ref(), connection, options)
    }

    /// Opens a ledger that exists, and brings it to the newest format.
    ///
    /// # Errors
    /// [`LedgerError::Missing`] if the file isn't there: never an empty ledger in its place.
    /// [`LedgerError::Unusable`] if it can't be used as it is; the text says why and what to do.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::open_with(path, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`SqliteLedger::open`].
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, LedgerError> {
        let connection = file::open(path.as_ref(), &options)?;
        Self::start(path.as_ref(), connection, options)
    }

    pub(crate) fn start(path: &Path, connection: Connection, options: Options) -> Result<Self, LedgerError> {
        let path = path.to_owned();
        let same = SameFile::of(&path)?;
        let (jobs, queue) = mpsc::channel(options.queue.max(1));
        let tally = Arc::new(Tally::default());
        let leads = Arc::new(Leads::new(options.leads_in_memory));
        // Read here, so that no caller waits for more than what is new.
        leads.open(&connection).map_err(|failure| failure.tell(&path))?;
        let writer = Writer {
            path: path.clone(),
            connection,
            same,
            tally: Arc::clone(&tally),
            names: Names::default(),
            leads: Arc::clone(&leads),
            patience: options.lock_patience,
        };
        let writer = thread::Builder::new()
            .name("hapax-ledger".to_owned())
            .spawn(move || gather::serve(writer, queue))
            .map_err(|error| unusable(format!("no thread could be started for it ({error})"), "free some memory"))?;
        let readers = Arc::new(Readers::new(path.clone(), options, same));
        Ok(Self { path, jobs: Some(jobs), writer: Some(writer), readers, leads, tally })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What this process has committed since it opened the ledger.
    pub fn counters(&self) -> Counters {
        self.tally.read()
    }

    /// Reads everything and compares: the file by SQLite's own check, each operation's events without
    /// gaps, and what the operation is found by with what its events say.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if the file can't be read to the end. Damage that can be read past is
    /// in the answer.
    pub async fn verify(&self) -> Result<Verified, LedgerError> {
        self.readers.read(verify::verify).await
    }

    /// Hands over everything as it is at one moment: first the header, then each operation, in the order of ids. Others go
    /// on meanwhile. An operation that `verify` finds fault with ends it with an error.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it can't be read to the end: what was handed over then is not all.
    pub async fn export(
        &self,
        header: oneshot::Sender<Header>,
        operations: mpsc::Sender<(Stored, Index)>,
    ) -> Result<(), LedgerError> {
        self.readers.read(move |on| export::export(on, header, &operations)).await
    }

    /// Takes in everything that [`SqliteLedger::export`] of another ledger handed over, all or nothing; `None` ends it.
    /// Only a ledger that nobody has used takes it. Of the header the newest record isn't written: that is the last of
    /// the operation that comes last.
    ///
    /// What has happened since the export is not in it, so give a check value that no secret has: it keeps every
    /// executor out until `Executor::note_restored` has been through.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`]: nothing was written.
    pub async fn import(
        &self,
        header: Header,
        operations: mpsc::Receiver<Option<(Stored, Index)>>,
    ) -> Result<u64, LedgerError> {
        self.ask(|reply| Job::Apart(Apart::Import { header, operations, reply })).await
    }

    async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job<Apart>) -> Result<T, LedgerError> {
        let asked = match &self.jobs {
            Some(jobs) => gather::ask(jobs, job).await,
            None => None,
        };
        asked.unwrap_or_else(|| {
            Err(unusable(
                format!("the thread that writes {} has stopped", self.path.display()),
                "start the program again, and report what it said before that",
            ))
        })
    }
}

impl Drop for SqliteLedger {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the thread that writes the ledger had panicked");
        }
    }
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLedger").field("path", &self.path).finish_non_exhaustive()
    }
}

#[async_trait]
impl Ledger for SqliteLedger {
    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        self.ask(|reply| Job::Append(Box::new(append), reply)).await
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        let wanted = Wanted::from(&by);
        let leads = Arc::clone(&self.leads);
        self.readers.read_few(move |on| read::load(on, &*leads, &wanted)).await
    }

    async fn look_up(&self, by: By<'_>) -> Result<(Header, Option<Stored>), LedgerError> {
        let wanted = Wanted::from(&by);
        let leads = Arc::clone(&self.leads);
        self.readers.read_few(move |on| read::look_up(on, &*leads, &wanted)).await
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        let serves = serves.to_vec();
        self.readers.read(move |on| read::due(on, &serves, now, limit)).await
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        let serves = serves.to_vec();
        self.readers.read(move |on| read::next_due(on, &serves, after)).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        let filter = filter.clone();
        self.readers.read(move |on| read::list(on, &filter)).await
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        self.readers.read_few(read::header).await
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        let secret_check = secret_check.to_owned();
        self.ask(|reply| Job::Apart(Apart::Adopt { secret_check, reply })).await
    }

    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        let secret_check = secret_check.to_owned();
        self.ask(|reply| Job::Apart(Apart::Restored { at, secret_check, reply })).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        let chosen = retention.clone();
        let part = self.readers.read(move |on| prune::choose(on, &chosen)).await?;
        if part.chosen.is_empty() {
            return Ok(Pruned { operations: 0, next: part.next });
        }
        let retention = retention.clone();
        if retention.dry_run {
            return self.readers.read(move |on| prune::count(on, &retention, &part)).await;
        }
        self.ask(|reply| Job::Apart(Apart::Prune { retention: Box::new(retention), part, reply })).await
    }
}
