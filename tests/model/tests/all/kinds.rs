use hapax_model::{Claims, Kind, Scenario, explore, sight};

use super::*;

/// States of one kind in the ordinary run, all scenarios together.
const STATES_OF_A_KIND: usize = 1_950_000;
/// Small ones first: what a search doesn't use is left to those after it.
const ORDINARY: [Scenario; 13] = [
    UNTIL,
    PERMITTED,
    LEASES,
    PROOF,
    RESTORE_PERSON,
    HAND,
    UNTIL_PERSON,
    PERSON,
    RESTORE_UNTIL,
    RESTORE,
    RESTORE_AGAIN,
    AGAIN,
    BARE,
];
const DEEP: [Scenario; 7] = [THREE, TWO_LOOKS, FAILING, PEOPLE, RESTORE_LATE, FORWARD, BACK];

fn search(kind: &Kind, more: &[Scenario], reached: &[&str]) {
    let scenarios = if deep() { [&ORDINARY[..], &DEEP].concat() } else { [more, &ORDINARY].concat() };
    search_all(kind, &scenarios, STATES_OF_A_KIND, &[COMMON, reached].concat());
}

/// What every kind reaches.
const COMMON: &[&str] = &[
    "succeeded",
    "refused",
    "inbox",
    "2nd epoch",
    "restored midway",
    "begun after restore",
    "by hand",
    "taken over",
    "expired",
    "closed by a person",
    "late answer",
    "leased by another",
];

#[test]
fn a_key_one_wins() {
    search(
        &Kind::a(),
        &[FORWARD, BACK],
        &["2 attempts open", "clock stepped", "recorded refusal", "bound by a record"],
    );
}

#[test]
fn b_key_both_may_pass() {
    search(&Kind::b(), &[], &["2 attempts open", "recorded refusal", "bound by a record", "waits for settle"]);
}

#[test]
fn c_key_failures_stored() {
    search(&Kind::c(), &[], &["2 attempts open", "adrift", "recorded refusal", "bound by a record"]);
}

#[test]
fn d_handle_and_key() {
    let reached = ["taken", "key burnt", "key replaced", "closed by absence", "recorded refusal", "looked back"];
    search(&Kind::d(), &[], &reached);
}

#[test]
fn d_fresh_handles() {
    search(&Kind::d_fresh(true), &[], &["taken", "closed by absence", "restore looked", "decision confirmed"]);
    search(&Kind::d_fresh(false), &[], &["taken", "closed by absence", "decision confirmed"]);
}

#[test]
fn e_query_proves() {
    let reached = ["closed by absence", "looked back", "restore looked", "decision confirmed", "waits for settle"];
    search(&Kind::e(), &[FORWARD, BACK], &reached);
}

#[test]
fn f_query_suggests() {
    search(&Kind::f(false), &[], &["decision confirmed"]);
    search(&Kind::f(true), &[], &["2 attempts open", "several", "looked back", "decision confirmed"]);
}

#[test]
fn g_be_so() {
    search(&Kind::g(), &[], &["taken", "closed by absence", "2 attempts open", "decision confirmed"]);
}

#[test]
fn h_human_only() {
    search(&Kind::h(), &[FORWARD, BACK], &["clock stepped"]);
}

#[test]
fn i_two_equal_intents() {
    for likely in [false, true] {
        let limit = if deep() { STATES_WHEN_DEEP } else { STATES_OF_A_KIND };
        let report = explore(&mut Claims::new(likely, None), limit);
        row("i two equal intents", if likely { "likely on" } else { "likely off" }, &report);
        if let Some(run) = &report.broken {
            panic!("{run}");
        }
        for name in ["succeeded", "refused", "inbox", "alarm"] {
            assert!(report.seen & sight(name) != 0, "never reached: {name}");
        }
    }
}
