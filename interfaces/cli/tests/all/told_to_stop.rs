//! Callers that are told to stop: each gets an answer, and what it says of the effect is so.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

use crate::floor::{Floor, Worker, wait_until};
use crate::postgres_ledger::Hosts;
use crate::support::{Ended, Shop, charge};

/// A caller in a process of its own.
struct Caller {
    child: Child,
    errors: BufReader<ChildStderr>,
}

impl Caller {
    fn start(floor: &impl Floor, args: &[&str]) -> Self {
        let mut command = floor.command(&["--json"]);
        let command = command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a caller");
        let errors = BufReader::new(child.stderr.take().expect("stderr"));
        Self { child, errors }
    }

    fn run(floor: &impl Floor, key: &str, cents: i64, more: &[&str]) -> Self {
        let args = charge(cents).to_string();
        let run = ["run", "stripe.charge", "--connection", "shop", "--key", key, "--args", &args, "--wait", "3600"];
        Self::start(floor, &[&run, more].concat())
    }

    fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        // One that has ended can't be told any more.
        let kill = kill.arg(format!("-{name}")).arg(self.child.id().to_string()).stderr(Stdio::null()).status();
        kill.expect("kill is there");
    }

    /// Waits until it says that it was told.
    fn says_that_it_was_told(&mut self) {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("a line");
        assert!(line.starts_with("told to stop: "), "{line}");
    }

    fn ended(mut self) -> Ended {
        let mut err = String::new();
        self.errors.read_to_string(&mut err).expect("UTF-8");
        let mut ended = Ended::from(self.child.wait_with_output().expect("it ends"));
        ended.err = err;
        ended
    }
}

/// A shop where a request that hangs does so for long enough that something can be said meanwhile.
fn slow() -> Shop {
    let shop = Shop::open();
    shop.configure(&shop.configuration().replace("scale = 50", "scale = 10"));
    shop
}

/// Has so many charges hang at the provider.
fn hang(floor: &impl Floor, times: u32, after_effect: bool) {
    let confirm = "/v1/payment_intents/*/confirm";
    floor.stripe().inject(
        &json!({ "method": "POST", "path": confirm, "times": times, "kind": "hang", "after_effect": after_effect }),
    );
}

fn wait_for_a_request(floor: &impl Floor) {
    wait_until("a request has left", || floor.phase("open").iter().any(|one| one["evidence"]["open_attempts"] == 1));
}

#[test]
fn a_caller_that_is_told_to_stop_hears_the_outcome_of_what_is_under_way() {
    for signal in ["TERM", "INT"] {
        let shop = slow();
        hang(&shop, 1, false);
        let mut caller = Caller::run(&shop, "k", 100, &["--grace", "1h"]);
        wait_for_a_request(&shop);
        caller.signal(signal);
        caller.says_that_it_was_told();
        shop.stripe.release();
        let ended = caller.ended();
        assert_eq!((ended.exit, &ended.json()["outcome"]), (0, &json!("succeeded")), "{}{}", ended.out, ended.err);
        assert_eq!(shop.stripe.count("charge"), 1);
    }
}

/// The answer of a caller that was cut off names the operation, which is under way in the ledger.
fn assert_cut_off(floor: &impl Floor, ended: &Ended) {
    let answer = ended.json();
    assert_eq!((ended.exit, &answer["outcome"]), (4, &json!("unknown")), "{}{}", ended.out, ended.err);
    assert_eq!(answer["why"], "hapax was told to stop while it was under way");
    let open = floor.phase("open");
    assert_eq!((open.len(), &open[0]["operation"]), (1, &answer["operation"]), "{answer}");
}

#[test]
fn a_second_signal_ends_at_once_with_the_name_of_what_is_under_way() {
    for after_effect in [false, true] {
        let shop = slow();
        hang(&shop, 1, after_effect);
        let mut caller = Caller::run(&shop, "k", 100, &["--grace", "1h"]);
        wait_for_a_request(&shop);
        caller.signal("INT");
        caller.says_that_it_was_told();
        caller.signal("TERM");
        assert_cut_off(&shop, &caller.ended());
        shop.stripe.release();
        let again = shop.run("stripe.charge", "k", &charge(100));
        assert_eq!((again.exit, shop.stripe.count("charge")), (0, 1), "{}{}", again.out, again.err);
    }
}

#[test]
fn when_the_grace_is_over_the_caller_is_told_what_is_under_way() {
    let Some(hosts) = Hosts::open("a caller over a ledger in PostgreSQL that is told to stop") else { return };
    hang(&hosts, 1, false);
    let caller = Caller::run(&hosts, "k", 100, &["--grace", "10ms"]);
    wait_for_a_request(&hosts);
    caller.signal("TERM");
    assert_cut_off(&hosts, &caller.ended());
    hosts.stripe.release();
    let worker = Worker::start(&hosts, &[]);
    hosts.wait_until_all_is_done();
    assert_eq!((worker.stopped().count("succeeded"), hosts.stripe.count("charge")), (1, 1));
}

/// Whoever approves is a caller too.
#[test]
fn an_approval_that_is_told_to_stop_names_what_is_under_way() {
    let shop = slow();
    let held = shop.json(6, &["run", "stripe.charge", "--key", "k", "--args", &charge(200_000).to_string()]);
    let (id, seen) = (held["operation"].as_str().expect("an id"), held["revision"].to_string());
    hang(&shop, 1, false);
    let approve = ["approve", id, "--seen", &seen, "--by", "dana", "--wait", "3600", "--grace", "0s"];
    let caller = Caller::start(&shop, &approve);
    wait_for_a_request(&shop);
    caller.signal("TERM");
    assert_cut_off(&shop, &caller.ended());
    shop.stripe.release();
    let worker = Worker::start(&shop, &[]);
    shop.wait_until_all_is_done();
    assert_eq!((worker.stopped().count("succeeded"), shop.stripe.count("charge")), (1, 1));
}

/// Another process holds the ledger, so nothing is journaled: the caller has not begun.
#[test]
fn a_caller_whose_intent_is_not_journaled_hears_that_nothing_was_sent() {
    let shop = Shop::open();
    // The first use of a ledger writes.
    assert_eq!(shop.run("stripe.charge", "before", &charge(100)).exit, 0);
    let other = rusqlite::Connection::open(shop.file("hapax.ledger")).expect("the ledger");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let mut caller = Caller::run(&shop, "k", 100, &["--grace", "1h"]);
    let log = shop.file("hapax.ledger-wal");
    let files = format!("/proc/{}/fd", caller.child.id());
    if std::path::Path::new(&files).exists() {
        wait_until("it has the ledger open", || {
            let files = std::fs::read_dir(&files).into_iter().flatten().flatten();
            files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|to| to == log)
        });
    }
    caller.signal("TERM");
    // If it was still opening the ledger it ends by itself, without a word on stderr.
    let mut line = String::new();
    if caller.errors.read_line(&mut line).expect("a line or the end") > 0 {
        caller.signal("TERM");
    }
    let ended = caller.ended();
    let answer: Value = ended.json();
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with("nothing was sent: "), "{message}");
    assert_eq!((ended.exit, &answer["error"]["code"]), (2, &json!("stopped")), "{answer}");
    other.execute_batch("ROLLBACK").expect("rolled back");
    assert_eq!((shop.operations(), shop.stripe.count("charge")), (1, 1));
}

/// The same, where the ledger can't be read afterwards either: that is said, and not that nothing was sent.
#[test]
fn a_caller_whose_ledger_is_gone_hears_that_it_is_not_known() {
    let shop = slow();
    hang(&shop, 1, true);
    let caller = Caller::run(&shop, "k", 100, &["--grace", "0s"]);
    wait_for_a_request(&shop);
    let (here, there) = (shop.file("hapax.ledger"), shop.file("elsewhere"));
    std::fs::rename(&here, &there).expect("moved away");
    caller.signal("TERM");
    let ended = caller.ended();
    std::fs::rename(&there, &here).expect("moved back");
    let answer = ended.json();
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.starts_with("it is not known whether it was sent: hapax was told to stop"), "{message}");
    assert_eq!((ended.exit, &answer["error"]["code"]), (4, &json!("not-known")), "{answer}");
    shop.stripe.release();
    assert_eq!((shop.run("stripe.charge", "k", &charge(100)).exit, shop.stripe.count("charge")), (0, 1));
}

/// How often each amount was charged.
fn charges(floor: &impl Floor) -> BTreeMap<i64, u32> {
    let mut all = BTreeMap::new();
    for effect in floor.stripe().effects("charge") {
        *all.entry(effect["amount"].as_i64().expect("an amount")).or_default() += 1;
    }
    all
}

/// Callers at once, some of whose requests hang; all are told to stop, each somewhere else on its way.
fn stop_many(floor: &impl Floor, callers: i64) {
    hang(floor, 3, false);
    hang(floor, 6, true);
    let all: Vec<Caller> = (0..callers)
        .map(|number| {
            let grace = if number % 2 == 0 { "0s" } else { "300ms" };
            let caller = Caller::run(floor, &format!("order:{number}"), 100 + number, &["--grace", grace]);
            // What has begun meanwhile is told, so that they are not all at the same point.
            if number % 4 == 3 {
                wait_until("some are journaled", || floor.phase("open").len() + charges(floor).len() > 0);
            }
            caller
        })
        .collect();
    all.iter().for_each(|caller| caller.signal("TERM"));
    let ended: Vec<Ended> = all.into_iter().map(Caller::ended).collect();
    floor.stripe().release();
    let mut told = BTreeMap::new();
    for (number, ended) in ended.iter().enumerate() {
        let amount = 100 + number as i64;
        // A process that was told before it listened ends as any program does, and has done nothing.
        let kind = if ended.exit == -1 { "ended" } else { judge(floor, number, amount, ended) };
        *told.entry(kind).or_insert(0) += 1;
    }
    finish(floor);
    let (charges, journaled) = (charges(floor), floor.phase("succeeded").len());
    assert!(charges.values().all(|times| *times == 1), "{charges:?} {told:?}");
    assert_eq!(charges.len(), journaled, "what was journaled happened, and nothing else: {told:?}");
    for (number, ended) in ended.iter().enumerate() {
        let happened = charges.contains_key(&(100 + number as i64));
        match ended.exit {
            0 | 4 => assert!(happened, "{number} was told of an operation: {}", ended.out),
            _ => assert!(!happened, "{number} was told that nothing was sent: {}{}", ended.out, ended.err),
        }
    }
    assert!(told.get("unknown").is_some_and(|some| *some > 0), "nobody was cut off, so this shows little: {told:?}");
}

/// Holds what a caller was told against the ledger. The kind of its answer.
fn judge(floor: &impl Floor, number: usize, amount: i64, ended: &Ended) -> &'static str {
    let answer = ended.json();
    match ended.exit {
        0 => {
            assert_eq!(answer["receipt"]["amount"]["amount"], amount, "{answer}");
            "succeeded"
        }
        4 => {
            let id = answer["operation"].as_str().expect("an id");
            assert_eq!(floor.ask(&["show", id])["key"], format!("order:{number}"), "{answer}");
            "unknown"
        }
        2 => {
            let message = answer["error"]["message"].as_str().expect("a message");
            assert!(message.starts_with("nothing was sent: "), "{message}");
            "not begun"
        }
        _ => panic!("{number} ended with {}: {}{}", ended.exit, ended.out, ended.err),
    }
}

/// Workers that are told to stop amid their work, again and again, and one that finishes.
fn finish(floor: &impl Floor) {
    for grace in ["0s", "10ms", "25s"] {
        let mut worker = Worker::start(floor, &["--grace", grace, "--concurrency", "4"]);
        if !floor.phase("open").is_empty() {
            worker.wait_for("operation");
        }
        worker.stopped().adds_up();
    }
    let worker = Worker::start(floor, &[]);
    floor.wait_until_all_is_done();
    worker.stopped();
}

#[test]
fn no_answer_is_lost_when_many_callers_are_told_to_stop() {
    stop_many(&slow(), 24);
}

#[test]
fn no_answer_is_lost_when_many_callers_over_postgresql_are_told_to_stop() {
    if let Some(hosts) = Hosts::open("many callers over a ledger in PostgreSQL that are told to stop") {
        stop_many(&hosts, 24);
    }
}
