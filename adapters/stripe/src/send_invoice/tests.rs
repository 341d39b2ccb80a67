mod steps;

use hapax_core::cell::{Cell, CellArgs, CellReceipt, Step};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{Desk, form_of, json_of, word};

const CELL: &str = "stripe.send_invoice";
const CUSTOMERS: &str = "GET /v1/invoices?limit=100&customer=cus_1";
const LINES: &str = "GET /v1/invoices/in_1/lines?limit=100";
const READ: &str = "GET /v1/invoices/in_1";
const ADD: &str = "POST /v1/invoices/in_1/add_lines";
const FINALIZE: &str = "POST /v1/invoices/in_1/finalize";
const SEND: &str = "POST /v1/invoices/in_1/send";
/// In August 2023; the desk's operation begins in November.
const AUGUST: i64 = 1_690_000_000;
const TODAY: i64 = 1_700_000_000;

fn args() -> SendInvoice {
    serde_json::from_value(json!({
        "customer": "cus_1",
        "items": [
            {"description": "Advice", "amount": {"amount": 1000, "currency": "EUR"}},
            {"description": "Travel", "amount": {"amount": 50, "currency": "EUR"}},
        ],
        "description": "For October",
    }))
    .expect("arguments")
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn invoice(id: &str, status: &str) -> Value {
    json!({"id": id, "status": status, "total": 1050, "currency": "eur", "created": TODAY, "customer": "cus_1",
        "number": if status == "draft" { Value::Null } else { json!("A-1") },
        "metadata": {"hapax": mark(), "hapax_epoch": "0"}, "hosted_invoice_url": "https://invoice.stripe.com/i/secret"})
}

fn with(mut value: Value, field: &str, other: Value) -> Value {
    value[field] = other;
    value
}

fn somebody_elses(id: &str) -> Value {
    with(invoice(id, "open"), "metadata", json!({}))
}

fn line(number: usize) -> Value {
    let amount = if number == 0 { 1000 } else { 50 };
    json!({"id": format!("il_{number}"), "amount": amount, "currency": "eur", "metadata": {"hapax_item": number.to_string()}})
}

fn sent(event: &str, id: &str) -> Value {
    json!({"id": event, "type": "invoice.sent", "data": {"object": invoice(id, "open")}})
}

fn list(data: Vec<Value>, has_more: bool) -> (u16, Value) {
    (200, json!({"object": "list", "data": data, "has_more": has_more}))
}

fn none() -> (u16, Value) {
    list(Vec::new(), false)
}

fn both_lines() -> (u16, Value) {
    list(vec![line(1), line(0)], false)
}

fn refusal() -> (u16, Value) {
    error(400, "invalid_request_error", "no_way")
}

fn stored_500() -> (u16, Value) {
    error(500, "api_error", "")
}

/// At the step in which items are added, finalized, or sent.
fn filling(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers).noting("invoice", "in_1")
}

fn finalizing(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    filling(answers).noting("items", "2")
}

fn ready(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    finalizing(answers).noting("finalized", "A-1")
}

async fn prepare(desk: &Desk) -> Result<Step<SendInvoiceReceipt>, Fault> {
    SendInvoiceCell.prepare(&desk.context(), &args()).await
}

async fn find(desk: &Desk) -> Result<Finding<hapax_core::protocol::Receipt>, Fault> {
    desk.find(&args()).await
}

fn events_since(created: i64) -> String {
    format!("GET /v1/events?limit=100&type=invoice.sent&created%5Bgte%5D={created}")
}

#[tokio::test]
async fn send_invoice_sends_with_the_key_of_its_own_step() {
    let desk = ready([(200, invoice("in_1", "open"))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let expected = json!({"id": "in_1", "number": "A-1", "amount": {"amount": 1050, "currency": "EUR"},
        "status": "open", "customer": "cus_1"});
    assert_eq!(*receipt.body, expected, "the link to the invoice is not kept");
    assert_eq!(desk.asked(), [SEND]);
    assert_eq!(key_of(&desk.request(0)), desk.names().token("send"));
    let making = scripted(CELL, [none(), (200, invoice("in_1", "draft"))]);
    let _ = prepare(&making).await;
    assert_ne!(key_of(&desk.request(0)), key_of(&making.request(1)), "keys belong to the account");
}

#[tokio::test]
async fn send_invoice_answer_lost_after_effect() {
    let desk = losing(CELL).noting("invoice", "in_1");
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let pages = [
        list(vec![somebody_elses("in_9")], true),
        list(vec![invoice("in_1", "open")], false),
        list(vec![sent("evt_9", "in_9")], true),
        list(vec![sent("evt_1", "in_1")], false),
    ];
    let desk = ready(pages);
    assert!(matches!(find(&desk).await, Ok(Finding::Happened(receipt)) if receipt.id == "in_1"));
    let (customers, events) = (CUSTOMERS.to_owned(), events_since(TODAY));
    let next = [format!("{customers}&starting_after=in_9"), format!("{events}&starting_after=evt_9")];
    let [more_invoices, more_events] = next;
    assert_eq!(desk.asked(), [customers, more_invoices, events, more_events]);
}

#[tokio::test]
async fn send_invoice_request_lost_before_effect() {
    let others = list(vec![sent("evt_9", "in_9")], false);
    let desk = ready([list(vec![invoice("in_1", "open")], false), others]);
    assert_eq!(find(&desk).await, Ok(Finding::Absent));
    let look = SendInvoiceCell::SPEC.queries().next().expect("a query");
    assert_ne!(look.absence, hapax_core::capability::Absence::Proves, "nobody says when the event appears");
}

#[tokio::test]
async fn send_invoice_draft_was_never_sent() {
    for ours in [vec![invoice("in_1", "draft")], Vec::new()] {
        let desk = scripted(CELL, [list(ours, false)]);
        assert_eq!(find(&desk).await, Ok(Finding::Absent));
        assert_eq!(desk.asked(), [CUSTOMERS]);
    }
}

#[tokio::test]
async fn send_invoice_mailed_twice_is_several() {
    let twice = list(vec![sent("evt_2", "in_1"), sent("evt_1", "in_1")], false);
    let desk = ready([list(vec![invoice("in_1", "open")], false), twice]);
    assert!(matches!(find(&desk).await, Ok(Finding::Several(hits)) if hits.len() == 2));
    let two = list(vec![sent("evt_2", "in_2"), sent("evt_1", "in_1")], false);
    let desk = ready([list(vec![invoice("in_2", "open"), invoice("in_1", "paid")], false), two]);
    assert!(matches!(find(&desk).await, Ok(Finding::Several(hits)) if hits.len() == 2));
}

#[tokio::test]
async fn send_invoice_failed_page_is_no_absence() {
    for broken in [stored_500(), (200, json!({"data": [], "has_more": true})), (404, json!({}))] {
        let desk = ready([list(vec![somebody_elses("in_9")], true), broken.clone()]);
        assert!(find(&desk).await.is_err());
        let ours = list(vec![invoice("in_1", "open")], false);
        let desk = ready([ours, list(vec![sent("evt_9", "in_9")], true), broken]);
        assert!(find(&desk).await.is_err());
    }
}

#[tokio::test]
async fn send_invoice_noted_invoice_missing_is_no_absence() {
    assert!(matches!(find(&ready([none()])).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn send_invoice_voided_without_an_event_cannot_tell() {
    for status in ["void", "uncollectible", "a_new_status"] {
        let desk = ready([list(vec![invoice("in_1", status)], false), none()]);
        assert!(matches!(find(&desk).await, Ok(Finding::CannotTell(_))), "{status}");
    }
}

#[tokio::test]
async fn send_invoice_stored_500_is_adrift() {
    assert_eq!(word(&ready([stored_500()]).attempt(&args()).await), "adrift");
    assert!(SendInvoiceCell::SPEC.can_be_adrift());
}

#[tokio::test]
async fn send_invoice_in_use_and_limits_are_not_done() {
    for (status, code) in [(409, "idempotency_key_in_use"), (429, "rate_limit"), (429, "lock_timeout"), (401, "")] {
        let desk = ready([error(status, "invalid_request_error", code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status} {code}");
    }
}

#[tokio::test]
async fn send_invoice_key_with_other_parameters_is_taken() {
    let desk = ready([error(400, "idempotency_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn send_invoice_refused_send_is_refused() {
    assert_eq!(word(&ready([refusal()]).attempt(&args()).await), "refused");
}

#[tokio::test]
async fn send_invoice_other_answers_are_not_guessed() {
    for answer in [
        error(402, "invalid_request_error", ""),
        error(409, "invalid_request_error", "resource_busy"),
        (502, json!("<html>bad gateway</html>")),
        (200, json!({"ok": true})),
        (200, invoice("in_1", "draft")),
        (200, invoice("in_1", "a_new_status")),
    ] {
        let desk = ready([answer.clone()]);
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn send_invoice_echo_mismatch_is_caught() {
    let open = || invoice("in_1", "open");
    for other in [
        with(open(), "id", json!("in_9")),
        with(open(), "metadata", json!({"hapax": "another's"})),
        with(open(), "total", json!(1051)),
        with(open(), "currency", json!("usd")),
        with(open(), "customer", json!("cus_2")),
    ] {
        assert_eq!(word(&ready([(200, other)]).attempt(&args()).await), "echo");
    }
    let other = with(open(), "total", json!(1051));
    let desk = ready([list(vec![other], false), list(vec![sent("evt_1", "in_1")], false)]);
    assert_eq!(find(&desk).await, Err(Fault::Echo("amount".to_owned())));
}

#[tokio::test]
async fn send_invoice_dead_invoice_of_a_former_epoch_does_not_count() {
    for status in ["void", "uncollectible"] {
        let desk = scripted(CELL, [list(vec![invoice("in_1", status)], false)]).superseding("other", "x");
        assert_eq!(find(&desk).await, Ok(Finding::Absent), "{status}");
        assert_eq!(desk.asked(), [CUSTOMERS]);
    }
}

#[tokio::test]
async fn send_invoice_fate_is_its_status() {
    for (status, failed) in [("open", false), ("paid", false), ("void", true), ("uncollectible", true)] {
        let events = list(vec![sent("evt_1", "in_1")], false);
        let desk = ready([list(vec![invoice("in_1", status)], false), events]);
        let Ok(Finding::Happened(receipt)) = SendInvoiceCell.find(&desk.context(), &args()).await else {
            panic!("{status}")
        };
        assert_eq!(receipt.fate(), Some((status.to_owned(), failed)));
    }
}

#[tokio::test]
async fn send_invoice_fetch_reads_what_a_person_names() {
    let fetch = async |answer: (u16, Value), id: &str| {
        let desk = scripted(CELL, [answer]);
        SendInvoiceCell.fetch(&desk.context(), &args(), id).await
    };
    let read = fetch((200, invoice("in_1", "void")), "in_1").await;
    assert_eq!(read.expect("read").expect("there").fate(), Some(("void".to_owned(), true)));
    assert!(fetch((200, invoice("in_1", "draft")), "in_1").await.is_err());
    assert_eq!(fetch(error(404, "invalid_request_error", "resource_missing"), "in_1").await, Ok(None));
    assert!(fetch((200, json!({})), "../refunds").await.is_err());
}

#[test]
fn send_invoice_checks_its_arguments() {
    let check = |change: fn(&mut SendInvoice)| {
        let mut invoice = args();
        change(&mut invoice);
        invoice.check().err().unwrap_or_default()
    };
    assert_eq!(args().check(), Ok(()));
    assert_eq!(args().money(), Some(Money { amount: 1050, currency: "EUR".to_owned() }));
    assert!(check(|invoice| invoice.customer = "cus_1/../x".to_owned()).contains("customer"));
    assert!(check(|invoice| invoice.items.clear()).contains("items: give 1 to 250"));
    assert!(check(|invoice| invoice.items = vec![invoice.items[0].clone(); 251]).contains("items: give 1 to 250"));
    assert_eq!(check(|invoice| invoice.items = vec![invoice.items[0].clone(); 250]), "");
    assert!(check(|invoice| invoice.items[1].amount.currency = "USD".to_owned()).contains("one currency"));
    assert!(check(|invoice| invoice.items[1].amount.amount = 0).contains("items[1].amount"));
    assert!(check(|invoice| invoice.items[1].description = " ".to_owned()).contains("items[1].description"));
    assert!(check(|invoice| invoice.items[0].amount.amount = i64::MAX).contains("too much"));
}
