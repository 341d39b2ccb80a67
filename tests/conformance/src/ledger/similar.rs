use std::sync::Arc;

use hapax_core::ledger::{By, Filter, LedgerError, SharedLedger};
use hapax_core::protocol::Event;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::samples::{Draft, leased};

fn refund() -> Value {
    json!({"charge": "ch_1", "amount": 500})
}

pub(super) async fn of_two_at_the_same_moment_one_sees_the_other(ledger: SharedLedger) {
    // The window is narrow: many rounds, each with arguments of its own.
    for round in 0..60 {
        let barrier = Arc::new(Barrier::new(2));
        let agent = |name: &str| {
            let draft = Draft::with(&format!("{name}:{round}"), json!({"charge": round}));
            let (ledger, barrier) = (Arc::clone(&ledger), Arc::clone(&barrier));
            tokio::spawn(async move {
                barrier.wait().await;
                (draft.id, draft.begin(&ledger).await.expect("different keys don't conflict").similar)
            })
        };
        let (one, other) = (agent("one"), agent("other"));
        let (one, other) = (one.await.expect("no panic"), other.await.expect("no panic"));
        assert!(one.1 == [other.0] || other.1 == [one.0], "neither saw the other in round {round}");
        assert!(one.1.is_empty() || other.1.is_empty(), "both saw each other, so they weren't one after the other");
    }
}

pub(super) async fn only_the_same_account_cell_and_arguments_are_similar(ledger: SharedLedger) {
    let first = Draft::with("a", refund());
    first.begin(&ledger).await.expect("it works");
    let elsewhere = [
        Draft::with("b", refund()).at_place("stripe-eu", "acct_2", "stripe.charge"),
        Draft::with("c", refund()).at_place("stripe-live", "acct_1", "stripe.refund"),
        Draft::with("d", json!({"charge": "ch_1", "amount": 501})),
        // The caller's own key on another connection of the account: the same name for the intent.
        Draft::with("a", refund()).at_place("stripe-b", "acct_1", "stripe.charge"),
    ];
    for draft in elsewhere {
        let appended = draft.begin(&ledger).await.expect("it works");
        assert_eq!(appended.similar, [], "{:?}", draft.index);
    }
    let other_connection = Draft::with("e", refund()).at_place("stripe-b", "acct_1", "stripe.charge");
    let similar = other_connection.begin(&ledger).await.expect("it works").similar;
    assert_eq!(similar.len(), 2, "both connections of the account count: {similar:?}");
    assert!(similar.contains(&first.id));
    assert!(similar.is_sorted());
}

pub(super) async fn only_recent_ones_are_similar(ledger: SharedLedger) {
    let old = Draft::with("a", refund()).at_ms(1_000);
    let young = Draft::with("b", refund()).at_ms(2_000);
    old.begin(&ledger).await.expect("it works");
    young.begin(&ledger).await.expect("it works");
    // What counts is when it began, not when it was last written to.
    ledger.append(old.clone().at_ms(9_000).append(3, [leased()])).await.expect("it works");
    for (since, expected) in [(2_001, vec![]), (2_000, vec![young.id]), (1_000, vec![old.id, young.id])] {
        let draft = Draft::with(&format!("since {since}"), refund()).at_ms(0);
        let mut append = draft.first();
        append.similar_since_ms = since;
        assert_eq!(ledger.append(append).await.expect("it works").similar, expected, "since {since}");
    }
}

pub(super) async fn refused_as_similar_leaves_no_trace(ledger: SharedLedger) {
    let first = Draft::with("a", refund());
    first.begin(&ledger).await.expect("it works");
    let before = ledger.header().await.expect("the header is there");
    let second = Draft::with("b", refund()).at_ms(5_000_000).claiming("re_1");
    let mut append = second.first();
    append.refuse_similar = true;
    match ledger.append(append.clone()).await {
        Err(LedgerError::Similar(ids)) => assert_eq!(ids, [first.id]),
        other => panic!("a similar operation was not refused: {other:?}"),
    }
    assert_eq!(ledger.list(&Filter::default()).await.expect("it works"), [first.id]);
    assert_eq!(ledger.header().await.expect("the header is there"), before);
    assert!(ledger.load(By::Id(second.id)).await.expect("it works").is_none());
    assert!(ledger.load(By::Claim { account: "acct_1", id: "re_1" }).await.expect("it works").is_none());
    // The key is still free; out of the window, and without the wish to be refused, it goes through.
    append.similar_since_ms = i64::MAX;
    assert_eq!(ledger.append(append).await.expect("nothing similar in the window").similar, []);
}

pub(super) async fn a_later_append_sees_no_similar_ones(ledger: SharedLedger) {
    let one = Draft::with("a", refund());
    one.begin(&ledger).await.expect("it works");
    Draft::with("b", refund()).begin(&ledger).await.expect("it works");
    let mut append = one.append(3, [Event::Yielded { owner: "me".to_owned() }]);
    append.refuse_similar = true;
    assert_eq!(ledger.append(append).await.expect("only a first append can be similar").similar, []);
}
