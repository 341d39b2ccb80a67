//! What operations that ended hold is removed: when somebody says so, and by the policy. Their keys stay closed.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::floor::{Floor, Worker, wait_until};
use crate::guide::{blocks, follow};
use crate::postgres_ledger::Hosts;
use crate::support::{SCALE, Shop, charge};

/// In arguments; the stand-in gives it back in no receipt.
const SAID: &str = "flowers for ada@example.com";

const RULES: &str =
    "[[policy.retention]]\ncell = \"stripe.refund\"\nkeep = \"for ever\"\n[[policy.retention]]\nkeep = \"0s\"\n";

/// A clock on which a day is over in a second. Until no request can take effect any more nothing is removed, and at Stripe
/// that takes as long.
fn days_pass(configuration: &str) -> String {
    configuration.replace(&format!("scale = {SCALE}"), "scale = 100000")
}

/// The same, with a policy that keeps nothing.
pub(crate) fn with_retention(shop: &Shop) -> String {
    RULES.to_owned() + &days_pass(&shop.configuration())
}

fn said(cents: i64) -> Value {
    let mut charge = charge(cents);
    charge["description"] = json!(SAID);
    charge
}

fn pay(floor: &impl Floor, key: &str, args: &Value) -> Value {
    let args = args.to_string();
    floor.ask(&["run", "stripe.charge", "--connection", "shop", "--key", key, "--args", &args, "--wait", "600"])
}

/// Whether a byte of the ledger's files still says this.
fn holds(shop: &Shop, word: &str) -> bool {
    let files = ["hapax.ledger", "hapax.ledger-wal"].map(|name| std::fs::read(shop.file(name)).unwrap_or_default());
    files.concat().windows(word.len()).any(|window| window == word.as_bytes())
}

/// It takes a while until no request can take effect any more.
fn prune_until(floor: &impl Floor, args: &[&str], operations: u64) {
    wait_until("what ended is removed", || floor.ask(args)["operations"] == operations);
}

#[test]
fn what_ended_is_removed_from_every_byte_and_its_key_stays_closed() {
    let shop = Shop::open();
    let done = pay(&shop, "k", &said(100));
    let receipt = done["receipt"]["id"].as_str().expect("an id").to_owned();
    let in_its_body = done["receipt"]["charge"].as_str().expect("a charge").to_owned();
    let held = pay(&shop, "held", &charge(200_000));
    let all = ["ledger", "prune", "--older-than", "0s"];
    assert_eq!(shop.json(0, &all)["operations"], 0, "a request may still take effect");
    shop.configure(&days_pass(&shop.configuration()));
    prune_until(&shop, &[&all[..], &["--dry-run"]].concat(), 1);
    assert!(holds(&shop, SAID) && holds(&shop, &in_its_body), "a dry run removed something");
    assert_eq!(shop.json(0, &[&all[..], &["--cell", "stripe.refund"]].concat())["operations"], 0);
    assert_eq!(shop.json(0, &[&all[..], &["--cell", "stripe.*", "--connection", "shop"]].concat())["operations"], 1);
    assert!(!holds(&shop, SAID) && !holds(&shop, &in_its_body), "it is still in the file");
    assert!(holds(&shop, &receipt), "the provider's id stays: it is claimed");
    assert_eq!(shop.json(0, &all)["operations"], 0, "it was pruned twice");
    let again = pay(&shop, "k", &said(100));
    assert_eq!((&again["outcome"], &again["pruned"]), (&json!("succeeded"), &json!(true)), "{again}");
    assert_eq!((&again["receipt"], &again["operation"]), (&json!(null), &done["operation"]));
    assert_eq!(pay(&shop, "k", &said(200))["error"]["code"], "key-reused");
    assert_eq!(shop.stripe.count("charge"), 1);
    let shown = shop.json(0, &["show", done["operation"].as_str().expect("an id")]);
    assert_eq!((&shown["pruned"], &shown["args"]), (&json!(true), &json!(null)));
    let words = shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", &said(100).to_string()]);
    assert!(words.out.contains("removed by retention"), "{}", words.out);
    // What is held keeps all that it needs, and the ledger is as sound as before.
    let held = shop.json(0, &["show", held["operation"].as_str().expect("an id")]);
    assert_eq!((&held["phase"], &held["args"]["amount"]["amount"]), (&json!("held"), &json!(200_000)));
    assert_eq!(shop.json(0, &["ledger", "verify"])["problems"], json!([]));
}

#[test]
fn one_operation_is_forgotten_and_what_may_still_need_it_is_not() {
    let shop = Shop::open();
    let (done, held) = (pay(&shop, "k", &said(100)), pay(&shop, "held", &charge(200_000)));
    let forget = |of: &Value| shop.hapax(&["--json", "ledger", "forget", of["operation"].as_str().expect("an id")]);
    let refused = |of: &Value, why: &str| {
        let ended = forget(of);
        let (exit, error) = (ended.exit, ended.json()["error"].clone());
        assert_eq!((exit, &error["code"]), (2, &json!("not-now")), "{error}");
        assert!(error["message"].as_str().expect("a message").contains(why), "{error}");
    };
    refused(&done, "may still take effect");
    shop.configure(&days_pass(&shop.configuration()));
    wait_until("it can be forgotten", || forget(&done).exit == 0);
    assert!(!holds(&shop, SAID));
    assert_eq!(forget(&done).exit, 0, "doing it again changes nothing");
    refused(&held, "it hasn't ended");
}

#[test]
fn without_a_rule_nothing_is_removed() {
    let shop = Shop::open();
    for args in [&["--json", "ledger", "prune"][..], &["--json", "ledger", "prune", "--older-than", "for ever"]] {
        let refused = shop.hapax(args);
        let error = &refused.json()["error"];
        assert_eq!((refused.exit, &error["code"]), (2, &json!("no-retention")), "{}", refused.out);
        assert!(error["message"].as_str().expect("a message").starts_with("nothing was removed: "), "{error}");
    }
}

#[test]
fn a_slip_in_a_name_is_told_and_removes_nothing() {
    let shop = Shop::open();
    pay(&shop, "k", &said(100));
    let asked = |what: &[&str]| shop.hapax(&[&["--json", "ledger", "prune", "--older-than", "0s"], what].concat());
    for (what, code, says) in [
        (["--cell", "stripe.chrage"], "unknown-cell", "did you mean `stripe.charge`?"),
        (["--cell", "strip.*"], "unknown-cell", "names the cell `strip.*`"),
        (["--connection", "shpo"], "unknown-connection", "did you mean `shop`?"),
    ] {
        let ended = asked(&what);
        let error = ended.json()["error"].clone();
        assert_eq!((ended.exit, &error["code"]), (2, &json!(code)), "{error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with("nothing was removed: ") && message.contains(says), "{message}");
    }
    // What it holds operations of is no slip, although it isn't configured any more.
    shop.configure(&shop.configuration().replace("[connections.shop]", "[connections.other]"));
    assert_eq!(asked(&["--connection", "shop"]).exit, 0);
}

#[test]
fn the_guide_can_be_followed_command_by_command() {
    const GUIDE: &str = include_str!("../../../../docs/guides/keep.md");
    let shop = Shop::open();
    let (one, _other) = (pay(&shop, "k", &said(100)), pay(&shop, "other", &said(200)));
    shop.configure(&with_retention(&shop).replace("keep = \"0s\"", "keep = \"100000d\""));
    let can_go = |age: &str| shop.ask(&["ledger", "prune", "--older-than", age, "--dry-run"])["operations"].as_u64();
    wait_until("90 days are over", || can_go("90d") == Some(2));
    let [prune, forget] = &blocks(GUIDE, "By hand")[..] else { panic!("two blocks") };
    let id = one["operation"].as_str().expect("an id");
    let forget: Vec<_> = forget.iter().map(|line| line.replace("01a222ff-a30c-75b1-bc26-5ddbf46228ef", id)).collect();
    assert!(forget.iter().all(|line| line.ends_with(id)), "{forget:?}");
    follow(&forget.iter().map(String::as_str).collect::<Vec<_>>(), shop.folder(), |_| {});
    assert_eq!(pruned(&shop), 1);
    follow(prune, shop.folder(), |_| {});
    assert!(pruned(&shop) == 2 && !holds(&shop, SAID));
}

/// A shop with so many charges that ended, of which no request can take effect any more, and a policy that keeps nothing.
fn with_what_goes(charges: u64) -> Shop {
    let shop = Shop::open();
    (0..charges).for_each(|number| drop(pay(&shop, &format!("k:{number}"), &said(100))));
    shop.configure(&with_retention(&shop));
    let dry = ["ledger", "prune", "--dry-run"];
    wait_until("all can be removed", || shop.ask(&dry)["operations"] == charges);
    shop
}

fn pruned(shop: &Shop) -> usize {
    let all = shop.ask(&["ls", "--limit", "0"]);
    all["operations"].as_array().expect("a list").iter().filter(|one| one["pruned"] == true).count()
}

#[test]
fn a_worker_that_is_told_to_stop_tells_all_that_it_removed() {
    let shop = with_what_goes(12);
    let other = Connection::open(shop.file("hapax.ledger")).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else can write");
    // It is at its first part, and can't end that before it is told to stop.
    let mut worker = Worker::start(&shop, &[]);
    worker.signal("TERM");
    worker.wait_for("stopping");
    drop(other);
    let spoken = worker.ended();
    let told: u64 = spoken.all("pruned").iter().map(|event| event["operations"].as_u64().expect("a count")).sum();
    assert_eq!((spoken.exit, told, pruned(&shop)), (0, 12, 12), "{spoken:?}");
}

#[test]
fn what_a_killed_worker_has_not_removed_goes_with_the_next() {
    let shop = with_what_goes(12);
    Worker::start(&shop, &[]).kill();
    let left = 12 - pruned(&shop) as u64;
    let spoken = Worker::start(&shop, &["--until-idle"]).ended();
    let told: u64 = spoken.all("pruned").iter().map(|event| event["operations"].as_u64().expect("a count")).sum();
    assert_eq!((told, pruned(&shop)), (left, 12), "{spoken:?}");
    assert!(!holds(&shop, SAID));
    assert_eq!(shop.json(0, &["ledger", "verify"])["problems"], json!([]));
}

#[test]
fn a_policy_that_cannot_be_applied_is_no_success() {
    let shop = with_what_goes(1);
    let other = Connection::open(shop.file("hapax.ledger")).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else can write");
    let spoken = Worker::start(&shop, &["--until-idle"]).ended();
    assert_eq!((spoken.exit, spoken.all("pruned").len()), (7, 0), "{spoken:?}");
    drop(other);
    assert_eq!(Worker::start(&shop, &["--until-idle"]).ended().exit, 0);
    assert_eq!(pruned(&shop), 1);
}

#[test]
fn a_worker_applies_the_policy() {
    let shop = Shop::open();
    pay(&shop, "k", &said(100));
    shop.configure(&with_retention(&shop));
    wait_until("a worker has removed it", || {
        let spoken = Worker::start(&shop, &["--until-idle"]).ended();
        spoken.all("pruned").first().is_some_and(|event| event["operations"] == 1)
    });
    assert!(!holds(&shop, SAID));
    assert_eq!(shop.json(0, &["ledger", "prune"])["operations"], 0, "the command goes by the same rules");
}

#[test]
fn what_ended_is_removed_on_postgres_too() {
    let Some(hosts) = Hosts::open("retention on PostgreSQL") else { return };
    assert_eq!(pay(&hosts, "k", &said(100))["outcome"], "succeeded");
    // A statement that fails unless so many rows hold it.
    let hold_it = |rows: u32| {
        let count = "(SELECT count(*) FROM hapax.events WHERE said LIKE '%ada@%')";
        hosts.place.sql(&format!("SELECT 1 / (CASE WHEN {count} = {rows} THEN 1 ELSE 0 END)"));
    };
    hold_it(1);
    hosts.place.change(&format!("scale = {SCALE}"), "scale = 100000");
    prune_until(&hosts, &["ledger", "prune", "--older-than", "0s"], 1);
    hold_it(0);
    let again = pay(&hosts, "k", &said(100));
    assert_eq!((&again["outcome"], &again["pruned"]), (&json!("succeeded"), &json!(true)));
    assert_eq!(hosts.stripe.count("charge"), 1);
}
