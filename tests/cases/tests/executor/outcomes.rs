//! What a caller gets, and when.

use hapax_core::words::Next;

use super::bed::{Bed, id, is_refused, request, unknown_next, why};
use super::provider::Does;

#[tokio::test(start_paused = true)]
async fn a_clean_run_happens_once_and_replays_its_receipt() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let first = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    let again = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!(id(&first), Some("e0"));
    assert_eq!(first.outcome, again.outcome);
    assert_eq!((bed.provider.effects().len(), bed.provider.requests()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_found_and_a_lost_request_sent_again() {
    for (does, requests) in [(Does::LosesAnswer, 1), (Does::LosesRequest, 2)] {
        let bed = Bed::new();
        bed.provider.script([does]);
        let report = bed.executor().await.run(request("toy.keyed", "k", 100)).await.expect("run");
        assert_eq!(id(&report), Some("e0"));
        assert_eq!((bed.provider.effects().len(), bed.provider.requests()), (1, requests));
    }
}

#[tokio::test(start_paused = true)]
async fn absence_is_believed_after_settle_only() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    bed.provider.hide(true);
    let executor = bed.executor().await;
    let running = tokio::spawn({
        let executor = executor.clone();
        async move { executor.run(request("toy.asked", "k", 100)).await.expect("run") }
    });
    // Deadline 10 s, closing settle 60 s: until then the list may lag, and nothing may be sent.
    tokio::time::sleep(std::time::Duration::from_secs(69)).await;
    assert_eq!(bed.provider.requests(), 1);
    assert!(bed.provider.looks() > 1);
    bed.provider.hide(false);
    let report = running.await.expect("task");
    assert_eq!(id(&report), Some("e0"), "{report:?}");
    assert_eq!(bed.provider.effects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a13_whose_deadline() {
    let bed = Bed::new();
    bed.provider.script([Does::AnswersLate]);
    let executor = bed.executor().await;
    let impatient = executor.run(request("toy.keyed", "k", 100).wait_ms(10)).await.expect("run");
    assert!(matches!(unknown_next(&impatient), Next::CallAgain { .. }), "{impatient:?}");
    bed.provider.release();
    let patient = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert_eq!(id(&patient), Some("e0"));
    assert_eq!(bed.provider.requests(), 1, "the caller's deadline ended only its own wait");
}

#[tokio::test(start_paused = true)]
async fn a03_not_done_this_time_is_neither_refused_nor_a_person() {
    let bed = Bed::new();
    bed.provider.script(vec![Does::Says(429, "slow_down"); 6]);
    let report = bed.executor().await.run(request("toy.blind", "k", 100)).await.expect("run");
    assert_eq!(id(&report), Some("e0"));
    assert_eq!((bed.provider.effects().len(), bed.provider.requests()), (1, 7));
}

#[tokio::test(start_paused = true)]
async fn a27_everything_else_is_unknown_and_says_what_next() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    assert_eq!(unknown_next(&report), Next::Person);
    let again = executor.run(request("toy.blind", "k", 100)).await.expect("run");
    assert_eq!(unknown_next(&again), Next::Person);
    assert_eq!(bed.provider.requests(), 1);
}

#[tokio::test(start_paused = true)]
async fn a06_a_success_about_something_else_rings() {
    let bed = Bed::new();
    bed.provider.script([Does::AnswersWrong]);
    let report = bed.executor().await.run(request("toy.blind", "k", 100)).await.expect("run");
    assert!(why(&report).contains("may have") || unknown_next(&report) == Next::Person, "{report:?}");
    assert_eq!(report.alarms.len(), 1, "{report:?}");
    assert!(report.alarms[0].contains("amount"));
}

#[tokio::test(start_paused = true)]
async fn a05_exists_is_looked_at_before_it_is_believed() {
    let bed = Bed::new();
    // The token is spent, and nothing of ours is there: not a success, and never sent again.
    bed.provider.script([Does::Says(409, "exists")]);
    let report = bed.executor().await.run(request("toy.keyed", "k", 100).wait_ms(600_000)).await.expect("run");
    assert!(id(&report).is_none() || bed.provider.effects().len() == 1, "{report:?}");
    assert!(bed.provider.looks() > 0);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_closes_only_what_nothing_holds_open() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(402, "declined")]);
    let executor = bed.executor().await;
    let report = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    assert!(is_refused(&report));
    // The first request may have taken effect, so a refusal of the second says nothing of it.
    bed.provider.script([Does::LosesAnswer, Does::Says(402, "declined")]);
    bed.provider.hide(true);
    let open = executor.run(request("toy.keyed", "k2", 100).wait_ms(5_000)).await.expect("run");
    assert!(!is_refused(&open), "{open:?}");
    bed.provider.hide(false);
    let found = executor.run(request("toy.keyed", "k2", 100)).await.expect("run");
    assert_eq!(id(&found), Some("e0"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_an_adapter_is_caught_and_the_work_stays_due() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let report = executor.run(request("toy.keyed", "k", 13)).await.expect("run");
    assert!(why(&report).contains("worker stopped"), "{report:?}");
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let due = executor.recover(10, 1_000).await.expect("recover");
    assert!(due.operations.is_empty(), "it panicked again, and was caught again");
    let view = executor.show(report.operation).await.expect("show");
    assert_eq!(view.phase, hapax_core::ledger::Phase::Open);
}
