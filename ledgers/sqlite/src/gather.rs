//! The one thread that writes, and how callers share its flush.
//!
//! It waits for an append, takes every other one that is there, and writes them in one transaction:
//! one flush for all. There is no timer: while a commit flushes, the next callers gather by
//! themselves, and a lonely caller is served at once.
//!
//! Nothing here knows what is written to. Tests of the order of steps (`schedules.rs`) give something
//! that counts; everybody else gives the [`Writer`](crate::writer::Writer).

use std::iter;

use hapax_core::ledger::{Append, Appended, LedgerError};
use tokio::sync::{mpsc, oneshot};

use crate::error::Failure;
use crate::steps;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, LedgerError>>;

/// What callers ask of the thread.
pub(crate) enum Job<Apart> {
    Append(Box<Append>, Reply<Appended>),
    Apart(Apart),
}

/// At most so many appends share a transaction, so that the first of them doesn't wait for long.
const BATCH_MAX: usize = 1024;

/// What is written to.
pub(crate) trait Together {
    /// What is asked for besides appends.
    type Apart;

    /// Runs `work`, which is handed what writes one append, in one transaction, and flushes once at its end. What
    /// failed is as if it had not been tried.
    fn together<T>(
        &mut self,
        work: impl FnOnce(&mut dyn FnMut(&Append) -> Result<Appended, Failure>) -> Result<T, Failure>,
    ) -> Result<T, LedgerError>;

    /// So many appends were committed at once.
    fn committed(&self, appends: u64);

    /// Does and answers what is no append.
    fn apart(&mut self, job: Self::Apart);
}

/// Asks the thread, and waits for the answer; none: it has stopped.
pub(crate) async fn ask<T, Apart>(
    jobs: &mpsc::Sender<Job<Apart>>,
    job: impl FnOnce(Reply<T>) -> Job<Apart>,
) -> Option<Result<T, LedgerError>> {
    let (reply, answer) = oneshot::channel();
    jobs.send(job(reply)).await.ok()?;
    answer.await.ok()
}

/// Works until every sender is gone and the queue is empty.
pub(crate) fn serve<To: Together>(mut to: To, mut queue: mpsc::Receiver<Job<To::Apart>>) {
    let mut next = steps::receive(&mut queue);
    while let Some(job) = next.take() {
        match job {
            Job::Append(append, reply) => next = batch(&mut to, *append, reply, &mut queue),
            Job::Apart(job) => to.apart(job),
        }
        if next.is_none() {
            next = steps::receive(&mut queue);
        }
    }
}

/// Writes this append and all others that are waiting; returns a job that is none.
fn batch<To: Together>(
    to: &mut To,
    first: Append,
    reply: Reply<Appended>,
    queue: &mut mpsc::Receiver<Job<To::Apart>>,
) -> Option<Job<To::Apart>> {
    let mut after = None;
    // Taken before anything can fail, so that nobody is left without an answer.
    let mut taken = vec![(first, reply)];
    let (mut answers, mut is_its_own) = (Vec::new(), false);
    let done = to.together(|append| {
        while let Some((one, _)) = taken.get(answers.len()) {
            answers.push(match append(one) {
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
        one_by_one(to, taken);
        return after;
    }
    count(to, &answers, done.is_ok());
    for ((_, reply), written) in taken.into_iter().zip(answers.into_iter().chain(iter::repeat(Err(LedgerError::Moved))))
    {
        // Until the commit nothing counts: not even a refusal, which may rest on what was lost.
        answer(reply, done.clone().and(written));
    }
    after
}

/// Each in a transaction of its own, because one of them can't be written: its failure is not to hurt the others.
fn one_by_one(to: &mut impl Together, taken: Vec<(Append, Reply<Appended>)>) {
    for (one, reply) in taken {
        let written = to.together(|append| append(&one));
        count(to, std::slice::from_ref(&written), true);
        answer(reply, written);
    }
}

fn count(to: &impl Together, answers: &[Result<Appended, LedgerError>], committed: bool) {
    let written = answers.iter().filter(|answer| answer.is_ok()).count();
    if committed && written > 0 {
        to.committed(written as u64);
    }
}

pub(crate) fn answer<T>(reply: Reply<T>, value: Result<T, LedgerError>) {
    steps::point();
    // A caller that went away doesn't need it.
    let _ = reply.send(value);
}
