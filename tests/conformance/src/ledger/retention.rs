use hapax_core::ledger::{By, Keep, LedgerError, OperationId, Phase, Retention, SharedLedger};
use hapax_core::protocol::{Event, Heard, Private, Stamp, redact};
use hapax_core::words::Refusal;
use serde_json::json;

use super::appends::records;
use super::samples::{self, Draft, happened};

async fn finished(ledger: &SharedLedger, key: &str, at_ms: u64) -> Draft {
    let draft = Draft::with(key, json!({"to": "ada@example.org"})).at_ms(at_ms);
    draft.begin(ledger).await.expect("it works");
    let claim = format!("ch_{key}");
    let done = draft.clone().in_phase(Phase::Succeeded).claiming(&claim);
    ledger.append(done.append(3, [happened(&claim)])).await.expect("it works");
    done
}

/// So late that no request of any draft can still take effect.
const LATE_MS: u64 = 10_000_000;

/// What ended before this time, seen from late.
fn before(ms: u64) -> Retention {
    Retention::of_all(Stamp::scripted(LATE_MS), LATE_MS - ms + 1)
}

async fn prune(ledger: &SharedLedger, before_ms: u64) -> u64 {
    prune_by(ledger, &before(before_ms)).await
}

/// Part by part, to the end.
async fn prune_by(ledger: &SharedLedger, retention: &Retention) -> u64 {
    let (mut retention, mut pruned) = (retention.clone(), 0);
    loop {
        let part = ledger.prune(&retention).await.expect("pruning works");
        pruned += part.operations;
        assert!(part.next.is_none_or(|next| retention.after.is_none_or(|after| next > after)), "it turns in circles");
        retention.after = part.next;
        if part.next.is_none() {
            return pruned;
        }
    }
}

fn closed() -> Event {
    Event::Closed { reason: Refusal::new("expired", "ada@example.org came too late") }
}

fn is_pruned(records: &[hapax_core::protocol::Record]) -> bool {
    records.iter().any(|record| record.event == Event::Pruned)
}

pub(super) async fn a_pruned_operation_leaves_its_tombstone(ledger: SharedLedger) {
    let old = finished(&ledger, "old", 1_000).await;
    let mut expected = records(&ledger, old.id).await;
    assert_eq!(prune(&ledger, 1_001).await, 1);
    redact(&mut expected);
    assert_eq!(records(&ledger, old.id).await, expected, "what is left isn't what core's redact leaves");
    let told = serde_json::to_string(&records(&ledger, old.id).await).expect("records are JSON");
    assert!(!told.contains("ada@example.org"), "an argument is still there");
    assert_eq!(prune(&ledger, 1_001).await, 0, "it was pruned twice");

    // The tombstone: key, fingerprint and claim still stand.
    let again = Draft::new("old").begin(&ledger).await;
    assert!(matches!(again, Err(LedgerError::Moved)), "a pruned key was opened: {again:?}");
    let thief = Draft::new("thief").claiming("ch_old").begin(&ledger).await;
    assert!(matches!(thief, Err(LedgerError::Claimed(by)) if by == old.id), "a pruned claim was given away: {thief:?}");
    let by_claim = ledger.load(By::Claim { account: "acct_1", id: "ch_old" }).await.expect("loading works");
    assert_eq!(by_claim.map(|stored| stored.operation), Some(old.id));
    let alike = Draft::with("alike", json!({"to": "ada@example.org"})).begin(&ledger).await.expect("it works");
    assert_eq!(alike.similar, [old.id], "its fingerprint is gone");
}

pub(super) async fn what_is_open_due_or_young_is_not_pruned(ledger: SharedLedger) {
    let mut kept = Vec::new();
    for phase in [Phase::Held, Phase::Open, Phase::Person] {
        let draft = Draft::new(phase.word()).in_phase(phase).at_ms(1_000);
        draft.begin(&ledger).await.expect("it works");
        kept.push(draft);
    }
    let due = Draft::new("due").in_phase(Phase::Refused).due_at(5).at_ms(1_000);
    due.begin(&ledger).await.expect("it works");
    kept.push(due);
    // What it is found by says that it ended, and its events don't: nothing of it is removed.
    let odd = Draft::new("odd").in_phase(Phase::Refused).at_ms(1_000);
    odd.begin(&ledger).await.expect("it works");
    kept.push(odd);
    let young = finished(&ledger, "young", 2_000).await;
    assert_eq!(prune(&ledger, 2_000).await, 0);
    assert!(!is_pruned(&records(&ledger, young.id).await));
    for draft in &kept {
        assert_eq!(records(&ledger, draft.id).await, draft.first().records, "{} was pruned", draft.index.key);
    }
    // The last record decides, not the first.
    let touched = finished(&ledger, "touched", 500).await;
    ledger.append(touched.clone().at_ms(3_000).append(4, [samples::leased()])).await.expect("it works");
    assert_eq!(prune(&ledger, 2_000).await, 0);
    assert_eq!(prune(&ledger, 2_001).await, 1, "the young one is old now");
}

pub(super) async fn what_may_still_take_effect_or_is_held_is_not_pruned(ledger: SharedLedger) {
    // It left at 1 s, and is acted on or never until two minutes later.
    let closes_at = 1_000 + 30_000 + 90_000;
    let done = finished(&ledger, "done", 1_000).await;
    let held = finished(&ledger, "held", 1_000).await;
    ledger.append(held.append(4, [samples::leased()])).await.expect("it works");
    let at = |ms| Retention::of_all(Stamp::scripted(ms), 0);
    assert_eq!(prune_by(&ledger, &at(closes_at)).await, 0, "a request of it may still take effect");
    // A clock that was set forward is not believed alone.
    let set_forward = Stamp { wall_ms: i64::MAX / 2, ..Stamp::scripted(closes_at) };
    assert_eq!(prune_by(&ledger, &Retention::of_all(set_forward, 0)).await, 0);
    assert_eq!(prune_by(&ledger, &Retention::of_all(Stamp { boot_ms: 200_000, ..set_forward }, 300_000)).await, 0);
    assert_eq!(prune_by(&ledger, &Retention { only: Some(done.id), ..at(closes_at + 1) }).await, 1);
    ledger.append(held.clone().at_ms(150_000).append(5, [samples::leased()])).await.expect("it works");
    assert_eq!(prune_by(&ledger, &at(160_000)).await, 0, "somebody works on it");
    assert_eq!(prune_by(&ledger, &at(240_001)).await, 1);
}

pub(super) async fn each_place_is_kept_as_the_first_rule_says(ledger: SharedLedger) {
    let mut ids = Vec::new();
    for (connection, cell) in [("live", "stripe.charge"), ("live", "stripe.refund"), ("test", "stripe.charge")] {
        let draft = Draft::new("k").at_place(connection, "acct_1", cell).at_ms(1_000).in_phase(Phase::Refused);
        draft.begin(&ledger).await.expect("it works");
        ledger.append(draft.append(3, [closed()])).await.expect("it works");
        ids.push(draft.id);
    }
    let keep = |connection: Option<&str>, cell: Option<&str>, for_ms| Keep {
        connection: connection.map(str::to_owned),
        cell: cell.map(str::to_owned),
        for_ms,
    };
    let by = |rules: Vec<Keep>| Retention { rules, ..before(1_001) };
    let gone = async |ids: &[OperationId]| {
        let mut gone = Vec::new();
        for id in ids {
            gone.push(is_pruned(&records(&ledger, *id).await));
        }
        gone
    };
    assert_eq!(prune_by(&ledger, &by(vec![])).await, 0, "what no rule speaks of is kept");
    let rules =
        vec![keep(Some("test"), None, None), keep(None, Some("stripe.charge"), Some(1)), keep(None, None, None)];
    let dry = Retention { dry_run: true, ..by(rules.clone()) };
    assert_eq!(prune_by(&ledger, &dry).await, 1);
    assert_eq!(gone(&ids).await, [false, false, false], "a dry run changed something");
    assert_eq!(prune_by(&ledger, &by(rules)).await, 1);
    assert_eq!(gone(&ids).await, [true, false, false]);
    let long = vec![keep(None, Some("stripe.*"), Some(LATE_MS)), keep(None, None, Some(0))];
    assert_eq!(prune_by(&ledger, &by(long)).await, 0, "it isn't that old");
    assert_eq!(prune_by(&ledger, &by(vec![keep(Some("test"), Some("stripe.*"), Some(1))])).await, 1);
    assert_eq!(gone(&ids).await, [true, false, true]);
    let above = Retention { after: ids.last().copied(), ..before(1_001) };
    assert_eq!(prune_by(&ledger, &above).await, 0, "it went back before where it was told to go on");
}

pub(super) async fn many_are_pruned_in_parts(ledger: SharedLedger) {
    const MANY: usize = 450;
    for number in 0..MANY {
        let draft = Draft::new(&format!("order:{number}")).at_ms(1_000).in_phase(Phase::Refused);
        ledger.append(draft.append(0, [Event::Began(draft.intent.clone()), closed()])).await.expect("it works");
    }
    assert_eq!(prune(&ledger, 1_001).await, MANY as u64);
    assert_eq!(prune(&ledger, 1_001).await, 0);
}

pub(super) async fn nothing_that_somebody_else_said_is_left(ledger: SharedLedger) {
    let draft = Draft::with("k", json!({"to": "ada@example.org"})).in_phase(Phase::Refused).at_ms(1_000);
    let mut events = samples::every_event(&draft.intent);
    // The sample of a restore is of later than any moment here.
    events.retain(|event| !matches!(event, Event::Pruned | Event::Restored { .. }));
    events.extend(samples::every_verdict().into_iter().map(|verdict| Event::Heard(Heard { attempt: 0, verdict })));
    events.extend(samples::every_finding().into_iter().map(|found| Event::Looked(samples::looked(found))));
    events.push(closed());
    ledger.append(draft.append(0, events)).await.expect("it works");
    let whole = records(&ledger, draft.id).await;
    let (mut values, mut texts) = (Vec::new(), Vec::new());
    for record in &whole {
        let mut event = record.event.clone();
        let Ok(()) = event.private::<std::convert::Infallible>(|_, private| {
            match private {
                Private::Value(value) => values.push(value.to_string()),
                Private::Text(text) | Private::Words(text) => texts.push(text.clone()),
            }
            Ok(())
        });
    }
    assert!(values.len() >= 5 && texts.len() >= 8, "{values:?}, {texts:?}");
    assert_eq!(prune(&ledger, 1_001).await, 1);
    let left = serde_json::to_string(&records(&ledger, draft.id).await).expect("records are JSON");
    for was in values.iter().chain(&texts) {
        assert!(!left.contains(was), "{was} is left in {left}");
    }
}

pub(super) async fn a_pruned_operation_goes_on(ledger: SharedLedger) {
    let old = finished(&ledger, "old", 1_000).await;
    assert_eq!(prune(&ledger, 9_000).await, 1);
    let late = Event::Alarmed { what: "a second one was found".to_owned() };
    let stale = ledger.append(old.append(4, [late.clone()])).await;
    assert!(matches!(stale, Err(LedgerError::Moved)), "pruning is an event, so the revision moved: {stale:?}");
    let next = ledger.append(old.append(5, [late.clone()])).await.expect("a late witness still counts");
    assert_eq!(next.revision, 6);
    assert_eq!(records(&ledger, old.id).await[5].event, late);
}

pub(super) async fn the_first_use_is_no_restore(ledger: SharedLedger) {
    let empty = ledger.header().await.expect("the header is there");
    assert_eq!((empty.secret_check.as_str(), empty.restored, empty.newest), ("", None, None));
    // Two processes that open a new ledger at once adopt one secret, and neither restores anything.
    for check in ["check-1", "check-2"] {
        assert_eq!(ledger.adopt(check).await.expect("it works"), "check-1");
    }
    let used = ledger.header().await.expect("the header is there");
    assert_eq!((used.secret_check.as_str(), used.restored), ("check-1", None));
}

pub(super) async fn a_restore_is_noted(ledger: SharedLedger) {
    let at = Stamp { wall_ms: -5, boot_ms: u64::MAX, boot: 1 << 63 };
    ledger.adopt("check-1").await.expect("it works");
    // An empty ledger can be restored too: the backup may have been empty.
    ledger.note_restored(at, "check-1").await.expect("it works");
    assert_eq!(ledger.header().await.expect("the header is there").restored, Some(at));
    Draft::new("order:1").begin(&ledger).await.expect("it works");
    let later = Stamp { wall_ms: 77, ..at };
    ledger.note_restored(later, "check-2").await.expect("it works");
    let header = ledger.header().await.expect("the header is there");
    assert_eq!((header.secret_check.as_str(), header.restored), ("check-2", Some(later)));
}

pub(super) async fn the_newest_record_is_known(ledger: SharedLedger) {
    let one = Draft::new("order:1").at_ms(2_000);
    one.begin(&ledger).await.expect("it works");
    assert_eq!(ledger.header().await.expect("the header is there").newest, Some(Stamp::scripted(2_000)));
    // The newest is what was written last, even if a clock ran backwards.
    Draft::new("order:2").at_ms(1_000).begin(&ledger).await.expect("it works");
    assert_eq!(ledger.header().await.expect("the header is there").newest, Some(Stamp::scripted(1_000)));
    finished(&ledger, "old", 500).await;
    Draft::new("order:3").at_ms(4_000).begin(&ledger).await.expect("it works");
    prune(&ledger, 501).await;
    assert_eq!(ledger.header().await.expect("the header is there").newest, Some(Stamp::scripted(4_000)));
}
