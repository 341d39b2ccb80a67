use hapax_model::{Bug, Claims, Kind, Machine, Model, Scenario, explore};

use super::*;

const STATES: usize = 3_000_000;

/// Fails if the search stays green although this is planted, or is red without it.
fn red(kind: Kind, scenario: Scenario, bug: Bug, why: &str) {
    let name = format!("{bug:?}");
    let report = turns_red(&mut Machine::new(kind.clone(), scenario.with(bug)), kind.name, &name, why);
    let clean = explore(&mut Machine::new(kind, scenario), report.states);
    assert!(clean.broken.is_none(), "it is red without {name} too");
}

fn turns_red(model: &mut impl Model, kind: &str, name: &str, why: &str) -> Report {
    let report = explore(model, STATES);
    row(kind, name, &report);
    match &report.broken {
        None => panic!("{name} was planted in {kind}, and nothing broke"),
        Some(run) => assert_eq!(run.why, why, "{name} in {kind}: {run}"),
    }
    report
}

const TWO: &str = "two effects for one intent";
const MOVED: &str = "what was final moved";
const FALSE: &str = "refused was told, and there is an effect";

#[test]
fn a_refusal_of_a_later_attempt_closes_the_operation() {
    for kind in [Kind::a(), Kind::b(), Kind::d(), Kind::g()] {
        red(kind, BARE, Bug::RefusalCloses, FALSE);
    }
}

#[test]
fn a_timeout_is_counted_as_a_failure() {
    red(Kind::h(), BARE, Bug::TimeoutIsRefusal, FALSE);
}

#[test]
fn bytes_leave_after_the_deadline() {
    red(Kind::e(), BARE, Bug::NoDeadlineAtSocket, TWO);
    red(Kind::b(), BARE, Bug::NoDeadlineAtSocket, TWO);
}

#[test]
fn a_window_is_not_left_early() {
    red(Kind::a(), BARE, Bug::WindowNotLeftEarly, TWO);
}

#[test]
fn twins_are_not_awaited() {
    red(Kind::b(), BARE, Bug::TwinsNotAwaited, TWO);
}

#[test]
fn absence_is_believed_before_settle() {
    red(Kind::e(), BARE, Bug::AbsenceBeforeSettle, TWO);
}

#[test]
fn each_attempt_has_a_fresh_key() {
    red(Kind::a(), BARE, Bug::FreshKeyPerAttempt, TWO);
}

#[test]
fn m01_a_replaced_key_is_not_journaled() {
    red(Kind::d(), BARE, Bug::ReplacementNotJournaled, FALSE);
}

#[test]
fn a_stored_failure_is_counted_as_not_done() {
    red(Kind::d(), BARE, Bug::StoredFailureIsNotDone, FALSE);
}

#[test]
fn a_settle_leaves_out_the_repairs() {
    red(Kind::c(), PERSON, Bug::RepairsForgotten, FALSE);
}

#[test]
fn m05_a_person_decides_before_settle() {
    red(Kind::h(), PERSON, Bug::PersonBeforeSettle, FALSE);
}

#[test]
fn m06_a_hand_does_not_wait_for_what_has_left() {
    red(Kind::h(), HAND, Bug::HandBeforeSettle, TWO);
}

#[test]
fn m08_a_restored_ledger_is_not_noted() {
    red(Kind::h(), RESTORE, Bug::RestoreNotNoted, TWO);
    red(Kind::e(), RESTORE, Bug::RestoreNotNoted, TWO);
}

#[test]
fn a_held_operation_is_approved_before_settle() {
    red(Kind::h(), Scenario { requests: 2, ..RESTORE_PERSON }, Bug::ApprovalBeforeSettle, TWO);
}

#[test]
fn a_number_that_a_restored_ledger_forgot_is_given_to_another() {
    red(Kind::h(), Scenario { requests: 2, ..RESTORE_PERSON }, Bug::NumbersReused, FALSE);
}

#[test]
fn m07_a_deadline_lies_after_good_until() {
    red(Kind::h(), UNTIL, Bug::DeadlineAfterGoodUntil, "sent after good-until");
}

#[test]
fn m09_a_suggestion_is_taken_for_proof() {
    red(Kind::f(true), BARE, Bug::SuggestionIsProof, FALSE);
}

#[test]
fn nobody_is_ever_asked() {
    red(Kind::h(), BARE, Bug::NeverAsks, "nothing leads to an end or to a person");
}

#[test]
fn only_the_wall_clock_is_read() {
    red(Kind::e(), Scenario { person: false, ..FORWARD }, Bug::WallClockOnly, TWO);
    red(Kind::a(), Scenario { person: false, ticks: None, ..BACK }, Bug::WallClockOnly, TWO);
}

#[test]
fn two_workers_depart_from_one_state() {
    red(Kind::e(), LEASES, Bug::DepartsFromOldState, TWO);
    red(Kind::h(), WORKERS_PERSON, Bug::DepartsFromOldState, TWO);
}

#[test]
fn two_workers_do_not_help_a_restore_that_is_not_noted() {
    red(Kind::e(), WORKERS_RESTORE, Bug::RestoreNotNoted, TWO);
    red(Kind::h(), WORKERS_RESTORE, Bug::RestoreNotNoted, TWO);
}

#[test]
fn two_workers_do_not_help_a_person_who_decides_before_settle() {
    red(Kind::h(), WORKERS_PERSON_PROOF, Bug::PersonBeforeSettle, FALSE);
    red(Kind::h(), WORKERS_HAND, Bug::HandBeforeSettle, TWO);
}

#[test]
fn what_may_not_have_been_written_is_done_all_the_same() {
    red(Kind::h(), WRITES, Bug::ActsInDoubt, TWO);
    red(Kind::e(), WORKERS_WRITES, Bug::ActsInDoubt, TWO);
}

#[test]
fn an_answer_is_carried_over_twice() {
    turns_red(&mut Machine::new(Kind::h(), CARRIED.with(Bug::CarriedTwice)), "h human only", "CarriedTwice", FALSE);
}

#[test]
fn what_is_pruned_loses_its_answers() {
    red(Kind::a(), PRUNE, Bug::PrunedAnswers, MOVED);
}

#[test]
fn what_is_pruned_is_forgotten() {
    red(Kind::a(), PRUNE, Bug::PrunedKey, MOVED);
}

#[test]
fn clocks_that_differ_are_not_allowed_for() {
    red(Kind::e(), AHEAD, Bug::NoMargin, TWO);
    red(Kind::a(), BEHIND, Bug::NoMargin, TWO);
}

#[test]
fn a_request_spends_a_handle_that_is_not_journaled() {
    red(Kind::d_fresh(true), BARE, Bug::HandleNotJournaled, TWO);
    red(Kind::d_drafted(), BARE, Bug::HandleNotJournaled, TWO);
}

#[test]
fn a_record_is_claimed_twice() {
    turns_red(&mut Claims::new(false, Some(Bug::NoClaims)), "i two equal intents", "NoClaims", LOST);
}

#[test]
fn m10_a_hit_by_content_counts_before_settle() {
    let why = "three effects for two intents";
    turns_red(&mut Claims::new(true, Some(Bug::ContentIsMark)), "i two equal intents", "ContentIsMark", why);
}

const LOST: &str = "both succeeded with one effect: a lost intent";
