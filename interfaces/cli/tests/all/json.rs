//! The shapes of `--json`, held against the examples in `docs/reference/cli-json.md`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::floor::{Floor, Worker, wait_until};
use crate::postgres_ledger::Place;
use crate::retention::with_retention;
use crate::support::{Ended, Shop, StandIn, charge, hapax};

const PAGE: &str = include_str!("../../../../docs/reference/cli-json.md");

/// The page's examples, by the title of their section.
fn examples() -> BTreeMap<&'static str, Value> {
    let sections = PAGE.split("\n## ").skip(1).filter_map(|section| {
        let (title, rest) = section.split_once('\n')?;
        let (_, block) = rest.split_once("```json\n")?;
        let (block, _) = block.split_once("```")?;
        let value = serde_json::from_str(block).unwrap_or_else(|error| panic!("{title}: {error}"));
        Some((title.trim_matches('`'), value))
    });
    sections.collect()
}

/// Names and types, without values. Null stands for anything.
fn same_shape(path: &str, documented: &Value, found: &Value) {
    match (documented, found) {
        (Value::Object(one), Value::Object(other)) => {
            let names = |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
            // Schemas and receipts are the adapter's, not this page's.
            if path.ends_with(".schema") || path.ends_with(".receipt") || path.ends_with(".args") {
                return;
            }
            assert_eq!(names(one), names(other), "at {path}");
            one.iter().for_each(|(name, value)| same_shape(&format!("{path}.{name}"), value, &other[name]));
        }
        (Value::Array(one), Value::Array(other)) => {
            if let (Some(one), Some(other)) = (one.first(), other.first()) {
                same_shape(&format!("{path}[]"), one, other);
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (one, other) => {
            assert_eq!(std::mem::discriminant(one), std::mem::discriminant(other), "at {path}: {one} or {other}");
        }
    }
}

/// Runs every command once and gathers its answers, by the titles of the page.
fn answers() -> BTreeMap<&'static str, Value> {
    let shop = Shop::open();
    let mut all = BTreeMap::new();
    let folder = tempfile::tempdir().expect("a folder");
    all.insert("init", Ended::of(hapax().args(["--json", "init"]).arg(folder.path())).json());
    all.insert("stand-in serve", shop.stripe.greeting.clone());
    all.insert("doctor", shop.json(0, &["doctor"]));
    all.insert("matrix", shop.json(0, &["matrix"]));
    all.insert("explain", shop.json(0, &["explain", "stripe.refund"]));
    let args = charge(100).to_string();
    let intent = |command, key| [command, "stripe.charge", "--key", key, "--args", args.as_str(), "--wait", "600"];
    all.insert("plan", shop.json(0, &intent("plan", "a")));
    let ran = shop.json(0, &intent("run", "a"));
    let id = ran["operation"].as_str().expect("an id").to_owned();
    all.insert("run: succeeded", ran);
    let mut declined = charge(100);
    declined["payment_method"] = json!("pm_card_chargeDeclined");
    let refused = shop.json(3, &["run", "stripe.charge", "--key", "b", "--args", &declined.to_string()]);
    all.insert("supersede", {
        let id = refused["operation"].as_str().expect("an id");
        shop.json(0, &["supersede", id, "--epoch", "0", "--by", "dana", "--args", &args, "--wait", "600"])
    });
    all.insert("run: refused", refused);
    all.insert("follow", shop.json(0, &["follow", &id]));
    all.insert("witness", {
        let receipt = shop.json(0, &["show", &id])["receipt"]["id"].as_str().expect("an id").to_owned();
        shop.json(0, &["witness", &id, "--id", &receipt, "--source", "webhook"])
    });
    all.extend(answers_of_people(&shop));
    all.insert("ls", shop.json(0, &["ls"]));
    all.insert("ledger restored", shop.json(0, &["ledger", "restored"]));
    all.insert("ledger export", shop.json(0, &["ledger", "export", "--to", "ledger.jsonl"]));
    std::fs::rename(shop.file("hapax.ledger"), shop.file("moved.ledger")).expect("moved away");
    all.insert("ledger new-key", shop.json(0, &["ledger", "new-key", "ledger.key"]));
    let sealed = "path = \"new.ledger\"\nkey_file = \"ledger.key\"";
    shop.configure(&shop.configuration().replace("path = \"hapax.ledger\"", sealed));
    assert_eq!(shop.hapax(&["ledger", "create"]).exit, 0);
    all.insert("ledger import", shop.json(0, &["ledger", "import", "ledger.jsonl"]));
    all.insert("ledger verify", shop.json(0, &["ledger", "verify"]));
    all.extend(answers_of_retention());
    all.insert("recover", recovered());
    all.extend(events_of_workers());
    let declared = |name: &str| format!("{}/../../docs/declare/{name}", env!("CARGO_MANIFEST_DIR"));
    all.insert("cell check", shop.json(0, &["cell", "check", &declared("payments.toml")]));
    let relay = declared("relay.toml");
    let server = StandIn::serve(&["--declaration", &relay]);
    let at = ["cell", "prove", &relay, "--base-url", &server.url];
    all.insert("cell prove --base-url", shop.json(0, &at));
    all.insert("cell prove", shop.json(0, &["cell", "prove", &declared("relay.toml"), "--fault", "look-lags"]));
    all.insert("demo", Ended::of(hapax().args(["--json", "demo"])).json());
    all.insert("error", shop.json(2, &["run", "stripe.chagre", "--key", "k", "--args", "{}"]));
    all
}

fn answers_of_people(shop: &Shop) -> BTreeMap<&'static str, Value> {
    let big = |key| shop.json(6, &["run", "stripe.charge", "--key", key, "--args", &charge(200_000).to_string()]);
    let decide = |exit, command, held: &Value| {
        let (id, seen) = (held["operation"].as_str().expect("an id"), held["revision"].to_string());
        shop.json(exit, &[command, id, "--seen", &seen, "--by", "dana"])
    };
    let (one, other) = (big("c"), big("d"));
    let mut all = BTreeMap::from([("approve", decide(0, "approve", &one)), ("deny", decide(3, "deny", &other))]);
    let lost = shop.lose_a_refund("r");
    all.insert("show", shop.json(0, &["show", "--key", "r"]));
    let (id, seen) = (lost["operation"].as_str().expect("an id"), lost["revision"].to_string());
    all.insert("resolve", shop.json(5, &["resolve", id, "--seen", &seen, "--by", "dana", "--take-over"]));
    all.insert("run: unknown", lost);
    all
}

/// What has ended, and what removes it, when no request of it can take effect any more.
fn answers_of_retention() -> BTreeMap<&'static str, Value> {
    let shop = Shop::open();
    let run = |key| shop.json(0, &["run", "stripe.charge", "--key", key, "--args", &charge(100).to_string()]);
    let (one, _) = (run("a"), run("b"));
    shop.configure(&with_retention(&shop));
    let mut all = BTreeMap::new();
    wait_until("it can be forgotten", || {
        let forgotten = shop.hapax(&["--json", "ledger", "forget", one["operation"].as_str().expect("an id")]);
        (forgotten.exit == 0).then(|| all.insert("ledger forget", forgotten.json())).is_some()
    });
    all.insert("ledger prune", shop.json(0, &["ledger", "prune", "--dry-run"]));
    let spoken = Worker::start(&shop, &["--until-idle"]).ended();
    all.insert("work: pruned", spoken.only("pruned").clone());
    all
}

/// A recovery that has something to do: an intent that could not be begun, and then can.
fn recovered() -> Value {
    let shop = Shop::open();
    shop.configure(&shop.configuration().replace(&shop.stripe.url, "http://127.0.0.1:9"));
    shop.json(4, &["run", "stripe.charge", "--key", "k", "--args", &charge(100).to_string(), "--wait", "1"]);
    shop.configure(&shop.configuration());
    for _ in 0..200 {
        let answer = shop.json(0, &["recover", "--wait", "600"]);
        if !answer["operations"].as_array().expect("a list").is_empty() {
            return answer;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("it was never due");
}

/// Every event of a worker: one whose ledger goes away and comes back, and one that finds what nobody serves.
fn events_of_workers() -> BTreeMap<&'static str, Value> {
    let shop = Shop::open();
    let nobody = shop.configuration().replace(&shop.stripe.url, "http://127.0.0.1:9").replace("50", "100000");
    let begin = ["run", "stripe.charge", "--key", "k", "--args", &charge(100).to_string(), "--wait", "1"];
    shop.configure(&nobody);
    shop.json(4, &begin);
    shop.configure(&nobody.replace("connections.shop", "connections.elsewhere"));
    let mut all = BTreeMap::new();
    wait_until("an hour of the ledger's time is over", || {
        let spoken = Worker::start(&shop, &["--until-idle"]).ended();
        spoken.all("unserved").first().map(|event| all.insert("work: unserved", (*event).clone())).is_some()
    });
    let shop = Shop::open();
    let left_out =
        "[connections.other]\nintegration = \"stripe\"\nstand_in = true\napi_key_env = \"NO_SUCH_VARIABLE_HERE\"\n";
    shop.configure(&(shop.configuration() + left_out));
    let mut worker = Worker::start(&shop, &[]);
    std::fs::rename(shop.file("hapax.ledger"), shop.file("elsewhere")).expect("moved away");
    worker.wait_for("away");
    std::fs::rename(shop.file("elsewhere"), shop.file("hapax.ledger")).expect("moved back");
    worker.wait_for("back");
    shop.lose_answers(0..1);
    shop.wait_until_all_is_done();
    let spoken = worker.stopped();
    for (title, event) in [
        ("work: started", "started"),
        ("work: operation", "operation"),
        ("work: away", "away"),
        ("work: back", "back"),
        ("work: stopping", "stopping"),
        ("work: summary", "summary"),
    ] {
        let last = spoken.all(event).pop().unwrap_or_else(|| panic!("no {event}: {spoken:?}"));
        all.insert(title, last.clone());
    }
    all
}

#[test]
fn every_command_answers_in_the_shape_that_is_documented() {
    let (mut documented, mut found) = (examples(), answers());
    match Place::open("the shape of `ledger create`") {
        Some(place) => found.extend([("ledger create", place.run(&["--json", "ledger", "create"]).json())]),
        None => documented.retain(|title, _| *title != "ledger create"),
    }
    if let Some(file) = std::env::var_os("HAPAX_TEST_WRITE_SHAPES") {
        let text = serde_json::to_string_pretty(&found).expect("JSON");
        std::fs::write(file, text).expect("written");
    }
    let titles = |map: &BTreeMap<&'static str, Value>| map.keys().copied().collect::<Vec<_>>();
    assert_eq!(titles(&documented), titles(&found), "one example for each command");
    for (title, answer) in &found {
        assert_eq!(answer["format"], 1, "{title}");
        same_shape(title, &documented[title], answer);
    }
}
