mod looks;
mod steps;

use hapax_core::cell::CellArgs;
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Covers, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, losing, missing, scripted, unclear, unprocessable};

const CELL: &str = "paypal.send_invoice";
const ID: &str = "INV2-C82X-JNN9-Y6S5-CNXW";
const OTHER: &str = "INV2-AAAA-BBBB-CCCC-DDDD";
const JANE: &str = "jane@example.com";
const SEARCH: &str = "POST /v2/invoicing/search-invoices?page=1&page_size=100&total_required=true";
const CREATE: &str = "POST /v2/invoicing/invoices";

fn euro(amount: i64) -> Money {
    Money::new(amount, "EUR").expect("money")
}

fn args() -> SendInvoice {
    SendInvoice::new(JANE, vec![InvoiceItem::new("Advice", euro(1000)), InvoiceItem::new("Travel", euro(50))])
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn number() -> String {
    scripted(CELL, []).names().harmless_token("number")
}

/// An invoice of ours over 10.50 EUR.
fn invoice(id: &str, status: &str) -> Value {
    let is_sent = !matches!(status, "DRAFT" | "SCHEDULED");
    let metadata = if is_sent { json!({"first_sent_time": "2026-11-28T10:00:00Z"}) } else { json!({}) };
    json!({"id": id, "status": status, "amount": {"currency_code": "EUR", "value": "10.50"},
        "detail": {"reference": mark(), "invoice_number": number(), "metadata": metadata},
        "primary_recipients": [{"billing_info": {"email_address": JANE, "name": {"surname": "Roe"}}}]})
}

/// The same with one member changed.
fn with(mut invoice: Value, pointer: &str, value: Value) -> Value {
    *invoice.pointer_mut(pointer).expect("a member") = value;
    invoice
}

fn page(ids: &[&str]) -> (u16, Value) {
    let items: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    (200, json!({"items": items, "total_items": items.len(), "total_pages": items.len().min(1)}))
}

fn link(href: &str) -> (u16, Value) {
    (200, json!({"href": href, "rel": "payer-view", "method": "GET"}))
}

/// That there is no such invoice, as in PayPal's sample.
fn gone() -> (u16, Value) {
    error(404, "RESOURCE_NOT_FOUND", &[])
}

/// A desk at which the draft was noted.
fn noted(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers).noting(INVOICE, ID)
}

async fn sent(answer: (u16, Value)) -> Answer<hapax_core::protocol::Receipt> {
    noted([answer]).attempt(&args()).await
}

fn header(request: &Request, name: &str) -> Option<String> {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

#[tokio::test]
async fn send_invoice_sends_what_was_asked() {
    let mut long = args();
    (long.due, long.note) = (PaymentTerm::Net30, Some("Thank you".to_owned()));
    let desk = scripted(CELL, [page(&[]), (201, invoice(ID, "DRAFT"))]);
    assert!(matches!(desk.prepare(&long).await, Ok(Step::Note(..))));
    let detail = &body_of(&desk.last())["detail"];
    assert_eq!((&detail["payment_term"]["term_type"], &detail["note"]), (&json!("NET_30"), &json!("Thank you")));
    let desk = noted([link(&format!("https://www.paypal.com/invoice/payerView/details/{ID}"))]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it was sent") };
    assert_eq!(desk.asked().last(), Some(&format!("POST /v2/invoicing/invoices/{ID}/send")));
    assert_eq!(body_of(&desk.last()), json!({"send_to_recipient": true, "send_to_invoicer": false}));
    let amount = json!({"amount": 1050, "currency": "EUR"});
    assert_eq!(*receipt.body, json!({"id": ID, "number": number(), "amount": amount, "status": "SENT"}));
    assert_eq!(word(&scripted(CELL, []).attempt(&args()).await), "not done", "no invoice is noted");
}

#[tokio::test]
async fn send_invoice_repeat_is_taken() {
    for issue in ["INVOICE_ALREADY_SENT", "CANT_SEND_ALREADY_SENT_INVOICE"] {
        for answer in [unprocessable(issue), error(409, "CONFLICT", &[issue])] {
            assert_eq!(word(&sent(answer).await), "taken", "{issue}");
        }
    }
    assert_eq!(word(&sent(gone()).await), "taken", "it may have been sent, canceled and deleted");
}

#[tokio::test]
async fn send_invoice_refused_send_is_refused() {
    for answer in [
        unprocessable("CANT_SEND_INVOICE_WITHOUT_EMAIL"),
        error(403, "NOT_AUTHORIZED", &["PERMISSION_DENIED"]),
        error(400, "INVALID_REQUEST", &["INVALID_STRING_LENGTH"]),
    ] {
        let answer = sent(answer).await;
        assert!(matches!(answer, Answer::Refused(_, Covers::Attempt)), "{answer:?}");
    }
}

#[tokio::test]
async fn send_invoice_other_answers_are_not_guessed() {
    for answer in unclear().into_iter().chain([error(409, "CONFLICT", &[]), (202, Value::Null), (200, json!({}))]) {
        assert_eq!(word(&sent(answer.clone()).await), "unclear", "{answer:?}");
    }
    assert!(noted([error(500, "INTERNAL_SERVER_ERROR", &[])]).find(&args()).await.is_err());
}

#[tokio::test]
async fn send_invoice_unauthorized_is_not_done() {
    let expired = (401, json!({"error": "invalid_token", "error_description": "Token signature verification failed"}));
    for answer in [expired, error(401, "AUTHENTICATION_FAILURE", &[])] {
        assert_eq!(word(&sent(answer).await), "not done");
    }
}

#[tokio::test]
async fn send_invoice_link_that_names_another_is_caught() {
    let href = format!("https://www.paypal.com/invoice/payerView/details/{OTHER}");
    assert_eq!(word(&sent(link(&href)).await), "echo");
    assert_eq!(
        noted([(200, invoice(OTHER, "SENT"))]).find(&args()).await,
        Err(Fault::Echo("id of the invoice".into()))
    );
}

#[tokio::test]
async fn send_invoice_link_without_an_id_is_looked_up() {
    for href in [
        "https://www.paypal.com/invoice/p/#C82XJNN9Y6S5CNXW",
        "https://www.paypal.com/invoice/p#INV2-C82X-JNN9-Y6S5-CNXW",
    ] {
        assert_eq!(word(&sent(link(href)).await), "happened", "{href}");
    }
    for href in ["https://www.paypal.com/invoice/p/#AAAABBBBCCCCDDDD", "https://www.paypal.com/invoice/", "", "string"]
    {
        assert_eq!(word(&sent(link(href)).await), "unclear", "{href}");
    }
}

#[test]
fn send_invoice_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let items = |items: Vec<InvoiceItem>| SendInvoice { items, ..args() };
    let item = |name: &str, amount: i64| vec![InvoiceItem::new(name, euro(amount))];
    let mixed = vec![InvoiceItem::new("a", euro(1)), InvoiceItem::new("b", Money::new(1, "USD").expect("money"))];
    for (wrong, field) in [
        (items(vec![]), "items"),
        (items(vec![InvoiceItem::new("a", euro(1)); 101]), "items"),
        (items(mixed), "currency"),
        (items(item(" ", 1)), "items[0].name"),
        (items(item(&"x".repeat(201), 1)), "items[0].name"),
        (items(item("a", 100_000_001)), "items[0].amount"),
        (items(vec![InvoiceItem { name: "a".into(), amount: Money { amount: 0, currency: "EUR".into() } }]), "amount"),
        (SendInvoice { note: Some("x".repeat(4001)), ..args() }, "note"),
        (SendInvoice { recipient: "jane at example.com".into(), ..args() }, "recipient"),
        (SendInvoice { recipient: "ja ne@example.com".into(), ..args() }, "recipient"),
        (SendInvoice { recipient: "@example.com".into(), ..args() }, "recipient"),
        (SendInvoice { recipient: "jane@localhost".into(), ..args() }, "recipient"),
    ] {
        let why = wrong.check().expect_err("it is wrong");
        assert!(why.contains(field) && !why.contains("example"), "{field}: {why}");
    }
    assert_eq!(items(item("a", 100_000_000)).check(), Ok(()));
}

#[tokio::test]
async fn send_invoice_customers_are_never_shown() {
    assert_eq!(format!("{:?}", args().recipient), "[address]");
    let happened = noted([(200, invoice(ID, "SENT"))]).find(&args()).await;
    let refused = scripted(CELL, [page(&[]), unprocessable("USER_NOT_FOUND")]).prepare(&args()).await;
    let failed = scripted(CELL, [page(&[]), error(500, "INTERNAL_SERVER_ERROR", &["X"])]).prepare(&args()).await;
    let wrong = with(invoice(ID, "SENT"), "/primary_recipients/0/billing_info/email_address", json!("eve@example.com"));
    let other = noted([(200, wrong)]).find(&args()).await;
    let shown = format!("{happened:?} {refused:?} {failed:?} {other:?}");
    assert!(!shown.contains("example.com") && !shown.contains("Roe"), "{shown}");
}
