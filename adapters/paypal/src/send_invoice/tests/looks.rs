//! What a look makes of invoices.

use super::*;

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
    assert!(noted([error(404, "NOT_FOUND", &[])]).find(&args()).await.is_err(), "no word of the invoice");
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
    let first = (200, json!({"items": [{"id": OTHER}], "total_items": 2, "total_pages": 2}));
    let others = with(invoice(OTHER, "SENT"), "/detail/reference", json!("somebody else's"));
    let second = (200, json!({"items": [{"id": ID}], "total_items": 2, "total_pages": 2}));
    let desk = scripted(CELL, [first.clone(), second, (200, others), (200, invoice(ID, "SENT"))]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == ID));
    assert!(desk.asked()[1].contains("page=2&"), "{:?}", desk.asked());
    assert!(scripted(CELL, [first, error(500, "INTERNAL_SERVER_ERROR", &[])]).find(&args()).await.is_err());
    for nothing in [json!({}), json!({"links": []}), json!({"items": [{"id": "x/y"}], "total_pages": 1})] {
        assert!(scripted(CELL, [(200, nothing)]).find(&args()).await.is_err());
    }
    for few in [json!({"items": [], "total_items": 1, "total_pages": 1}), json!({"items": [], "total_items": 5})] {
        assert!(
            scripted(CELL, [(200, few.clone())]).find(&args()).await.is_err(),
            "it counts more than it shows: {few}"
        );
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
