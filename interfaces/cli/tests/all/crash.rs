//! A worker that is killed, and one that takes up its work. The crash suite does this at every point.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::support::{Ended, Shop, charge};

#[test]
fn a_killed_run_is_recovered_with_one_effect() {
    let shop = Shop::open();
    let args = charge(100).to_string();
    let mut command = shop.command(&["run", "stripe.charge", "--key", "k", "--args", &args]);
    let mut child =
        command.env("HAPAX_TEST_PAUSE_AT", "after-send:1").stderr(Stdio::piped()).spawn().expect("a worker");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut line).expect("a line");
    assert_eq!(line, "paused after-send\n");
    child.kill().expect("killed");
    child.wait().expect("gone");
    assert_eq!(shop.stripe.count("charge"), 1);
    let held = shop.hapax(&["recover"]);
    assert!(held.out.contains("1 under way"), "its lease still holds: {}", held.out);
    for _ in 0..200 {
        assert_eq!(shop.hapax(&["recover"]).exit, 0);
        if shop.json(0, &["show", "--key", "k"])["phase"] == "succeeded" {
            assert_eq!(shop.stripe.count("charge"), 1);
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it was not recovered");
}

/// The switch must never do anything to a worker that serves a real account.
#[test]
fn the_pause_is_not_honoured_beside_a_real_connection() {
    let shop = Shop::open();
    let live = "[connections.live]\nintegration = \"stripe\"\n";
    shop.configure(&(shop.configuration().replace("scale = 50", "scale = 1") + live));
    let args = charge(100).to_string();
    let run = ["run", "stripe.charge", "--key", "k", "--args", &args, "--connection", "shop"];
    let ended = Ended::of(shop.command(&run).env("HAPAX_TEST_PAUSE_AT", "before-send:1"));
    assert_eq!(ended.exit, 0, "{}", ended.err);
    let bad = Ended::of(shop.command(&run).env("HAPAX_TEST_PAUSE_AT", "lunch:1"));
    bad.failed(2, "nothing was sent: HAPAX_TEST_PAUSE_AT is no POINT:N", &["after-send"]);
}

#[test]
fn a_decline_is_refused_and_can_be_superseded() {
    let shop = Shop::open();
    let mut declined = charge(100);
    declined["payment_method"] = json!("pm_card_chargeDeclined");
    let ended = shop.run("stripe.charge", "k", &declined);
    assert_eq!(ended.exit, 3, "{}{}", ended.out, ended.err);
    assert!(ended.out.starts_with("refused: nothing happened: "), "{}", ended.out);
    let refused = shop.json(3, &["run", "stripe.charge", "--key", "k", "--args", &declined.to_string()]);
    let id = refused["operation"].as_str().expect("an id");
    let args = charge(100).to_string();
    let again = ["supersede", id, "--epoch", "0", "--by", "dana", "--args", &args, "--wait", "600"];
    assert_eq!(shop.json(0, &again)["epoch"], 1);
    assert_eq!(shop.json(0, &again)["epoch"], 1, "repeating it changes nothing");
    assert_eq!(shop.stripe.count("charge"), 1);
}
