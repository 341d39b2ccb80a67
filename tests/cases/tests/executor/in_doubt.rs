//! A ledger that can't say whether it has written: who is told that nothing was sent begins anew under another key, so
//! nobody may be told that of something that may be sent later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hapax_core::executor::{Executor, ExecutorError};
use hapax_core::ledger::{Append, Appended, By, Layer, Ledger, LedgerError, MemoryLedger, Stored};
use hapax_core::policy::Policy;
use hapax_core::words::Next;

use super::bed::{Bed, id, request, unknown_next, why};

/// What a ledger does whose answer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It writes, and can't be read afterwards.
    Writes,
    /// It writes when the test says so, and until then there is nothing to read.
    WritesLate,
    /// It fails in an ordinary way, and can't be read afterwards.
    FailsAndIsAway,
    /// It fails in an ordinary way, and what it holds can be read.
    Fails,
}

struct Doubtful {
    inner: Arc<MemoryLedger>,
    does: Does,
    is_broken: AtomicBool,
    is_away: AtomicBool,
    late: Mutex<Vec<Append>>,
}

impl Doubtful {
    fn over(bed: &Bed, does: Does) -> Arc<Self> {
        let (is_broken, is_away) = (AtomicBool::new(true), AtomicBool::new(false));
        Arc::new(Self { inner: bed.ledger.clone(), does, is_broken, is_away, late: Mutex::default() })
    }

    /// Works again, and what was on its way arrives.
    async fn heal(&self) {
        self.is_broken.store(false, Ordering::SeqCst);
        self.is_away.store(false, Ordering::SeqCst);
        let late = std::mem::take(&mut *self.late.lock().expect("a lock"));
        for append in late {
            self.inner.append(append).await.expect("it still fits");
        }
    }
}

#[async_trait]
impl Layer for Doubtful {
    fn below(&self) -> &dyn Ledger {
        &*self.inner
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        if !self.is_broken.load(Ordering::SeqCst) {
            return self.inner.append(append).await;
        }
        let (what, hint) = ("the answer was lost".to_owned(), "try the same again".to_owned());
        match self.does {
            Does::Writes => {
                self.is_away.store(true, Ordering::SeqCst);
                self.inner.append(append).await?;
                Err(LedgerError::InDoubt { what, hint })
            }
            Does::WritesLate => {
                self.late.lock().expect("a lock").push(append);
                Err(LedgerError::InDoubt { what, hint })
            }
            Does::FailsAndIsAway => {
                self.is_away.store(true, Ordering::SeqCst);
                Err(LedgerError::Unusable { what, hint })
            }
            Does::Fails => Err(LedgerError::Unusable { what, hint }),
        }
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(LedgerError::Unusable { what: "it is away".to_owned(), hint: "wait".to_owned() });
        }
        self.inner.load(by).await
    }
}

async fn executor(bed: &Bed, ledger: Arc<Doubtful>) -> Executor {
    bed.executor_with(Policy::default(), Bed::connection(), ledger).await
}

#[tokio::test(start_paused = true)]
async fn an_intent_that_may_be_written_is_unknown_and_happens_once() {
    for does in [Does::Writes, Does::WritesLate, Does::FailsAndIsAway] {
        let bed = Bed::new();
        let ledger = Doubtful::over(&bed, does);
        let executor = executor(&bed, ledger.clone()).await;
        let told = executor.run(request("toy.keyed", "k", 100)).await.expect("no error: nobody knows");
        assert!(why(&told).contains("whether the intent was journaled isn't known"), "{does:?}: {}", why(&told));
        assert!(matches!(unknown_next(&told), Next::CallAgain { .. }) && told.revision == 0, "{does:?}: {told:?}");
        assert_eq!(bed.provider.requests(), 0, "{does:?}");
        ledger.heal().await;
        let done = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
        assert_eq!((id(&done), bed.provider.requests()), (Some("e0"), 1), "{does:?}: {done:?}");
        assert_eq!(
            done.operation == told.operation,
            does != Does::FailsAndIsAway,
            "{does:?}: what was written goes on"
        );
    }
}

/// A worker finds it, although its caller heard of no operation.
#[tokio::test(start_paused = true)]
async fn what_was_written_goes_on_without_its_caller() {
    let bed = Bed::new();
    let ledger = Doubtful::over(&bed, Does::WritesLate);
    let executor = executor(&bed, ledger.clone()).await;
    let told = executor.run(request("toy.keyed", "k", 100)).await.expect("no error: nobody knows");
    ledger.heal().await;
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    executor.recover(10, 60_000).await.expect("recover");
    assert_eq!(bed.provider.requests(), 1, "that is why its caller may not be told that nothing was sent");
    let done = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!((id(&done), done.operation), (Some("e0"), told.operation));
    assert_eq!(bed.provider.requests(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_look_shows_to_be_unwritten_was_not_sent() {
    let bed = Bed::new();
    let executor = executor(&bed, Doubtful::over(&bed, Does::Fails)).await;
    let error = executor.run(request("toy.keyed", "k", 100)).await.expect_err("it isn't written");
    assert!(
        matches!(error, ExecutorError::Ledger(_)) && error.to_string().starts_with("nothing was sent: "),
        "{error}"
    );
}

/// What is held as a repeat is written by an append of its own.
#[tokio::test(start_paused = true)]
async fn a_held_intent_that_may_be_written_is_unknown_too() {
    let bed = Bed::new();
    bed.executor().await.run(request("toy.keyed", "first", 100)).await.expect("run");
    let ledger = Doubtful::over(&bed, Does::WritesLate);
    let policy = Policy { hold_repeats: true, ..Policy::default() };
    let similar = Arc::new(SimilarFirst { below: ledger.clone() });
    let executor = bed.executor_with(policy, Bed::connection(), similar).await;
    let told = executor.run(request("toy.keyed", "second", 100)).await.expect("no error: nobody knows");
    assert!(why(&told).contains("isn't known"), "{told:?}");
    ledger.heal().await;
    let held = executor.run(request("toy.keyed", "second", 100)).await.expect("run");
    assert_eq!((unknown_next(&held), held.operation), (Next::Held, told.operation));
}

/// Lets the first append be refused as a repeat, as a ledger that works does.
struct SimilarFirst {
    below: Arc<Doubtful>,
}

#[async_trait]
impl Layer for SimilarFirst {
    fn below(&self) -> &dyn Ledger {
        &*self.below
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        if append.refuse_similar {
            return self.below.inner.append(append).await;
        }
        Layer::append(&*self.below, append).await
    }
}

/// A person who is told that nothing happened would decide again, otherwise.
#[tokio::test(start_paused = true)]
async fn a_decision_that_may_be_recorded_is_told_as_such() {
    use hapax_core::policy::ApprovalRule;
    let bed = Bed::new();
    let approve = vec![ApprovalRule { cell: "toy.*".to_owned(), above: None }];
    let policy = Policy { approve, ..Policy::default() };
    let held = bed.executor_with(policy.clone(), Bed::connection(), bed.ledger.clone()).await;
    let held = held.run(request("toy.keyed", "k", 100)).await.expect("run");
    let ledger = Doubtful::over(&bed, Does::WritesLate);
    let executor = bed.executor_with(policy, Bed::connection(), ledger.clone()).await;
    let error = executor.approve(held.operation, held.revision, "dana", 60_000).await.expect_err("nobody knows");
    assert_eq!(error.code(), "not-known");
    assert!(error.to_string().starts_with("it is not known whether this was recorded: "), "{error}");
    ledger.heal().await;
    let done = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!((id(&done), bed.provider.requests()), (Some("e0"), 1));
}
