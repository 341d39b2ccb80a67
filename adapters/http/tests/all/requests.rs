use hapax_core::cell::{Connection, Credentials};
use hapax_core::protocol::Receipt;
use hapax_core::testing::{Desk, Script, body_of, form_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::{PAYMENTS, RELAY, TICKETS, read};

/// A desk at the only cell of a declaration.
fn desk(text: &str, answers: Vec<(u16, Value)>) -> Desk {
    let integration = read(text);
    let cell = integration.cells()[0].spec().id;
    let secrets = integration
        .credentials()
        .iter()
        .fold(Credentials::none(), |known, field| known.with(field.name, "s3cret".into()));
    let connection = Connection::new("mine", integration, secrets).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

fn payment() -> Value {
    json!({ "amount": 1050, "currency": "EUR", "supplier": "acme / \"north\"" })
}

#[tokio::test]
async fn a_payment_is_sent_as_declared_and_absent_arguments_are_left_out() {
    let desk = desk(PAYMENTS, vec![(201, json!({ "id": "pay_1", "status": "accepted", "amount": 1050 }))]);
    let answer = desk.attempt(&payment()).await;
    let Answer::Happened(receipt) = &answer else { panic!("{answer:?}") };
    assert_eq!((receipt.id.as_str(), &receipt.body["status"]), ("pay_1", &json!("accepted")));
    let request = desk.last();
    assert_eq!(request.target(), "/v1/payments");
    let supplier = json!({ "id": "acme / \"north\"" });
    let sent = json!({ "amount": 1050, "currency": "EUR", "supplier": supplier, "reference": desk.mark() });
    assert_eq!(body_of(&request), sent);
    assert_eq!(request.headers, [("Idempotency-Key".to_owned(), desk.names().token("send"))]);
    let secrets: Vec<&str> = request.secrets.iter().map(|(_, value)| value.expose_secret()).collect();
    assert_eq!(secrets, ["Bearer s3cret"]);
    assert!(!format!("{request:?} {answer:?}").contains("s3cret"));
}

#[tokio::test]
async fn an_answer_that_repeats_something_else_is_an_echo_fault() {
    let desk = desk(PAYMENTS, vec![(201, json!({ "id": "pay_1", "amount": 9900, "currency": "USD" }))]);
    let answer = desk.attempt(&payment()).await;
    assert_eq!(answer, Answer::Unclear(Fault::Echo("$.amount, $.currency".to_owned())));
}

#[tokio::test]
async fn rows_say_what_errors_mean_and_what_no_row_says_is_unclear() {
    for (status, code, expected) in [
        (409, "key_in_use", "not done"),
        (422, "key_reused", "taken"),
        (422, "bad_supplier", "refused"),
        (409, "other", "unclear"),
        (500, "crash", "unclear"),
    ] {
        let error = json!({ "error": { "code": code, "message": "jane@example.com said no" } });
        let desk = desk(PAYMENTS, vec![(status, error)]);
        let answer = desk.attempt(&payment()).await;
        assert_eq!(word(&answer), expected, "{status} {code}");
        assert!(!format!("{answer:?}").contains("jane"), "names are left out");
    }
    // A refusal that isn't in the provider's own form is a proxy's.
    let desk = desk(PAYMENTS, vec![(403, json!({ "message": "Forbidden" }))]);
    assert_eq!(word(&desk.attempt(&payment()).await), "unclear");
}

#[tokio::test]
async fn a_look_walks_every_page_and_takes_only_what_is_ours() {
    let desk = desk(PAYMENTS, Vec::new());
    let mark = desk.mark();
    let other = json!({ "id": "pay_0", "reference": "somebody's" });
    let ours = json!({ "id": "pay_7", "reference": mark, "amount": 1050 });
    let desk = self::desk(
        PAYMENTS,
        vec![(200, json!({ "data": [other], "next": "c1" })), (200, json!({ "data": [ours], "next": null }))],
    );
    let Ok(Finding::Happened(receipt)) = desk.find(&payment()).await else { panic!("found") };
    assert_eq!(receipt.id, "pay_7");
    assert_eq!(
        desk.asked(),
        [format!("GET /v1/payments?reference={mark}"), format!("GET /v1/payments?reference={mark}&after=c1"),]
    );
    let empty = self::desk(PAYMENTS, vec![(200, json!({ "data": [], "next": null }))]);
    assert_eq!(empty.find(&payment()).await, Ok(Finding::Absent));
    let broken = self::desk(PAYMENTS, vec![(500, json!({ "error": { "code": "crash" } }))]);
    assert!(broken.find(&payment()).await.is_err());
    let twice = self::desk(PAYMENTS, vec![(200, json!({ "data": [ours, ours] }))]);
    assert!(matches!(twice.find(&payment()).await, Ok(Finding::Several(both)) if both.len() == 2));
}

#[tokio::test]
async fn numbered_pages_end_with_an_empty_one() {
    let mark = desk(TICKETS, Vec::new()).mark();
    let other = json!({ "labels": ["agent", "x"], "ticket": { "number": 1 } });
    let answers = [json!({ "tickets": [other] }), json!({ "tickets": [other] }), json!({ "tickets": [] })];
    let desk = desk(TICKETS, answers.into_iter().map(|body| (200, body)).collect());
    let args = json!({ "title": "Printer", "queue": "facilities" });
    assert_eq!(desk.find(&args).await, Ok(Finding::Absent));
    let page = |number: u32| format!("GET /search?label={mark}&page={number}");
    assert_eq!(desk.asked(), [page(1), page(2), page(3)]);
}

#[tokio::test]
async fn arguments_in_a_path_cannot_leave_it() {
    let loose = TICKETS.replace(", pattern = \"^[a-z-]+$\"", "");
    for (queue, target) in [
        ("a/../../admin", Some("/queues/a%2F..%2F..%2Fadmin/tickets")),
        ("a?b#c", Some("/queues/a%3Fb%23c/tickets")),
        ("http://evil.example", Some("/queues/http%3A%2F%2Fevil.example/tickets")),
        ("..", None),
        (".", None),
        ("", None),
    ] {
        let desk = desk(&loose, vec![(201, json!({ "ticket": { "number": 7, "title": "t" } }))]);
        let answer = desk.attempt(&json!({ "title": "t", "queue": queue })).await;
        match target {
            Some(target) => assert_eq!((word(&answer), desk.last().target().as_str()), ("happened", target)),
            None => {
                assert_eq!(word(&answer), "not done", "{queue}");
                assert!(desk.asked().is_empty(), "{queue}: nothing was sent");
            }
        }
    }
}

#[tokio::test]
async fn a_form_is_encoded_and_a_header_takes_no_control_characters() {
    let args = json!({ "to": "jane@example.com", "subject": "a&b=c", "text": "é {{ mark }}" });
    let desk = desk(RELAY, vec![(202, json!({ "message": 7 }))]);
    assert_eq!(word(&desk.attempt(&args).await), "happened");
    let form = form_of(&desk.last());
    assert_eq!(
        (form["subject"].as_str(), form["text"].as_str()),
        ("a&b=c", "é {{ mark }}"),
        "arguments are no templates"
    );
    let split = RELAY.replace("\"{{ mark }}\"", "\"{{ subject }}-{{ mark }}\"");
    let desk = self::desk(&split, vec![(202, json!({ "message": 7 }))]);
    let answer = desk.attempt(&json!({ "to": "a@b", "subject": "x\r\nBcc: all", "text": "" })).await;
    assert_eq!((word(&answer), desk.asked().len()), ("not done", 0));
}

#[tokio::test]
async fn arguments_are_checked_against_their_schema_without_being_shown() {
    let integration = read(PAYMENTS);
    let cell = integration.cells()[0].clone();
    let error = |args: Value| cell.check(&args).expect_err("refused");
    let said = error(json!({ "amount": 0, "currency": "EUR", "supplier": "s" }));
    assert!(said.starts_with("amount: "), "{said}");
    let said = error(json!({ "amount": 1, "currency": "secret-words", "supplier": "s" }));
    assert!(said.starts_with("currency: ") && !said.contains("secret-words"), "{said}");
    let said = error(json!({ "amount": 1, "currency": "EUR" }));
    assert!(said.contains("supplier"), "{said}");
    let said = error(json!({ "amount": 1, "currency": "ZZZ", "supplier": "s" }));
    assert!(said.contains("ISO 4217"), "money is checked as everywhere: {said}");
    assert!(cell.check(&payment()).is_ok());
}

#[tokio::test]
async fn a_record_that_a_person_names_must_be_ours() {
    let mark = desk(PAYMENTS, Vec::new()).mark();
    let record = |reference: &str| json!({ "id": "pay_7", "reference": reference, "amount": 1050 });
    let fetch = async |answer: (u16, Value)| {
        let desk = desk(PAYMENTS, vec![answer]);
        (desk.fetch(&payment(), "pay_7").await, desk.asked())
    };
    let (found, asked) = fetch((200, record(&mark))).await;
    assert_eq!(
        (found.expect("read").expect("there").id.as_str(), asked[0].as_str()),
        ("pay_7", "GET /v1/payments/pay_7")
    );
    let (other, _) = fetch((200, record("somebody's"))).await;
    assert_eq!(other, Err(Fault::Echo("what a look goes by".to_owned())));
    let (none, _) = fetch((404, json!({ "error": { "code": "no_such_payment" } }))).await;
    assert_eq!(none, Ok(None));
    let (proxy, _) = fetch((404, json!({}))).await;
    assert!(proxy.is_err(), "a 404 that isn't the provider's own is no absence");
}

fn ours(mark: &str, more: Value) -> Value {
    let mut record = json!({ "id": "pay_7", "reference": mark, "amount": 1050, "currency": "EUR" });
    record.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    record
}

/// A look whose answer has this body.
async fn looked(text: &str, args: &Value, body: impl Fn(&str) -> Value) -> Result<Finding<Receipt>, Fault> {
    let mark = desk(text, Vec::new()).mark();
    desk(text, vec![(200, body(&mark))]).find(args).await
}

#[tokio::test]
async fn an_answer_without_its_list_is_no_absence() {
    for body in [json!({}), json!({ "data": null }), json!({ "data": {} }), json!({ "items": [] }), json!([])] {
        let found = looked(PAYMENTS, &payment(), |_| body.clone()).await;
        assert!(matches!(found, Err(Fault::Unread(_))), "{body}: {found:?}");
    }
    // A cursor of another type would hide every page after this one.
    for next in [json!(["c1"]), json!({ "after": "c1" })] {
        let found = looked(PAYMENTS, &payment(), |_| json!({ "data": [], "next": next })).await;
        assert!(matches!(found, Err(Fault::Unread(_))), "{next}: {found:?}");
    }
    let end = looked(PAYMENTS, &payment(), |_| json!({ "data": [], "next": "" })).await;
    assert_eq!(end, Ok(Finding::Absent));
}

#[tokio::test]
async fn our_mark_with_something_else_is_neither_ours_nor_an_absence() {
    let by_amount = PAYMENTS.replace(
        "ours = { \"$.reference\" = \"{{ mark }}\" }",
        "ours = { \"$.reference\" = \"{{ mark }}\", \"$.amount\" = \"{{ amount }}\" }",
    );
    let find = async |amount: Value| {
        let body = move |mark: &str| json!({ "data": [ours(mark, json!({ "amount": amount }))] });
        looked(&by_amount, &payment(), body).await
    };
    assert_eq!(find(json!(9900)).await, Err(Fault::Echo("$.amount".to_owned())));
    // The same number, however it is written, is the same.
    for amount in [json!(1050), json!("1050"), json!(1050.0), json!("1050.00")] {
        let found = find(amount.clone()).await;
        assert!(matches!(found, Ok(Finding::Happened(_))), "{amount}: {found:?}");
    }
    let long = by_amount.replace("minimum = 1,", "");
    let mut args = payment();
    args["amount"] = json!(9_007_199_254_740_993_i64);
    let near = |mark: &str| json!({ "data": [ours(mark, json!({ "amount": 9_007_199_254_740_992_i64 }))] });
    assert!(matches!(looked(&long, &args, near).await, Err(Fault::Echo(_))), "no number is rounded");
}

#[tokio::test]
async fn arguments_that_cannot_be_sent_are_refused_before_anything_is_journaled() {
    let loose = TICKETS.replace(", pattern = \"^[a-z-]+$\"", "");
    let cell = read(&loose).cells()[0].clone();
    for queue in ["..", ".", ""] {
        let said = cell.check(&json!({ "title": "t", "queue": queue })).expect_err("refused");
        assert!(said.contains("stands in the path"), "{said}");
    }
    assert!(cell.check(&json!({ "title": "t", "queue": "a/b" })).is_ok());
}
