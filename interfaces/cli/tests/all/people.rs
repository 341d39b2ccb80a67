//! What people decide.

use serde_json::json;

use crate::support::{Shop, charge};

#[test]
fn an_amount_above_the_limit_is_held_until_somebody_approves() {
    let shop = Shop::open();
    let args = charge(200_000).to_string();
    let held = shop.run("stripe.charge", "big", &charge(200_000));
    assert_eq!(held.exit, 6, "{}{}", held.out, held.err);
    assert!(held.out.starts_with("held: "), "{}", held.out);
    assert_eq!(shop.stripe.count("charge"), 0);
    let view = shop.json(0, &["show", "--key", "big"]);
    let (id, revision) = (view["operation"].as_str().expect("id"), view["revision"].to_string());
    let stale = shop.hapax(&["approve", id, "--seen", "99", "--by", "dana"]);
    stale.failed(2, "nothing was changed: you saw revision 99", &["hapax show"]);
    assert_eq!(shop.json(0, &["approve", id, "--seen", &revision, "--by", "dana"])["outcome"], "succeeded");
    assert_eq!(shop.stripe.count("charge"), 1);

    let other = shop.json(6, &["run", "stripe.charge", "--key", "other", "--args", &args]);
    let (id, revision) = (other["operation"].as_str().expect("id"), other["revision"].to_string());
    let denied = shop.json(3, &["deny", id, "--seen", &revision, "--by", "dana"]);
    assert_eq!(denied["reason"]["code"], "denied");
    assert_eq!(shop.stripe.count("charge"), 1);
}

#[test]
fn what_nobody_can_know_waits_in_the_inbox_with_evidence() {
    let shop = Shop::open();
    let lost = shop.lose_a_refund("r");
    assert_eq!(lost["next"]["next"], "person");
    let inbox = shop.json(0, &["ls", "--inbox"]);
    assert_eq!(inbox["operations"].as_array().expect("a list").len(), 1);
    let shown = shop.hapax(&["show", "--key", "r"]);
    for part in ["with a person: ", "adrift", "looked: nothing there", "to decide", "hapax resolve", "1 request(s)"] {
        assert!(shown.out.contains(part), "{} should contain {part}", shown.out);
    }
    let (id, revision) = (lost["operation"].as_str().expect("id"), lost["revision"].to_string());
    let unknown = shop.hapax(&["resolve", id, "--seen", &revision, "--by", "dana", "--happened", "re_nope"]);
    unknown.failed(2, "nothing was changed: the provider has no record re_nope", &[]);
    let taken = shop.json(5, &["resolve", id, "--seen", &revision, "--by", "dana", "--take-over"]);
    assert_eq!(taken["next"]["next"], "person");
    assert_eq!(shop.stripe.count("refund"), 0);
}

#[test]
fn a_refund_whose_money_comes_back_can_be_followed() {
    let shop = Shop::open();
    let payment = {
        let mut args = charge(2500);
        args["payment_method"] = json!("pm_card_pendingRefund");
        let answer = shop.json(0, &["run", "stripe.charge", "--key", "p", "--args", &args.to_string()]);
        answer["receipt"]["id"].as_str().expect("an id").to_owned()
    };
    let args = json!({ "payment_intent": payment }).to_string();
    let refund = shop.json(0, &["run", "stripe.refund", "--key", "r", "--args", &args]);
    assert_eq!(refund["fate"], "pending");
    let id = refund["operation"].as_str().expect("an id");
    for _ in 0..200 {
        if shop.json(0, &["follow", id])["fate"] == "succeeded" {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("its fate was never learned");
}
