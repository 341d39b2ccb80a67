//! Does what `docs/guides/backup.md` says, block by block, and loses work in between.

use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::export::kill_at;
use crate::floor::wait_until;
use crate::guide::{blocks, follow};
use crate::postgres_ledger::{Place, tell};
use crate::support::{Ended, Shop, charge, hapax};

const GUIDE: &str = include_str!("../../../../docs/guides/backup.md");

/// A ledger of a shop, wherever it is.
trait Books {
    fn run(&self, args: &[&str]) -> Ended;

    fn charge(&self, key: &str) -> Value {
        let args = charge(100).to_string();
        self.run(&["--json", "run", "stripe.charge", "--key", key, "--args", &args, "--wait", "30"]).json()
    }
}

impl Books for Shop {
    fn run(&self, args: &[&str]) -> Ended {
        self.hapax(args)
    }
}

impl Books for Place {
    fn run(&self, args: &[&str]) -> Ended {
        self.run(args)
    }
}

/// What ended keeps its end, what was under way is found, and what the backup has forgotten is not sent again: it waits
/// for a look, which at Stripe proves nothing for a day, or for somebody who knows. `forgotten` is its receipt's id.
fn nothing_is_done_twice(books: &impl Books, forgotten: &str, count: impl Fn() -> u64) {
    let done = count();
    assert_eq!(books.charge("before")["outcome"], "succeeded");
    wait_until("what was under way is found", || books.charge("under way")["outcome"] == "succeeded");
    for key in ["after", "new"] {
        let waits = books.charge(key);
        assert_eq!((&waits["outcome"], waits["exit"].as_i64()), (&json!("unknown"), Some(4)), "{waits}");
        assert!(waits["why"].as_str().expect("why").contains("the ledger was restored"), "{waits}");
    }
    let id = books.charge("after")["operation"].as_str().expect("an id").to_owned();
    let proved = books.run(&["witness", &id, "--id", forgotten, "--source", "the books"]);
    assert_eq!(proved.exit, 0, "{}", proved.err);
    assert_eq!(books.charge("after")["receipt"]["id"], forgotten);
    assert_eq!(count(), done, "nothing was sent again");
}

/// The id of what a charge came to.
#[track_caller]
fn id_of(answer: &Value) -> String {
    assert_eq!(answer["outcome"], "succeeded", "{answer}");
    answer["receipt"]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_backup_of_sqlite_is_made_and_given_back_as_the_guide_says() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::open();
    let here = |_: &mut Command| {};
    let blocks = blocks(GUIDE, "SQLite");
    let [back_up, give_back] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!(shop.charge("before")["outcome"], "succeeded");
    kill_at(&shop, "after-send:1", "under way");
    // While somebody uses it: what was written last is in the log beside the file.
    let at_work = Connection::open(shop.file("hapax.ledger")).expect("it opens");
    at_work.execute_batch("BEGIN; SELECT * FROM header").expect("a snapshot is held");
    follow(back_up, shop.folder(), here);
    drop(at_work);
    let mode = std::fs::metadata(shop.file("backups/hapax.ledger")).expect("a backup").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let forgotten = id_of(&shop.charge("after"));
    std::fs::write(shop.file("hapax.ledger"), "what a broken disk left").expect("lost");
    shop.hapax(&["ls"]).failed(7, "nothing was sent: ", &["is not a ledger"]);
    follow(give_back, shop.folder(), here);
    assert_eq!(shop.operations(), 2, "one was forgotten");
    nothing_is_done_twice(&shop, &forgotten, || shop.stripe.count("charge"));
}

#[test]
fn a_backup_of_postgres_is_made_and_given_back_as_the_guide_says() {
    let left_out = "a dump of a ledger in PostgreSQL, given back";
    let Some(place) = Place::open(left_out) else { return };
    if Command::new("pg_dump").arg("--version").output().is_err() {
        return tell(&format!("left out: {left_out}: no pg_dump is installed"));
    }
    let shop = Shop::open();
    assert_eq!(place.run(&["ledger", "create"]).exit, 0);
    place.connect(&shop.stripe.url);
    let blocks = blocks(GUIDE, "PostgreSQL");
    let [back_up, give_back] = blocks.as_slice() else { panic!("{blocks:?}") };
    let follow = |block: &[&str]| follow(block, place.folder(), |command| place.lead(command));
    assert_eq!(place.charge("before")["outcome"], "succeeded");
    let pause = ["run", "stripe.charge", "--key", "under way", "--args", &charge(100).to_string()];
    crate::export::kill(place.command(&pause), "after-send:1");
    follow(back_up);
    let forgotten = id_of(&place.charge("after"));
    follow(give_back);
    let listed = place.run(&["--json", "ls"]).json();
    assert_eq!(listed["operations"].as_array().map(Vec::len), Some(2), "one was forgotten: {listed}");
    nothing_is_done_twice(&place, &forgotten, || shop.stripe.count("charge"));
}

#[test]
fn a_ledger_moves_as_the_guide_says() {
    let shop = Shop::open();
    let here = |_: &mut Command| {};
    let blocks = blocks(GUIDE, "Move to another ledger");
    let [export, import] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!(shop.charge("before")["outcome"], "succeeded");
    kill_at(&shop, "after-send:1", "under way");
    follow(export, shop.folder(), here);
    // Somebody goes on, against the rule.
    let forgotten = id_of(&shop.charge("after"));
    let other = tempfile::tempdir().expect("a folder");
    assert_eq!(Ended::of(hapax().arg("init").arg(other.path())).exit, 0);
    for name in ["hapax.toml", "hapax.secret", "ledger.jsonl"] {
        std::fs::copy(shop.file(name), other.path().join(name)).expect("copied");
    }
    follow(import, other.path(), here);
    let elsewhere = Elsewhere(other.path());
    nothing_is_done_twice(&elsewhere, &forgotten, || shop.stripe.count("charge"));
}

struct Elsewhere<'a>(&'a Path);

impl Books for Elsewhere<'_> {
    fn run(&self, args: &[&str]) -> Ended {
        Ended::of(hapax().current_dir(self.0).args(args))
    }
}

/// What the guide says of a restore that nobody noted: in SQLite nothing shows it, and what was forgotten is sent again
/// unless the provider keeps it away.
#[test]
fn a_restore_that_nobody_noted_is_not_noticed_where_the_guide_says_so() {
    assert!(GUIDE.contains("| a SQLite file, before anything starts | **nothing** |"));
    let shop = Shop::open();
    assert_eq!(shop.charge("before")["outcome"], "succeeded");
    follow(&blocks(GUIDE, "SQLite")[0], shop.folder(), |_| {});
    assert_eq!(shop.charge("after")["outcome"], "succeeded");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(shop.file(&format!("hapax.ledger{end}")));
    }
    std::fs::copy(shop.file("backups/hapax.ledger"), shop.file("hapax.ledger")).expect("given back");
    let answer = shop.charge("after");
    assert_eq!(answer["outcome"], "succeeded", "{answer}");
    let requests = shop.json(0, &["show", "--key", "after"])["story"].to_string();
    assert!(!requests.contains("restored"), "nothing shows it: {requests}");
    assert_eq!(shop.stripe.count("charge"), 2, "Stripe's own key kept the second one away, not we");
    assert_eq!(shop.json(0, &["ledger", "verify"])["problems"], json!([]));
}
