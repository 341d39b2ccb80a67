use hapax_core::protocol::{Decision, Do, Event, Found};

use crate::cells::{self, SETTLED};
use crate::run::{Run, refused};

#[test]
fn m05_looked_too_early() {
    for standing in [cells::human(), cells::key(), cells::suggests(false)] {
        let mut run = Run::new(standing);
        run.departs().at(SETTLED + 100);
        let until = run.may_decide(SETTLED);
        assert_eq!(until, Err(0), "they looked when it could still come; now they could look again");
        assert_eq!(run.may_decide(SETTLED + 1), Ok(()));
    }
}

#[test]
fn m05_where_absence_proves_one_more_look_checks_it() {
    let mut run = Run::new(cells::query());
    run.departs().at(3);
    assert_eq!(run.may_decide(2), Ok(()));
    run.decides(2, Decision::DidNotHappen).at(4).looks(3, Found::Absent).at(SETTLED + 1);
    assert!(matches!(run.next(), Do::Look { .. }), "a look before settle confirms nothing: {:?}", run.next());
    run.at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(matches!(run.next(), Do::Close { .. }), "{:?}", run.next());
}

#[test]
fn m05_after_a_restore_a_person_looks_after_settle_everywhere() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(5).begins_after_a_restore().at(400);
    assert!(run.may_decide(6).is_err(), "the lost handle's effect may not have shown yet, and no look would see it");
    assert_eq!(run.may_decide(399), Ok(()));
}

#[test]
fn m06_taken_over_while_an_attempt_is_out() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, refused()).superseded(0).departs().at(5).is_taken_over();
    assert!(run.state().until_all_closing(crate::run::moment(SETTLED)) > 0, "the hand waits for what has left");
    assert_eq!(run.state().until_all_closing(crate::run::moment(SETTLED + 6)), 0);
}

#[test]
fn m12_taken_over_before_the_repairs() {
    let mut run = Run::new(cells::stored());
    run.departs().at(SETTLED + 1).is_taken_over();
    let safe = 10 + 3600 + 1;
    assert!(run.state().until_all_closing(crate::run::moment(safe - 1)) > 0, "a stored failure may be rolled forward");
    assert_eq!(run.state().until_all_closing(crate::run::moment(safe)), 0, "not longer than patience");
}

#[test]
fn m08_a_decision_in_a_backup_is_void() {
    let mut run = Run::new(cells::human());
    run.departs().at(SETTLED + 1).decides(SETTLED + 1, Decision::SendAgain);
    assert!(run.sends());
    let decided = run.records().len();
    run.writes(Event::Epoch { number: 1, because: "ada".to_owned() }).departs().at(SETTLED + 5).restored_to(decided);
    assert!(run.state().decision.is_none());
    run.at(9_000);
    assert!(!run.sends(), "it was carried out already");
}
