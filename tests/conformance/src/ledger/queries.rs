use hapax_core::identity::fingerprint;
use hapax_core::ledger::{By, Filter, OperationId, Phase, Pruned, Retention, Serves, SharedLedger};
use hapax_core::protocol::{Event, Stamp};
use serde_json::json;

use super::appends::records;
use super::samples::{Draft, happened, leased};

pub(super) fn serves(connection: &str, cell: &str) -> Serves {
    Serves { connection: connection.to_owned(), cell: cell.to_owned() }
}

fn charges() -> [Serves; 1] {
    [serves("stripe-live", "stripe.charge")]
}

async fn due(ledger: &SharedLedger, serves: &[Serves], now_ms: u64, limit: u32) -> Vec<OperationId> {
    ledger.due(serves, Stamp::scripted(now_ms), limit).await.expect("due works")
}

async fn list(ledger: &SharedLedger, filter: Filter) -> Vec<OperationId> {
    ledger.list(&filter).await.expect("listing works")
}

pub(super) async fn nothing_is_found_in_an_empty_ledger(ledger: SharedLedger) {
    let draft = Draft::new("order:1");
    let by_key = By::Key { connection: "stripe-live", cell: "stripe.charge", key: &draft.index.key };
    for by in [By::Id(draft.id), by_key, By::Claim { account: "acct_1", id: "ch_1" }] {
        assert!(ledger.load(by.clone()).await.expect("loading works").is_none(), "{by:?}");
    }
    assert_eq!(due(&ledger, &charges(), u64::MAX >> 1, 9).await, []);
    assert_eq!(list(&ledger, Filter::default()).await, []);
    let all = Retention::of_all(Stamp::scripted(u64::MAX >> 1), 0);
    assert_eq!(ledger.prune(&all).await.expect("pruning works"), Pruned::default());
}

pub(super) async fn it_is_found_by_id_key_and_claim(ledger: SharedLedger) {
    let draft = Draft::new("order:1").claiming("ch_1");
    let other = Draft::new("order:2").claiming("ch_2");
    draft.begin(&ledger).await.expect("it works");
    other.begin(&ledger).await.expect("it works");
    let key = &draft.index.key;
    let by_key = By::Key { connection: "stripe-live", cell: "stripe.charge", key };
    for by in [By::Id(draft.id), by_key, By::Claim { account: "acct_1", id: "ch_1" }] {
        let stored = ledger.load(by.clone()).await.expect("loading works").unwrap_or_else(|| panic!("not by {by:?}"));
        assert_eq!(stored.operation, draft.id, "{by:?} found another one");
        assert_eq!(stored.records, draft.first().records);
    }
    for by in [
        By::Key { connection: "stripe-test", cell: "stripe.charge", key },
        By::Key { connection: "stripe-live", cell: "stripe.refund", key },
        By::Claim { account: "acct_2", id: "ch_1" },
        By::Claim { account: "acct_1", id: "CH_1" },
    ] {
        assert!(ledger.load(by.clone()).await.expect("loading works").is_none(), "{by:?} found something");
    }
}

pub(super) async fn due_work_comes_oldest_first(ledger: SharedLedger) {
    let mut expected = Vec::new();
    for (key, due) in [("c", 300), ("a", 100), ("d", 401), ("b", 200), ("e", 400)] {
        let draft = Draft::new(key).due_at(due);
        draft.begin(&ledger).await.expect("it works");
        expected.push((due, draft.id));
    }
    Draft::new("never").begin(&ledger).await.expect("it works");
    expected.sort();
    let ids: Vec<OperationId> = expected.into_iter().map(|(_, id)| id).collect();
    assert_eq!(due(&ledger, &charges(), 400, 9).await, ids[..4], "what is due later came, or due by now didn't");
    assert_eq!(due(&ledger, &charges(), 401, 9).await, ids);
    assert_eq!(due(&ledger, &charges(), 401, 2).await, ids[..2]);
    assert_eq!(due(&ledger, &charges(), 401, 0).await, []);
    assert_eq!(due(&ledger, &charges(), 99, 9).await, []);
}

pub(super) async fn due_work_is_only_what_is_served(ledger: SharedLedger) {
    let charge = Draft::new("a").due_at(1);
    let refund = Draft::new("b").due_at(2).at_place("stripe-live", "acct_1", "stripe.refund");
    let elsewhere = Draft::new("c").due_at(3).at_place("stripe-eu", "acct_2", "stripe.charge");
    for draft in [&charge, &refund, &elsewhere] {
        draft.begin(&ledger).await.expect("it works");
    }
    assert_eq!(due(&ledger, &[], 9, 9).await, []);
    assert_eq!(due(&ledger, &charges(), 9, 9).await, [charge.id]);
    // What isn't served doesn't use up the limit.
    assert_eq!(due(&ledger, &[serves("stripe-eu", "stripe.charge")], 9, 1).await, [elsewhere.id]);
    let two = [serves("stripe-eu", "stripe.charge"), serves("stripe-live", "stripe.refund")];
    assert_eq!(due(&ledger, &two, 9, 9).await, [refund.id, elsewhere.id]);
    assert_eq!(
        due(&ledger, &[serves("stripe-eu", "stripe.refund")], 9, 9).await,
        [],
        "the pair counts, not its halves"
    );
}

pub(super) async fn work_that_is_done_is_not_due(ledger: SharedLedger) {
    let draft = Draft::new("a").due_at(100);
    draft.begin(&ledger).await.expect("it works");
    let later = draft.clone().due_at(700);
    ledger.append(later.append(3, [leased()])).await.expect("it works");
    assert_eq!(due(&ledger, &charges(), 699, 9).await, [], "it was put off");
    assert_eq!(due(&ledger, &charges(), 700, 9).await, [draft.id]);
    let mut done = draft.clone().in_phase(Phase::Succeeded);
    done.index.due_ms = None;
    ledger.append(done.append(4, [happened("ch_1")])).await.expect("it works");
    assert_eq!(due(&ledger, &charges(), 9_999, 9).await, []);
}

pub(super) async fn it_is_known_when_the_next_work_is_due(ledger: SharedLedger) {
    let next = async |serves: &[Serves], after_ms: u64| {
        ledger.next_due(serves, Stamp::scripted(after_ms)).await.expect("it is known")
    };
    assert_eq!(next(&charges(), 0).await, None, "nothing is there");
    for (key, due) in [("c", 300), ("a", 100), ("b", 200)] {
        Draft::new(key).due_at(due).begin(&ledger).await.expect("it works");
    }
    Draft::new("never").begin(&ledger).await.expect("it works");
    let refund = Draft::new("d").due_at(150).at_place("stripe-live", "acct_1", "stripe.refund");
    refund.begin(&ledger).await.expect("it works");
    assert_eq!(next(&charges(), 0).await, Some(100));
    assert_eq!(next(&charges(), 99).await, Some(100));
    assert_eq!(next(&charges(), 100).await, Some(200), "what is due already is not next");
    assert_eq!(next(&charges(), 300).await, None);
    let two = [serves("stripe-live", "stripe.charge"), serves("stripe-live", "stripe.refund")];
    assert_eq!(next(&two, 100).await, Some(150));
    assert_eq!(next(&[], 0).await, None);
    assert_eq!(next(&[serves("stripe-eu", "stripe.refund")], 0).await, None);
}

pub(super) async fn lists_are_newest_first_and_filtered(ledger: SharedLedger) {
    let mut made = Vec::new();
    for (number, phase) in Phase::ALL.into_iter().chain([Phase::Person]).enumerate() {
        let cell = if number % 2 == 0 { "stripe.charge" } else { "stripe.refund" };
        let connection = if number < 3 { "one" } else { "two" };
        let draft = Draft::new(&format!("k{number}")).in_phase(phase).at_place(connection, "acct_1", cell);
        draft.begin(&ledger).await.expect("it works");
        made.push(draft);
    }
    made.sort_by_key(|draft| std::cmp::Reverse(draft.id));
    let expect = |fits: &dyn Fn(&Draft) -> bool| -> Vec<OperationId> {
        made.iter().filter(|draft| fits(draft)).map(|draft| draft.id).collect()
    };
    assert_eq!(list(&ledger, Filter::default()).await, expect(&|_| true));
    for phases in
        [vec![Phase::Person], vec![Phase::Held, Phase::Open], vec![Phase::Succeeded], vec![Phase::Open, Phase::Refused]]
    {
        let fits = |draft: &Draft| phases.contains(&draft.index.phase);
        let filter = Filter { phases: phases.clone(), ..Filter::default() };
        assert_eq!(list(&ledger, filter).await, expect(&fits), "{phases:?}");
    }
    let cell = Filter { cell: Some("stripe.refund".to_owned()), ..Filter::default() };
    assert_eq!(list(&ledger, cell.clone()).await, expect(&|draft| draft.index.cell == "stripe.refund"));
    let connection = Filter { connection: Some("two".to_owned()), ..cell };
    let both = expect(&|draft| draft.index.cell == "stripe.refund" && draft.index.connection == "two");
    assert_eq!(list(&ledger, connection).await, both);
    let limited = Filter { limit: 2, ..Filter::default() };
    assert_eq!(list(&ledger, limited).await, expect(&|_| true)[..2]);
    // The list follows the operation.
    let moved = made[0].clone().in_phase(Phase::Refused);
    ledger.append(moved.append(3, [leased()])).await.expect("it works");
    let refused = Filter { phases: vec![Phase::Refused], ..Filter::default() };
    assert!(list(&ledger, refused).await.contains(&moved.id));
}

pub(super) async fn changed_arguments_keep_the_first_intent(ledger: SharedLedger) {
    let draft = Draft::new("order:1");
    draft.begin(&ledger).await.expect("it works");
    let mut changed = draft.clone();
    let args = json!({"amount": 1});
    changed.intent.fingerprint = fingerprint(&args, &[]);
    changed.intent.args = std::sync::Arc::new(args.clone());
    changed.index.fingerprint = changed.intent.fingerprint;
    let superseded = Event::Superseded { by: "ada".to_owned(), epoch: 0, intent: changed.intent.clone() };
    ledger.append(changed.append(3, [superseded.clone()])).await.expect("it works");
    let mut expected = draft.first().records;
    expected.push(draft.record(superseded));
    assert_eq!(records(&ledger, draft.id).await, expected);
    // Similar is what has the arguments of now.
    let similar = Draft::with("order:2", args).begin(&ledger).await.expect("it works").similar;
    assert_eq!(similar, [draft.id]);
}
