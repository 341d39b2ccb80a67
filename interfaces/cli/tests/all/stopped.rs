//! A host that stands still for longer than its lease, and then goes on as if nothing had been.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::floor::{Floor, Spoken, Worker, wait_until};
use crate::postgres_ledger::Hosts;
use crate::support::{Ended, charge};

/// An operation that is due, of which the ledger knows that nothing was sent.
fn begin(hosts: &Hosts, key: &str) {
    hosts.are_providers_there(false);
    let args = charge(100).to_string();
    let mut run = hosts.command(&["run", "stripe.charge", "--key", key, "--args", &args]);
    let run = run.env("HAPAX_TEST_PAUSE_AT", "after-commit:2").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = run.spawn().expect("a caller");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut line).expect("a line");
    child.kill().expect("killed");
    child.wait().expect("gone");
    assert_eq!(line, "paused after-commit\n");
    hosts.are_providers_there(true);
}

/// Its request is under way; the provider acts on it after the lease is over.
#[test]
fn a_request_of_a_host_that_stands_still_has_one_effect() {
    let Some(hosts) = Hosts::open("a worker that stands still with its request under way") else { return };
    begin(&hosts, "k");
    let confirm = "/v1/payment_intents/*/confirm";
    hosts.stripe().inject(&json!({ "method": "POST", "path": confirm, "times": 1, "kind": "hang" }));
    let still = Worker::start(&hosts, &[]);
    wait_until("a request has left", || hosts.phase("open").iter().any(|one| one["evidence"]["open_attempts"] == 1));
    still.signal("STOP");
    let mut other = Worker::start(&hosts, &[]);
    // Its lease is over, and Stripe says that the request of before is still under way.
    assert_eq!(other.wait_for("operation")["outcome"], "unknown");
    hosts.stripe().release();
    hosts.wait_until_all_is_done();
    still.signal("CONT");
    let (still, other) = (still.stopped(), other.stopped());
    assert_eq!(other.count("succeeded"), 1, "{still:?} {other:?}");
    assert_eq!((hosts.phase("succeeded").len(), hosts.stripe().count("charge")), (1, 1), "{still:?} {other:?}");
}

/// It stands still wherever it is with sixteen operations, in the middle of a transaction too.
#[test]
fn what_a_host_that_stands_still_holds_is_finished_by_another_and_once() {
    let Some(hosts) = Hosts::open("a worker that stands still amid its work") else { return };
    hosts.lose_answers(0..20);
    let mut still = Worker::start(&hosts, &[]);
    still.wait_for("operation");
    still.signal("STOP");
    let other = Worker::start(&hosts, &[]);
    hosts.wait_until_all_is_done();
    still.signal("CONT");
    // It is heard again before it is told to stop.
    hosts.lose_answers(20..21);
    hosts.wait_until_all_is_done();
    let spoken = [still.stopped(), other.stopped()];
    // Of what the other one finished meanwhile, this one may say it too: it has read it.
    let each: BTreeSet<String> = spoken.iter().flat_map(Spoken::succeeded).collect();
    assert_eq!(each.len(), 21, "{spoken:?}");
    assert_eq!((hosts.phase("succeeded").len(), hosts.stripe().count("charge")), (21, 21), "{spoken:?}");
    let verified: Value = hosts.ask(&["ledger", "verify"]);
    assert_eq!((&verified["exit"], &verified["operations"]), (&json!(0), &json!(21)), "{verified}");
}

/// Nothing is announced across processes, so the caller looks into the ledger again and again.
#[test]
fn a_caller_who_waits_hears_of_what_another_host_has_done() {
    let Some(hosts) = Hosts::open("a caller who waits for another host") else { return };
    begin(&hosts, "k");
    let confirm = "/v1/payment_intents/*/confirm";
    hosts.stripe().inject(&json!({ "method": "POST", "path": confirm, "times": 1, "kind": "hang" }));
    let worker = Worker::start(&hosts, &[]);
    wait_until("a request has left", || hosts.phase("open").iter().any(|one| one["evidence"]["open_attempts"] == 1));
    let args = charge(100).to_string();
    let mut waits = hosts.command(&["--json", "run", "stripe.charge", "--key", "k", "--args", &args, "--wait", "3000"]);
    let waits = waits.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a caller");
    hosts.stripe().release();
    let answer = Ended::from(waits.wait_with_output().expect("it ends")).json();
    assert_eq!(answer["outcome"], "succeeded", "{answer}");
    let spoken = worker.stopped();
    assert_eq!((spoken.count("succeeded"), hosts.stripe().count("charge")), (1, 1), "{spoken:?} {answer}");
}
