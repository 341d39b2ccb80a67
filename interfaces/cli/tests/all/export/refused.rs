//! What isn't exported, and what isn't imported: nothing of it.

use rusqlite::Connection;
use serde_json::json;

use super::{Elsewhere, ended, exported};
use crate::support::Shop;

/// Stands in arguments, so it may stand in the file, and nowhere in an error.
const PERSONAL: &str = "pm_card_visa";

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
