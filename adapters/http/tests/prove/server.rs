//! Declarations against a server: an honest one is held, and each planted lie is named with its line.

use std::sync::Mutex;

use hapax_core::cell::Credentials;
use hapax_http::Declared;
use hapax_http::prove::server::{Checked, TestServer, check};
use hapax_http::standin::StandIn;
use hapax_standin::{Kind, When, World};

use crate::EXAMPLES;

/// The guide's first example, with a list that lags so long that a test can wait for it.
fn payments() -> String {
    EXAMPLES[0].1.replace("lag = \"30 s\"", "lag = \"300 ms\"")
}

/// The profiles' shipment alone, with all that its profile fills in written out, and a look that doesn't take a minute.
fn shipments() -> String {
    let text = EXAMPLES[2].1;
    let top = text.split("# The header Idempotency-Key").next().expect("the provider");
    let ship =
        text.split("# An id of ours").nth(1).and_then(|rest| rest.split("# Values for").next()).expect("the cell");
    let ship = ship
        .lines()
        .skip(1)
        .collect::<Vec<_>>()
        .join("\n")
        .replace("[cells.ship.id]", "[cells.ship.id]\nrepeat = \"refuses\"");
    let look =
        "path = \"/shipments/{{ id }}\"\nours = { \"$.id\" = \"{{ id }}\" }\nlag = \"300 ms\"\nhorizon = \"ever\"";
    let ship = ship.replace("echo = { ", "echo = { \"$.id\" = \"{{ id }}\", ");
    format!("{top}{ship}\n[cells.ship.look]\n{look}\n")
}

fn read(text: &str) -> Declared {
    Declared::read("mine.toml", text).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Holds what a file says against a server that is as another says, and that breaks like this.
async fn against(says: &str, is: &str, breaks: Option<(When, Kind)>) -> Vec<Checked> {
    let (says, is) = (read(says), read(is));
    let stand_in = StandIn::new(&is, World::new(1)).unwrap_or_else(|problem| panic!("{problem}"));
    let server = stand_in.serve(0).await.expect("a free port");
    if let Some((when, kind)) = breaks {
        server.injections().add(when.always(), kind);
    }
    let fields = says.integration().credentials().iter().map(|field| field.name);
    let credentials = fields.fold(Credentials::none(), |known, name| known.with(name, "secret".into()));
    let server = TestServer { base_url: server.url().parse().expect("an address"), credentials };
    let said = Mutex::new(Vec::new());
    let checked = check(&says, &server, &|what| said.lock().expect("nobody panics").push(what)).await;
    assert!(said.into_inner().expect("nobody panics").iter().any(|what| what.ends_with(": one-request")));
    checked.unwrap_or_else(|problem| panic!("{problem}"))
}

/// The lies of the first cell: check, and the text of the line.
fn lies(says: &str, checked: &[Checked]) -> Vec<(&'static str, String)> {
    let line = |number: usize| says.lines().nth(number - 1).unwrap_or_default().to_owned();
    checked[0].lies.iter().map(|lie| (lie.check, line(lie.line))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_declaration_of_each_kind_is_held() {
    let tickets = EXAMPLES[1].1.replace("lag = \"5 min\"", "lag = \"300 ms\"");
    let rooms = EXAMPLES[3].1.replace("lag = \"10 s\"", "lag = \"300 ms\"");
    for says in [tickets, rooms, shipments(), EXAMPLES[4].1.to_owned()] {
        let checked = &against(&says, &says, None).await[0];
        assert!(checked.lies.is_empty(), "{checked:#?}");
        assert!(checked.held.contains(&"answer-lost"), "{checked:#?}");
    }
    let pay = &against(&payments(), &payments(), None).await[0];
    let all = [
        "one-request",
        "look-lag",
        "look-finds-only-ours",
        "record",
        "receipt",
        "ids-differ",
        "refused",
        "repeat",
        "repeat-at-once",
        "repeat-with-other-arguments",
        "clean",
        "answer-lost",
        "request-lost",
        "answer-cut-in-the-middle",
        "request-cut-in-the-middle",
    ];
    assert_eq!(pay.held, all);
    let unchecked = "that Idempotency-Key is remembered 1day can't be waited for".to_owned();
    let failures = "a server can't be told to fail, so what that leaves of Idempotency-Key isn't seen".to_owned();
    assert_eq!(pay.not_made[..2], [("failures", failures), ("life", unchecked)]);
    assert_eq!(pay.not_made[2].0, "horizon, settle, rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_the_server_ignores_is_a_lie_of_its_line() {
    let says = payments();
    let ignored = Some((When::on("POST", "/*"), Kind::KeyIgnored));
    let checked = against(&says, &says, ignored).await;
    let lies = lies(&says, &checked);
    assert!(lies.contains(&("repeat", "repeat = \"replays\"".to_owned())), "{lies:?}");
    assert!(lies.contains(&("repeat-at-once", "twins = \"one-wins\"".to_owned())), "{lies:?}");
    assert!(lies.contains(&("repeat-with-other-arguments", "means = \"taken\"".to_owned())), "{lies:?}");
    let what = &checked[0].lies.iter().find(|lie| lie.check == "repeat").expect("it is there").what;
    assert!(what.starts_with("a second request with the same Idempotency-Key made another: pay_"), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_beside_a_state_is_judged_by_what_is_said_of_the_key() {
    let state = "[cells.pay.state]\nfield = \"open\"\nlife = \"ever\"\nrepeat = \"refuses\"\n[cells.pay.key]";
    let says = payments().replacen("[cells.pay.key]", state, 1);
    let checked = against(&says, &payments(), None).await;
    assert!(checked[0].held.contains(&"repeat") && checked[0].held.contains(&"repeat-at-once"), "{checked:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_lags_more_than_it_says_is_a_lie_of_its_line() {
    let says = payments();
    let late = Some((When::on("GET", "/v1/payments"), Kind::ListLags { by_ms: 2_000 }));
    let checked = against(&says, &says, late).await;
    assert_eq!(lies(&says, &checked), [("look-lag", "lag = \"300 ms\"".to_owned())]);
    let what = &checked[0].lies[0].what;
    assert!(what.starts_with("the look is said to lag at most 300ms, and showed it after 2s"), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_other_lie_is_named_with_its_line() {
    let says = payments();
    // What the file says, with something replaced; the check that shows it; and the line.
    for (old, new, check, line) in [
        (
            "path = \"/v1/payments/{{ id }}\"",
            "path = \"/v1/payment/{{ id }}\"",
            "record",
            "path = \"/v1/payment/{{ id }}\"",
        ),
        ("repeat = \"replays\"", "repeat = \"refuses\"", "repeat", "repeat = \"refuses\""),
        ("refused = { amount = 100000000 }", "refused = { amount = 77 }", "refused", "refused = { amount = 77 }"),
        (
            "echo = { \"$.amount\" = \"{{ amount }}\"",
            "echo = { \"$.id\" = \"{{ amount }}\"",
            "one-request",
            "echo = { \"$.id\" = \"{{ amount }}\", \"$.currency\" = \"{{ currency }}\", \"$.reference\" = \"{{ mark }}\" }",
        ),
        (
            "\"$.currency\" =",
            "\"$.curency\" =",
            "receipt",
            "echo = { \"$.amount\" = \"{{ amount }}\", \"$.curency\" = \"{{ currency }}\", \"$.reference\" = \"{{ mark }}\" }",
        ),
        ("status = \"$.status\"", "status = \"$.state\"", "receipt", "keep = { status = \"$.state\" }"),
        ("code = \"$.error.code\"", "code = \"$.code\"", "refused", "code = \"$.code\""),
        (
            "query = { reference =",
            "query = { refernce =",
            "look-finds-only-ours",
            "query = { refernce = \"{{ mark }}\" }",
        ),
        ("id = \"$.id\"", "id = \"$.payment.id\"", "one-request", "id = \"$.payment.id\""),
        ("code = \"key_reused\"", "code = \"key-reused\"", "repeat-with-other-arguments", "means = \"taken\""),
        (
            "ours = { \"$.reference\" = \"{{ mark }}\" }",
            "ours = { \"$.status\" = \"{{ mark }}\" }",
            "look-lag",
            "ours = { \"$.status\" = \"{{ mark }}\" }",
        ),
        ("hits = \"$.data[*]\"", "hits = \"$.payments[*]\"", "look-lag", "hits = \"$.payments[*]\""),
    ] {
        assert!(says.contains(old), "{old}");
        let lying = says.replacen(old, new, 1);
        let found = lies(&lying, &against(&lying, &says, None).await);
        assert!(found.contains(&(check, line.to_owned())), "{new}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_the_server_does_not_keep_to_is_a_lie() {
    let says = shipments();
    let ignored = Some((When::on("PUT", "/shipments/*"), Kind::KeyIgnored));
    let checked = against(&says, &says, ignored).await;
    let found = lies(&says, &checked);
    assert!(found.contains(&("repeat", "repeat = \"refuses\"".to_owned())), "{checked:#?}");
}

#[tokio::test]
async fn what_can_not_be_played_is_said_before_anything_is_sent() {
    let says = payments();
    let text = says.split("[cells.pay.example]").next().expect("the rest").to_owned();
    let server =
        TestServer { base_url: "http://127.0.0.1:1".parse().expect("an address"), credentials: Credentials::none() };
    let problem = check(&read(&text), &server, &|_| {}).await.expect_err("no credentials").to_string();
    assert!(problem.contains("the credential token is missing: set PAYMENTS_TOKEN"), "{problem}");
    let server = TestServer { credentials: Credentials::none().with("token", "secret".into()), ..server };
    let problem = check(&read(&text), &server, &|_| {}).await.expect_err("no example").to_string();
    assert!(problem.contains("pay has no example"), "{problem}");
    let problem = check(&read(&says), &server, &|_| {}).await.expect_err("nobody listens").to_string();
    assert!(problem.starts_with("nothing was sent: mine.toml: nobody listens at 127.0.0.1:1"), "{problem}");
}
