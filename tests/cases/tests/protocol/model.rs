use hapax_core::protocol::{Decision, Do, Found, Verdict};

use crate::cells::{self, SETTLED};
use crate::run::{Run, found, found_dead, refused, refused_on_record, unclear};

fn burnt() -> Verdict {
    Verdict::KeyBurnt { why: "500".to_owned() }
}

#[test]
fn m01_a_replaced_key_binds_nothing() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1")
        .departs()
        .at(1)
        .hears(0, burnt())
        .departs_with_key(1)
        .at(2)
        .hears(1, refused_on_record());
    assert!(run.is_open(), "attempt 0 had another key, and may be rolled forward");
}

#[test]
fn m02_failed_is_not_believed_before_settle() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(200).departs().at(202).looks(201, found_dead());
    assert!(run.is_open(), "attempt 1 may not have arrived when the look began");
}

#[test]
fn m03_a_record_binds_earlier_attempts_and_never_later_ones() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(20).departs().at(21).hears(0, refused_on_record());
    assert!(run.is_open(), "the key may have been forgotten before attempt 1");
}

#[test]
fn m04_a_record_of_another_life_binds_nothing() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(590).departs().at(591).hears(1, refused_on_record());
    assert!(run.is_open(), "attempt 1 could have met a key that was forgotten");
}

#[test]
fn m04_repairs_are_inside_the_settle_that_closes() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(run.state().open().next().is_some(), "repairs take two minutes here");
    run.at(132).looks(131, Found::Absent);
    assert!(run.state().open().next().is_none());
}

#[test]
fn m07_an_operation_whose_attempts_are_closed_expires_though_it_was_sent() {
    let mut run = Run::good_until(cells::human(), 100);
    run.departs().at(1).hears(0, crate::run::not_done(None)).at(100);
    let Do::Close { reason } = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(reason.code, "expired");
}

#[test]
fn m08_every_next_attempt_after_a_restore_waits() {
    let mut run = Run::new(cells::key());
    run.departs().at(20).departs().at(21).restored_to(2);
    assert!(!run.sends(), "windows in a restored ledger are not relied on");
    assert!(run.asks(), "{:?}", run.next());
}

#[test]
fn m08_a_refusal_in_a_restored_ledger_ends_nothing() {
    let mut run = Run::new(cells::key());
    run.departs().at(20).departs().at(21).restored_to(2).at(22).hears(0, refused());
    assert!(run.is_open(), "attempt 1 is forgotten and may be out");
    assert!(!run.sends());
}

#[test]
fn m08_d_a_lost_handle_is_not_seen_by_handle() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(5).begins_after_a_restore();
    run.at(200).looks_by_handle(199, Found::Absent);
    assert!(!run.sends(), "only a look by mark would have seen what the lost handle did");
    run.at(202).looks(201, Found::Absent);
    assert!(run.sends());
}

#[test]
fn m09_a_suggestion_closes_nothing() {
    let mut run = Run::new(cells::suggests(true));
    run.departs().at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(run.sends(), "policy accepts one more");
    run.departs().at(SETTLED + 3).hears(1, refused());
    assert!(run.is_open(), "but not a false refusal");
    let mut run = Run::new(cells::suggests(false));
    run.departs().at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(!run.sends());
}

#[test]
fn m10_a_hit_by_content_waits_for_our_own_settle() {
    let mut run = Run::new(cells::content());
    run.departs().at(1).hears(0, unclear());
    assert!(matches!(run.next(), Do::Wait { .. }), "a look now could take another's record: {:?}", run.next());
    run.at(3).looks(2, found("r1"));
    assert!(run.is_open());
}

#[test]
fn m11_restore_and_good_until() {
    let mut run = Run::good_until(cells::query(), 100);
    run.departs().at(20).restored_to(1).at(300);
    assert!(!matches!(run.next(), Do::Close { .. }), "an effect may be forgotten: {:?}", run.next());
    run.at(302).looks(301, Found::Absent);
    assert!(run.asks(), "what was in the backup is closed by a person: {:?}", run.next());
    run.decides(301, Decision::DidNotHappen).at(304).looks(303, Found::Absent);
    assert!(matches!(run.next(), Do::Close { .. }), "{:?}", run.next());
}

#[test]
fn m11_begun_after_the_restore() {
    let mut run = Run::good_until(cells::query(), 100);
    run.departs().at(20).begins_after_a_restore().at(300);
    assert!(matches!(run.next(), Do::Look { .. }), "{:?}", run.next());
    run.at(302).looks(301, Found::Absent);
    assert!(matches!(run.next(), Do::Close { .. }), "{:?}", run.next());
    let state = run.state();
    assert!(state.restored.is_some_and(|restore| restore.looked));
}

#[test]
fn m09_be_so_is_satisfied_by_anybody() {
    let mut run = Run::new(cells::be_so());
    run.notes("version", "7").departs().at(1).hears(0, Verdict::Taken { what: "412".to_owned(), named: None });
    assert!(run.is_open() && !run.sends());
    run.at(3).looks(2, found("theirs"));
    assert_eq!(run.succeeded().as_deref(), Some("theirs"));
}
