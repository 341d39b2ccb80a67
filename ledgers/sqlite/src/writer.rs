//! The one thread that writes.
//!
//! It waits for an append, takes every other one that is there, and writes them in one transaction:
//! one flush for all. There is no timer: while a commit flushes, the next callers gather by
//! themselves, and a lonely caller is served at once.

use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hapax_core::ledger::{Append, Appended, Header, Index, LedgerError, Pruned, Retention, Stored};
use hapax_core::protocol::Stamp;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{mpsc, oneshot};

use crate::append::append;
use crate::counters::Tally;
use crate::error::Failure;
use crate::file::SameFile;
use crate::names::Names;
use crate::{import, prune, read};

type Reply<T> = oneshot::Sender<Result<T, LedgerError>>;

/// What callers ask of the writer.
pub(crate) enum Job {
    Append(Box<Append>, Reply<Appended>),
    Adopt { secret_check: String, reply: Reply<String> },
    Restored { at: Stamp, secret_check: String, reply: Reply<()> },
    Prune { retention: Box<Retention>, part: prune::Part, reply: Reply<Pruned> },
    Import { header: Header, operations: mpsc::Receiver<Option<(Stored, Index)>>, reply: Reply<u64> },
}

/// At most so many appends share a transaction, so that the first of them doesn't wait for long.
const BATCH_MAX: usize = 1024;

pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    pub(crate) same: SameFile,
    pub(crate) tally: Arc<Tally>,
    pub(crate) names: Names,
    /// How long to wait for a lock of another process.
    pub(crate) patience: Duration,
}

impl Writer {
    /// Works until every sender is gone and the queue is empty.
    pub(crate) fn run(mut self, mut queue: mpsc::Receiver<Job>) {
        let mut next = queue.blocking_recv();
        while let Some(job) = next.take() {
            next = match job {
                Job::Append(append, reply) => self.batch(*append, reply, &mut queue),
                Job::Adopt { secret_check, reply } => {
                    let done = self.transaction(|on, _| read::adopt(on, &secret_check));
                    answer(reply, done);
                    None
                }
                Job::Restored { at, secret_check, reply } => {
                    let done = self.transaction(|on, _| read::note_restored(on, at, &secret_check));
                    answer(reply, done);
                    None
                }
                Job::Prune { retention, part, reply } => {
                    let done = self.prune(&retention, &part);
                    answer(reply, done);
                    None
                }
                Job::Import { header, mut operations, reply } => {
                    let done = self.transaction(|on, names| import::import(on, names, &header, &mut operations));
                    self.empty_the_log();
                    answer(reply, done);
                    None
                }
            };
            if next.is_none() {
                next = queue.blocking_recv();
            }
        }
    }

    /// Writes this append and all others that are waiting; returns a job that is none.
    fn batch(&mut self, first: Append, reply: Reply<Appended>, queue: &mut mpsc::Receiver<Job>) -> Option<Job> {
        let mut after = None;
        // Taken before anything can fail, so that nobody is left without an answer.
        let mut taken = vec![(first, reply)];
        let (mut answers, mut is_its_own) = (Vec::new(), false);
        let done = self.transaction(|on, names| {
            while let Some((one, _)) = taken.get(answers.len()) {
                answers.push(match append(on, names, one) {
                    Ok(appended) => Ok(appended),
                    // An answer of the contract comes before anything is written.
                    Err(Failure::Answer(answer)) => Err(answer),
                    Err(failure) => {
                        is_its_own = failure.is_its_own();
                        return Err(failure);
                    }
                });
                if answers.len() < BATCH_MAX {
                    match queue.try_recv() {
                        Ok(Job::Append(append, reply)) => taken.push((*append, reply)),
                        Ok(other) => after = Some(other),
                        Err(_) => {}
                    }
                }
            }
            Ok(())
        });
        if is_its_own {
            self.one_by_one(taken);
            return after;
        }
        self.count(&answers, done.is_ok());
        for ((_, reply), written) in
            taken.into_iter().zip(answers.into_iter().chain(iter::repeat(Err(LedgerError::Moved))))
        {
            // Until the commit nothing counts: not even a refusal, which may rest on what was lost.
            answer(reply, done.clone().and(written));
        }
        after
    }

    /// Each in a transaction of its own, because one of them can't be written: its failure is not to hurt the others.
    fn one_by_one(&mut self, taken: Vec<(Append, Reply<Appended>)>) {
        for (one, reply) in taken {
            let written = self.transaction(|on, names| append(on, names, &one));
            self.count(std::slice::from_ref(&written), true);
            answer(reply, written);
        }
    }

    fn count(&self, answers: &[Result<Appended, LedgerError>], committed: bool) {
        let written = answers.iter().filter(|answer| answer.is_ok()).count();
        if committed && written > 0 {
            self.tally.committed(written as u64);
        }
    }

    fn prune(&mut self, retention: &Retention, part: &prune::Part) -> Result<Pruned, LedgerError> {
        let pruned = self.transaction(|on, names| prune::part(on, names, retention, part))?;
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
    fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Connection, &mut Names) -> Result<T, Failure>,
    ) -> Result<T, LedgerError> {
        let mut committing = false;
        let begin_work_commit = || {
            self.same.check(&self.path).map_err(Failure::Answer)?;
            begin(&self.connection, self.patience)?;
            let value = work(&self.connection, &mut self.names)?;
            committing = true;
            self.connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(value)
        };
        let done: Result<T, Failure> = begin_work_commit();
        done.map_err(|failure| {
            self.roll_back();
            if committing {
                self.write_over();
            }
            failure.tell(&self.path)
        })
    }

    /// What was to be committed when a flush failed stands in the log, behind all that counts. Whoever reads the log from its
    /// beginning after a crash would find it whole, though its callers were told that it was not written. So something
    /// is written over it that means nothing, even if that can't be flushed either.
    fn write_over(&mut self) {
        const NOTHING: &str = "BEGIN IMMEDIATE; CREATE TABLE written_over (empty); DROP TABLE written_over; COMMIT";
        if let Err(error) = self.connection.execute_batch(NOTHING) {
            tracing::warn!(%error, "what stands behind the end of the ledger's log may have been left there");
            self.roll_back();
        }
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

fn answer<T>(reply: Reply<T>, value: Result<T, LedgerError>) {
    // A caller that went away doesn't need it.
    let _ = reply.send(value);
}
