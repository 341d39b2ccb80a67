//! The tasks that write, and how callers share their flushes.
//!
//! A task waits for an append, takes every other one that is there, and writes them in one transaction: one flush for
//! all. There is no timer: while a commit flushes, the next callers gather by themselves, and a lonely caller is served
//! at once.
//!
//! Nothing here knows what is written to. Tests of the order of steps (`schedules.rs`) give something that counts;
//! everybody else gives the [`Writer`](crate::writer::Writer).

use std::sync::Arc;

use hapax_core::ledger::{Append, Appended, LedgerError};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::batch::Answers;
use crate::error::Failure;
use crate::plan::Asked;
use crate::steps;

/// An append that waits, and who waits for it.
pub(crate) struct Job {
    append: Append,
    reply: Reply,
}

type Reply = oneshot::Sender<Result<Appended, LedgerError>>;

/// What all tasks take from.
pub(crate) type Queue = Arc<Mutex<mpsc::Receiver<Job>>>;

/// At most so many appends share a transaction, so that the first of them doesn't wait for long.
const BATCH_MAX: usize = 256;

/// What is written to.
pub(crate) trait Together: Send {
    /// Writes them in one transaction and flushes once. A failure: nothing was written, or nobody can say.
    fn together(&mut self, asked: &[Asked]) -> impl Future<Output = Result<Answers, Failure>> + Send;

    /// A failure in words.
    fn tell(&self, failure: &Failure) -> LedgerError;
}

/// Asks for an append, and waits for the answer; none: the tasks have stopped.
pub(crate) async fn ask(jobs: &mpsc::Sender<Job>, append: Append) -> Option<Result<Appended, LedgerError>> {
    let (reply, answer) = oneshot::channel();
    jobs.send(Job { append, reply }).await.ok()?;
    answer.await.ok()
}

/// Works until every sender is gone and the queue is empty.
pub(crate) async fn serve(mut to: impl Together, queue: Queue) {
    while let Some((appends, replies)) = gather(&queue).await {
        let asked: Vec<Asked> = appends.into_iter().map(Asked::new).collect();
        let answers = settled(&mut to, &asked, &queue).await;
        for (reply, answer) in replies.into_iter().zip(answers) {
            steps::point();
            // A caller that went away doesn't need it.
            let _ = reply.send(answer);
        }
    }
}

async fn gather(queue: &Queue) -> Option<(Vec<Append>, Vec<Reply>)> {
    let mut queue = queue.lock().await;
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

/// The answers to a batch. If it fails as a whole, each append is tried by itself, so that none suffers for another; unless
/// that would be the same for each, since the database is out of reach.
async fn settled(to: &mut impl Together, asked: &[Asked], queue: &Queue) -> Answers {
    match to.together(asked).await {
        Ok(answers) => answers,
        Err(failure) if failure.is_of_the_database() => {
            turn_away(to, queue, &failure);
            vec![Err(to.tell(&failure)); asked.len()]
        }
        Err(_) if asked.len() > 1 => one_by_one(to, asked, queue).await,
        Err(failure) => vec![Err(to.tell(&failure)); asked.len()],
    }
}

async fn one_by_one(to: &mut impl Together, asked: &[Asked], queue: &Queue) -> Answers {
    let mut answers = Vec::new();
    for one in asked.chunks(1) {
        match to.together(one).await {
            Ok(answer) => answers.extend(answer),
            Err(failure) => {
                answers.push(Err(to.tell(&failure)));
                if failure.is_of_the_database() {
                    turn_away(to, queue, &failure);
                    answers.resize(asked.len(), Err(to.tell(failure.cause())));
                    break;
                }
            }
        }
    }
    answers
}

/// Those who came meanwhile hear the same: each batch of them would wait for the database as long again, and the last of them
/// for all of that. Nothing of theirs was written.
fn turn_away(to: &impl Together, queue: &Queue, failure: &Failure) {
    // Whoever holds the queue has found it empty, or takes them.
    let Ok(mut queue) = queue.try_lock() else { return };
    let why = to.tell(failure.cause());
    while let Ok(Job { reply, .. }) = queue.try_recv() {
        steps::point();
        let _ = reply.send(Err(why.clone()));
    }
}
