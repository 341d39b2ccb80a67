//! Workers: several at once, killed, told to stop, and with everything around them failing.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::json;

use crate::floor::{Floor, Worker, wait_until};
use crate::postgres_ledger::Hosts;
use crate::support::{Ended, Shop, StandIn, charge};

impl Floor for Shop {
    fn command(&self, args: &[&str]) -> Command {
        Self::command(self, args)
    }

    fn stripe(&self) -> &StandIn {
        &self.stripe
    }
}

/// Begins charges while nobody is at the provider's address, so that they are due and nothing of them was sent.
fn begin(shop: &Shop, keys: &[&str]) {
    begin_under(shop, &shop.configuration(), keys);
}

/// The same where a request that hangs does so for long enough that a busy machine can say something meanwhile.
fn begin_slowly(shop: &Shop, keys: &[&str]) {
    begin_under(shop, &shop.configuration().replace("scale = 50", "scale = 10"), keys);
}

fn begin_under(shop: &Shop, configuration: &str, keys: &[&str]) {
    shop.configure(&configuration.replace(&shop.stripe.url, "http://127.0.0.1:9"));
    for key in keys {
        shop.json(4, &["run", "stripe.charge", "--key", key, "--args", &charge(100).to_string(), "--wait", "1"]);
    }
    shop.configure(configuration);
}

/// Has so many charges hang at the provider without an answer.
fn hang(shop: &Shop, times: u32) {
    shop.stripe
        .inject(&json!({ "method": "POST", "path": "/v1/payment_intents/*/confirm", "times": times, "kind": "hang" }));
}

/// Waits until so many requests have left.
fn wait_for_requests(shop: &Shop, count: usize) {
    wait_until("requests have left", || {
        let open = shop.phase("open");
        open.iter().filter(|one| one["evidence"]["open_attempts"] == 1).count() >= count
    });
}

fn two_workers_share_forty(floor: &impl Floor) {
    floor.lose_answers(0..40);
    assert_eq!(floor.phase("open").len(), 40);
    let workers = [Worker::start(floor, &[]), Worker::start(floor, &[])];
    floor.wait_until_all_is_done();
    let [one, other] = workers.map(Worker::stopped);
    assert_eq!(floor.stripe().count("charge"), 40, "each effect once");
    one.adds_up();
    other.adds_up();
    let all: Vec<String> = one.succeeded().into_iter().chain(other.succeeded()).collect();
    let each: BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), each.len()), (40, 40), "each was finished by exactly one: {one:?} {other:?}");
    assert_eq!(one.count("succeeded") + other.count("succeeded"), 40);
    assert_eq!(floor.phase("succeeded").len(), 40);
    if let Some(file) = std::env::var_os("HAPAX_TEST_WRITE_RACES") {
        let races = [&one, &other].map(|worker| (worker.count("taken_up"), worker.count("lost_races")));
        let line = format!("{races:?}\n");
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).expect("a file");
        std::io::Write::write_all(&mut file, line.as_bytes()).expect("written");
    }
}

#[test]
fn two_workers_finish_each_of_forty_operations_once() {
    two_workers_share_forty(&Shop::open());
}

#[test]
fn two_hosts_finish_each_of_forty_operations_once() {
    if let Some(hosts) = Hosts::open("two workers over a ledger in PostgreSQL") {
        two_workers_share_forty(&hosts);
    }
}

#[test]
fn a_database_that_goes_away_under_work_is_told_and_worked_on_when_it_is_back() {
    let Some(hosts) = Hosts::open("a worker whose database goes away") else { return };
    hosts.lose_answers(0..6);
    let mut worker = Worker::start(&hosts, &["--concurrency", "2"]);
    worker.wait_for("operation");
    hosts.place.is_there(false);
    let away = worker.wait_for("away");
    assert_eq!((&away["exit"], &away["error"]["code"]), (&json!(7), &json!("ledger")));
    hosts.place.is_there(true);
    worker.wait_for("back");
    hosts.lose_answers(6..8);
    hosts.wait_until_all_is_done();
    let spoken = worker.stopped();
    spoken.adds_up();
    assert_eq!((hosts.phase("succeeded").len(), hosts.stripe.count("charge")), (8, 8), "{spoken:?}");
}

#[test]
fn what_a_killed_worker_held_is_finished_by_another() {
    for point in ["after-commit:1", "before-send:1", "after-send:1"] {
        let shop = Shop::open();
        begin(&shop, &["k"]);
        let mut paused = Shop::command(&shop, &["--json", "work", "--poll", "200ms"]);
        let mut dying = Worker::begin(paused.env("HAPAX_TEST_PAUSE_AT", point));
        dying.wait_for("started");
        wait_until("it holds the operation", || {
            shop.json(0, &["show", "--key", "k"])["revision"] != json!(0) && {
                let story = shop.json(0, &["show", "--key", "k"])["timeline"].to_string();
                story.matches("taken up").count() >= 2
            }
        });
        if point == "after-send:1" {
            wait_until("its request has left", || shop.stripe.count("charge") == 1);
        }
        dying.kill();
        let heir = Worker::start(&shop, &[]);
        shop.wait_until_all_is_done();
        assert_eq!(heir.stopped().count("succeeded"), 1, "{point}");
        assert_eq!(shop.stripe.count("charge"), 1, "{point}");
    }
}

#[test]
fn a_worker_that_is_told_to_stop_ends_what_is_under_way_and_takes_up_no_more() {
    let shop = Shop::open();
    begin_slowly(&shop, &["a", "b", "c"]);
    hang(&shop, 1);
    let mut worker = Worker::start(&shop, &["--concurrency", "1", "--grace", "60s"]);
    wait_for_requests(&shop, 1);
    worker.signal("TERM");
    assert_eq!(worker.wait_for("stopping")["under_way"], 1);
    shop.stripe.release();
    let spoken = worker.ended();
    assert_eq!((spoken.exit, &spoken.only("stopping")["why"]), (0, &json!("signal")));
    assert_eq!((spoken.count("taken_up"), spoken.count("succeeded"), spoken.count("left")), (1, 1, 0), "{spoken:?}");
    assert_eq!((shop.phase("succeeded").len(), shop.phase("open").len()), (1, 2), "the answer is durable");
}

#[test]
fn no_more_is_taken_up_than_there_is_room_for() {
    let shop = Shop::open();
    begin_slowly(&shop, &["a", "b", "c", "d", "e"]);
    hang(&shop, 0);
    let worker = Worker::start(&shop, &["--concurrency", "2", "--grace", "0s"]);
    wait_for_requests(&shop, 2);
    // Long enough for it to ask some more times what is due.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let spoken = worker.stopped();
    assert_eq!(spoken.only("stopping")["under_way"], 2, "{spoken:?}");
    assert_eq!(spoken.count("left"), 2, "no time to end, so both are left");
    spoken.adds_up();
}

#[test]
fn a_second_signal_ends_at_once_and_another_worker_goes_on() {
    let shop = Shop::open();
    begin_slowly(&shop, &["k"]);
    hang(&shop, 1);
    let mut worker = Worker::start(&shop, &["--grace", "1h"]);
    wait_for_requests(&shop, 1);
    worker.signal("INT");
    worker.wait_for("stopping");
    worker.signal("TERM");
    let spoken = worker.ended();
    assert_eq!((spoken.exit, spoken.count("left")), (0, 1), "{spoken:?}");
    shop.stripe.release();
    let heir = Worker::start(&shop, &[]);
    shop.wait_until_all_is_done();
    assert_eq!(heir.stopped().count("succeeded"), 1);
    assert_eq!(shop.stripe.count("charge"), 1);
}

#[test]
fn until_idle_ends_when_nothing_is_due() {
    let shop = Shop::open();
    let idle = Worker::start(&shop, &["--until-idle"]).ended();
    assert_eq!((idle.exit, idle.count("taken_up")), (0, 0), "{idle:?}");
    assert_eq!(idle.only("stopping")["why"], "idle");
    begin(&shop, &["a", "b", "c"]);
    wait_until("it is done in some rounds", || {
        let spoken = Worker::start(&shop, &["--until-idle", "--concurrency", "2"]).ended();
        assert_eq!(spoken.exit, 0, "{spoken:?}");
        spoken.adds_up();
        shop.phase("succeeded").len() == 3
    });
    assert_eq!(shop.stripe.count("charge"), 3);
}

#[test]
fn a_ledger_that_goes_away_is_told_once_and_worked_on_when_it_is_back() {
    let shop = Shop::open();
    begin(&shop, &["k"]);
    let mut worker = Worker::start(&shop, &[]);
    shop.wait_until_all_is_done();
    let (here, there) = (shop.file("hapax.ledger"), shop.file("elsewhere"));
    std::fs::rename(&here, &there).expect("moved away");
    let away = worker.wait_for("away");
    assert_eq!((&away["exit"], &away["error"]["code"]), (&json!(7), &json!("ledger")));
    // Long enough for some more tries.
    std::thread::sleep(std::time::Duration::from_secs(2));
    std::fs::rename(&there, &here).expect("moved back");
    worker.wait_for("back");
    shop.lose_answers(0..1);
    shop.wait_until_all_is_done();
    let spoken = worker.stopped();
    assert_eq!((spoken.all("away").len(), spoken.all("back").len()), (1, 1), "{spoken:?}");
    assert_eq!(spoken.count("succeeded"), 2);
    assert_eq!(shop.stripe.count("charge"), 2);
}

#[test]
fn until_idle_with_a_ledger_that_is_away_ends_as_recover_does() {
    let shop = Shop::open();
    std::fs::remove_file(shop.file("hapax.ledger")).expect("removed");
    let ended = shop.hapax(&["work", "--until-idle"]);
    ended.failed(7, "nothing was sent: the ledger ", &["does not exist"]);
    assert!(!shop.file("hapax.ledger").exists());
}

#[test]
fn a_clock_behind_the_ledger_is_told_and_nothing_is_sent() {
    let shop = Shop::open();
    begin(&shop, &["k"]);
    // The ledger's time ran ahead at fifty times the speed.
    shop.configure(&shop.configuration().replace("scale = 50", "scale = 1"));
    let mut worker = Worker::start(&shop, &[]);
    let away = worker.wait_for("away");
    assert_eq!(away["error"]["code"], "ledger-in-the-future");
    std::thread::sleep(std::time::Duration::from_secs(2));
    let spoken = worker.stopped();
    assert_eq!((spoken.all("away").len(), spoken.count("taken_up")), (1, 0), "{spoken:?}");
    let once = shop.hapax(&["work", "--until-idle"]);
    assert_eq!(once.exit, 7, "{}{}", once.out, once.err);
    assert!(once.err.contains("nothing was sent: the ledger's newest record lies "), "{}", once.err);
    assert_eq!(shop.stripe.count("charge"), 0);
}

#[test]
fn a_connection_without_credentials_does_not_stop_the_others() {
    let shop = Shop::open();
    let other = |how: &str| {
        let text = format!(
            "[connections.other]\nintegration = \"stripe\"\nstand_in = true\nbase_url = \"{}\"\n{how}",
            shop.stripe.url
        );
        shop.configuration() + &text
    };
    shop.configure(&other("").replace(&shop.stripe.url, "http://127.0.0.1:9"));
    let args = charge(100).to_string();
    let run = |connection: &str, key: &str| {
        let run = ["run", "stripe.charge", "--key", key, "--args", &args, "--wait", "1", "--connection", connection];
        shop.json(4, &run)["operation"].clone()
    };
    let (served, unserved) = (run("shop", "a"), run("other", "b"));
    shop.configure(&other("api_key_env = \"NO_SUCH_VARIABLE_HERE\"\n"));
    let mut worker = Worker::start(&shop, &[]);
    let done = worker.wait_for("operation");
    assert_eq!(done["operation"], served);
    wait_until("the other is done", || shop.phase("succeeded").len() == 1);
    let spoken = worker.stopped();
    let left_out = &spoken.only("started")["left_out"];
    assert_eq!(left_out[0]["connection"], "other");
    assert_eq!(left_out[0]["code"], "missing-credential");
    assert_eq!(left_out[0]["operations"], json!([unserved]));
    assert!(spoken.errors.contains("connection other is left out: "), "{}", spoken.errors);
    // With nothing that it could serve, a worker doesn't look healthy.
    shop.configure(&shop.configuration().replace("stand_in", "api_key_env = \"NO_SUCH_VARIABLE_HERE\"\nstand_in"));
    shop.hapax(&["work"]).failed(2, "nothing was sent: connection shop lacks", &["NO_SUCH_VARIABLE_HERE"]);
}

#[test]
fn times_without_a_unit_are_bad_input() {
    let shop = Shop::open();
    for (option, value) in [("--poll", "5"), ("--poll", "1ms"), ("--grace", "soon"), ("--concurrency", "0")] {
        let ended: Ended = shop.hapax(&["work", option, value]);
        ended.failed(2, "nothing was sent: ", &[option, value]);
    }
}
