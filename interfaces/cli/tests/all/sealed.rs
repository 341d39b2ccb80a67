//! A sealed ledger: nothing private in any byte, no use without its key, a key that is replaced, and the way there.

use serde_json::{Value, json};

use crate::export::kill_at;
use crate::floor::{Floor, Worker, wait_until};
use crate::guide::{blocks, follow};
use crate::postgres_ledger::Hosts;
use crate::support::{PAYS, Shop, charge};

const GUIDE: &str = include_str!("../../../../docs/guides/seal.md");

/// In arguments, and, since the stand-in repeats them, in receipts.
const SAID: &str = "flowers for ada@example.com";

fn pay(floor: &impl Floor, key: &str) -> Value {
    let mut args = charge(100);
    args["description"] = json!(SAID);
    let args = args.to_string();
    floor.ask(&["run", "stripe.charge", "--connection", "shop", "--key", key, "--args", &args, "--wait", "600"])
}

/// The configuration of a shop whose ledger is sealed.
fn sealed(shop: &Shop) -> String {
    let named = "path = \"hapax.ledger\"";
    shop.configuration().replace(named, &format!("{named}\nkey_file = \"ledger.key\""))
}

/// A shop with a sealed ledger that nobody has used.
fn open() -> Shop {
    let shop = Shop::open();
    let [new_key] = &blocks(GUIDE, "Begin")[..] else { panic!("one block") };
    follow(new_key, shop.folder(), |_| {});
    shop.configure(&sealed(&shop));
    shop
}

/// Words that a byte of the ledger's files still says.
fn readable(shop: &Shop, words: &[&str]) -> Vec<String> {
    let files = ["hapax.ledger", "hapax.ledger-wal"].map(|name| std::fs::read(shop.file(name)).unwrap_or_default());
    let bytes = files.concat();
    let holds = |word: &&&str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    words.iter().filter(holds).map(|word| (*word).to_owned()).collect()
}

fn seals(floor: &impl Floor) -> Value {
    let verified = floor.ask(&["ledger", "verify"]);
    assert_eq!(verified["problems"], json!([]), "{verified}");
    verified["seals"].clone()
}

#[test]
fn nothing_private_is_in_a_byte_of_it_and_the_work_goes_on_after_a_crash() {
    use std::os::unix::fs::PermissionsExt;
    let shop = open();
    let mode = std::fs::metadata(shop.file("ledger.key")).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let done = pay(&shop, "k");
    assert_eq!(done["outcome"], "succeeded", "{done}");
    let receipt = done["receipt"].clone();
    let in_it = receipt["charge"].as_str().expect("a charge");
    assert_eq!(readable(&shop, &[SAID, PAYS, in_it, "k"]), ["k"], "only what it is found by");
    assert_eq!(pay(&shop, "k")["receipt"], receipt, "what was sealed is read back");
    kill_at(&shop, "after-send:1", "killed");
    assert_eq!(readable(&shop, &[PAYS]), [""; 0]);
    let left = |floor: &Shop| floor.phase("open").len();
    wait_until("a worker goes on", || {
        Worker::start(&shop, &["--until-idle"]).ended();
        left(&shop) == 0
    });
    assert_eq!(shop.stripe.count("charge"), 2);
    let doctor = shop.ask(&["doctor", "--offline"])["checks"].to_string();
    assert!(doctor.contains("sealed with the key "), "{doctor}");
}

#[test]
fn without_its_key_nothing_is_sent() {
    use std::os::unix::fs::PermissionsExt;
    let shop = open();
    pay(&shop, "k");
    let args = charge(100).to_string();
    let run = ["--json", "run", "stripe.charge", "--key", "other", "--args", &args];
    let refused = |exit: i32, code: &str, says: &str| {
        let ended = shop.hapax(&run);
        let error = ended.json()["error"].clone();
        assert_eq!((ended.exit, error["code"].as_str()), (exit, Some(code)), "{error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with("nothing was sent: ") && message.contains(says), "{message}");
    };
    shop.configure(&shop.configuration());
    refused(7, "ledger", "is sealed, and the configuration names no key");
    shop.configure(&sealed(&shop));
    let key = std::fs::read_to_string(shop.file("ledger.key")).expect("a key");
    for (text, exit, code, says) in [
        ("ab".repeat(32), 7, "ledger", "isn't among those given"),
        ("ab".repeat(31), 2, "bad-ledger-key", "key 1 of it isn't 64 hexadecimal digits"),
        (String::new(), 2, "bad-ledger-key", "there is no key in it"),
    ] {
        std::fs::write(shop.file("ledger.key"), text).expect("written");
        refused(exit, code, says);
    }
    std::fs::remove_file(shop.file("ledger.key")).expect("gone");
    refused(2, "bad-ledger-key", "can't be read");
    std::fs::write(shop.file("ledger.key"), key).expect("given back");
    let mode = |mode| std::fs::set_permissions(shop.file("ledger.key"), PermissionsExt::from_mode(mode)).expect("ours");
    mode(0o640);
    refused(2, "bad-ledger-key", "(mode 640); run `chmod 600`");
    mode(0o600);
    assert_eq!(shop.hapax(&run).exit, 0);
    // A ledger that was used without seals is none that a key fits.
    let plain = Shop::open();
    pay(&plain, "k");
    std::fs::copy(shop.file("ledger.key"), plain.file("ledger.key")).expect("a key");
    plain.configure(&sealed(&plain));
    plain.hapax(&["ls"]).failed(7, "nothing was sent: ", &["used without seals", "export it"]);
}

#[test]
fn a_key_is_replaced_as_the_guide_says() {
    let shop = open();
    pay(&shop, "before");
    let old = seals(&shop)[0].clone();
    let again = shop.hapax(&["--json", "ledger", "new-key", "ledger.key"]);
    assert_eq!((again.exit, &again.json()["error"]["code"]), (2, &json!("exists")));
    let [rotate] = &blocks(GUIDE, "Replace the key")[..] else { panic!("one block") };
    follow(rotate, shop.folder(), |_| {});
    pay(&shop, "after");
    assert_eq!(pay(&shop, "before")["outcome"], "succeeded", "the old key still opens");
    let both = seals(&shop);
    assert_eq!(both.as_array().map(Vec::len), Some(2), "{both}");
    assert!(both.as_array().expect("a list").contains(&old), "what was sealed stays as it was: {both}");
    let keys = std::fs::read_to_string(shop.file("ledger.key")).expect("keys");
    let fresh = keys.lines().next().expect("the fresh one");
    std::fs::write(shop.file("ledger.key"), fresh).expect("written");
    shop.hapax(&["show", "--key", "before"]).failed(
        7,
        "nothing was sent: ",
        &["isn't among those given", "give that key too"],
    );
    // By the environment, with a space between them.
    shop.configure(&sealed(&shop).replace("key_file = \"ledger.key\"", "key_env = \"SHOP_LEDGER_KEY\""));
    let shown = crate::support::Ended::of(
        shop.command(&["show", "--key", "before"]).env("SHOP_LEDGER_KEY", keys.replace('\n', " ")),
    );
    assert_eq!(shown.exit, 0, "{}", shown.err);
    shop.hapax(&["ls"]).failed(2, "nothing was sent: ", &["SHOP_LEDGER_KEY isn't set"]);
}

#[test]
fn a_ledger_is_sealed_and_unsealed_as_the_guide_says() {
    let shop = Shop::open();
    let done = pay(&shop, "k");
    assert_eq!(readable(&shop, &[SAID]), [SAID]);
    let blocks = blocks(GUIDE, "Seal a ledger that isn't, or seal everything again");
    let [export, import] = &blocks[..] else { panic!("{blocks:?}") };
    follow(export, shop.folder(), |_| {});
    std::fs::remove_file(shop.file("hapax.ledger")).expect("moved away");
    assert_eq!(shop.hapax(&["ledger", "new-key", "ledger.key"]).exit, 0);
    shop.configure(&sealed(&shop));
    follow(import, shop.folder(), |_| {});
    assert_eq!(readable(&shop, &[SAID]), [""; 0]);
    assert!(!shop.file("ledger.jsonl").exists());
    let again = pay(&shop, "k");
    assert_eq!((&again["receipt"], &again["operation"]), (&done["receipt"], &done["operation"]));
    assert_eq!(seals(&shop).as_array().map(Vec::len), Some(1));
    // And back: an export of a sealed ledger is in the clear.
    follow(export, shop.folder(), |_| {});
    assert!(std::fs::read_to_string(shop.file("ledger.jsonl")).expect("an export").contains(SAID));
    std::fs::remove_file(shop.file("hapax.ledger")).expect("moved away");
    shop.configure(&shop.configuration());
    follow(import, shop.folder(), |_| {});
    assert_eq!(pay(&shop, "k")["receipt"], done["receipt"]);
    assert_eq!((seals(&shop), shop.stripe.count("charge")), (json!([]), 1));
}

#[test]
fn what_is_removed_from_a_sealed_ledger_needs_no_key_to_stay_closed() {
    let shop = open();
    pay(&shop, "k");
    shop.configure(&sealed(&shop).replace("scale = 50", "scale = 100000"));
    wait_until("it is removed", || shop.ask(&["ledger", "prune", "--older-than", "0s"])["operations"] == 1);
    let again = pay(&shop, "k");
    assert_eq!((&again["outcome"], &again["pruned"]), (&json!("succeeded"), &json!(true)), "{again}");
    assert_eq!(seals(&shop), json!([]), "nothing is left that a key is needed for");
}

#[test]
fn a_value_that_somebody_changed_is_not_believed() {
    let shop = open();
    pay(&shop, "one");
    let sqlite = rusqlite::Connection::open(shop.file("hapax.ledger")).expect("it opens");
    // One letter of what is sealed first.
    let change = "UPDATE header SET pruning = 1; \
                  UPDATE events SET said = substr(said, 1, instr(said, 'sealed:') + 40) \
                  || CASE substr(said, instr(said, 'sealed:') + 41, 1) WHEN 'A' THEN 'B' ELSE 'A' END \
                  || substr(said, instr(said, 'sealed:') + 42) WHERE revision = 1; \
                  UPDATE header SET pruning = 0";
    sqlite.execute_batch(change).expect("changed");
    drop(sqlite);
    for asked in [&["show", "--key", "one"][..], &["ledger", "verify"]] {
        shop.hapax(asked).failed(7, "nothing was sent: ", &["isn't what was sealed there", "restore the ledger"]);
    }
}

#[test]
fn a_ledger_in_postgres_is_sealed_too() {
    let Some(hosts) = Hosts::open("a sealed ledger on PostgreSQL") else { return };
    assert_eq!(hosts.place.run(&["ledger", "new-key", "ledger.key"]).exit, 0);
    hosts.place.change("[ledger]", "[ledger]\nkey_file = \"ledger.key\"");
    assert_eq!(pay(&hosts, "k")["outcome"], "succeeded");
    assert_eq!(pay(&hosts, "k")["outcome"], "succeeded");
    let count = "(SELECT count(*) FROM hapax.events WHERE said LIKE '%ada%' OR said LIKE '%pm_card%')";
    hosts.place.sql(&format!("SELECT 1 / (CASE WHEN {count} = 0 THEN 1 ELSE 0 END)"));
    assert_eq!(seals(&hosts).as_array().map(Vec::len), Some(1));
    assert_eq!(hosts.stripe.count("charge"), 1);
}
