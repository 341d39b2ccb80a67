//! A ledger that fails before and after the effect, and work that nobody serves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use hapax_core::executor::ExecutorError;
use hapax_core::ledger::{Append, Appended, Layer, Ledger, LedgerError, MemoryLedger, Phase};
use hapax_core::policy::Policy;
use hapax_core::protocol::Event;

use super::bed::{Bed, id, receipt_in, request};
use super::provider::Does;

/// A ledger whose disk is full when `full` says so: for everything, or for evidence only.
struct FullLedger {
    inner: Arc<MemoryLedger>,
    full: AtomicBool,
    only_answers: bool,
    refused: AtomicUsize,
}

impl FullLedger {
    fn new(inner: Arc<MemoryLedger>, only_answers: bool) -> Arc<Self> {
        Arc::new(Self { inner, full: AtomicBool::new(true), only_answers, refused: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Layer for FullLedger {
    fn below(&self) -> &dyn Ledger {
        &*self.inner
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        let answer = append.records.iter().any(|record| matches!(record.event, Event::Heard(_)));
        if self.full.load(Ordering::SeqCst) && (answer || !self.only_answers) {
            self.refused.fetch_add(1, Ordering::SeqCst);
            let (what, hint) = ("the disk is full".to_owned(), "free some space".to_owned());
            return Err(LedgerError::Unusable { what, hint });
        }
        self.inner.append(append).await
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_it_is_durable() {
    let bed = Bed::new();
    let full = FullLedger::new(bed.ledger.clone(), false);
    let executor = bed.executor_with(Policy::default(), Bed::connection(), full).await;
    let error = executor.run(request("toy.keyed", "k", 100)).await.expect_err("full");
    assert!(matches!(error, ExecutorError::Ledger(_)));
    assert!(error.to_string().starts_with("nothing was sent"));
    assert_eq!(bed.provider.requests(), 0);
}

#[tokio::test(start_paused = true)]
async fn a31_happened_not_recorded() {
    let bed = Bed::new();
    let full = FullLedger::new(bed.ledger.clone(), true);
    let executor = bed.executor_with(Policy::default(), Bed::connection(), full.clone()).await;
    let report = executor.run(request("toy.blind", "k", 100).wait_ms(30_000)).await.expect("run");
    let receipt = receipt_in(&report).expect("the receipt comes with the unknown outcome");
    assert_eq!(receipt["id"], "e0");
    // The task keeps trying while it lives.
    full.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    assert_eq!(id(&executor.run(request("toy.blind", "k", 100)).await.expect("run")), Some("e0"));
    assert!(full.refused.load(Ordering::SeqCst) > 1);
    assert_eq!(bed.provider.requests(), 1);
}

#[tokio::test(start_paused = true)]
async fn a31_a_receipt_can_be_handed_in_later() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    let done = executor.witness(report.operation, "caller", "e0").await.expect("witness");
    assert_eq!(id(&done), Some("e0"));
}

#[tokio::test(start_paused = true)]
async fn a22_nobody_serves_it() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesRequest]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.asked", "k", 100).wait_ms(1)).await.expect("run");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let stranger =
        hapax_core::executor::Executor::builder(bed.ledger.clone(), bed.provider.clone(), bed.secret.clone())
            .clock(bed.clock.clone())
            .build()
            .await
            .expect("an executor without connections");
    assert!(stranger.recover(10, 1_000).await.expect("recover").unserved.is_empty(), "too early");
    tokio::time::sleep(std::time::Duration::from_secs(7_200)).await;
    assert_eq!(stranger.recover(10, 1_000).await.expect("recover").unserved, [report.operation]);
    assert_eq!(executor.show(report.operation).await.expect("show").phase, Phase::Person);
}

#[tokio::test(start_paused = true)]
async fn fifty_callers_of_one_key_cause_one_effect() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let one = bed.executor().await;
    let other = bed.executor().await;
    let mut tasks = tokio::task::JoinSet::new();
    for index in 0..50 {
        let executor = if index % 2 == 0 { one.clone() } else { other.clone() };
        tasks.spawn(async move { executor.run(request("toy.keyed", "k", 100)).await.expect("run") });
    }
    let reports = tasks.join_all().await;
    assert!(reports.iter().all(|report| id(report) == Some("e0")), "{reports:?}");
    assert_eq!(bed.provider.effects().len(), 1);
}
