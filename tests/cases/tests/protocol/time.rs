use hapax_core::protocol::{Do, Found, Permit, Stamp};

use crate::cells::{self, DEADLINE, SETTLED};
use crate::run::{Run, happened, moment, not_done, refused, unclear};

#[test]
fn a07_the_sleeper() {
    let mut run = Run::new(cells::query());
    run.departs().at(DEADLINE + 30).looks(DEADLINE + 29, Found::Absent);
    assert!(!run.sends(), "the bytes of attempt 0 may have left at its deadline");
    run.at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(run.sends(), "nothing leaves after the deadline, so absence after settle proves");
}

#[test]
fn a08_the_window_closes_under_way() {
    let mut run = Run::new(cells::key());
    run.departs().at(600 - SETTLED);
    assert!(run.sends(), "its own deadline and settle end inside the window");
    run.at(600 - SETTLED + 1);
    assert!(!run.sends(), "it could arrive when the key is forgotten");
}

#[test]
fn a08_a_window_shorter_than_deadline_and_settle_is_a_belt() {
    assert!(cells::short().guards.is_empty());
}

#[test]
fn a08_what_was_not_done_does_not_age_the_window() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, not_done(None)).at(580).departs().at(595);
    assert!(run.sends(), "the key was first used at 580");
}

#[test]
fn a09_twins_under_one_key() {
    let mut run = Run::new(cells::twins());
    run.departs().at(20);
    let Permit::Wait { ms, .. } = run.may_send() else { panic!("{:?}", run.may_send()) };
    assert_eq!(ms, (SETTLED - 20) * 1000 + 1, "deadline and settle of the first come first");
    run.at(SETTLED + 1);
    assert!(run.sends());
    let mut run = Run::new(cells::key());
    run.departs().at(20);
    assert!(run.sends(), "where one wins there is no need to wait");
}

#[test]
fn a12_a_clock_that_steps_forward_ends_no_settle() {
    let mut run = Run::new(cells::query());
    run.departs();
    let ahead = Stamp { wall_ms: 3_000_000, ..moment(20) };
    run.at_stamp(ahead);
    assert!(run.state().until_closing(ahead) > 0);
    assert!(!run.sends());
}

#[test]
fn a12_a_clock_that_steps_back_opens_no_window() {
    let mut run = Run::new(cells::key());
    run.departs().at_stamp(Stamp { wall_ms: -500_000, ..moment(590) });
    assert!(!run.sends(), "by the clock that counts sleep the window is over");
}

#[test]
fn a14_stale_execution() {
    let mut run = Run::good_until(cells::key(), 100);
    run.at(100);
    assert!(!run.sends());
    let Do::Close { reason } = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(reason.code, "expired");
}

#[test]
fn a14_what_may_have_left_is_not_expired() {
    let mut run = Run::good_until(cells::human(), 100);
    run.departs().at(200);
    assert!(run.asks(), "{:?}", run.next());
    run.hears(0, happened("x"));
    assert_eq!(run.succeeded().as_deref(), Some("x"));
}

#[test]
fn a15_looks_and_attempts_are_bounded() {
    let mut run = Run::new(cells::query());
    run.departs();
    for second in 1..=20 {
        assert!(matches!(run.next(), Do::Look { .. }), "look {second}: {:?}", run.next());
        run.at(second).looks(second, Found::NotYet { why: "still working".to_owned() });
    }
    assert!(run.asks(), "{:?}", run.next());
    let mut run = Run::new(cells::key());
    run.departs().departs().departs().at(5);
    assert!(run.asks(), "three may have left: {:?}", run.next());
}

#[test]
fn a15_patience_ends_in_the_inbox() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, not_done(None)).at(3600);
    assert!(run.asks(), "{:?}", run.next());
}

#[test]
fn a23_a_late_refusal_speaks_only_for_its_own_attempt() {
    let mut run = Run::new(cells::key());
    run.departs().at(20).departs().at(21).hears(1, unclear()).at(500).hears(0, refused());
    assert!(run.is_open(), "attempt 1 is out");
}
