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
    fn tell(&self, failure: Failure) -> LedgerError;
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
        let answers = settled(&mut to, &asked).await;
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

/// The answers to a batch. If it fails as a whole, each append is tried by itself, so that none suffers for another.
async fn settled(to: &mut impl Together, asked: &[Asked]) -> Answers {
    match to.together(asked).await {
        Ok(answers) => answers,
        Err(failure) if asked.len() > 1 && !failure.is_of_the_way() => {
            let mut answers = Vec::new();
            for one in asked.chunks(1) {
                let answer = to.together(one).await;
                answers.extend(answer.unwrap_or_else(|failure| vec![Err(to.tell(failure))]));
            }
            answers
        }
        Err(failure) => vec![Err(to.tell(failure)); asked.len()],
    }
}
