//! Personal data where it must not be, when something goes wrong that nobody foresaw: in the words of a panic, and in what
//! PostgreSQL says of a row that it doesn't take. `tests/crash` looks for credentials and arguments after every fault of a
//! provider; `Ended::of` and `Shop::json` do so after every run here.

use crate::floor::wait_until;
use crate::postgres_ledger::Hosts;
use crate::support::{Ended, PAYS, Shop, charge};

/// As a panic would say it that cuts a text in the middle of a letter.
const WORDS: &str = "byte index 3 is not a char boundary; it is inside the name of ada@example.com";

fn assert_silent(ended: &Ended, words: &[&str]) {
    for word in words {
        assert!(!ended.err.contains(word) && !ended.out.contains(word), "{word:?}: {}{}", ended.out, ended.err);
    }
}

/// A run whose executor panics at a point, with logs and backtraces at their most talkative.
fn panicking(shop: &Shop, point: &str, args: &[&str]) -> Ended {
    let mut command = shop.command(args);
    command.env("HAPAX_TEST_PAUSE_AT", point).env("HAPAX_TEST_PANIC", WORDS);
    let ended = Ended::of(command.env("HAPAX_LOG", "trace").env("RUST_BACKTRACE", "1"));
    assert_silent(&ended, &["ada@example.com", "char boundary"]);
    assert!(!ended.err.contains(PAYS), "an argument in {}", ended.err);
    let told = ["a mistake in hapax stopped its thread", "probe.rs:", "executor/drive.rs:"];
    for part in told {
        assert!(ended.err.contains(part), "{point}: {part:?} is not in {}", ended.err);
    }
    ended
}

#[test]
fn a_panic_tells_its_place_and_not_its_words_and_the_work_goes_on() {
    let shop = Shop::open();
    let args = charge(100).to_string();
    for (number, point) in
        ["after-commit:1", "before-send:1", "after-send:1", "before-commit:2"].into_iter().enumerate()
    {
        let key = format!("k{number}");
        let call = ["--json", "run", "stripe.charge", "--key", &key, "--args", &args, "--wait", "600"];
        let told = panicking(&shop, point, &call).json();
        assert!(["unknown", "succeeded"].contains(&told["outcome"].as_str().unwrap_or_default()), "{point}: {told}");
        wait_until("it ends", || shop.hapax(&call).exit == 0);
        assert_eq!(shop.stripe.count("charge"), number as u64 + 1, "{point}: once");
    }
}

/// PostgreSQL shows whole rows in the details of its errors, and a trigger of somebody's may say anything.
#[test]
fn nothing_that_the_database_says_of_a_row_is_told() {
    let Some(hosts) = Hosts::open("what PostgreSQL says of a row that it refuses") else { return };
    let args = charge(100).to_string();
    let run = |key: &str| {
        let args = ["run", "stripe.charge", "--key", key, "--args", &args, "--wait", "600"];
        let ended = Ended::of(hosts.place.command(&args).env("HAPAX_LOG", "trace"));
        // A receipt, on stdout, names the payment method.
        assert!(!ended.err.contains(PAYS), "{}", ended.err);
        ended
    };
    let refused = |key: &str, says: &[&str]| {
        let ended = run(key);
        assert_silent(&ended, &[PAYS]);
        assert_eq!(ended.exit, 7, "{}", ended.err);
        for part in says {
            assert!(ended.err.contains(part), "{part:?} is not in {}", ended.err);
        }
    };
    let function = |raise: &str| {
        let body = format!("BEGIN RAISE EXCEPTION 'no: %', NEW.said {raise}; END");
        hosts
            .place
            .sql(&format!("CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$"));
    };
    function("");
    hosts.place.sql("CREATE TRIGGER refuse BEFORE INSERT ON hapax.events FOR EACH ROW EXECUTE FUNCTION refuse()");
    refused("1", &["nothing was sent: ", "failed (P0001)", "in the log of the database"]);
    hosts.place.sql("DROP TRIGGER refuse ON hapax.events");
    hosts.place.sql("ALTER TABLE hapax.events ADD CONSTRAINT no_cards CHECK (said NOT LIKE '%pm_card%')");
    refused("2", &["nothing was sent: ", "failed (23514 events no_cards)"]);
    hosts.place.sql("ALTER TABLE hapax.events DROP CONSTRAINT no_cards");
    // At the commit, as if the server went away: whether it counts is looked up, and that is logged.
    function("USING ERRCODE = '57P01', DETAIL = NEW.said");
    hosts.place.sql(
        "CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON hapax.events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW \
         EXECUTE FUNCTION refuse()",
    );
    refused("3", &["the answer to a commit was lost", "57P01"]);
    hosts.place.sql("DROP TRIGGER refuse ON hapax.events");
    assert_eq!(hosts.stripe.count("charge"), 0);
    assert_eq!(run("3").exit, 0);
}
