use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::ledger::{
    Append, Appended, By, Filter, Header, Index, Ledger, LedgerError, MovedOn, OperationId, Pruned, Retention, Serves,
    Stored,
};
use hapax_core::protocol::Stamp;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::address::Address;
use crate::between::{self, Between};
use crate::by_keys::ByKeys;
use crate::clock::DatabaseClock;
use crate::codec::key_hash;
use crate::counters::Counters;
use crate::error::{Failure, unfollowed, unusable};
use crate::gather::{self, Job};
use crate::health::{self, Health};
use crate::link::Link;
use crate::look_up::LookUps;
use crate::options::Options;
use crate::pool::Pool;
use crate::readers::Readers;
use crate::shared::{Shared, knows_origin, left_behind};
use crate::verify::{self, Verified};
use crate::watch::Watch;
use crate::writer::{Writer, connected};
use crate::{export, import, maintain, migrate, read};

/// A ledger in a schema of a PostgreSQL database.
///
/// Any number of processes on any number of hosts may use it at once, each through a `PostgresLedger` of its own. What
/// was handed over is finished when it is dropped, as long as the runtime lives.
pub struct PostgresLedger {
    shared: Arc<Shared>,
    jobs: mpsc::Sender<Job>,
    readers: Arc<Readers>,
    look_ups: Arc<LookUps<ByKeys>>,
    watch: Arc<Watch<Readers>>,
}

impl PostgresLedger {
    /// Makes the tables of a new, empty ledger, and the schema if it isn't there.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if something is in that schema already, or it can't be written.
    pub async fn create(address: Address, options: Options) -> Result<Self, LedgerError> {
        let shown = address.to_string();
        let made = async {
            let link = Link::connect(&address, false).await?;
            migrate::create(&link, &address).await
        };
        made.await.map_err(|failure: Failure| failure.tell(&shown))?;
        Self::open(address, options).await
    }

    /// Opens a ledger that exists, and brings it to the newest format.
    ///
    /// # Errors
    /// [`LedgerError::Missing`] if there is none: never an empty ledger in its place. [`LedgerError::Unusable`] if it
    /// can't be used as it is, or comes from another cluster or timeline than it was last used on.
    pub async fn open(address: Address, options: Options) -> Result<Self, LedgerError> {
        Self::start(address, options, false).await
    }

    /// Opens a ledger even if it comes from another cluster or timeline, for somebody who is about to note that it was
    /// restored. Others are refused until [`PostgresLedger::settle_down`].
    ///
    /// # Errors
    /// As [`PostgresLedger::open`], but for that.
    pub async fn open_restored(address: Address, options: Options) -> Result<Self, LedgerError> {
        Self::start(address, options, true).await
    }

    async fn start(address: Address, options: Options, accepts_restored: bool) -> Result<Self, LedgerError> {
        let shown = address.to_string();
        let opened = async {
            let link = Link::connect(&address, options.prepared).await?;
            // In a transaction, which some poolers refuse.
            link.run("BEGIN READ ONLY").await?;
            let format = migrate::check(&link, &address).await?;
            link.run("ROLLBACK").await?;
            if format < migrate::SCHEMA_VERSION {
                migrate::migrate(&link, &address).await?;
            }
            if options.prepared && between::look(&address).await? == (Between::Pooler { follows: false }) {
                return Err(Failure::Answer(unfollowed(&address.to_string())));
            }
            let knows_origin = knows_origin(&link).await?;
            if knows_origin && between::is_left_behind(&link, &address).await? {
                return Err(Failure::Answer(left_behind(&address.to_string())));
            }
            let shared = Arc::new(Shared::new(address, options, knows_origin, accepts_restored));
            shared.check(&link).await?;
            read::prepare(&link).await?;
            Ok((link, shared))
        };
        let (link, shared) = opened.await.map_err(|failure: Failure| failure.tell(&shown))?;
        let (jobs, queue) = mpsc::channel(options.queue.max(1));
        let queue = Arc::new(Mutex::new(queue));
        let readers = Arc::new(Readers::new(Arc::clone(&shared), link));
        let pool = Pool::new(Arc::clone(&shared), Arc::clone(&readers));
        for _ in 0..options.writers.max(1) {
            tokio::spawn(gather::serve(Writer::new(Arc::clone(&shared), Arc::clone(&pool)), Arc::clone(&queue)));
        }
        let by_keys = ByKeys { shared: Arc::clone(&shared), readers: Arc::clone(&readers) };
        let look_ups = LookUps::new(by_keys, options.readers);
        Ok(Self { look_ups, watch: Watch::new(Arc::clone(&readers)), readers, jobs, shared })
    }

    /// Notes that the ledger is at home on the cluster and timeline where it is now, so that others are let in. This comes
    /// after `Executor::note_restored`: who came in before every operation says that it was restored could take one up as
    /// if nothing had been forgotten.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it can't be written.
    pub async fn settle_down(&self) -> Result<(), LedgerError> {
        self.apart(async |link| maintain::settle_down(&link).await).await?;
        self.shared.is_at_home();
        Ok(())
    }

    /// Time by the database's clock. Give it to the executor, so that leases and due times of all hosts are by one
    /// clock.
    pub fn clock(&self) -> Arc<DatabaseClock> {
        Arc::clone(&self.shared.clock)
    }

    /// What this process has committed since it opened the ledger.
    pub fn counters(&self) -> Counters {
        self.shared.tally.read()
    }

    /// Reads everything and compares: each operation's events without gaps, and what the operation is found by with
    /// what its events say.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it can't be read to the end. Damage that can be read past is in the answer.
    pub async fn verify(&self) -> Result<Verified, LedgerError> {
        self.apart(async |link| verify::verify(&link).await).await
    }

    /// Hands over everything as it is at one moment: first the header, then each operation, in the order of ids. Others go
    /// on meanwhile. An operation whose events don't fit ends it with an error.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it can't be read to the end: what was handed over then is not all.
    pub async fn export(
        &self,
        header: oneshot::Sender<Header>,
        operations: mpsc::Sender<(Stored, Index)>,
    ) -> Result<(), LedgerError> {
        self.apart(async move |link| export::export(&link, header, &operations).await).await
    }

    /// Takes in everything that [`PostgresLedger::export`] of another ledger handed over, all or nothing; `None` ends it.
    /// Only a ledger that nobody has used takes it. Of the header the newest record isn't written: that is the last of
    /// the operation that comes last.
    ///
    /// What has happened since the export is not in it, so give a check value that no secret has: it keeps every
    /// executor out until `Executor::note_restored` has been through.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`]: nothing was written, unless the answer to the commit was lost. The header's check value
    /// says which.
    pub async fn import(
        &self,
        header: Header,
        operations: mpsc::Receiver<Option<(Stored, Index)>>,
    ) -> Result<u64, LedgerError> {
        self.apart(async |link| import::import(&self.shared, &link, &header, operations).await).await
    }

    /// What of the server's settings and of the way to it matters to what `Ok` means.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it can't be asked.
    pub async fn health(&self) -> Result<Health, LedgerError> {
        let (clock, address) = (Arc::clone(&self.shared.clock), &self.shared.address);
        self.apart(async |link| health::ask(&link, address, &clock).await).await
    }

    fn stopped(&self, what_it_does: &str) -> LedgerError {
        unusable(
            format!("the task that {what_it_does} {} has stopped", self.shared.shown),
            "start the program again; the runtime that the ledger was opened on must live as long as it",
        )
    }

    /// Does something on a connection of its own.
    async fn apart<T>(&self, work: impl AsyncFnOnce(Link) -> Result<T, Failure>) -> Result<T, LedgerError> {
        let done = match connected(&self.shared).await {
            Ok(link) => work(link).await,
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| failure.tell(&self.shared.shown))
    }
}

impl fmt::Debug for PostgresLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLedger").field("address", &self.shared.address).finish_non_exhaustive()
    }
}

#[async_trait]
impl Ledger for PostgresLedger {
    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        gather::ask(&self.jobs, append).await.unwrap_or_else(|| Err(self.stopped("writes")))
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        let by = &by;
        self.readers.read(|link| async move { read::load(&link, by).await }).await
    }

    async fn look_up(&self, by: By<'_>) -> Result<(Header, Option<Stored>), LedgerError> {
        let By::Key { connection, cell, key } = by else { return Ok((self.header().await?, self.load(by).await?)) };
        let asked = self.look_ups.by_key(key_hash(connection, cell, key.as_str())).await;
        let (header, whole) = asked.ok_or_else(|| self.stopped("reads"))??;
        if whole.as_ref().is_some_and(|whole| whole.may_be_cut()) {
            return Ok((header, self.load(by).await?));
        }
        let stored = whole.map(|whole| whole.stored(&by)).transpose();
        Ok((header, stored.map_err(|failure| failure.tell(&self.shared.shown))?))
    }

    fn moved_on(&self, operation: OperationId, seen: u64) -> Option<MovedOn<'_>> {
        Some(Box::pin(Arc::clone(&self.watch).moved_on(operation, seen)))
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        self.readers.read(|link| async move { read::due(&link, serves, now, limit).await }).await
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        self.readers.read(|link| async move { read::next_due(&link, serves, after).await }).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        self.readers.read(|link| async move { read::list(&link, filter).await }).await
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        let clock = &self.shared.clock;
        let asked = self.readers.read(|link| async move {
            let before = clock.local();
            let (header, database_ms) = read::header(&link).await?;
            // Who only waits for work appends nothing, and its clock must not drift meanwhile.
            clock.note(before, database_ms);
            Ok(header)
        });
        asked.await
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        self.readers.read(|link| async move { maintain::adopt(&link, secret_check).await }).await
    }

    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        self.apart(async |link| maintain::note_restored(&link, at, secret_check).await).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        self.apart(async |link| maintain::prune(&link, retention).await).await
    }
}
