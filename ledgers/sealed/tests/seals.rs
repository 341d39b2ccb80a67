//! What a sealed ledger keeps from whoever reads what lies below it, and what it notices.

use std::convert::Infallible;
use std::sync::Arc;

use hapax_conformance::ledger::samples::{self, Draft};
use hapax_core::executor::{Executor, ExecutorError};
use hapax_core::identity::NamespaceSecret;
use hapax_core::ledger::{By, Keep, Ledger, LedgerError, MemoryLedger, Phase, Retention, SharedLedger};
use hapax_core::protocol::{Event, Heard, Private, Record, Stamp};
use hapax_core::transport::HttpTransport;
use hapax_ledger_sealed::{Keys, SealedLedger};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

fn keys(texts: &[&SecretString]) -> Keys {
    let texts: Vec<&str> = texts.iter().map(|text| text.expose_secret()).collect();
    Keys::parse(&texts.join("\n").into()).expect("keys")
}

fn below() -> SharedLedger {
    Arc::new(MemoryLedger::new())
}

async fn records(ledger: &dyn Ledger, draft: &Draft) -> Vec<Record> {
    ledger.load(By::Id(draft.id)).await.expect("it can be read").expect("it is there").records
}

/// Everything that an operation can say, in one that ended.
fn everything() -> (Draft, Vec<Event>) {
    let draft = Draft::with("k", json!({"to": "ada@example.org"})).in_phase(Phase::Refused).at_ms(1_000);
    let mut events = samples::every_event(&draft.intent);
    events.retain(|event| !matches!(event, Event::Pruned | Event::Restored { .. }));
    events.extend(samples::every_verdict().into_iter().map(|verdict| Event::Heard(Heard { attempt: 0, verdict })));
    events.extend(samples::every_finding().into_iter().map(|found| Event::Looked(samples::looked(found))));
    (draft, events)
}

/// What is private in these, as it would stand in a row.
fn private(events: &[Event]) -> Vec<String> {
    let mut all = Vec::new();
    for event in events {
        let Ok(()) = event.clone().private::<Infallible>(|_, private| {
            all.push(match private {
                Private::Value(value) => value.to_string(),
                Private::Text(text) | Private::Words(text) => json!(text).to_string(),
            });
            Ok(())
        });
    }
    all
}

#[tokio::test]
async fn nothing_private_is_seen_below_and_all_is_read_back() {
    let (below, key) = (below(), Keys::generate());
    let sealed = SealedLedger::new(Arc::clone(&below), keys(&[&key]));
    let (draft, events) = everything();
    let said = private(&events);
    assert!(said.len() >= 13, "{said:?}");
    // In two appends: the second one begins at a later revision.
    sealed.append(draft.append(0, events[..3].to_vec())).await.expect("it works");
    sealed.append(draft.append(3, events[3..].to_vec())).await.expect("it works");
    let lies_there = serde_json::to_string(&records(&*below, &draft).await).expect("JSON");
    for was in &said {
        assert!(!lies_there.contains(was), "{was} is in {lies_there}");
    }
    let read: Vec<Event> = records(&sealed, &draft).await.into_iter().map(|record| record.event).collect();
    assert_eq!(read, events);
}

#[tokio::test]
async fn a_replaced_key_still_opens_and_the_new_one_seals() {
    let (below, old, new) = (below(), Keys::generate(), Keys::generate());
    let with = |texts: &[&SecretString]| SealedLedger::open(Arc::clone(&below), keys(texts));
    let (before, after) = (Draft::new("before"), Draft::new("after"));
    with(&[&old]).await.expect("an empty one").append(before.first()).await.expect("it works");
    let both = with(&[&new, &old]).await.expect("both keys");
    both.append(after.first()).await.expect("it works");
    assert_eq!(records(&both, &before).await, before.first().records);
    let ids = keys(&[&new, &old]).ids();
    let mut lies_there = records(&*below, &after).await;
    let seals = keys(&[&new]).open(after.id, &mut lies_there).expect("the new key alone");
    assert_eq!(seals.into_iter().collect::<Vec<_>>(), [(ids[0], 1)]);
    for (given, lacks) in [([&new], ids[1]), ([&old], ids[0])] {
        let error = with(&given).await.err().expect("a key is missing").to_string();
        assert!(error.contains(&lacks.to_string()) && error.contains("give that key too"), "{error}");
    }
}

#[tokio::test]
async fn what_was_changed_or_moved_is_noticed() {
    let (below, key) = (below(), Keys::generate());
    let keys = keys(&[&key]);
    let (one, other) = (Draft::new("one"), Draft::new("other"));
    let mut appends = [one.first(), other.first()];
    for append in &mut appends {
        keys.seal(append.operation, 0, &mut append.records).expect("randomness");
    }
    let taken = appends[1].records[0].clone();
    appends[0].records[0] = taken;
    let [moved, plain] = [appends[0].clone(), one_with_plain_arguments()];
    let sealed = SealedLedger::new(Arc::clone(&below), keys);
    for (append, says) in [(moved, "isn't what was sealed there"), (plain, "isn't sealed")] {
        let operation = append.operation;
        below.append(append).await.expect("nobody below knows");
        let error = sealed.load(By::Id(operation)).await.expect_err("it was changed").to_string();
        assert!(error.contains(says) && error.contains("restore the ledger"), "{error}");
        assert!(!error.contains("EUR"), "{error}");
    }
}

fn one_with_plain_arguments() -> hapax_core::ledger::Append {
    Draft::new("plain").first()
}

#[tokio::test]
async fn retention_needs_no_key_and_what_comes_later_is_sealed() {
    let (below, key) = (below(), Keys::generate());
    let sealed = SealedLedger::new(Arc::clone(&below), keys(&[&key]));
    let (draft, mut events) = everything();
    events.push(Event::Closed { reason: hapax_core::words::Refusal::new("expired", "too late") });
    sealed.append(draft.append(0, events)).await.expect("it works");
    let now = Stamp::scripted(1_000_000_000);
    let retention = Retention { rules: vec![Keep { for_ms: Some(0), ..Keep::default() }], ..Retention::of_all(now, 0) };
    assert_eq!(sealed.prune(&retention).await.expect("it works").operations, 1);
    let left = records(&sealed, &draft).await;
    assert_eq!(left.last().map(|record| &record.event), Some(&Event::Pruned));
    let late = Event::Witnessed { source: "webhook".to_owned(), receipt: samples::receipt("ch_9") };
    sealed.append(draft.append(left.len() as u64, [late.clone()])).await.expect("it works");
    assert_eq!(records(&sealed, &draft).await.last().map(|record| record.event.clone()), Some(late));
}

#[tokio::test]
async fn a_ledger_is_used_with_seals_from_its_first_use_or_never() {
    let (key, secret) = (Keys::generate(), NamespaceSecret::generate());
    let used = async |ledger: SharedLedger| {
        Executor::builder(ledger, Arc::new(HttpTransport::new()), secret.clone()).build().await
    };
    let sealed = below();
    let layer = |below: &SharedLedger| Arc::new(SealedLedger::new(Arc::clone(below), keys(&[&key]))) as SharedLedger;
    used(layer(&sealed)).await.expect("a new one");
    used(layer(&sealed)).await.expect("the same secret");
    // Who knows nothing of seals would take what is sealed for arguments.
    let without = used(Arc::clone(&sealed)).await.err().expect("it is closed");
    assert!(matches!(without, ExecutorError::OtherSecret), "{without}");
    let plain = below();
    used(Arc::clone(&plain)).await.expect("a new one");
    let with = used(layer(&plain)).await.err().expect("it is closed");
    assert!(
        matches!(&with, ExecutorError::Ledger(LedgerError::Unusable { what, .. }) if what.contains("without seals")),
        "{with}"
    );
}
