//! What a caller can get wrong. Each time nothing is sent, and nothing is journaled by mistake.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::{Ended, Shop, charge};

/// Nothing happened, and the ledger is as it was.
#[track_caller]
fn untouched(shop: &Shop) {
    assert_eq!(shop.stripe.count("charge"), 0);
    assert_eq!(shop.operations(), 0);
}

#[test]
fn a_wrong_key() {
    let shop = Shop::open();
    let long = "x".repeat(256);
    for (key, says) in
        [("", "is empty"), (long.as_str(), "256 characters"), ("a\nb", "position 1"), (" a", "position 0")]
    {
        shop.run("stripe.charge", key, &charge(100)).failed(2, "nothing was sent: the operation key ", &[says]);
    }
    untouched(&shop);
}

#[test]
fn arguments_that_do_not_fit() {
    let shop = Shop::open();
    let check = |args: Value, says: &str| {
        let ended = shop.run("stripe.charge", "k", &args);
        ended.failed(2, "nothing was sent: the arguments don't fit stripe.charge: ", &[says, "hapax explain"]);
        assert!(!ended.err.contains("s3cret"), "values are never shown: {}", ended.err);
    };
    check(json!({}), "missing field `amount`");
    check(json!({ "amount": "s3cret" }), "amount: found a string");
    check(json!({ "amount": { "amount": 10.5, "currency": "EUR" } }), "amount.amount: found a number with a point");
    check(json!({ "amount": { "amount": 1, "currency": "EUR" }, "card": "s3cret" }), "unknown field `card`");
    check(json!({ "amount": { "amount": 1, "currency": "EUR" }, "payment_method": "s3cret" }), "payment_method: ");
    let none = "nothing was sent: --args, line 1 column 1: it is no JSON";
    shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", "s3cret"]).failed(2, none, &[]);
    let file = "nothing was sent: the file nowhere.json of --args can't be read";
    shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", "@nowhere.json"]).failed(2, file, &[]);
    let loose = shop.hapax(&["run", "stripe.charge", "--key", "k", "{\"s3cret\": 1}"]);
    loose.failed(2, "nothing was sent: there is one word too many", &["--args"]);
    assert!(!loose.err.contains("s3cret"));
    untouched(&shop);
}

#[test]
fn arguments_come_from_a_file_or_stdin() {
    let shop = Shop::open();
    std::fs::write(shop.file("args.json"), charge(100).to_string()).expect("a file");
    assert_eq!(shop.hapax(&["run", "stripe.charge", "--key", "a", "--args", "@args.json"]).exit, 0);
    let file = std::fs::File::open(shop.file("args.json")).expect("the file");
    let mut piped = shop.command(&["run", "stripe.charge", "--key", "a", "--args", "-"]);
    assert_eq!(piped.stdin(file).output().expect("the program").status.code(), Some(0));
    assert_eq!(shop.stripe.count("charge"), 1, "one key, one effect");
}

#[test]
fn an_unknown_cell_or_connection() {
    let shop = Shop::open();
    let cell = "nothing was sent: there is no cell \"stripe.chagre\"";
    shop.run("stripe.chagre", "k", &charge(100)).failed(2, cell, &["did you mean `stripe.charge`?", "hapax matrix"]);
    let args = charge(100).to_string();
    let other = shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", &args, "--connection", "shp"]);
    other.failed(2, "nothing was sent: hapax.toml has no connection \"shp\"", &["did you mean `shop`?"]);
    untouched(&shop);
}

#[test]
fn missing_or_misplaced_credentials() {
    let shop = Shop::open();
    let real = |line: &str| {
        let end = format!("[connections.live]\nintegration = \"stripe\"\n{line}\n");
        shop.configure(&(shop.configuration().replace("scale = 50", "scale = 1") + &end));
        let args = charge(100).to_string();
        shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", &args, "--connection", "live"])
    };
    let lacks = "nothing was sent: connection live lacks the credential api_key";
    real("").failed(2, lacks, &["STRIPE_API_KEY", "api_key_file"]);
    real("api_key_env = \"SHOP_KEY\"").failed(2, lacks, &["set SHOP_KEY"]);
    real("api_key_file = \"nowhere\"").failed(2, lacks, &["api_key_file"]);
    let inline = real("api_key = \"sk_live_s3cret\"");
    inline.failed(2, "nothing was sent: hapax.toml line ", &["api_key stands in the file itself", "api_key_env"]);
    assert!(!inline.err.contains("s3cret"), "{}", inline.err);
    let swapped = real("api_key_env = \"sk_live_s3cret\"");
    swapped.failed(2, "nothing was sent: hapax.toml line ", &["api_key_env"]);
    assert!(!swapped.err.contains("s3cret"), "{}", swapped.err);
    // The other connection isn't held up by this one.
    real("");
    let args = charge(100).to_string();
    assert_eq!(shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", &args, "--connection", "shop"]).exit, 0);
}

#[test]
fn a_stand_in_never_gets_a_real_credential_from_the_environment() {
    let shop = Shop::open();
    let args = charge(100).to_string();
    let run = ["run", "stripe.charge", "--key", "k", "--args", &args];
    // The stand-in turns live keys away, so this fails if it gets one.
    let ended = Ended::of(shop.command(&run).env("STRIPE_API_KEY", "sk_live_s3cret").env("HAPAX_LOG", "trace"));
    assert_eq!(ended.exit, 0, "{}", ended.err);
    assert!(!ended.err.is_empty(), "the log was asked for");
    for secret in ["s3cret", "sk_test", "pm_card"] {
        assert!(!ended.err.contains(secret), "logs hold neither secrets nor arguments");
    }
}

#[test]
fn a_currency_or_an_amount_that_does_not_exist() {
    let shop = Shop::open();
    let money = |amount: i64, currency: &str| {
        let amount = json!({ "amount": amount, "currency": currency });
        shop.run("stripe.charge", "k", &json!({ "amount": amount, "payment_method": "pm_card_visa" }))
    };
    let first = "nothing was sent: the arguments don't fit stripe.charge: amount";
    money(100, "EURO").failed(2, first, &["ISO 4217"]);
    money(100, "eur").failed(2, first, &["ISO 4217"]);
    // Three decimals, of which Stripe takes two.
    money(5124, "KWD").failed(2, first, &["in tens"]);
    money(0, "EUR").failed(2, first, &["not positive"]);
    untouched(&shop);
}

#[test]
fn a_key_that_belongs_to_something_else() {
    let shop = Shop::open();
    assert_eq!(shop.run("stripe.charge", "k", &charge(100)).exit, 0);
    let reused = shop.run("stripe.charge", "k", &charge(918_273_645));
    reused.failed(2, "nothing was sent: key k belongs to operation ", &["amount", "use a new key"]);
    assert!(!reused.err.contains("918273645"), "values are never shown: {}", reused.err);
    assert_eq!((shop.stripe.count("charge"), shop.operations()), (1, 1));
    assert_eq!(shop.run("stripe.charge", "k", &charge(100)).exit, 0, "the first intent is as it was");
}

#[test]
fn a_wrong_base_url() {
    let shop = Shop::open();
    let at = |url: &str| {
        shop.configure(&shop.configuration().replace(&shop.stripe.url, url));
        let args = charge(100).to_string();
        shop.hapax(&["run", "stripe.charge", "--key", "k", "--args", &args, "--wait", "100"])
    };
    at("htp://127.0.0.1").failed(2, "nothing was sent: base_url of connection shop can't be used", &[]);
    at("nonsense").failed(2, "nothing was sent: base_url of connection shop can't be used", &[]);
    untouched_here(&shop);
    // Somebody else's server: the step before the charge fails, and the intent waits in the ledger.
    let foreign = at(&somebody_else());
    assert_eq!(foreign.exit, 4, "{}{}", foreign.out, foreign.err);
    assert!(foreign.out.starts_with("unknown: nothing was sent that counts"), "{}", foreign.out);
    // Nobody at all.
    let nobody = at("http://127.0.0.1:9");
    assert_eq!(nobody.exit, 4, "{}{}", nobody.out, nobody.err);
    assert_eq!(shop.stripe.count("charge"), 0);
    shop.configure(&shop.configuration());
    assert_eq!(shop.run("stripe.charge", "k", &charge(100)).exit, 0, "nothing was lost");
    assert_eq!((shop.stripe.count("charge"), shop.operations()), (1, 1));
}

/// A web server that is no Stripe.
fn somebody_else() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // What was asked doesn't matter; it must only be read before the answer.
            let _ = stream.read(&mut [0; 4096]);
            let page = "<h1>Not here</h1>";
            let head = format!("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", page.len());
            let _ = stream.write_all((head + page).as_bytes());
        }
    });
    url
}

fn untouched_here(shop: &Shop) {
    shop.configure(&shop.configuration());
    untouched(shop);
}

#[test]
fn a_slip_in_the_configuration() {
    let shop = Shop::open();
    shop.configure(&shop.configuration().replace("[policy.bounds]\nlooks", "[policy.bounds]\nlook"));
    shop.hapax(&["ls"]).failed(2, "nothing was sent: hapax.toml line 8: ", &["`look`", "did you mean `looks`?"]);
    shop.configure(&(shop.configuration() + "[connections.b]\nintegration = \"stripe\"\n"));
    shop.hapax(&["ls"]).failed(2, "nothing was sent: hapax.toml line 6: ", &["stand-ins only", "b"]);
}

#[test]
fn a_command_line_that_can_not_be_read() {
    let shop = Shop::open();
    shop.hapax(&["run", "stripe.charge", "--key", "k"]).failed(2, "nothing was sent: ", &["--args"]);
    shop.hapax(&["show", "42"]).failed(2, "nothing was changed: OP is no operation id", &["hapax ls"]);
    shop.hapax(&["ls", "--phase", "opn"]).failed(2, "nothing was changed: ", &["did you mean `open`?"]);
    let until = ["run", "stripe.charge", "--key", "k", "--args", "{}", "--good-until", "tomorrow"];
    shop.hapax(&until).failed(2, "nothing was sent: --good-until is no moment", &["+30m"]);
    let json = shop.json(2, &["run", "stripe.charge", "--key", "k"]);
    assert_eq!(json["error"]["code"], "usage");
    untouched(&shop);
}
