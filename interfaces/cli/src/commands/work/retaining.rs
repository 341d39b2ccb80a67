//! The policy's retention, applied while a worker works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hapax_core::executor::{Executor, ExecutorError};
use hapax_core::ledger::Keep;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Between two times. Several workers do it side by side, which is harmless: each operation is pruned once.
const EVERY: Duration = Duration::from_secs(3_600);

/// After one that failed.
const AGAIN: Duration = Duration::from_secs(60);

pub(super) type Pruned = Result<u64, ExecutorError>;

/// Goes through the ledger in parts, so it can be broken off at any time; what was not reached is reached the next time.
pub(super) struct Retaining {
    executor: Executor,
    rules: Vec<Keep>,
    next: Instant,
    going: Option<JoinHandle<Pruned>>,
    is_broken_off: Arc<AtomicBool>,
}

impl Retaining {
    pub(super) fn new(executor: Executor, rules: Vec<Keep>) -> Self {
        Self { executor, rules, next: Instant::now(), going: None, is_broken_off: Arc::default() }
    }

    /// Begins when it is time. What came of one that has ended meanwhile.
    pub(super) async fn turn(&mut self) -> Option<Pruned> {
        if self.going.as_ref().is_some_and(JoinHandle::is_finished) {
            return self.end().await;
        }
        if self.going.is_none() && !self.rules.is_empty() && Instant::now() >= self.next {
            self.next = Instant::now() + EVERY;
            let (executor, rules) = (self.executor.clone(), self.rules.clone());
            let is_broken_off = Arc::clone(&self.is_broken_off);
            let goes_on = move |_| !is_broken_off.load(Ordering::Relaxed);
            self.going = Some(tokio::spawn(async move { executor.prune(rules, false, goes_on).await }));
        }
        None
    }

    /// Lets one that has begun end after the part that it is at.
    pub(super) fn break_off(&self) {
        self.is_broken_off.store(true, Ordering::Relaxed);
    }

    /// Whether one has begun of which nobody has heard how it ended.
    pub(super) fn is_going(&self) -> bool {
        self.going.is_some()
    }

    /// Waits for one that has begun.
    pub(super) async fn end(&mut self) -> Option<Pruned> {
        let ended = self.going.as_mut()?.await.ok();
        self.going = None;
        if !matches!(ended, Some(Ok(_))) {
            self.next = Instant::now() + AGAIN;
        }
        ended
    }
}

impl Drop for Retaining {
    fn drop(&mut self) {
        if let Some(going) = &self.going {
            going.abort();
        }
    }
}
