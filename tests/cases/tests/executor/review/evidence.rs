//! Evidence of one thing that was taken for evidence of another.

use hapax_core::clock::Clock;
use hapax_core::executor::{ExecutorError, PersonSays};
use hapax_core::ledger::Phase;
use hapax_core::policy::Policy;
use hapax_core::words::Next;

use super::toys::{BeSo, Dead, Mortal, connection};
use crate::bed::{Bed, id, is_refused, request, unknown_next};
use crate::provider::Does;

/// Rule 11 (A29): a second record that failed says nothing of the first, which stands.
#[tokio::test(start_paused = true)]
async fn a29_the_fate_of_another_record_does_not_open_the_way_to_one_more_effect() {
    let bed = Bed::new();
    let executor = bed.executor_with(Policy::default(), connection(Mortal), bed.ledger.clone()).await;
    let report = executor.run(request("toy.mortal", "k", 100)).await.expect("run");
    assert_eq!(id(&report), Some("e0"));
    bed.provider.foreign(100);
    let alarmed = executor.witness(report.operation, "webhook", "e1").await.expect("witness");
    assert_eq!(alarmed.alarms.len(), 1, "{alarmed:?}");
    let again = executor.supersede(report.operation, 0, "ann", None, 10_000).await;
    assert!(matches!(again, Err(ExecutorError::NotNow(_))), "{again:?}");
    assert_eq!(bed.provider.requests(), 1);
}

/// Rule 11: what failed and was superseded is no evidence of the new epoch, though it bears the
/// same mark.
#[tokio::test(start_paused = true)]
async fn a29_what_was_superseded_is_not_found_again() {
    let bed = Bed::new();
    let executor = bed.executor_with(Policy::default(), connection(Mortal), bed.ledger.clone()).await;
    let report = executor.run(request("toy.mortal", "k", 666)).await.expect("run");
    assert_eq!(id(&report), Some("e0"));
    bed.provider.script([Does::LosesRequest]);
    let again = executor.supersede(report.operation, 0, "ann", None, 600_000).await.expect("supersede");
    assert_eq!(id(&again), Some("e1"), "{again:?}");
    // Nor does the look back take the two for two effects of one intent.
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    executor.recover(10, 10_000).await.expect("recover");
    let view = executor.show(report.operation).await.expect("show");
    assert!(view.alarms.is_empty(), "{:?}", view.alarms);
    assert_eq!(view.phase, Phase::Succeeded);
}

/// Section 1: anybody's doing satisfies a be-so cell, so also what another operation claims.
#[tokio::test(start_paused = true)]
async fn a_be_so_cell_sees_what_another_operation_claims() {
    let bed = Bed::new();
    let cells = vec![hapax_core::cell::erase(BeSo), hapax_core::cell::erase(Mortal)];
    let executor =
        bed.executor_with(Policy::default(), super::toys::connection_with(cells, "sk"), bed.ledger.clone()).await;
    executor.run(request("toy.mortal", "other", 100)).await.expect("run");
    bed.provider.script([Does::LosesRequest]);
    let report = executor.run(request("toy.be_so", "k", 100)).await.expect("run");
    assert_eq!(id(&report), Some("e0"));
    assert_eq!(bed.provider.requests(), 2, "it is so already");
}

/// Rule 13: a record of something that came to nothing doesn't contradict "it did not happen".
#[tokio::test(start_paused = true)]
async fn a_person_can_close_what_is_adrift_and_on_record_as_dead() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(500, "adrift")]);
    let executor = bed.executor_with(Policy::default(), connection(Dead), bed.ledger.clone()).await;
    let report = executor.run(request("toy.dead", "k", 100).wait_ms(7_200_000)).await.expect("run");
    assert_eq!(unknown_next(&report), Next::Person, "only Happened or a person closes it");
    let now = bed.clock.now();
    executor.resolve(report.operation, report.revision, "ann", now, PersonSays::DidNotHappen).await.expect("resolve");
    let closed = executor.run(request("toy.dead", "k", 100).wait_ms(7_200_000)).await.expect("run");
    assert!(is_refused(&closed), "{closed:?}");
}
