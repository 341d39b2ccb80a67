use std::sync::Arc;

use hapax_core::ledger::{By, LedgerError, OperationId, SharedLedger};
use hapax_core::protocol::{Event, Heard, Record, Stamp};
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::samples::{self, Draft, departed, happened, leased};

pub(super) async fn records(ledger: &SharedLedger, id: OperationId) -> Vec<Record> {
    let stored = ledger.load(By::Id(id)).await.expect("loading works");
    stored.map_or_else(Vec::new, |stored| stored.records)
}

pub(super) async fn an_append_counts_only_at_the_revision_it_saw(ledger: SharedLedger) {
    let draft = Draft::new("order:1");
    assert_eq!(draft.begin(&ledger).await.expect("the first append works").revision, 3);
    for stale in [0, 1, 2, 4, 99] {
        let refused = ledger.append(draft.append(stale, [Event::Yielded { owner: "late".to_owned() }])).await;
        assert!(matches!(refused, Err(LedgerError::Moved)), "revision {stale} instead of 3 gave {refused:?}");
    }
    assert_eq!(records(&ledger, draft.id).await, draft.first().records);
    let next = ledger.append(draft.append(3, [happened("ch_1"), Event::Yielded { owner: "me".to_owned() }])).await;
    assert_eq!(next.expect("the right revision works").revision, 5);
    assert_eq!(records(&ledger, draft.id).await.len(), 5);
    let unknown = ledger.append(Draft::new("order:2").append(1, [leased()])).await;
    assert!(
        matches!(unknown, Err(LedgerError::Moved)),
        "an operation that doesn't exist has no revision 1: {unknown:?}"
    );
}

pub(super) async fn an_append_is_all_or_nothing(ledger: SharedLedger) {
    Draft::new("order:1").claiming("ch_1").begin(&ledger).await.expect("the first works");
    let draft = Draft::new("order:2").due_at(5);
    draft.begin(&ledger).await.expect("the second works");
    let before = ledger.header().await.expect("the header is there");

    let mut greedy = draft.clone().claiming("ch_1").at_ms(2_000_000);
    greedy.index.due_ms = None;
    let refused = ledger.append(greedy.append(3, [happened("ch_1"), samples::departed()])).await;
    assert!(matches!(refused, Err(LedgerError::Claimed(_))), "{refused:?}");

    assert_eq!(records(&ledger, draft.id).await, draft.first().records, "a refused append wrote something");
    assert_eq!(ledger.header().await.expect("the header is there"), before);
    let serves = [super::queries::serves("stripe-live", "stripe.charge")];
    let due = ledger.due(&serves, Stamp::scripted(10), 9).await.expect("due works");
    assert_eq!(due, [draft.id], "a refused append changed when work is due");
}

pub(super) async fn every_event_is_read_back_as_it_was_written(ledger: SharedLedger) {
    let draft = Draft::new("order:1");
    let events = samples::every_event(&draft.intent);
    // All in one append, ...
    ledger.append(draft.append(0, events.clone())).await.expect("one append takes all");
    assert_eq!(records(&ledger, draft.id).await, draft.append(0, events.clone()).records);
    // ... and one by one, each at its own moment.
    let mut draft = Draft::new("order:2");
    let mut written = Vec::new();
    for (seen, event) in samples::every_event(&draft.intent).into_iter().enumerate() {
        draft = draft.at_ms(2_000_000 + seen as u64);
        written.push(draft.record(event.clone()));
        ledger.append(draft.append(seen as u64, [event])).await.expect("each append works");
    }
    assert_eq!(records(&ledger, draft.id).await, written);
}

pub(super) async fn every_verdict_and_finding_is_read_back_as_it_was_written(ledger: SharedLedger) {
    // Twice, because what comes again may be stored in another way.
    for key in ["order:1", "order:2", "order:3"] {
        let draft = Draft::new(key);
        let verdicts = samples::every_verdict().into_iter().map(|verdict| Event::Heard(Heard { attempt: 0, verdict }));
        let findings = samples::every_finding().into_iter().map(|found| Event::Looked(samples::looked(found)));
        let first = [Event::Began(draft.intent.clone()), leased(), departed()];
        let append = draft.append(0, first.into_iter().chain(verdicts).chain(findings).chain([leased(), departed()]));
        ledger.append(append.clone()).await.expect("the append works");
        assert_eq!(records(&ledger, draft.id).await, append.records);
    }
}

pub(super) async fn unicode_long_texts_and_numbers_survive(ledger: SharedLedger) {
    let args = json!({
        "text": "Grüße 👩‍👩‍👧 \u{0} \u{202e}שלום \\\" ' ]} , [",
        "long": "ß".repeat(200_000),
        "numbers": [0.1, 0.3, 1e-7, 123_456_789.123_456_79, f64::MAX, f64::MIN_POSITIVE, 5e-324, -0.5,
                    0.000_123_456_789_012_345_68, 9_007_199_254_740_993_i64, u64::MAX, i64::MIN],
        "nested": [[], {}, [[null]], true],
    });
    let key = "k".repeat(255);
    let mut draft = Draft::with(&key, args).at_place("büro'; --", "acct_ü\"", "stripe.charge");
    draft.index.claim = Some("ch_'\u{1F600}\"".to_owned());
    draft.begin(&ledger).await.expect("the first append works");
    let by_key = By::Key { connection: "büro'; --", cell: "stripe.charge", key: &draft.index.key };
    let by_claim = By::Claim { account: "acct_ü\"", id: "ch_'\u{1F600}\"" };
    for by in [By::Id(draft.id), by_key, by_claim] {
        let stored = ledger.load(by.clone()).await.expect("loading works").unwrap_or_else(|| panic!("not by {by:?}"));
        assert_eq!(stored.records, draft.first().records);
    }
}

pub(super) async fn stamps_survive_to_the_last_bit(ledger: SharedLedger) {
    let draft = Draft::new("order:1");
    let stamps = [
        Stamp { wall_ms: i64::MIN, boot_ms: 0, boot: 0 },
        Stamp { wall_ms: i64::MAX, boot_ms: u64::MAX, boot: u64::MAX },
        Stamp { wall_ms: -1, boot_ms: 1 << 63, boot: 1 << 63 },
    ];
    let mut append = draft.append(0, [Event::Began(draft.intent.clone()), leased(), departed()]);
    append.records.iter_mut().zip(stamps).for_each(|(record, at)| record.at = at);
    ledger.append(append.clone()).await.expect("the append works");
    assert_eq!(records(&ledger, draft.id).await, append.records);
    assert_eq!(ledger.header().await.expect("the header is there").newest, Some(stamps[2]));
}

pub(super) async fn one_of_many_writers_at_one_revision_wins(ledger: SharedLedger) {
    let draft = Draft::new("order:1");
    draft.begin(&ledger).await.expect("the first append works");
    let barrier = Arc::new(Barrier::new(20));
    let mut writers = JoinSet::new();
    for writer in 0..20 {
        let (ledger, barrier) = (Arc::clone(&ledger), Arc::clone(&barrier));
        let append = draft.append(3, [Event::Yielded { owner: format!("writer {writer}") }]);
        writers.spawn(async move {
            barrier.wait().await;
            ledger.append(append).await
        });
    }
    let answers = writers.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| matches!(answer, Ok(_) | Err(LedgerError::Moved))), "{answers:?}");
    assert_eq!(records(&ledger, draft.id).await.len(), 4);
}

pub(super) async fn many_operations_grow_at_once(ledger: SharedLedger) {
    let mut callers = JoinSet::new();
    for caller in 0..40 {
        let ledger = Arc::clone(&ledger);
        callers.spawn(async move {
            let draft = Draft::new(&format!("order:{caller}"));
            draft.begin(&ledger).await.expect("the first append works");
            for seen in 3..13 {
                let event = Event::Noted { name: format!("step {seen}"), value: format!("of {caller}") };
                let appended = ledger.append(draft.append(seen, [event])).await.expect("nobody is in the way");
                assert_eq!(appended.revision, seen + 1);
                assert_eq!(records(&ledger, draft.id).await.len() as u64, seen + 1, "our own write isn't there");
            }
            draft
        });
    }
    for draft in callers.join_all().await {
        let held = records(&ledger, draft.id).await;
        assert_eq!(held[..3], draft.first().records[..]);
        for (seen, record) in (3..13).zip(&held[3..]) {
            let Event::Noted { name, .. } = &record.event else { panic!("{record:?} is out of place") };
            assert_eq!(*name, format!("step {seen}"));
        }
    }
}
