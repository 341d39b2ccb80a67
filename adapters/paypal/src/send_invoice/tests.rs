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
async fn send_invoice_makes_a_draft_first() {
    let desk = scripted(CELL, [page(&[]), (201, invoice(ID, "DRAFT"))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    assert_eq!(desk.asked(), [SEARCH, CREATE]);
    assert_eq!(body_of(&desk.request(0)), json!({"reference": mark()}));
    let creation = desk.last();
    assert_eq!(header(&creation, "Prefer").as_deref(), Some("return=representation"));
    assert_eq!((header(&creation, "PayPal-Request-Id"), number().len()), (None, 25));
    let item = |name: &str, value: &str| {
        json!({"name": name, "quantity": "1", "unit_of_measure": "AMOUNT",
            "unit_amount": {"currency_code": "EUR", "value": value}})
    };
    let detail = json!({"reference": mark(), "invoice_number": number(), "currency_code": "EUR",
        "payment_term": {"term_type": "DUE_ON_RECEIPT"}});
    let recipients = json!([{"billing_info": {"email_address": JANE}}]);
    let items = [item("Advice", "10.00"), item("Travel", "0.50")];
    assert_eq!(body_of(&creation), json!({"detail": detail, "primary_recipients": recipients, "items": items}));
    // A link alone is followed.
    let href = format!("https://api-m.paypal.com/v2/invoicing/invoices/{ID}");
    let few = json!({"href": href, "rel": "self", "method": "GET"});
    let desk = scripted(CELL, [page(&[]), (201, few), (200, invoice(ID, "DRAFT"))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    assert_eq!(desk.asked(), [SEARCH.to_owned(), CREATE.to_owned(), format!("GET /v2/invoicing/invoices/{ID}")]);
    assert_eq!(noted([]).prepare(&args()).await, Ok(Step::Ready));
    assert_eq!(SPEC.notes, [INVOICE]);
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
async fn send_invoice_draft_that_differs_is_not_used() {
    let draft = || invoice(ID, "DRAFT");
    for other in [
        with(draft(), "/amount/value", json!("12.50")),
        with(draft(), "/amount/currency_code", json!("USD")),
        with(draft(), "/detail/reference", json!("somebody else's")),
        with(draft(), "/detail/invoice_number", json!("0042")),
        with(draft(), "/primary_recipients/0/billing_info/email_address", json!("eve@example.com")),
        with(draft(), "/primary_recipients", json!([])),
    ] {
        let step = scripted(CELL, [page(&[]), (201, other.clone())]).prepare(&args()).await;
        assert!(matches!(step, Err(Fault::Echo(_))), "{other}: {step:?}");
    }
    let lower = with(draft(), "/primary_recipients/0/billing_info/email_address", json!("JANE@example.com"));
    assert!(matches!(scripted(CELL, [page(&[]), (201, lower)]).prepare(&args()).await, Ok(Step::Note(..))));
    let sent = scripted(CELL, [page(&[]), (201, invoice(ID, "SENT"))]).prepare(&args()).await;
    assert!(sent.is_err(), "it is no draft");
}

#[tokio::test]
async fn send_invoice_is_refused_before_there_is_a_draft() {
    for (answer, issue) in [
        (unprocessable("USER_NOT_FOUND"), "USER_NOT_FOUND"),
        (error(400, "INVALID_REQUEST", &["INVALID_STRING_LENGTH"]), "INVALID_STRING_LENGTH"),
        (error(403, "NOT_AUTHORIZED", &["PERMISSION_DENIED"]), "PERMISSION_DENIED"),
    ] {
        let step = scripted(CELL, [page(&[]), answer]).prepare(&args()).await;
        assert!(matches!(&step, Ok(Step::Refused(refusal)) if refusal.code == issue), "{step:?}");
    }
}

#[tokio::test]
async fn send_invoice_steps_that_fail_are_no_refusal() {
    for answer in unclear().into_iter().chain([gone(), (201, json!({"id": "../x"}))]) {
        assert!(scripted(CELL, [page(&[]), answer.clone()]).prepare(&args()).await.is_err(), "{answer:?}");
    }
    assert!(scripted(CELL, [page(&[]), (201, json!({"id": ID})), gone()]).prepare(&args()).await.is_err());
}

#[tokio::test]
async fn send_invoice_own_draft_is_found_again() {
    let old = |id: &str, time: &str| with(invoice(id, "DRAFT"), "/detail/metadata", json!({"create_time": time}));
    let desk = scripted(
        CELL,
        [page(&[OTHER, ID]), (200, old(OTHER, "2026-11-28T10:00:01Z")), (200, old(ID, "2026-11-28T10:00:00Z"))],
    );
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    assert!(!desk.asked().iter().any(|asked| asked == CREATE));
    // One of a former epoch has another number, and one that is gone is none.
    let former = with(invoice(OTHER, "DRAFT"), "/detail/invoice_number", json!("another"));
    let desk = scripted(CELL, [page(&[OTHER, ID]), (200, former), gone(), (201, invoice(ID, "DRAFT"))]);
    assert!(matches!(desk.prepare(&args()).await, Ok(Step::Note(..))));
    assert_eq!(desk.asked().last().map(String::as_str), Some(CREATE));
    // Another ledger made it with other arguments.
    let dearer = with(invoice(ID, "DRAFT"), "/amount/value", json!("99.00"));
    assert!(matches!(scripted(CELL, [page(&[ID]), (200, dearer)]).prepare(&args()).await, Err(Fault::Echo(_))));
}

#[tokio::test]
async fn send_invoice_number_that_is_taken_is_looked_for() {
    let taken = || unprocessable("DUPLICATE_INVOICE_NUMBER");
    let desk = scripted(CELL, [page(&[]), taken(), page(&[ID]), (200, invoice(ID, "DRAFT"))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    assert_eq!(body_of(&desk.request(2)), json!({"invoice_number": number()}));
    let desk = scripted(CELL, [page(&[]), taken(), page(&[ID]), (200, invoice(ID, "SENT"))]);
    assert!(matches!(desk.prepare(&args()).await, Ok(Step::Happened(_))));
    assert!(scripted(CELL, [page(&[]), taken(), page(&[])]).prepare(&args()).await.is_err());
}

#[tokio::test]
async fn send_invoice_sent_before_has_happened() {
    for status in ["SENT", "PAID", "CANCELLED"] {
        let desk = scripted(CELL, [page(&[ID]), (200, invoice(ID, status))]);
        let step = desk.prepare(&args()).await;
        assert!(matches!(&step, Ok(Step::Happened(receipt)) if receipt.id == ID), "{status}: {step:?}");
        assert_eq!(desk.asked(), [SEARCH.to_owned(), format!("GET /v2/invoicing/invoices/{ID}")]);
    }
    let two = scripted(CELL, [page(&[ID, OTHER]), (200, invoice(ID, "SENT")), (200, invoice(OTHER, "SENT"))]);
    assert!(two.prepare(&args()).await.is_err());
    assert!(scripted(CELL, [page(&[ID]), (200, invoice(ID, "SHARED"))]).prepare(&args()).await.is_err());
    let elsewhere = with(invoice(ID, "SENT"), "/primary_recipients", json!([]));
    assert!(matches!(scripted(CELL, [page(&[ID]), (200, elsewhere)]).prepare(&args()).await, Err(Fault::Echo(_))));
}

#[tokio::test]
async fn send_invoice_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).noting(INVOICE, ID).attempt(&args()).await), "unclear");
    for status in
        ["SENT", "UNPAID", "PAID", "PARTIALLY_PAID", "PAYMENT_PENDING", "REFUNDED", "MARKED_AS_PAID", "CANCELLED"]
    {
        let desk = noted([(200, invoice(ID, status))]);
        let finding = desk.find(&args()).await;
        assert!(matches!(&finding, Ok(Finding::Happened(receipt)) if receipt.id == ID), "{status}: {finding:?}");
        assert_eq!(desk.asked(), [format!("GET /v2/invoicing/invoices/{ID}")]);
    }
    // The ledger forgot which one it was, or another one was sent.
    let forgotten = scripted(CELL, [page(&[ID]), (200, invoice(ID, "SENT"))]).find(&args()).await;
    assert!(matches!(forgotten, Ok(Finding::Happened(receipt)) if receipt.id == ID));
    let other = noted([(200, invoice(ID, "DRAFT")), page(&[OTHER]), (200, invoice(OTHER, "SENT"))]);
    assert!(matches!(other.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == OTHER));
}

#[tokio::test]
async fn send_invoice_request_lost_before_effect() {
    let desk = noted([(200, invoice(ID, "DRAFT")), page(&[ID]), (200, invoice(ID, "DRAFT"))]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(scripted(CELL, [page(&[])]).find(&args()).await, Ok(Finding::Absent), "nothing is noted");
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

#[tokio::test]
async fn send_invoice_scheduled_has_happened() {
    let Ok(Finding::Happened(receipt)) = noted([(200, invoice(ID, "SCHEDULED"))]).find(&args()).await else {
        panic!("it will be sent on its day")
    };
    assert_eq!(receipt.body["status"], "SCHEDULED");
}

#[tokio::test]
async fn send_invoice_changed_draft_is_caught() {
    let elsewhere =
        with(invoice(ID, "SENT"), "/primary_recipients/0/billing_info/email_address", json!("eve@example.com"));
    let dearer = with(invoice(ID, "SENT"), "/amount/value", json!("99.00"));
    for changed in [elsewhere, dearer] {
        let finding = noted([(200, changed.clone())]).find(&args()).await;
        assert!(matches!(finding, Err(Fault::Echo(_))), "{finding:?}");
        let finding = scripted(CELL, [page(&[ID]), (200, changed)]).find(&args()).await;
        assert!(matches!(finding, Err(Fault::Echo(_))), "{finding:?}");
    }
}

#[tokio::test]
async fn send_invoice_vanished_draft_cannot_be_told() {
    for absent in [gone(), missing()] {
        let finding = noted([absent, page(&[])]).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{finding:?}");
    }
    let other = noted([gone(), page(&[OTHER]), (200, invoice(OTHER, "SENT"))]).find(&args()).await;
    assert!(matches!(other, Ok(Finding::Happened(_))));
    assert!(noted([(404, json!({"message": "Not Found"}))]).find(&args()).await.is_err());
}

#[tokio::test]
async fn send_invoice_unknown_states_cannot_be_told() {
    let unsent = |status: &str| with(invoice(ID, status), "/detail/metadata", json!({}));
    let shared = ["UNPAID", "PAID", "MARKED_AS_PAID", "REFUNDED", "CANCELLED"].map(unsent);
    let strange = ["SHARED", "NEW_STATUS", ""].map(|status| invoice(ID, status));
    let twisted = with(invoice(ID, "SENT"), "/status", json!("DRAFT"));
    for unknown in shared.into_iter().chain(strange).chain([twisted]) {
        for desk in [noted([(200, unknown.clone())]), scripted(CELL, [page(&[ID]), (200, unknown.clone())])] {
            let finding = desk.find(&args()).await;
            assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{unknown}: {finding:?}");
        }
    }
}

#[tokio::test]
async fn send_invoice_two_of_ours_are_several() {
    let desk = scripted(CELL, [page(&[ID, OTHER]), (200, invoice(ID, "SENT")), (200, invoice(OTHER, "PAID"))]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(two)) if two.len() == 2));
}

#[tokio::test]
async fn send_invoice_failed_page_is_no_absence() {
    let first = (200, json!({"items": [{"id": OTHER}], "total_items": 101, "total_pages": 2}));
    let others = with(invoice(OTHER, "SENT"), "/detail/reference", json!("somebody else's"));
    let second = (200, json!({"items": [{"id": ID}], "total_items": 101, "total_pages": 2}));
    let desk = scripted(CELL, [first.clone(), second, (200, others), (200, invoice(ID, "SENT"))]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == ID));
    assert!(desk.asked()[1].contains("page=2&"), "{:?}", desk.asked());
    assert!(scripted(CELL, [first, error(500, "INTERNAL_SERVER_ERROR", &[])]).find(&args()).await.is_err());
    for nothing in [json!({}), json!({"links": []}), json!({"items": [{"id": "x/y"}], "total_pages": 1})] {
        assert!(scripted(CELL, [(200, nothing)]).find(&args()).await.is_err());
    }
    let empty = (200, json!({"total_items": 0, "total_pages": 0, "links": []}));
    assert_eq!(scripted(CELL, [empty]).find(&args()).await, Ok(Finding::Absent));
    // Without a number of pages a full one is not the last.
    let full: Vec<Value> = vec![json!({"id": ID}); 100];
    let answers = [(200, json!({"items": full})), (200, json!({"items": []}))];
    let desk = scripted(CELL, answers.into_iter().chain(vec![gone(); 100]));
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn send_invoice_mark_is_compared_here_too() {
    let others = with(invoice(ID, "SENT"), "/detail/reference", json!("somebody else's"));
    assert_eq!(scripted(CELL, [page(&[ID]), (200, others)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn send_invoice_superseding_retires_the_former_draft() {
    let after = |answers: Vec<(u16, Value)>| scripted(CELL, answers).superseding(INVOICE, OTHER);
    let renewed = after(vec![]).names().harmless_token("number");
    let fresh = || (201, with(invoice(ID, "DRAFT"), "/detail/invoice_number", json!(renewed)));
    let read = |status: &str| (200, invoice(OTHER, status));
    let desk = after(vec![read("DRAFT"), (204, Value::Null), gone(), page(&[]), fresh()]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    assert_eq!(desk.asked()[1], format!("DELETE /v2/invoicing/invoices/{OTHER}"));
    let stays = after(vec![read("DRAFT"), unprocessable("INVOICE_CANNOT_BE_DELETED"), read("DRAFT")]);
    assert!(stays.prepare(&args()).await.is_err());
    let meanwhile = after(vec![read("DRAFT"), unprocessable("INVOICE_CANNOT_BE_DELETED"), read("SENT")]);
    assert!(matches!(meanwhile.prepare(&args()).await, Ok(Step::Happened(_))));
    assert!(matches!(after(vec![read("SENT")]).prepare(&args()).await, Ok(Step::Happened(_))));
    assert!(after(vec![read("SHARED")]).prepare(&args()).await.is_err());
    // A canceled one is why there is a new epoch, and the search still shows it.
    let canceled = after(vec![read("CANCELLED"), page(&[OTHER]), read("CANCELLED"), fresh()]);
    assert_eq!(canceled.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    let looked = after(vec![page(&[OTHER]), read("CANCELLED")]);
    assert_eq!(looked.find(&args()).await, Ok(Finding::Absent));
    let gone_already = after(vec![gone(), page(&[]), fresh()]);
    assert!(matches!(gone_already.prepare(&args()).await, Ok(Step::Note(..))));
}

#[tokio::test]
async fn send_invoice_canceled_has_a_failed_fate() {
    for (status, fate) in [
        ("CANCELLED", ("cancelled", true)),
        ("AUTO_CANCELLED", ("auto_cancelled", true)),
        ("SENT", ("sent", false)),
        ("PAID", ("paid", false)),
    ] {
        let desk = noted([(200, invoice(ID, status))]);
        let receipt = desk.fetch(&args(), ID).await.expect("it is read").expect("it is there");
        let typed: SendInvoiceReceipt = serde_json::from_value((*receipt.body).clone()).expect("a receipt");
        assert_eq!(typed.fate(), Some((fate.0.to_owned(), fate.1)));
    }
}

#[tokio::test]
async fn send_invoice_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, invoice(ID, "PAID")), gone(), (200, invoice(ID, "DRAFT"))]);
    let receipt = desk.fetch(&args(), ID).await.expect("it is read").expect("it is there");
    assert_eq!((receipt.id.as_str(), &receipt.body["number"]), (ID, &json!(number())));
    assert_eq!(desk.fetch(&args(), ID).await, Ok(None));
    assert!(desk.fetch(&args(), ID).await.is_err(), "a draft");
    let elsewhere = with(invoice(ID, "SENT"), "/primary_recipients", json!([]));
    assert!(matches!(scripted(CELL, [(200, elsewhere)]).fetch(&args(), ID).await, Err(Fault::Echo(_))));
    for wrong in ["INV2-a/../b", "5O190127TN364715T", "INV2-", ""] {
        assert!(scripted(CELL, []).fetch(&args(), wrong).await.is_err(), "{wrong}");
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
