use std::sync::Arc;

use hapax_core::ledger::{By, Filter, LedgerError, OperationId, SharedLedger};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::appends::records;
use super::samples::{Draft, happened, leased};

pub(super) async fn one_of_fifty_callers_gets_the_key(ledger: SharedLedger) {
    let barrier = Arc::new(Barrier::new(50));
    let mut callers = JoinSet::new();
    for _ in 0..50 {
        let (ledger, barrier) = (Arc::clone(&ledger), Arc::clone(&barrier));
        callers.spawn(async move {
            let draft = Draft::new("order:1");
            barrier.wait().await;
            (draft.id, draft.begin(&ledger).await)
        });
    }
    let mut winners = Vec::new();
    for (id, answer) in callers.join_all().await {
        match answer {
            Ok(_) => winners.push(id),
            Err(LedgerError::Moved) => {}
            Err(error) => panic!("a caller that lost the key got {error:?}"),
        }
    }
    assert_eq!(winners.len(), 1, "the key was given to {winners:?}");
    let all = ledger.list(&Filter::default()).await.expect("listing works");
    assert_eq!(all, winners, "what lost the key is in the ledger");
}

pub(super) async fn a_key_is_taken_per_connection_and_cell(ledger: SharedLedger) {
    Draft::new("order:1").begin(&ledger).await.expect("the first works");
    for (connection, account, cell) in [
        ("stripe-test", "acct_1", "stripe.charge"),
        ("stripe-live", "acct_1", "stripe.refund"),
        ("stripe-liv", "acct_1", "estripe.charge"),
    ] {
        let elsewhere = Draft::new("order:1").at_place(connection, account, cell);
        elsewhere.begin(&ledger).await.unwrap_or_else(|error| panic!("{connection} {cell}: {error}"));
    }
    for account in ["acct_1", "acct_2"] {
        let again = Draft::new("order:1").at_place("stripe-live", account, "stripe.charge");
        let refused = again.begin(&ledger).await;
        assert!(matches!(refused, Err(LedgerError::Moved)), "the account doesn't free a key: {refused:?}");
    }
    Draft::new("Order:1").begin(&ledger).await.expect("keys differ by case");
}

pub(super) async fn one_of_fifty_operations_gets_the_claim(ledger: SharedLedger) {
    let barrier = Arc::new(Barrier::new(50));
    let mut callers = JoinSet::new();
    for caller in 0..50 {
        let (ledger, barrier) = (Arc::clone(&ledger), Arc::clone(&barrier));
        callers.spawn(async move {
            let draft = Draft::new(&format!("order:{caller}"));
            draft.begin(&ledger).await.expect("the first append works");
            let claiming = draft.clone().claiming("ch_1");
            barrier.wait().await;
            (draft.id, ledger.append(claiming.append(3, [happened("ch_1")])).await)
        });
    }
    let answers = callers.join_all().await;
    let winners: Vec<OperationId> = answers.iter().filter(|(_, answer)| answer.is_ok()).map(|(id, _)| *id).collect();
    assert_eq!(winners.len(), 1, "the claim was given to {winners:?}");
    for (id, answer) in answers {
        match answer {
            Ok(_) => assert_eq!(records(&ledger, id).await.len(), 4),
            Err(LedgerError::Claimed(holder)) => {
                assert_eq!(holder, winners[0], "the wrong holder was named");
                assert_eq!(records(&ledger, id).await.len(), 3, "a refused claim wrote its records");
            }
            Err(error) => panic!("an operation that lost the claim got {error:?}"),
        }
    }
}

pub(super) async fn a_claim_is_held_per_account_and_let_go_with_the_index(ledger: SharedLedger) {
    let holder = Draft::new("order:1").claiming("ch_1");
    holder.begin(&ledger).await.expect("the first works");
    let elsewhere = Draft::new("order:2").at_place("stripe-eu", "acct_2", "stripe.charge").claiming("ch_1");
    elsewhere.begin(&ledger).await.expect("another account has ids of its own");
    let other_connection = Draft::new("order:3").at_place("stripe-b", "acct_1", "stripe.refund").claiming("ch_1");
    let refused = other_connection.begin(&ledger).await;
    assert!(
        matches!(refused, Err(LedgerError::Claimed(by)) if by == holder.id),
        "claims are the account's, whatever connection and cell: {refused:?}"
    );
    // Holding on to one's own claim is no conflict; letting it go frees it.
    ledger.append(holder.append(3, [leased()])).await.expect("its own claim is no conflict");
    let mut without = holder.clone();
    without.index.claim = None;
    ledger.append(without.append(4, [leased()])).await.expect("a claim can be let go");
    let free = ledger.load(By::Claim { account: "acct_1", id: "ch_1" }).await.expect("loading works");
    assert!(free.is_none(), "a claim that was let go is still found");
    other_connection.begin(&ledger).await.expect("a claim that was let go is free");
    let changed = holder.clone().claiming("ch_2");
    ledger.append(changed.append(5, [leased()])).await.expect("another claim can be taken");
    let found = ledger.load(By::Claim { account: "acct_1", id: "ch_2" }).await.expect("loading works");
    assert_eq!(found.map(|stored| stored.operation), Some(holder.id));
}
