//! Everybody at once, and what storage and machines do: two workers with restores, people and witnesses, appends whose
//! answer is lost, retention, clocks that differ.

use hapax_model::{Kind, Scenario};

use super::*;

/// States of one kind in the ordinary run, all scenarios together.
const STATES_OF_A_KIND: usize = 900_000;

/// Small ones first: what a search doesn't use is left to those after it.
const ORDINARY: [Scenario; 20] = [
    WORKERS_PROOF,
    AHEAD,
    BEHIND,
    WRITES,
    WORKERS_RESTORE_PROOF,
    RESTORE_WRITES,
    RESTORE_PRUNE,
    WORKERS_WRITES,
    WORKERS_PRUNE,
    WORKERS_HAND,
    WORKERS_RESTORE_PERSON,
    PERSON_WRITES,
    PRUNE,
    WORKERS_PERSON,
    WORKERS_PERSON_PROOF,
    WORKERS_RESTORE,
    AHEAD_PERSON,
    BEHIND_RESTORE,
    WORKERS_RESTORE_WRITES,
    EVERYBODY,
];
const DEEP: [Scenario; 5] =
    [WORKERS_RESTORE_LATE, WORKERS_RESTORE_PROOFS, BEHIND_PERSON, AHEAD_RESTORE, EVERYBODY_TWICE];

fn search(kind: &Kind) {
    let scenarios = if deep() { [&ORDINARY[..], &DEEP].concat() } else { ORDINARY.to_vec() };
    search_all(kind, &scenarios, STATES_OF_A_KIND, REACHED);
}

/// What every kind reaches.
const REACHED: &[&str] = &[
    "restored midway",
    "begun after restore",
    "by hand",
    "taken over",
    "leased by another",
    "answer lost, append counts",
    "carried over",
    "pruned",
    "late after pruning",
    "another machine",
];

#[test]
fn a_key_one_wins() {
    search(&Kind::a());
}

#[test]
fn b_key_both_may_pass() {
    search(&Kind::b());
}

#[test]
fn c_key_failures_stored() {
    search(&Kind::c());
}

#[test]
fn d_handle_and_key() {
    search(&Kind::d());
}

#[test]
fn d_fresh_handles() {
    search(&Kind::d_fresh(true));
    search(&Kind::d_fresh(false));
}

#[test]
fn d_two_steps() {
    search(&Kind::d_drafted());
}

#[test]
fn e_query_proves() {
    search(&Kind::e());
}

#[test]
fn f_query_suggests() {
    search(&Kind::f(false));
    search(&Kind::f(true));
}

#[test]
fn g_be_so() {
    search(&Kind::g());
}

#[test]
fn h_human_only() {
    search(&Kind::h());
}
