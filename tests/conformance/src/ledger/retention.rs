use hapax_core::ledger::{By, LedgerError, Phase, SharedLedger};
use hapax_core::protocol::{Event, Stamp, redact};
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

async fn prune(ledger: &SharedLedger, before_ms: i64) -> u64 {
    ledger.prune(before_ms).await.expect("pruning works")
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
    let young = Draft::new("young").in_phase(Phase::Refused).at_ms(2_000);
    young.begin(&ledger).await.expect("it works");
    kept.push(young);
    assert_eq!(prune(&ledger, 2_000).await, 0);
    for draft in &kept {
        assert_eq!(records(&ledger, draft.id).await, draft.first().records, "{} was pruned", draft.index.key);
    }
    // The last record decides, not the first.
    let touched = finished(&ledger, "touched", 500).await;
    ledger.append(touched.clone().at_ms(3_000).append(4, [samples::leased()])).await.expect("it works");
    assert_eq!(prune(&ledger, 2_000).await, 0);
    assert_eq!(prune(&ledger, 2_001).await, 1, "the young one is old now");
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
