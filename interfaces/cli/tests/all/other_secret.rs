//! A ledger that is opened with another namespace secret than it was used with.

use serde_json::json;

use crate::floor::wait_until;
use crate::postgres_ledger::Place;
use crate::support::{Ended, Shop, StandIn, charge};

const OTHER: &str = "abababababababababababababababababababababababababababababababab";

fn with_other(shop: &Shop, args: &[&str]) -> Ended {
    let ended = Ended::of(shop.command(args).env("HAPAX_NAMESPACE_SECRET", OTHER));
    assert!(!format!("{}{}", ended.out, ended.err).contains(OTHER), "{args:?} shows the secret");
    ended
}

#[test]
fn another_secret_is_refused_until_it_is_said_on_purpose() {
    let shop = Shop::open();
    assert_eq!(shop.run("stripe.charge", "k", &charge(100)).exit, 0);
    let refused = with_other(&shop, &["recover"]);
    refused.failed(7, "nothing was sent: this ledger was used with another namespace secret", &["ledger restored"]);
    let refused = with_other(&shop, &["ledger", "restored"]);
    refused.failed(7, "nothing was changed: this ledger was used with another", &["--new-secret", "no backup"]);
    with_other(&shop, &["recover"]).failed(7, "nothing was sent: this ledger was used with another", &[]);
    assert_eq!(shop.hapax(&["ledger", "restored"]).exit, 0, "the old one is its own still");
    // It may be run again, as after one that was killed.
    for _ in 0..2 {
        let noted = with_other(&shop, &["ledger", "restored", "--new-secret"]);
        assert_eq!(noted.exit, 0, "{}", noted.err);
        assert!(noted.out.contains("make a backup now"), "{}", noted.out);
    }
    assert_eq!(with_other(&shop, &["recover"]).exit, 0);
    shop.hapax(&["recover"]).failed(7, "nothing was sent: this ledger was used with another", &[]);
    // A key that ended keeps its end.
    let again =
        with_other(&shop, &["--json", "run", "stripe.charge", "--key", "k", "--args", &charge(100).to_string()]);
    assert_eq!((again.exit, shop.stripe.count("charge")), (0, 1));
}

/// A shop with a calendar, whose ledger was given back from a backup after an event was made.
struct Forgetful {
    shop: Shop,
    calendar: StandIn,
}

impl Forgetful {
    fn open() -> Self {
        let shop = Shop::open();
        let calendar = StandIn::serve(&["google_calendar"]);
        let connection = format!(
            "[connections.calendar]\nintegration = \"google_calendar\"\nbase_url = \"{}\"\nstand_in = true\n",
            calendar.url
        );
        shop.configure(&format!("{}{connection}", shop.configuration()));
        let (ledger, backup) = (shop.file("hapax.ledger"), shop.file("backup.ledger"));
        assert_eq!(shop.run("stripe.charge", "before", &charge(100)).exit, 0);
        let sql = rusqlite::Connection::open(&ledger).expect("it opens");
        sql.execute("VACUUM INTO ?1", [backup.to_str().expect("UTF-8")]).expect("a backup");
        drop(sql);
        let forgetful = Self { shop, calendar };
        let made = forgetful.shop.hapax(&args(&call()));
        assert_eq!((made.exit, forgetful.made()), (0, 1), "{}{}", made.out, made.err);
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(forgetful.shop.file(&format!("hapax.ledger{end}")));
        }
        std::fs::rename(backup, ledger).expect("given back");
        forgetful
    }

    fn made(&self) -> u64 {
        self.calendar.count("create_event")
    }
}

/// The intent that was forgotten, as its caller calls again for it.
fn call() -> Vec<String> {
    let (start, end) = (json!({ "date": "2026-12-01" }), json!({ "date": "2026-12-02" }));
    let event = json!({ "summary": "Review", "start": start, "end": end }).to_string();
    let call =
        ["run", "google_calendar.create_event", "--key", "forgotten", "--args", &event, "--wait", "600", "--json"];
    call.map(str::to_owned).to_vec()
}

fn args(call: &[String]) -> Vec<&str> {
    call.iter().map(String::as_str).collect()
}

#[test]
fn what_a_backup_forgot_is_found_with_its_own_secret_and_noted_with_no_other() {
    let forgetful = Forgetful::open();
    let (shop, call) = (&forgetful.shop, call());
    let refused = with_other(shop, &["ledger", "restored"]);
    refused.failed(7, "nothing was changed: ", &["what a backup has forgotten is found with that one only"]);
    assert_eq!(with_other(shop, &args(&call)).json()["error"]["code"], "other-secret");
    assert_eq!(forgetful.made(), 1, "nothing was sent");
    assert_eq!(shop.hapax(&["ledger", "restored"]).exit, 0);
    wait_until("it is found", || shop.hapax(&args(&call)).exit == 0);
    assert_eq!(forgetful.made(), 1, "it was found and not made again");
}

/// What the refusal above is there for. Only the person who gave the backup back knows that there was one.
#[test]
fn with_another_secret_nothing_that_was_forgotten_is_found() {
    let forgetful = Forgetful::open();
    let (shop, call) = (&forgetful.shop, call());
    assert_eq!(
        with_other(shop, &["ledger", "restored", "--new-secret"]).exit,
        0,
        "who says that it is whole is believed"
    );
    let mut said = json!(null);
    wait_until("a person is asked", || {
        said = with_other(shop, &args(&call)).json();
        said["exit"] == 5
    });
    assert!(said["why"].as_str().expect("why").contains("nothing here can prove"), "{said}");
}

#[test]
fn a_database_that_may_have_forgotten_something_takes_no_new_secret() {
    let Some(place) = Place::open("a ledger in PostgreSQL that was put back, with another secret") else { return };
    let run = |args: &[&str]| Ended::of(place.command(args).env("HAPAX_NAMESPACE_SECRET", OTHER));
    for args in [["ledger", "create"], ["ledger", "verify"]] {
        assert_eq!(place.run(&args).exit, 0);
    }
    assert_eq!(place.run(&["ls"]).exit, 0);
    place.sql("UPDATE hapax.header SET system = system - 1");
    run(&["ledger", "restored"]).failed(7, "nothing was changed: this ledger was used with another", &["--new-secret"]);
    run(&["ledger", "restored", "--new-secret"]).failed(7, "nothing was sent: ", &["may have forgotten"]);
    run(&["ls"]).failed(7, "nothing was sent: ", &["another cluster"]);
    assert_eq!(place.run(&["ledger", "restored"]).exit, 0);
    assert_eq!(run(&["ledger", "restored", "--new-secret"]).exit, 0);
    assert_eq!(run(&["ls"]).exit, 0);
}
