//! What is written to, and how: the connection that writes, with the write lock of all processes.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hapax_core::ledger::{Append, Appended, Header, Index, LedgerError, Pruned, Retention, Stored};
use hapax_core::protocol::Stamp;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::mpsc;

use crate::append::{Writing, append};
use crate::counters::Tally;
use crate::error::{Failure, in_doubt};
use crate::file::SameFile;
use crate::gather::{Reply, Together, answer};
use crate::leads::{Fresh, Leads};
use crate::names::Names;
use crate::{import, prune, read};

/// What callers ask of the writer besides appends. Each has a transaction of its own.
pub(crate) enum Apart {
    Adopt { secret_check: String, reply: Reply<String> },
    Restored { at: Stamp, secret_check: String, reply: Reply<()> },
    Prune { retention: Box<Retention>, part: prune::Part, reply: Reply<Pruned> },
    Import { header: Header, operations: mpsc::Receiver<Option<(Stored, Index)>>, reply: Reply<u64> },
}

pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    pub(crate) same: SameFile,
    pub(crate) tally: Arc<Tally>,
    pub(crate) names: Names,
    pub(crate) leads: Arc<Leads>,
    /// How long to wait for a lock of another process.
    pub(crate) patience: Duration,
}

impl Together for Writer {
    type Apart = Apart;

    fn together<T>(
        &mut self,
        work: impl FnOnce(&mut dyn FnMut(&Append) -> Result<Appended, Failure>) -> Result<T, Failure>,
    ) -> Result<T, LedgerError> {
        self.transaction(|writing| work(&mut |one| append(writing, one)))
    }

    fn committed(&self, appends: u64) {
        self.tally.committed(appends);
    }

    fn apart(&mut self, job: Apart) {
        match job {
            Apart::Adopt { secret_check, reply } => {
                answer(reply, self.transaction(|writing| read::adopt(writing.on, &secret_check)));
            }
            Apart::Restored { at, secret_check, reply } => {
                answer(reply, self.transaction(|writing| read::note_restored(writing.on, at, &secret_check)));
            }
            Apart::Prune { retention, part, reply } => answer(reply, self.prune(&retention, &part)),
            Apart::Import { header, mut operations, reply } => {
                let done = self.transaction(|writing| import::import(writing, &header, &mut operations));
                self.empty_the_log();
                answer(reply, done);
            }
        }
    }
}

impl Writer {
    fn prune(&mut self, retention: &Retention, part: &prune::Part) -> Result<Pruned, LedgerError> {
        let pruned = self.transaction(|writing| prune::part(writing.on, writing.names, retention, part))?;
        if pruned.operations > 0 {
            self.empty_the_log();
        }
        Ok(pruned)
    }

    fn empty_the_log(&self) {
        if let Err(error) = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            // What was removed stays in the log until the next checkpoint; it's gone for readers.
            tracing::warn!(%error, "the write-ahead log was not emptied");
        }
    }

    /// Runs `work` with the write lock of all processes, and flushes once at its end.
    fn transaction<T>(&mut self, work: impl FnOnce(&mut Writing<'_>) -> Result<T, Failure>) -> Result<T, LedgerError> {
        let mut committing = false;
        let begin_work_commit = || {
            self.same.check(&self.path).map_err(Failure::Answer)?;
            begin(&self.connection, self.patience)?;
            let on = &self.connection;
            let mut writing = Writing { on, names: &mut self.names, fresh: Fresh::begin(&self.leads, on)? };
            let value = work(&mut writing)?;
            let added = writing.fresh.end(on)?;
            committing = true;
            on.prepare_cached("COMMIT")?.execute([])?;
            self.leads.take(added);
            Ok(value)
        };
        let done: Result<T, Failure> = begin_work_commit();
        done.map_err(|failure| {
            self.roll_back();
            let is_written = committing && failure.is_of_a_flush();
            let error = failure.tell(&self.path);
            if is_written && !self.write_over() { in_doubt(error) } else { error }
        })
    }

    /// What was to be committed when a flush failed stands in the log, behind all that counts. Whoever reads the log from its
    /// beginning after a crash would find it whole, though its callers were told that it was not written. So something
    /// is written over it that means nothing. If that can't be flushed either, the first may still be what the disk has.
    fn write_over(&mut self) -> bool {
        const NOTHING: &str = "BEGIN IMMEDIATE; CREATE TABLE written_over (empty); DROP TABLE written_over; COMMIT";
        let Err(error) = self.connection.execute_batch(NOTHING) else { return true };
        tracing::warn!(%error, "what was not confirmed may be found in the ledger's log after a loss of power");
        self.roll_back();
        false
    }

    fn roll_back(&mut self) {
        self.names.forget();
        // SQLite may have rolled back by itself.
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a transaction of the ledger was not rolled back");
        }
    }
}

/// How often to try for a lock that another process has.
const RETRY: Duration = Duration::from_micros(700);

/// Takes the write lock. SQLite's own waiting grows to a tenth of a second between two tries, so that a
/// busy process, which is without the lock for some microseconds only, would starve the others.
fn begin(on: &Connection, patience: Duration) -> Result<(), Failure> {
    // Waited so far. Counted, not read from a clock: time that the machine slept gives nobody a turn.
    let mut waited = Duration::ZERO;
    on.busy_timeout(Duration::ZERO)?;
    let begun = loop {
        match on.prepare_cached("BEGIN IMMEDIATE")?.execute([]) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && waited < patience => {
                thread::sleep(RETRY);
                waited += RETRY;
            }
            done => break done,
        }
    };
    on.busy_timeout(patience)?;
    begun?;
    Ok(())
}
