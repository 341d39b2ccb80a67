//! Runs that the journal alone shows.

use std::sync::Arc;

use hapax_core::capability::{Absence, SecondEffect};
use hapax_core::cell::Cell;
use hapax_core::identity::{OperationKey, fingerprint};
use hapax_core::protocol::{
    Bounds, Departed, Do, Event, Found, Heard, Intent, Looked, OpState, Receipt, Record, Stamp, Verdict, View, fold,
    next,
};
use hapax_core::words::Refusal;
use serde_json::json;

use super::toys::Mortal;

fn intent() -> Intent {
    let args = json!({ "amount": 100 });
    Intent {
        connection: "toy".to_owned(),
        account: "acme".to_owned(),
        cell: "toy.mortal".to_owned(),
        version: 1,
        key: OperationKey::new("k").expect("a key"),
        fingerprint: fingerprint(&args, &[]),
        args: Arc::new(args),
        good_until_ms: None,
        similar: Vec::new(),
        stand_in: false,
    }
}

/// The state after these events, one a second.
fn after(events: Vec<Event>) -> OpState {
    let records =
        events.into_iter().zip(0..).map(|(event, second)| Record { at: Stamp::scripted(second * 1000), event });
    fold(&records.collect::<Vec<_>>())
}

fn departs(attempt: u32) -> Event {
    Event::Departed(Departed {
        attempt,
        key_number: 0,
        scope: "acme".to_owned(),
        within_ms: 10_000,
        settle_ms: 5_000,
        closing_ms: 60_000,
        record_ms: None,
        because: String::new(),
    })
}

fn hears(attempt: u32, verdict: Verdict) -> Event {
    Event::Heard(Heard { attempt, verdict })
}

fn no() -> Refusal {
    Refusal::new("no", "no")
}

fn supersedes(epoch: u32) -> Event {
    Event::Superseded { by: "ann".to_owned(), epoch, intent: intent() }
}

fn looked(began_s: u64, found: Found) -> Event {
    let began = Stamp::scripted(began_s * 1000);
    Event::Looked(Looked { began, found, absence: Absence::Proves, by_mark: true, by_content: false })
}

/// A handle has to be retired by the first epoch that gets a handle of its own, however many ended
/// before they had one.
#[test]
fn a_handle_is_not_forgotten_by_an_epoch_that_never_had_one() {
    let noted = Event::Noted { name: "handle".to_owned(), value: "h0".to_owned() };
    let closed = || Event::Closed { reason: no() };
    let state = after(vec![Event::Began(intent()), noted, closed(), supersedes(0), closed(), supersedes(1)]);
    assert_eq!(state.epoch, 2);
    assert_eq!(state.former_notes.get("handle").map(String::as_str), Some("h0"));
}

/// Rule 2: a look that was under way when the epoch began says nothing of it.
#[test]
fn a_look_at_the_epoch_before_does_not_refuse_the_new_one() {
    let refused = || Verdict::Refused { reason: no() };
    let dead = looked(2, Found::Failed { reason: no() });
    let state = after(vec![Event::Began(intent()), departs(0), hears(0, refused()), supersedes(0), dead]);
    assert_eq!((state.epoch, state.outcome), (1, None));
}

/// Rule 8: after a second request there is one more look, however many there were before the end.
#[test]
fn the_look_back_has_a_bound_of_its_own() {
    let lost = || Verdict::Unclear { why: "lost".to_owned(), server_error: false };
    let mut events = vec![Event::Began(intent()), departs(0), hears(0, lost()), departs(1), hears(1, lost())];
    events.extend((0..20).map(|_| looked(6, Found::CannotTell { why: "503".to_owned() })));
    let receipt = Receipt { id: "e0".to_owned(), body: Arc::new(json!({ "id": "e0" })) };
    events.push(Event::Witnessed { source: "webhook".to_owned(), receipt });
    let standing = Mortal::SPEC.standing(&|_| true, SecondEffect::Withheld, false);
    let view = View { now: Stamp::scripted(3_600_000), owner: "w", scope: "acme", bounds: Bounds::default() };
    let todo = next(&after(events), &standing, &view);
    assert!(matches!(todo, Do::Look { .. }), "{todo:?}");
}
