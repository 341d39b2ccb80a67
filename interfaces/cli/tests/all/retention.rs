//! What operations that ended hold is removed: when somebody says so, and by the policy. Their keys stay closed.

use serde_json::{Value, json};

use crate::floor::{Floor, Worker, wait_until};
use crate::postgres_ledger::Hosts;
use crate::support::{Shop, charge};

/// In arguments; the stand-in gives it back in no receipt.
const SAID: &str = "flowers for ada@example.com";

fn said(cents: i64) -> Value {
    let mut charge = charge(cents);
    charge["description"] = json!(SAID);
    charge
}

/// All bytes of the ledger's files.
fn bytes(shop: &Shop) -> Vec<u8> {
    ["hapax.ledger", "hapax.ledger-wal"]
        .iter()
        .flat_map(|name| std::fs::read(shop.file(name)).unwrap_or_default())
        .collect()
}

fn holds(shop: &Shop, word: &str) -> bool {
    bytes(shop).windows(word.len()).any(|window| window == word.as_bytes())
}

/// Until no request can take effect any more nothing is removed, so it may take some tries.
fn prune_until(floor: &impl Floor, args: &[&str], operations: u64) {
    wait_until("what ended is removed", || floor.ask(args)["operations"] == operations);
}

#[test]
fn what_ended_is_removed_from_every_byte_and_its_key_stays_closed() {
    let shop = Shop::open();
    let done = shop.run("stripe.charge", "k", &said(100)).json();
    let receipt = done["receipt"]["id"].as_str().expect("an id").to_owned();
    let held = shop.run("stripe.charge", "held", &charge(200_000)).json();
    assert!(holds(&shop, SAID));
    let dry = ["ledger", "prune", "--older-than", "0s", "--dry-run"];
    prune_until(&shop, &dry, 1);
    assert!(holds(&shop, SAID), "a dry run removed something");
    let all = ["ledger", "prune", "--older-than", "0s"];
    let elsewhere = [&all[..], &["--cell", "stripe.refund"]].concat();
    assert_eq!(shop.json(0, &elsewhere)["operations"], 0);
    assert_eq!(shop.json(0, &[&all[..], &["--cell", "stripe.*", "--connection", "shop"]].concat())["operations"], 1);
    assert!(!holds(&shop, SAID), "it is still in the file");
    assert_eq!(shop.json(0, &all)["operations"], 0, "it was pruned twice");
    let again = shop.run("stripe.charge", "k", &said(100)).json();
    assert_eq!(
        (&again["outcome"], &again["pruned"], &again["receipt"]),
        (&json!("succeeded"), &json!(true), &json!(null))
    );
    let other = shop.run("stripe.charge", "k", &said(200));
    assert_eq!((other.exit, &other.json()["error"]["code"]), (2, &json!("key-reused")));
    assert_eq!(shop.stripe.count("charge"), 1);
    let shown = shop.json(0, &["show", again["operation"].as_str().expect("an id")]);
    assert_eq!((&shown["pruned"], &shown["args"]), (&json!(true), &json!(null)));
    let words = shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", &said(100).to_string()]);
    assert!(words.out.contains("removed by retention"), "{}", words.out);
    // What is held keeps all that it needs, and the ledger is as sound as before.
    let seen = held["revision"].to_string();
    let id = held["operation"].as_str().expect("an id");
    shop.json(0, &["approve", id, "--seen", &seen, "--by", "dana", "--wait", "600"]);
    assert_eq!(shop.json(0, &["ledger", "verify"])["problems"], json!([]));
    assert!(holds(&shop, &receipt), "the provider's id stays: it is claimed");
}

#[test]
fn one_operation_is_forgotten_and_one_that_has_not_ended_is_not() {
    let shop = Shop::open();
    let done = shop.run("stripe.charge", "k", &said(100)).json();
    let id = done["operation"].as_str().expect("an id");
    wait_until("it can be forgotten", || shop.hapax(&["ledger", "forget", id]).exit == 0);
    assert!(!holds(&shop, SAID));
    assert_eq!(shop.json(0, &["ledger", "forget", id])["operation"], id, "doing it again changes nothing");
    let held = shop.run("stripe.charge", "held", &said(200_000)).json();
    let refused = shop.hapax(&["--json", "ledger", "forget", held["operation"].as_str().expect("an id")]);
    assert_eq!((refused.exit, &refused.json()["error"]["code"]), (2, &json!("not-now")), "{}", refused.out);
    assert!(holds(&shop, SAID));
}

#[test]
fn without_a_rule_nothing_is_removed() {
    let shop = Shop::open();
    for args in [&["ledger", "prune"][..], &["ledger", "prune", "--older-than", "for ever"]] {
        let refused = shop.hapax(&[&["--json"], args].concat());
        let error = &refused.json()["error"];
        assert_eq!((refused.exit, &error["code"]), (2, &json!("no-retention")), "{}", refused.out);
        assert!(error["message"].as_str().expect("a message").starts_with("nothing was removed: "), "{error}");
    }
}

const RULES: &str =
    "[[policy.retention]]\ncell = \"stripe.refund\"\nkeep = \"for ever\"\n[[policy.retention]]\nkeep = \"0s\"\n";

#[test]
fn a_worker_applies_the_policy() {
    let shop = Shop::open();
    shop.run("stripe.charge", "k", &said(100)).json();
    shop.configure(&(RULES.to_owned() + &shop.configuration()));
    wait_until("a worker has removed it", || {
        let spoken = Worker::start(&shop, &["--until-idle"]).ended();
        spoken.all("pruned").first().is_some_and(|event| event["operations"] == 1)
    });
    assert!(!holds(&shop, SAID));
    let same = shop.json(0, &["ledger", "prune"]);
    assert_eq!(same["operations"], 0, "the command and the worker go by the same rules");
}

#[test]
fn what_ended_is_removed_on_postgres_too() {
    let Some(hosts) = Hosts::open("retention on PostgreSQL") else { return };
    let call = [
        "run",
        "stripe.charge",
        "--connection",
        "shop",
        "--key",
        "k",
        "--args",
        &said(100).to_string(),
        "--wait",
        "600",
    ];
    assert_eq!(hosts.ask(&call)["outcome"], "succeeded");
    // A statement that fails unless so many rows hold it.
    let hold_it = |rows: u32| {
        let count = "(SELECT count(*) FROM hapax.events WHERE said LIKE '%ada@%')";
        hosts.place.sql(&format!("SELECT 1 / (CASE WHEN {count} = {rows} THEN 1 ELSE 0 END)"));
    };
    hold_it(1);
    prune_until(&hosts, &["ledger", "prune", "--older-than", "0s"], 1);
    hold_it(0);
    let again = hosts.ask(&call);
    assert_eq!((&again["outcome"], &again["pruned"]), (&json!("succeeded"), &json!(true)));
    assert_eq!(hosts.stripe.count("charge"), 1);
}
