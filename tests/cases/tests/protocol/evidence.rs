use hapax_core::protocol::{Decision, Do, Event, Found};

use crate::cells::{self, SETTLED};
use crate::run::{Run, found, happened, not_done, receipt, refused, unclear};

#[test]
fn a23_late_evidence_settles_what_is_open() {
    let mut run = Run::new(cells::human());
    run.departs().at(20).writes(Event::Asked { why: "lost".to_owned() });
    run.at(900).hears(0, happened("x"));
    assert_eq!(run.succeeded().as_deref(), Some("x"));
    assert!(run.state().asked.is_none());
}

#[test]
fn a23_late_evidence_against_an_end_rings() {
    let mut run = Run::new(cells::human());
    run.departs().at(SETTLED + 1).decides(SETTLED + 1, Decision::DidNotHappen);
    let Do::Close { reason } = run.next() else { panic!("{:?}", run.next()) };
    run.writes(Event::Closed { reason }).at(999).hears(0, happened("x"));
    assert_eq!(run.refused().as_deref(), Some("by-a-person"), "what is final stays final");
    assert!(!run.state().alarms.is_empty());
}

#[test]
fn a26_a_webhook_settles_and_its_absence_proves_nothing() {
    let mut run = Run::new(cells::human());
    run.departs().at(900);
    assert!(run.is_open() && !run.sends());
    run.witnessed("x");
    assert_eq!(run.succeeded().as_deref(), Some("x"));
}

#[test]
fn a26_the_first_durable_receipt_is_the_receipt() {
    let mut run = Run::new(cells::human());
    run.departs().at(1).witnessed("x").hears(0, happened("x"));
    assert!(run.state().alarms.is_empty(), "the same record told twice");
    run.witnessed("y");
    assert_eq!(run.succeeded().as_deref(), Some("x"));
    assert_eq!(run.state().alarms.len(), 1, "another one rings");
}

#[test]
fn a24_evidence_ends_a_decision() {
    let mut run = Run::new(cells::query());
    run.departs().at(5).decides(4, Decision::SendAgain).at(6).looks(5, found("x"));
    assert_eq!(run.succeeded().as_deref(), Some("x"));
    assert!(run.state().decision.is_none());
    assert!(!run.sends());
}

#[test]
fn a24_a_decision_waits_for_settle_and_one_more_look() {
    let mut run = Run::new(cells::query());
    run.departs().at(5).decides(4, Decision::SendAgain).at(6);
    assert!(matches!(run.next(), Do::Wait { .. }), "{:?}", run.next());
    run.at(SETTLED + 1);
    assert!(matches!(run.next(), Do::Look { .. }), "{:?}", run.next());
    run.at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(matches!(run.next(), Do::Send { .. }), "{:?}", run.next());
}

#[test]
fn a25_hands_stop_departures() {
    let mut run = Run::new(cells::query());
    run.departs().at(5).is_taken_over();
    assert!(!run.sends());
    run.at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(!run.sends(), "what the hand did carries no mark of ours");
    assert!(run.state().looked_back, "from now on a hand is safe");
}

#[test]
fn a28_superseding_names_the_epoch_that_it_ends() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, refused()).superseded(0);
    assert_eq!(run.state().epoch, 1);
    run.superseded(0);
    assert_eq!(run.state().epoch, 1, "repeating it changes nothing");
    run.departs().at(2).hears(1, refused()).superseded(0);
    assert_eq!((run.state().epoch, run.refused().as_deref()), (1, Some("no")), "not even when 1 is refused too");
}

#[test]
fn a28_what_succeeded_is_not_superseded() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, happened("x")).superseded(0);
    assert_eq!(run.succeeded().as_deref(), Some("x"));
}

#[test]
fn a29_a_failed_fate_leaves_the_success_and_allows_another() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, happened("x"));
    run.at(9999).writes(Event::Fated { fate: "returned".to_owned(), failed: true });
    assert_eq!(run.succeeded().as_deref(), Some("x"), "one more request would have been one more effect");
    run.superseded(0);
    assert!(run.is_open() && run.state().epoch == 1);
}

#[test]
fn a25_a_receipt_by_hand_ends_it() {
    let mut run = Run::new(cells::human());
    run.departs().at(5).is_taken_over().at(99).decides(98, Decision::Happened { receipt: receipt("by hand") });
    assert_eq!(run.succeeded().as_deref(), Some("by hand"));
    assert!(!run.state().taken_over);
}

#[test]
fn an_answer_about_something_else_ends_what_goes_out_by_itself() {
    let absent = |run: &mut Run, at: u64| {
        if run.can_be_asked() {
            run.looks(at, Found::Absent);
        }
    };
    for standing in [cells::key(), cells::query()] {
        let alarm = Event::Alarmed { what: "an answer differs from the intent in id".to_owned() };
        let mut run = Run::new(standing);
        run.departs().at(1).hears(0, unclear()).at(SETTLED + 1);
        absent(&mut run, SETTLED + 1);
        assert!(run.sends(), "a key or a proven absence makes it harmless");
        run.writes(alarm);
        assert!(run.asks(), "what takes no notice of our token or mark would do it again");
        run.decides(SETTLED + 1, Decision::SendAgain).at(SETTLED + 2);
        absent(&mut run, SETTLED + 2);
        assert!(run.sends(), "a person may still say so");
        run.writes(Event::Epoch { number: 1, because: "ada says so".to_owned() }).departs().hears(1, not_done(None));
        assert!(run.sends(), "the alarm was about the epoch before");
    }
}
