//! What an export holds, and what comes of it elsewhere.

use serde_json::json;

use super::{Elsewhere, ended, exported, kill_at, operations, same_but_restored};
use crate::floor::wait_until;
use crate::postgres_ledger::Place;
use crate::support::{Shop, charge};

/// A ledger with an operation in every phase: pruned, superseded, refused, held, with a person, and two whose worker
/// was killed, one of them after the provider had it.
fn of_every_phase() -> Shop {
    let shop = Shop::open();
    shop.pay("pruned");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let pruned = runtime.block_on(async {
        use hapax_core::ledger::{Ledger, Retention};
        let ledger = hapax_ledger_sqlite::SqliteLedger::open(shop.file("hapax.ledger")).expect("it opens");
        // By the clock of another boot, on which only the wall counts.
        let late = hapax_core::protocol::Stamp { wall_ms: i64::MAX / 2, boot_ms: 0, boot: 0 };
        ledger.prune(&Retention::of_all(late, 0)).await.expect("it prunes").operations
    });
    assert_eq!(pruned, 1);
    let mut declined = charge(100);
    declined["payment_method"] = json!("pm_card_chargeDeclined");
    for key in ["refused", "superseded"] {
        let run = ["run", "stripe.charge", "--key", key, "--args", &declined.to_string()];
        let id = shop.json(3, &run)["operation"].as_str().expect("an id").to_owned();
        if key == "superseded" {
            let args = charge(300).to_string();
            shop.json(0, &["supersede", &id, "--epoch", "0", "--by", "dana", "--args", &args, "--wait", "600"]);
        }
    }
    shop.json(6, &["run", "stripe.charge", "--key", "held", "--args", &charge(200_000).to_string()]);
    shop.lose_a_refund("person");
    kill_at(&shop, "after-send:1", "sent");
    kill_at(&shop, "before-send:1", "unsent");
    shop
}

#[test]
fn an_operation_of_every_phase_goes_to_another_ledger_and_nothing_is_sent_again() {
    let shop = of_every_phase();
    let file = exported(|args| shop.hapax(args));
    assert!(!file.contains(std::fs::read_to_string(shop.file("hapax.secret")).expect("the secret").trim()));
    let phases: Vec<_> = operations(&file).into_values().map(|(_, one)| one["index"]["phase"].clone()).collect();
    for phase in ["succeeded", "refused", "held", "person", "open"] {
        assert!(phases.contains(&json!(phase)), "{phases:?}");
    }
    assert!(file.contains("\"pruned\"") && file.contains("\"claim\":\"pi_"), "{file}");
    let elsewhere = Elsewhere::beside(&shop);
    let imported = elsewhere.import(&file);
    assert_eq!(imported.exit, 0, "{}", imported.err);
    assert_eq!(same_but_restored(&file, &exported(|args| elsewhere.run(args))), 4);
    elsewhere.holds(8);

    let charged = shop.stripe.count("charge");
    let phase = |key: &str| elsewhere.run(&["--json", "show", "--key", key]).json()["phase"].clone();
    wait_until("both are taken up", || {
        assert_eq!(elsewhere.run(&["recover", "--wait", "600"]).exit, 0);
        phase("sent") == "succeeded" && phase("unsent") == "person"
    });
    assert_eq!(shop.stripe.count("charge"), charged, "what was under way is looked for, and never sent again");
    let args = charge(300).to_string();
    let again = elsewhere.run(&["--json", "run", "stripe.charge", "--key", "superseded", "--args", &args]);
    assert_eq!(again.json()["outcome"], "succeeded", "a key that ended keeps its end");
    assert_eq!(shop.stripe.count("charge"), charged);
}

#[test]
fn it_goes_to_postgres_and_back() {
    let Some(place) = Place::open("an export into PostgreSQL and back") else { return };
    let shop = of_every_phase();
    place.connect(&shop.stripe.url);
    std::fs::copy(shop.file("hapax.secret"), place.file("hapax.secret")).expect("copied");
    let first = exported(|args| shop.hapax(args));
    let file = shop.file("first.jsonl");
    std::fs::write(&file, &first).expect("written");
    let file = file.to_str().expect("UTF-8");
    place.run(&["ledger", "import", file]).failed(7, "nothing was imported: the ledger ", &["does not exist"]);
    assert_eq!(place.run(&["ledger", "create"]).exit, 0);
    let lines: Vec<String> = first.lines().map(str::to_owned).collect();
    let operation = lines.iter().find(|line| line.contains("\"succeeded\"")).expect("one that ended");
    let id = operations(operation).into_keys().next().expect("an id");
    // Ids begin with the time, so with a zero.
    let key_twice = [lines[0].clone(), operation.clone(), operation.replace(&id, &format!("f{}", &id[1..]))];
    let events = operations(operation)[&id].1["records"].as_array().expect("records").len();
    std::fs::write(shop.file("twice.jsonl"), ended(&key_twice, 2, 2 * events)).expect("written");
    let twice = place.run(&["ledger", "import", shop.file("twice.jsonl").to_str().expect("UTF-8")]);
    twice.failed(7, "nothing was imported: ", &["is there twice"]);
    let imported = place.run(&["--json", "ledger", "import", file]);
    assert_eq!((imported.exit, &imported.json()["concerned"]), (0, &json!(4)), "{}", imported.out);
    let second = exported(|args| place.run(args));
    assert_eq!(same_but_restored(&first, &second), 4);
    assert_eq!(place.run(&["ledger", "verify"]).exit, 0);
    place.run(&["ledger", "import", file]).failed(7, "nothing was imported: ", &["has been used already"]);
    let elsewhere = Elsewhere::beside(&shop);
    assert_eq!(elsewhere.import(&second).exit, 0);
    assert_eq!(same_but_restored(&second, &exported(|args| elsewhere.run(args))), 4);
}
