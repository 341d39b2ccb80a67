use hapax_core::capability::{Code, Failures, Meaning, meaning_of};
use hapax_core::protocol::{Attempt, Do, OpState, Permit, Stamp, Verdict};
use serde_json::json;

use crate::cells::{self, SETTLED};
use crate::run::{Run, found, found_dead, happened, not_done, refused, refused_on_record, unclear};

#[test]
fn a01_a_refusal_of_a_later_attempt() {
    let mut run = Run::new(cells::key());
    run.departs().at(20).departs().at(21).hears(1, refused());
    assert!(run.is_open(), "attempt 0 is still out");
    assert!(!run.sends(), "after a refusal no third one leaves");
    run.at(22).hears(0, happened("ch_1"));
    assert_eq!(run.succeeded().as_deref(), Some("ch_1"));
}

#[test]
fn a01_a_refusal_of_the_only_attempt_does_close() {
    let mut run = Run::new(cells::key());
    run.departs().at(1).hears(0, refused());
    assert_eq!(run.refused().as_deref(), Some("no"));
}

#[test]
fn a01_a_refusal_on_record_binds_the_attempts_before_it() {
    let mut run = Run::new(cells::key());
    run.departs().at(20).departs().at(21).hears(1, refused_on_record());
    assert_eq!(run.refused().as_deref(), Some("declined"));
}

#[test]
fn a02_a_success_that_cannot_be_read_is_not_a_success() {
    let mut run = Run::new(cells::human());
    run.departs().at(1).hears(0, unclear());
    assert!(run.is_open());
    assert!(run.asks(), "and nothing is sent on a guess: {:?}", run.next());
}

#[test]
fn a03_not_done_goes_again_when_the_provider_says() {
    let mut run = Run::new(cells::human());
    run.departs().at(1).hears(0, not_done(Some(30)));
    assert_eq!(run.may_send(), Permit::Wait { ms: 30_000, why: wait_of(&run) });
    run.at(31);
    assert!(run.sends(), "documented as not processed: even a cell without rungs sends again");
}

fn wait_of(run: &Run) -> String {
    match run.may_send() {
        Permit::Wait { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a04_found_but_dead_ends_it_after_settle() {
    let mut run = Run::new(cells::query());
    run.departs().at(5).looks(4, found_dead());
    assert!(run.is_open(), "before settle the request may still be carried out");
    run.at(SETTLED + 2).looks(SETTLED + 1, found_dead());
    assert_eq!(run.refused().as_deref(), Some("rejected"));
}

#[test]
fn a05_a_spent_token_is_looked_at() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(20).departs();
    run.at(21).hears(1, Verdict::Taken { what: "exists".to_owned(), named: None });
    assert!(run.is_open(), "neither success nor refusal");
    assert!(!run.sends());
    assert!(matches!(run.next(), Do::Look { .. }), "{:?}", run.next());
    run.at(22).looks(21, found("ch_1"));
    assert_eq!(run.succeeded().as_deref(), Some("ch_1"));
}

#[test]
fn what_a_refusal_names_is_there_for_the_look_and_ends_with_the_epoch() {
    let named = |object: &str| Verdict::Taken { what: "exists".to_owned(), named: Some(object.to_owned()) };
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(20).departs();
    assert_eq!(run.state().named(), None);
    run.at(21).hears(1, named("ch_1"));
    assert_eq!(run.state().named(), Some("ch_1"));
    assert!(matches!(run.next(), Do::Look { .. }), "a name is no proof: {:?}", run.next());
    run.at(SETTLED + 202).looks(SETTLED + 201, found_dead());
    assert_eq!(run.refused().as_deref(), Some("rejected"));
    run.superseded(0);
    assert_eq!(run.state().named(), None, "what the old token was spent on is not what the new one is spent on");
}

#[test]
fn what_was_journaled_before_refusals_named_anything_is_read() {
    let old: Verdict = serde_json::from_value(json!({ "verdict": "taken", "what": "exists" })).expect("an old line");
    assert_eq!(old, Verdict::Taken { what: "exists".to_owned(), named: None });
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(20).hears(0, old);
    assert_eq!(run.state().named(), None);
    assert!(matches!(run.next(), Do::Look { .. }), "{:?}", run.next());
}

#[test]
fn what_a_replaced_key_was_spent_on_is_not_what_the_present_one_is_spent_on() {
    let mut state = OpState::default();
    let attempt = |number: u32, key_number: u32, verdict: Verdict| Attempt {
        number,
        epoch: 0,
        key_number,
        scope: String::new(),
        departed: Stamp::default(),
        within_ms: 0,
        settle_ms: 0,
        closing_ms: 0,
        record_ms: None,
        verdict,
        heard: None,
        closed: false,
    };
    let named = Verdict::Taken { what: "exists".to_owned(), named: Some("ch_1".to_owned()) };
    state.attempts = vec![attempt(0, 0, named)];
    assert_eq!(state.named(), Some("ch_1"));
    state.key_number = 1;
    state.attempts.push(attempt(1, 1, Verdict::Open));
    assert_eq!(state.named(), None);
}

#[test]
fn a10_what_the_provider_itself_does_not_know_takes_key_and_absence_away() {
    let mut run = Run::new(cells::stored());
    run.departs().at(1).hears(0, Verdict::Adrift { why: "500".to_owned() });
    assert!(!run.sends(), "the key is gone");
    assert!(run.asks());
    let mut run = Run::new(cells::query());
    run.departs().at(1).hears(0, Verdict::Adrift { why: "500".to_owned() });
    run.at(SETTLED + 2).looks(SETTLED + 1, hapax_core::protocol::Found::Absent);
    assert!(run.state().open().next().is_some(), "absence closes nothing that is adrift");
    assert!(!run.sends());
}

#[test]
fn a10_where_failures_run_anew_an_answered_5xx_takes_the_key_away() {
    assert_eq!(cells::rerun().guards[0].failures, Failures::Rerun);
    let mut run = Run::new(cells::rerun());
    run.departs().at(20);
    assert!(run.sends(), "a lost answer leaves it");
    run.hears(0, Verdict::Unclear { why: "502".to_owned(), server_error: true });
    assert!(!run.sends());
}

#[test]
fn a11_a_burnt_key_is_replaced_while_the_handle_holds() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").departs().at(1).hears(0, Verdict::KeyBurnt { why: "500".to_owned() });
    let Permit::Yes { new_epoch, replace_key, .. } = run.may_send() else { panic!("{:?}", run.may_send()) };
    assert!(replace_key && !new_epoch, "in the same epoch");
    run.at(2).departs_with_key(1);
    assert!(matches!(run.may_send(), Permit::Yes { replace_key: false, .. }), "the new key isn't burnt");
    assert_eq!(run.state().open().count(), 2, "the attempt with the burnt key stays open");
}

#[test]
fn a03_an_undocumented_429_has_no_row() {
    assert_eq!(meaning_of(&[], 429, &Code::default()), None);
    assert_eq!(meaning_of(&[], 403, &Code::default()), Some(Meaning::Refused));
}
