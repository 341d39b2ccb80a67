//! A worker that is told to stop while it has its hands full and more is due.

use serde_json::json;

use crate::floor::{Floor, Worker, wait_until};
use crate::postgres_ledger::Hosts;
use crate::support::{Shop, charge};

/// How many operations are due.
const DUE: i64 = 40;

/// How many of them the worker has under way at once.
const AT_ONCE: u64 = 8;

/// Begins charges whose requests can't leave. Each caller is told of an operation that goes on.
fn begin(floor: &impl Floor) {
    std::thread::scope(|scope| {
        for part in 0..4 {
            scope.spawn(move || {
                for number in (part..DUE).step_by(4) {
                    let (key, args) = (format!("order:{number}"), charge(100 + number).to_string());
                    let run = ["run", "stripe.charge", "--connection", "shop", "--key", &key, "--args", &args];
                    loop {
                        let told = floor.ask(&[&run[..], &["--wait", "10"]].concat());
                        assert_eq!(told["exit"], 4, "{told}");
                        // Its wait may have been over before it was journaled.
                        if told["revision"] != 0 {
                            break;
                        }
                    }
                }
            });
        }
    });
}

/// What is under way ends with its outcome, nothing else is begun, and the next worker finishes the rest.
fn told_to_stop(floor: &impl Floor) {
    assert_eq!(floor.phase("open").len() as i64, DUE);
    let hang = json!({ "method": "POST", "path": "/v1/payment_intents/*/confirm", "times": AT_ONCE, "kind": "hang",
                       "after_effect": true });
    floor.stripe().inject(&hang);
    let mut worker = Worker::start(floor, &["--concurrency", &AT_ONCE.to_string(), "--grace", "10h"]);
    wait_until("it has its hands full", || floor.stripe().count("charge") == AT_ONCE);
    worker.signal("TERM");
    assert_eq!(worker.wait_for("stopping")["under_way"], AT_ONCE);
    floor.stripe().release();
    let spoken = worker.ended();
    spoken.adds_up();
    assert_eq!((spoken.exit, spoken.count("succeeded")), (0, AT_ONCE), "{spoken:?}");
    assert_eq!((floor.phase("succeeded").len() as u64, floor.stripe().count("charge")), (AT_ONCE, AT_ONCE));
    let heir = Worker::start(floor, &[]);
    floor.wait_until_all_is_done();
    heir.stopped().adds_up();
    assert_eq!((floor.phase("succeeded").len() as i64, floor.stripe().count("charge") as i64), (DUE, DUE));
}

#[test]
fn a_worker_under_load_that_is_told_to_stop_loses_no_answer() {
    let shop = Shop::open();
    // So that a request may hang for as long as a busy machine takes.
    let slow = shop.configuration().replace("scale = 50", "scale = 10");
    shop.configure(&slow.replace(&shop.stripe.url, "http://127.0.0.1:9"));
    begin(&shop);
    shop.configure(&slow);
    told_to_stop(&shop);
}

#[test]
fn a_worker_under_load_over_postgresql_that_is_told_to_stop_loses_no_answer() {
    let Some(hosts) = Hosts::open("a worker under load over a ledger in PostgreSQL") else { return };
    let slow = |is_there| {
        hosts.are_providers_there(is_there);
        hosts.place.change("scale = 50", "scale = 10");
    };
    slow(false);
    begin(&hosts);
    slow(true);
    told_to_stop(&hosts);
}
