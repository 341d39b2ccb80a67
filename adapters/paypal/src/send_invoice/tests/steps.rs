//! The steps before an invoice is sent.

use super::*;

#[tokio::test]
async fn send_invoice_makes_a_draft_first() {
    let desk = scripted(CELL, [page(&[]), (201, invoice(ID, "DRAFT"))]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note(INVOICE, ID.to_owned())));
    assert_eq!(desk.asked(), [SEARCH, CREATE]);
    assert_eq!(body_of(&desk.request(1)), json!({"reference": mark()}));
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
    assert_eq!(body_of(&desk.request(3)), json!({"invoice_number": number()}));
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
