//! Callers who come, wait and leave, and what must hold of what they hear.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hapax_conformance::ledger::samples::Draft;
use hapax_core::ledger::{Append, Appended, LedgerError};
use hapax_schedules::{Running, below, block_on, breathe, leaving, once_in, run};
use tokio::sync::{mpsc, oneshot};

use super::paper::{Other, Paper, Plant, Shared, is_refused, is_unfit, of};
use crate::gather::{Job, ask, serve};

type Jobs = mpsc::Sender<Job<Other>>;

/// Who comes, and what may happen.
#[derive(Clone, Copy, Default)]
pub(super) struct Play {
    /// Callers who append.
    pub(super) callers: u64,
    /// Callers who ask for something else.
    pub(super) apart: u64,
    /// Whether some go away before they are answered.
    pub(super) leaving: bool,
    /// Whether begins, appends and commits may fail.
    pub(super) failing: bool,
    /// Whether the thread may panic.
    pub(super) panicking: bool,
    /// Whether everything is handed over before anybody waits, and every sender is gone then.
    pub(super) hangs_up: bool,
    pub(super) plant: Plant,
}

/// What a caller was told; none: that the thread has stopped.
type Told<T> = Option<Result<T, LedgerError>>;

impl Play {
    pub(super) fn run(self) {
        let seen = Shared::default();
        // Short, so that some wait to hand over.
        let (jobs, queue) = mpsc::channel(2);
        let paper = Paper {
            seen: seen.clone(),
            failing: self.failing,
            panicking: self.panicking,
            plant: self.plant,
            owed: Vec::new(),
        };
        let thread = run(async move {
            // Another thread's panic is its own end.
            catch_unwind(AssertUnwindSafe(|| serve(paper, queue))).is_err()
        });
        let callers: Vec<_> =
            (0..self.callers).map(|number| run(self.call(number, jobs.clone(), seen.clone()))).collect();
        let others: Vec<_> = (0..self.apart).map(|number| run(other(number, jobs.clone()))).collect();
        // The ledger keeps one as long as it lives, and while it does the thread waits for more.
        let kept = (!self.hangs_up).then_some(jobs);
        block_on(self.ends(callers, others, thread, kept));
        let seen = of(&seen);
        assert!(!seen.twice, "something was flushed twice");
        assert!(self.panicking || seen.counted == seen.flushed.len() as u64, "it counts what it flushes");
    }

    async fn call(self, number: u64, jobs: Jobs, seen: Shared) {
        if self.hangs_up {
            return self.hold(number, hand_over(number, jobs).await, &seen);
        }
        let mut asked = Box::pin(ask(&jobs, |reply| Job::Append(append(number), reply)));
        if self.leaving && once_in(3) {
            match leaving(Some(below(4)), asked.as_mut()).await {
                Ok(told) => self.hold(number, told, &seen),
                Err(_) => {
                    drop(asked);
                    of(&seen).left.insert(number);
                }
            }
            return;
        }
        if self.plant == Plant::LosesAWakeUp && number == 1 {
            return self.hold(number, deaf(asked).await, &seen);
        }
        let told = asked.await;
        self.hold(number, told, &seen);
    }

    /// What must hold of what a caller was told, at the moment when it hears it.
    fn hold(self, number: u64, told: Told<Appended>, seen: &Shared) {
        let seen = of(seen);
        let flushed = seen.flushed.contains(&number);
        match told {
            Some(Ok(appended)) => {
                assert_eq!(appended.revision, number, "{number} got somebody else's answer");
                assert!(flushed, "{number} was answered before the flush");
                assert!(!(self.failing && is_unfit(number)), "{number} can't be written");
            }
            Some(Err(LedgerError::Moved)) => assert!(is_refused(number), "{number} was refused for somebody else"),
            Some(Err(error)) => {
                assert!(
                    seen.failed || self.failing && is_unfit(number),
                    "{number} was told of {error} though nothing failed"
                );
                assert!(!flushed, "{number} was flushed and was told that it failed");
            }
            None => assert!(self.panicking && seen.failed, "{number} was told that the thread stopped"),
        }
    }

    async fn ends(
        self,
        callers: Vec<Running<()>>,
        others: Vec<Running<Told<u64>>>,
        thread: Running<bool>,
        kept: Option<Jobs>,
    ) {
        for caller in callers {
            caller.end().await;
        }
        for (number, other) in others.into_iter().enumerate() {
            let told = other.end().await;
            assert!(matches!(told, Some(Ok(told)) if told == number as u64), "what is no append gets its own answer");
        }
        drop(kept);
        assert!(!thread.end().await || self.panicking, "the thread panicked by itself");
    }
}

/// Hands over, and goes away with its sender before the answer comes.
async fn hand_over(number: u64, jobs: Jobs) -> Told<Appended> {
    let (reply, answer) = oneshot::channel();
    assert!(jobs.send(Job::Append(append(number), reply)).await.is_ok(), "nobody takes it");
    drop(jobs);
    answer.await.ok()
}

async fn other(number: u64, jobs: Jobs) -> Told<u64> {
    ask(&jobs, |reply| Job::Apart(Other(number, reply))).await
}

/// A caller of whom nobody knows how to wake it.
async fn deaf<T>(asked: impl Future<Output = T>) -> T {
    let mut asked = Box::pin(asked);
    std::future::poll_fn(|_| asked.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))).await
}

fn append(number: u64) -> Box<Append> {
    Box::new(Draft::new(&number.to_string()).first())
}

/// Each of two who come one after the other has a flush of its own, before the other one comes.
pub(super) fn lonely() {
    let seen = Shared::default();
    let (jobs, queue) = mpsc::channel(2);
    let paper = Paper { seen: seen.clone(), failing: false, panicking: false, plant: Plant::None, owed: Vec::new() };
    let thread = run(async move { serve(paper, queue) });
    block_on(async {
        for number in [0, 1] {
            let told = ask(&jobs, |reply| Job::Append(append(number), reply)).await;
            assert!(matches!(told, Some(Ok(appended)) if appended.revision == number));
            assert_eq!(of(&seen).commits, number + 1);
        }
        drop(jobs);
        thread.end().await;
    });
}

/// All who are there when it begins share one flush.
pub(super) fn one_flush_for_all_that_wait() {
    let seen = Shared::default();
    let (jobs, queue) = mpsc::channel(8);
    let callers = [0, 1, 2, 4].map(|number| {
        let jobs = jobs.clone();
        run(async move { ask(&jobs, |reply| Job::Append(append(number), reply)).await })
    });
    block_on(async {
        while queue.len() < callers.len() {
            breathe().await;
        }
        drop(jobs);
        let paper =
            Paper { seen: seen.clone(), failing: false, panicking: false, plant: Plant::None, owed: Vec::new() };
        let thread = run(async move { serve(paper, queue) });
        for caller in callers {
            assert!(matches!(caller.end().await, Some(Ok(_))));
        }
        thread.end().await;
    });
    let seen = of(&seen);
    assert_eq!((seen.commits, seen.counted), (1, 4));
}
