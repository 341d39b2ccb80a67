//! A ledger that goes to a file and from there to another ledger, and files that are refused.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::floor::wait_until;
use crate::postgres_ledger::Place;
use crate::support::{Ended, Shop, charge, hapax};

/// Stands in arguments, so it may stand in the file, and nowhere in an error.
const PERSONAL: &str = "pm_card_visa";

/// A new, empty ledger beside a shop's, with the same secret and the same providers.
struct Elsewhere(TempDir);

impl Elsewhere {
    fn beside(shop: &Shop) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Ended::of(hapax().arg("init").arg(folder.path())).exit, 0);
        for name in ["hapax.toml", "hapax.secret"] {
            std::fs::copy(shop.file(name), folder.path().join(name)).expect("copied");
        }
        Self(folder)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = hapax();
        command.current_dir(self.0.path()).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::of(&mut self.command(args))
    }

    #[track_caller]
    fn import(&self, text: &str) -> Ended {
        let file = self.0.path().join("export.jsonl");
        std::fs::write(&file, text).expect("written");
        self.run(&["ledger", "import", "export.jsonl"])
    }

    #[track_caller]
    fn holds(&self, operations: u64) {
        let verified = self.run(&["--json", "ledger", "verify"]);
        assert_eq!((verified.exit, verified.json()["operations"].as_u64()), (0, Some(operations)), "{}", verified.out);
    }

    fn sql(&self) -> Connection {
        let connection = Connection::open(self.0.path().join("hapax.ledger")).expect("it opens");
        connection.busy_timeout(std::time::Duration::ZERO).expect("set");
        connection
    }
}

fn exported(run: impl Fn(&[&str]) -> Ended) -> String {
    let ended = run(&["ledger", "export"]);
    assert_eq!((ended.exit, ended.err.as_str()), (0, ""), "{}", ended.err);
    ended.out
}

/// The same with other lines, ended as an export ends.
fn ended(lines: &[String], operations: usize, events: usize) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let digest = Sha256::digest(&text);
    let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let end = json!({ "end": { "operations": operations, "events": events, "sha256": sha256 } });
    format!("{text}{end}\n")
}

/// Operations by their id, as they stand in the file.
fn operations(export: &str) -> BTreeMap<String, (&str, Value)> {
    let lines = export.lines().map(|line| (line, serde_json::from_str::<Value>(line).expect("JSON")));
    let found = lines.filter_map(|(line, value)| {
        let operation = value.get("operation")?.clone();
        Some((operation["id"].as_str().expect("an id").to_owned(), (line, operation)))
    });
    found.collect()
}

/// Kills a worker when it has paused there.
pub(crate) fn kill_at(shop: &Shop, point: &str, key: &str) {
    let args = charge(100).to_string();
    kill(shop.command(&["run", "stripe.charge", "--key", key, "--args", &args]), point);
}

/// The same with a worker that isn't started yet.
pub(crate) fn kill(mut command: Command, point: &str) {
    let mut child = command.env("HAPAX_TEST_PAUSE_AT", point).stderr(Stdio::piped()).spawn().expect("a worker");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("paused "), "{line}");
    child.kill().expect("killed");
    child.wait().expect("gone");
}

/// A ledger with an operation in every phase: pruned, superseded, refused, held, with a person, and two whose worker
/// was killed, one of them after the provider had it.
fn of_every_phase() -> Shop {
    let shop = Shop::open();
    shop.pay("pruned");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let pruned = runtime.block_on(async {
        use hapax_core::ledger::Ledger;
        let ledger = hapax_ledger_sqlite::SqliteLedger::open(shop.file("hapax.ledger")).expect("it opens");
        ledger.prune(i64::MAX).await.expect("it prunes")
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

/// Everything is as it was, but for the note that the ledger was restored with each operation that hasn't ended.
#[track_caller]
fn same_but_restored(before: &str, after: &str) -> usize {
    let (before, after) = (operations(before), operations(after));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    let mut noted = 0;
    for ((line, one), (other_line, other)) in before.values().zip(after.values()) {
        if ["succeeded", "refused"].contains(&one["index"]["phase"].as_str().expect("a phase")) {
            assert_eq!(line, other_line);
            continue;
        }
        let records = |of: &Value| of["records"].as_array().expect("records").clone();
        let (records, more) = (records(one), records(other));
        assert_eq!(records, more[..records.len()]);
        let added: Vec<_> = more[records.len()..].iter().map(|record| record["event"]["event"].clone()).collect();
        assert_eq!(added, ["restored"]);
        noted += 1;
    }
    noted
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

#[test]
fn a_file_that_is_not_whole_or_was_changed_is_refused() {
    let shop = Shop::open();
    shop.pay("one");
    shop.pay("other");
    let file = exported(|args| shop.hapax(args));
    let elsewhere = Elsewhere::beside(&shop);
    let lines: Vec<&str> = file.lines().collect();
    let without = |number: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != number).map(|(_, line)| *line);
        kept.collect::<Vec<_>>().join("\n") + "\n"
    };
    let swapped = [lines[0], lines[2], lines[1], lines[3]].join("\n") + "\n";
    let of = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let other_index = lines[1].replacen("\"key\":\"one\"", "\"key\":\"two\"", 1);
    for (text, says) in [
        (String::new(), "doesn't begin as an export"),
        ("somebody's file\n".to_owned(), "can't be understood"),
        (file[..file.len() - 1].to_owned(), "cut off in the middle of a line"),
        (file[..file.len() / 2].to_owned(), "cut off in the middle of a line"),
        (without(3), "was cut off: its end is missing"),
        (without(2), "its count or checksum doesn't fit"),
        (swapped, "operations out of order"),
        (file.replacen("2500", "2501", 1), "its count or checksum doesn't fit"),
        (file.replacen("\"operations\":2", "\"operations\":3", 1), "its count or checksum doesn't fit"),
        (file.replacen("\"version\":1", "\"version\":2", 1), "has version 2 of the format"),
        (file.replacen(&format!("\"{PERSONAL}\""), PERSONAL, 1), "can't be understood at column"),
        (format!("{file}\n"), "goes on after its end"),
        (format!("{file}{file}"), "goes on after its end"),
        (ended(&of(&[lines[0], &other_index]), 1, 2), "found by something else than its events say"),
    ] {
        let refused = elsewhere.import(&text);
        refused.failed(2, "nothing was imported: export.jsonl ", &[says, "hapax ledger export"]);
        assert!(!refused.err.contains(PERSONAL), "{}", refused.err);
        elsewhere.holds(0);
    }
    let missing = elsewhere.run(&["ledger", "import", "nowhere.jsonl"]);
    missing.failed(2, "nothing was imported: nowhere.jsonl can't be read", &[]);
    elsewhere.run(&["ledger", "import", "."]).failed(2, "nothing was imported: . is no file", &[]);
    assert_eq!(elsewhere.import(&file).exit, 0);
    elsewhere.import(&file).failed(7, "nothing was imported: the ledger ", &["has been used already"]);
    elsewhere.holds(2);
}

#[test]
fn an_export_goes_only_where_its_secret_is_and_nothing_was_before() {
    let shop = Shop::open();
    shop.pay("one");
    let file = exported(|args| shop.hapax(args));
    let elsewhere = Elsewhere::beside(&shop);
    let secret = elsewhere.0.path().join("hapax.secret");
    std::fs::write(&secret, "ab".repeat(32)).expect("another secret");
    elsewhere.import(&file).failed(7, "nothing was imported: the export was made with another namespace secret", &[]);
    elsewhere.holds(0);
    std::fs::copy(shop.file("hapax.secret"), &secret).expect("the secret");
    // Somebody may be at work in a ledger that was opened once, however empty it is.
    assert_eq!(elsewhere.run(&["ls"]).exit, 0);
    elsewhere.import(&file).failed(7, "nothing was imported: ", &["has been used already"]);
}

#[test]
fn an_export_is_for_its_owner_alone_and_overwrites_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::open();
    shop.pay("one");
    let answer = shop.json(0, &["ledger", "export", "--to", "ledger.jsonl"]);
    assert_eq!((&answer["operations"], &answer["file"]), (&json!(1), &json!("ledger.jsonl")));
    let kept = std::fs::read_to_string(shop.file("ledger.jsonl")).expect("the export");
    let mode = std::fs::metadata(shop.file("ledger.jsonl")).expect("the export").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(kept, exported(|args| shop.hapax(args)));
    let again = shop.hapax(&["ledger", "export", "--to", "ledger.jsonl"]);
    again.failed(2, "nothing was exported: ledger.jsonl exists already", &[]);
    assert_eq!(std::fs::read_to_string(shop.file("ledger.jsonl")).expect("the export"), kept);
    let answered = shop.json(2, &["ledger", "export"]);
    assert_eq!(answered["error"]["code"], "usage");
    let sql = Connection::open(shop.file("hapax.ledger")).expect("it opens");
    sql.execute_batch("UPDATE operations SET phase = 1").expect("damaged");
    shop.hapax(&["ledger", "export", "--to", "damaged.jsonl"]).failed(7, "nothing was exported: ", &["is damaged"]);
    assert!(!shop.file("damaged.jsonl").exists());
}

/// An export of many operations that are under way, made of one that is.
fn of_many(shop: &Shop, count: usize) -> String {
    kill_at(shop, "before-send:1", "model");
    let file = exported(|args| shop.hapax(args));
    let lines: Vec<&str> = file.lines().collect();
    let (id, (line, operation)) = operations(&file).into_iter().next().expect("one");
    let events = operation["records"].as_array().expect("records").len();
    let more = (0..count).map(|number| {
        let other = format!("{}{number:012x}", &id[..24]);
        line.replace(&id, &other).replace("\"key\":\"model\"", &format!("\"key\":\"k{number}\""))
    });
    let lines: Vec<String> = [lines[0].to_owned()].into_iter().chain(more).collect();
    ended(&lines, count, count * events)
}

#[test]
fn an_import_that_is_killed_leaves_nothing_or_a_ledger_that_is_closed() {
    const COUNT: usize = 2_000;
    let shop = Shop::open();
    let file = of_many(&shop, COUNT);
    let elsewhere = Elsewhere::beside(&shop);
    std::fs::write(elsewhere.0.path().join("export.jsonl"), &file).expect("written");
    let import = ["ledger", "import", "export.jsonl"];
    let start = || elsewhere.command(&import).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("an import");
    let kill = |mut child: std::process::Child| {
        child.kill().expect("killed");
        assert!(!child.wait().expect("gone").success(), "it was killed before its end");
    };
    let sql = elsewhere.sql();
    let check =
        || -> String { sql.query_row("SELECT secret_check FROM header", [], |row| row.get(0)).unwrap_or_default() };

    let child = start();
    // Nobody else can write while it is in the middle.
    wait_for(|| sql.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err());
    kill(child);
    assert_eq!(check(), "");
    elsewhere.holds(0);

    let child = start();
    wait_for(|| check().starts_with("imported "));
    kill(child);
    elsewhere.holds(COUNT as u64);
    let closed = "nothing was sent: an import into this ledger was not finished";
    elsewhere.run(&["ls"]).failed(7, closed, &["hapax ledger restored"]);
    elsewhere.run(&["recover"]).failed(7, closed, &[]);
    elsewhere.run(&["ledger", "export"]).failed(2, "nothing was exported: an import", &["hapax ledger restored"]);
    let other = shop.hapax(&["ledger", "export", "--to", "other.jsonl"]);
    assert_eq!(other.exit, 0, "{}", other.err);
    let other = shop.file("other.jsonl");
    let refused = elsewhere.run(&["ledger", "import", other.to_str().expect("UTF-8")]);
    refused.failed(7, "nothing was imported: ", &["has been used already"]);
    // The same file is taken up where it was left.
    let again = elsewhere.run(&["--json", "ledger", "import", "export.jsonl"]);
    assert_eq!(again.exit, 0, "{}", again.out);
    assert_eq!(same_but_restored(&file, &exported(|args| elsewhere.run(args))), COUNT);
    assert_eq!(elsewhere.run(&["ls"]).exit, 0);
}

/// Without a pause in between: what is waited for goes by.
#[track_caller]
fn wait_for(mut is_so: impl FnMut() -> bool) {
    for _ in 0..20_000_000_u64 {
        if is_so() {
            return;
        }
        std::thread::yield_now();
    }
    panic!("it never came to this");
}
