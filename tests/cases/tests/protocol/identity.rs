use hapax_core::identity::{Form, Names, NamespaceSecret, OperationKey, Seed, differing_fields, fingerprint};
use hapax_core::protocol::{Event, Final, Found, fold, redact};
use serde_json::json;

use crate::cells::{self, SETTLED};
use crate::run::{Run, found, happened};

fn seed(account: &str) -> Seed {
    let secret = NamespaceSecret::parse(&"ab".repeat(32)).expect("64 digits");
    Seed::new(secret, account, "toy.do", OperationKey::new("order:1").expect("a key"))
}

#[test]
fn a16_tokens_come_from_the_intent_and_not_from_the_ledger() {
    let (first, again) = (seed("acct"), seed("acct"));
    assert_eq!(first.token(0, "send", 0, Form::Uuid), again.token(0, "send", 0, Form::Uuid));
    assert_ne!(first.token(0, "send", 0, Form::Uuid), seed("other").token(0, "send", 0, Form::Uuid));
    assert_ne!(first.token(0, "send", 0, Form::Uuid), first.token(1, "send", 0, Form::Uuid));
    assert_ne!(first.token(0, "send", 0, Form::Uuid), first.token(0, "create", 0, Form::Uuid));
}

#[test]
fn a16_after_a_restore_a_look_comes_before_the_first_attempt() {
    let mut run = Run::new(cells::query());
    run.departs().at(5).begins_after_a_restore();
    assert!(!run.sends());
    run.at(6).looks(5, Found::Absent);
    assert!(!run.sends(), "what was forgotten may still be on its way");
    run.at(5 + SETTLED + 2).looks(5 + SETTLED + 1, Found::Absent);
    assert!(run.sends());
}

#[test]
fn a17_the_rung_moved() {
    let mut run = Run::new(cells::key());
    run.departs().at(20);
    assert!(run.sends());
    run.moves_to("another account");
    assert!(!run.sends());
}

#[test]
fn a18_a_second_handle_in_one_epoch() {
    let mut run = Run::new(cells::handle());
    run.notes("intent", "pi_1").notes("intent", "pi_2");
    assert_eq!(run.state().notes["intent"], "pi_1", "captured once");
    run.departs().at(1).writes(Event::Epoch { number: 1, because: "ada".to_owned() });
    assert!(run.state().notes.is_empty(), "another one is another epoch");
    assert_eq!(run.state().former_notes["intent"], "pi_1");
}

#[test]
fn a19_absence_does_not_change_the_token() {
    let mut run = Run::new(cells::query());
    run.departs().at(SETTLED + 2).looks(SETTLED + 1, Found::Absent);
    assert!(run.sends());
    run.departs();
    let state = run.state();
    assert!(state.attempts.iter().all(|attempt| (attempt.epoch, attempt.key_number) == (0, 0)));
}

#[test]
fn a19_the_mark_is_the_operations_and_not_the_epochs() {
    let names = |epoch| Names::new(seed("acct"), Form::Uuid, Form::Uuid, epoch, 0);
    assert_eq!(names(0).mark(), names(1).mark());
    assert_ne!(names(0).token("send"), names(1).token("send"));
    assert_eq!(
        Names::new(seed("acct"), Form::Uuid, Form::Uuid, 0, 1).harmless_token("create"),
        names(0).harmless_token("create"),
        "the key of a harmless step outlives a burnt one"
    );
}

#[test]
fn a21_a_fingerprint_has_a_version_and_leaves_out_what_is_volatile() {
    let (first, second) = (json!({ "amount": 1, "at": 1 }), json!({ "at": 2, "amount": 1 }));
    assert_eq!(fingerprint(&first, &["at"]), fingerprint(&second, &["at"]));
    assert!(fingerprint(&first, &[]).to_string().starts_with("v1:"));
    assert_eq!(differing_fields(&first, &second, &[]), ["at"]);
}

#[test]
fn a30_somebody_looks_after_a_resend() {
    let mut run = Run::new(cells::query());
    run.departs().at(SETTLED + 2).looks(SETTLED + 1, Found::Absent).departs().at(SETTLED + 3).hears(1, happened("b"));
    assert_eq!(run.succeeded().as_deref(), Some("b"));
    let later = 2 * SETTLED + 5;
    run.at(later);
    assert!(matches!(run.next(), hapax_core::protocol::Do::Look { .. }), "{:?}", run.next());
    run.at(later + 1).looks(later, Found::Several { ids: vec!["a".to_owned(), "b".to_owned()] });
    assert!(!run.state().alarms.is_empty(), "it rings");
    assert_eq!(run.succeeded().as_deref(), Some("b"), "and changes nothing");
}

#[test]
fn a34_a_tombstone_keeps_what_is_needed() {
    let mut run = Run::new(cells::query());
    run.departs().at(1).hears(0, happened("ch_1"));
    let (before, mut records) = (run.state(), run.records().to_vec());
    redact(&mut records);
    let after = fold(&records);
    assert!(after.pruned);
    let prints = |state: &hapax_core::protocol::OpState| state.intent.as_ref().map(|intent| intent.fingerprint);
    assert_eq!(prints(&before), prints(&after));
    let Some(Final::Succeeded(receipt)) = after.outcome else { panic!("{:?}", after.outcome) };
    assert_eq!(receipt.id, "ch_1", "the claim stays");
    assert!(receipt.body.is_null(), "the rest goes");
}

#[test]
fn a20_a_hit_by_content_is_nobodys_before_settle() {
    let mut run = Run::new(cells::content());
    run.departs().at(5).looks(4, found("SM1"));
    assert!(run.is_open(), "it may be another operation's");
    run.at(SETTLED + 2).looks(SETTLED + 1, found("SM1"));
    assert_eq!(run.succeeded().as_deref(), Some("SM1"));
}
