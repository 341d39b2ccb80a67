//! The tasks that write.
//!
//! A writer waits for an append, takes every other one that is there, and writes them in one transaction: one flush for
//! all. There is no timer: while a commit flushes, the next callers gather by themselves, and a lonely caller is served
//! at once.

use std::sync::Arc;

use hapax_core::ledger::{Append, Appended, LedgerError};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::batch::{self, Answers, Ended, Proof};
use crate::error::Failure;
use crate::link::Link;
use crate::names::Names;
use crate::plan::Asked;
use crate::pool::Pool;
use crate::shared::Shared;

/// An append that waits, and who waits for it.
pub(crate) struct Job {
    pub(crate) append: Append,
    pub(crate) reply: oneshot::Sender<Result<Appended, LedgerError>>,
}

/// At most so many appends share a transaction, so that the first of them doesn't wait for long.
const BATCH_MAX: usize = 256;

/// How often a batch is tried that another transaction was in the way of.
const TRIES: u32 = 8;

/// How often what was not answered within the patience is tried: callers wait for each of them.
const TRIES_LATE: u32 = 2;

fn most(failure: &Failure) -> u32 {
    if matches!(failure, Failure::Late) { TRIES_LATE } else { TRIES }
}

pub(crate) struct Writer {
    shared: Arc<Shared>,
    queue: Arc<Mutex<mpsc::Receiver<Job>>>,
    pool: Arc<Pool>,
    names: Names,
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>, queue: Arc<Mutex<mpsc::Receiver<Job>>>, pool: Arc<Pool>) -> Self {
        Self { shared, queue, pool, names: Names::default() }
    }

    /// Works until every sender is gone and the queue is empty.
    pub(crate) async fn run(mut self) {
        while let Some((appends, replies)) = self.gather().await {
            let asked: Vec<Asked> = appends.into_iter().map(Asked::new).collect();
            let answers = self.settled(&asked).await;
            for (reply, answer) in replies.into_iter().zip(answers) {
                // A caller that went away doesn't need it.
                let _ = reply.send(answer);
            }
        }
    }

    async fn gather(&self) -> Option<(Vec<Append>, Vec<oneshot::Sender<Result<Appended, LedgerError>>>)> {
        let mut queue = self.queue.lock().await;
        let first = queue.recv().await?;
        let (mut appends, mut replies) = (vec![first.append], vec![first.reply]);
        while appends.len() < BATCH_MAX
            && let Ok(Job { append, reply }) = queue.try_recv()
        {
            appends.push(append);
            replies.push(reply);
        }
        Some((appends, replies))
    }

    /// The answers to a batch. If it fails as a whole, each append is tried by itself, so that none suffers for another.
    async fn settled(&mut self, asked: &[Asked]) -> Answers {
        match self.attempts(asked).await {
            Ok(answers) => answers,
            Err(failure) if failure.is_of_the_database() => {
                self.turn_away(&failure);
                vec![Err(failure.tell(&self.shared.shown)); asked.len()]
            }
            Err(_) if asked.len() > 1 => {
                let mut answers = Vec::new();
                for one in asked.chunks(1) {
                    match self.attempts(one).await {
                        Ok(answer) => answers.extend(answer),
                        Err(failure) => {
                            answers.push(Err(failure.tell(&self.shared.shown)));
                            if failure.is_of_the_database() {
                                self.turn_away(&failure);
                                answers.resize(asked.len(), Err(failure.cause().tell(&self.shared.shown)));
                                break;
                            }
                        }
                    }
                }
                answers
            }
            Err(failure) => vec![Err(failure.tell(&self.shared.shown)); asked.len()],
        }
    }

    /// Those who came meanwhile hear the same: each batch of them would wait for the database as long again, and the last
    /// of them for all of that. Nothing of theirs was written.
    fn turn_away(&self, failure: &Failure) {
        // Whoever holds the queue has found it empty, or takes them.
        let Ok(mut queue) = self.queue.try_lock() else { return };
        let why = failure.cause().tell(&self.shared.shown);
        while let Ok(Job { reply, .. }) = queue.try_recv() {
            let _ = reply.send(Err(why.clone()));
        }
    }

    /// Tries again as long as it is certain that nothing was written and that it may help.
    async fn attempts(&mut self, asked: &[Asked]) -> Result<Answers, Failure> {
        let mut tries = 0;
        loop {
            let link = self.pool.take().await?;
            tries += 1;
            let ended = batch::write(&self.shared, &link, &mut self.names, asked).await;
            match ended {
                Ended::Done(answers) => {
                    link.give_back();
                    return Ok(answers);
                }
                Ended::Nothing(failure) => {
                    if !failure.is_of_the_way() {
                        link.give_back();
                    }
                    let again = failure.is_of_the_way() || failure.is_of_the_moment();
                    if !again || tries >= most(&failure) {
                        return Err(failure);
                    }
                }
                Ended::Doubt(failure, proof, answers) => {
                    drop(link);
                    tracing::warn!(?failure, "the answer to a commit was lost; looking whether it counts");
                    if self.proved(asked, &proof).await? {
                        self.shared.tally.settled();
                        return Ok(answers);
                    }
                    if tries >= most(&failure) {
                        return Err(failure);
                    }
                }
            }
        }
    }

    /// Whether a commit counts whose answer was lost. If nobody can say, the callers must load again.
    async fn proved(&mut self, asked: &[Asked], proof: &Proof) -> Result<bool, Failure> {
        let unproved = |failure: Failure| Failure::Unproved(Box::new(failure));
        let mut tries = 0;
        loop {
            let link = self.pool.take().await.map_err(unproved)?;
            tries += 1;
            match batch::is_proved(&self.shared, &link, asked, proof).await {
                Ok(proved) => {
                    link.give_back();
                    return Ok(proved);
                }
                Err(failure) if tries < most(&failure) && (failure.is_of_the_way() || failure.is_of_the_moment()) => {}
                Err(failure) => return Err(unproved(failure)),
            }
        }
    }
}

/// One more connection that writes.
pub(crate) async fn connected(shared: &Shared) -> Result<Link, Failure> {
    let link = shared.connect().await?;
    shared.check(&link).await?;
    batch::prepare(&link).await?;
    Ok(link)
}
