//! The steps before the request that counts.

use super::*;

#[track_caller]
fn refused_as(step: Result<Step<SendInvoiceReceipt>, Fault>, code: &str) {
    match step {
        Ok(Step::Refused(refusal)) => assert_eq!(refusal.code, code),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn send_invoice_creates_a_draft_of_its_own_and_notes_it() {
    let desk = scripted(CELL, [list(vec![somebody_elses("in_9")], false), (200, invoice("in_1", "draft"))]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("invoice", "in_1".to_owned())));
    assert_eq!(desk.asked(), [CUSTOMERS, "POST /v1/invoices"]);
    let expected = json!({"customer": "cus_1", "currency": "eur", "collection_method": "send_invoice",
        "days_until_due": "30", "auto_advance": "false", "automatic_tax[enabled]": "false", "discounts": "",
        "pending_invoice_items_behavior": "exclude", "description": "For October",
        "metadata[hapax]": mark(), "metadata[hapax_epoch]": "0"});
    assert_eq!(json_of(&form_of(&desk.request(1))), expected);
    assert_eq!(prepare(&ready([])).await, Ok(Step::Ready));
}

#[tokio::test]
async fn send_invoice_create_that_is_refused_refuses() {
    refused_as(prepare(&scripted(CELL, [none(), refusal()])).await, "no_way");
}

#[tokio::test]
async fn send_invoice_create_answered_500_is_made_again_under_another_key() {
    let desk = scripted(CELL, [none(), stored_500(), (200, invoice("in_1", "draft"))]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("invoice", "in_1".to_owned())));
    assert_ne!(key_of(&desk.request(1)), key_of(&desk.request(2)));
    let desk = scripted(CELL, [none(), stored_500(), stored_500()]);
    assert!(matches!(prepare(&desk).await, Err(Fault::Status(500, _))), "a failure is no refusal");
}

#[tokio::test]
async fn send_invoice_create_that_does_not_echo_is_not_used() {
    let draft = || invoice("in_1", "draft");
    for other in [
        with(draft(), "customer", json!("cus_2")),
        with(draft(), "metadata", json!({"hapax": "another's"})),
        with(draft(), "id", json!("../x")),
    ] {
        let desk = scripted(CELL, [none(), (200, other)]);
        assert!(matches!(prepare(&desk).await, Err(Fault::Echo(_))));
    }
}

#[tokio::test]
async fn send_invoice_key_used_by_another_intent_is_no_refusal() {
    let taken = || error(400, "idempotency_error", "");
    assert!(matches!(prepare(&scripted(CELL, [none(), taken()])).await, Err(Fault::Status(400, _))));
    assert!(matches!(prepare(&filling([none(), taken()])).await, Err(Fault::Status(400, _))));
}

#[tokio::test]
async fn send_invoice_own_invoice_is_found_again() {
    let drafts = vec![invoice("in_2", "draft"), invoice("in_1", "draft")];
    let desk = scripted(CELL, [list(drafts, false)]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("invoice", "in_1".to_owned())));
    assert_eq!(desk.asked(), [CUSTOMERS], "the oldest, and no further one is made");
    for status in ["open", "paid"] {
        let desk = scripted(CELL, [list(vec![invoice("in_1", status)], false), none()]);
        assert_eq!(prepare(&desk).await, Ok(Step::Note("invoice", "in_1".to_owned())), "{status}");
        assert_eq!(desk.asked(), [CUSTOMERS.to_owned(), events_since(TODAY)]);
    }
}

#[tokio::test]
async fn send_invoice_own_invoice_that_was_sent_has_happened() {
    for status in ["open", "paid", "void"] {
        let events = list(vec![sent("evt_1", "in_1")], false);
        let desk = scripted(CELL, [list(vec![invoice("in_1", status)], false), events]);
        let step = prepare(&desk).await;
        assert!(matches!(&step, Ok(Step::Happened(receipt)) if receipt.id == "in_1"), "{step:?}");
    }
    let two = list(vec![sent("evt_2", "in_1"), sent("evt_1", "in_1")], false);
    let desk = scripted(CELL, [list(vec![invoice("in_1", "open")], false), two]);
    assert!(prepare(&desk).await.is_err(), "two mails are for a person");
}

#[tokio::test]
async fn send_invoice_older_than_events_is_for_a_person() {
    let old = || list(vec![with(invoice("in_1", "open"), "created", json!(AUGUST))], false);
    assert!(matches!(prepare(&scripted(CELL, [old(), none()])).await, Err(Fault::Unread(_))));
    assert!(matches!(find(&scripted(CELL, [old(), none()])).await, Ok(Finding::CannotTell(_))));
    // Sent again within 30 days all the same.
    let desk = scripted(CELL, [old(), list(vec![sent("evt_1", "in_1")], false)]);
    assert!(matches!(find(&desk).await, Ok(Finding::Happened(_))));
}

#[tokio::test]
async fn send_invoice_items_are_added_once_each() {
    let desk = filling([none(), (200, invoice("in_1", "draft")), both_lines()]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("items", "2".to_owned())));
    assert_eq!(desk.asked(), [LINES, ADD, LINES]);
    let expected = json!({"lines[0][amount]": "1000", "lines[0][description]": "Advice",
        "lines[0][metadata][hapax_item]": "0", "lines[1][amount]": "50", "lines[1][description]": "Travel",
        "lines[1][metadata][hapax_item]": "1"});
    assert_eq!(json_of(&form_of(&desk.request(1))), expected);

    let desk = filling([both_lines()]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("items", "2".to_owned())));
    assert!(!desk.asked().contains(&ADD.to_owned()), "nothing is added to what is there");

    let half = filling([list(vec![line(0)], false), (200, invoice("in_1", "draft")), both_lines()]);
    assert_eq!(prepare(&half).await, Ok(Step::Note("items", "2".to_owned())));
    let expected = json!({"lines[0][amount]": "50", "lines[0][description]": "Travel",
        "lines[0][metadata][hapax_item]": "1"});
    assert_eq!(json_of(&form_of(&half.request(1))), expected, "only what is missing");
}

#[tokio::test]
async fn send_invoice_items_answered_500_are_added_under_another_key() {
    let desk = filling([none(), stored_500(), none(), (200, invoice("in_1", "draft")), both_lines()]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("items", "2".to_owned())));
    assert_eq!(desk.asked(), [LINES, ADD, LINES, ADD, LINES]);
    assert_ne!(key_of(&desk.request(1)), key_of(&desk.request(3)));
    // The failure had added them after all.
    let desk = filling([none(), stored_500(), both_lines()]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("items", "2".to_owned())));
    let desk = filling([none(), stored_500(), none(), stored_500(), none()]);
    assert!(matches!(prepare(&desk).await, Err(Fault::Status(500, _))));
}

#[tokio::test]
async fn send_invoice_items_late_to_show_are_not_added_twice() {
    let added = || (200, invoice("in_1", "draft"));
    let desk = filling([none(), added(), none(), added(), none()]);
    assert!(matches!(prepare(&desk).await, Err(Fault::Unread(_))));
    assert_eq!(key_of(&desk.request(1)), key_of(&desk.request(3)), "one key adds the same once");
}

#[tokio::test]
async fn send_invoice_items_refused_refuse() {
    refused_as(prepare(&filling([none(), refusal()])).await, "no_way");
}

#[tokio::test]
async fn send_invoice_lines_that_are_not_ours_stop_it() {
    for lines in [
        vec![line(0), line(1), with(line(0), "metadata", json!({}))],
        vec![line(0), line(1), line(1)],
        vec![line(0), line(1), with(line(1), "metadata", json!({"hapax_item": "2"}))],
        vec![line(0), with(line(1), "amount", json!(51))],
        vec![line(0), with(line(1), "currency", json!("usd"))],
    ] {
        let desk = filling([list(lines, false)]);
        assert!(matches!(prepare(&desk).await, Err(Fault::Echo(_))));
        assert_eq!(desk.asked(), [LINES]);
    }
}

#[tokio::test]
async fn send_invoice_total_that_differs_is_never_sent() {
    let other = |status| with(invoice("in_1", status), "total", json!(1049));
    let desk = finalizing([(200, other("draft"))]);
    assert!(matches!(prepare(&desk).await, Err(Fault::Echo(_))));
    assert_eq!(desk.asked(), [READ], "not finalized");
    let desk = finalizing([(200, invoice("in_1", "draft")), (200, other("open")), (200, other("open"))]);
    assert!(matches!(prepare(&desk).await, Err(Fault::Echo(_))), "not noted, so not sent");
}

#[tokio::test]
async fn send_invoice_finalizes_then_notes_it() {
    let open = || (200, invoice("in_1", "open"));
    let desk = finalizing([(200, invoice("in_1", "draft")), open(), open()]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("finalized", "A-1".to_owned())));
    assert_eq!(desk.asked(), [READ, FINALIZE, READ]);
    assert_eq!(json_of(&form_of(&desk.request(1))), json!({"auto_advance": "false"}), "nothing is mailed by itself");
    for status in ["open", "paid"] {
        let desk = finalizing([(200, invoice("in_1", status))]);
        assert_eq!(prepare(&desk).await, Ok(Step::Note("finalized", "A-1".to_owned())), "{status}");
        assert_eq!(desk.asked(), [READ]);
    }
}

#[tokio::test]
async fn send_invoice_finalize_answered_500_is_made_again_under_another_key() {
    let draft = || (200, invoice("in_1", "draft"));
    let open = || (200, invoice("in_1", "open"));
    let desk = finalizing([draft(), stored_500(), draft(), open(), open()]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("finalized", "A-1".to_owned())));
    assert_ne!(key_of(&desk.request(1)), key_of(&desk.request(3)));
    let desk = finalizing([draft(), stored_500(), draft(), stored_500(), draft()]);
    assert!(matches!(prepare(&desk).await, Err(Fault::Status(500, _))));
}

#[tokio::test]
async fn send_invoice_finalize_that_is_refused_refuses() {
    let draft = || (200, invoice("in_1", "draft"));
    refused_as(prepare(&finalizing([draft(), refusal(), draft(), refusal(), draft()])).await, "no_way");
    // Somebody else was faster.
    let desk = finalizing([draft(), refusal(), (200, invoice("in_1", "open"))]);
    assert_eq!(prepare(&desk).await, Ok(Step::Note("finalized", "A-1".to_owned())));
}

#[tokio::test]
async fn send_invoice_voided_before_it_was_sent_is_refused() {
    for status in ["void", "uncollectible"] {
        refused_as(prepare(&finalizing([(200, invoice("in_1", status))])).await, "voided");
    }
}

#[tokio::test]
async fn send_invoice_draft_that_was_deleted_is_no_refusal() {
    let gone = || error(404, "invalid_request_error", "resource_missing");
    assert!(matches!(prepare(&finalizing([gone()])).await, Err(Fault::Unread(_))));
    assert!(matches!(prepare(&filling([gone()])).await, Err(Fault::Status(404, _))));
}

#[tokio::test]
async fn send_invoice_new_epoch_retires_the_former_invoice() {
    let made = with(invoice("in_2", "draft"), "metadata", json!({"hapax": mark(), "hapax_epoch": "1"}));
    let gone = error(404, "invalid_request_error", "resource_missing");
    let former = |status| list(vec![invoice("in_1", status)], false);

    let deleted = (200, json!({"id": "in_1", "deleted": true}));
    let desk = scripted(CELL, [former("draft"), deleted, gone, (200, made.clone())]).superseding("invoice", "in_1");
    assert_eq!(prepare(&desk).await, Ok(Step::Note("invoice", "in_2".to_owned())));
    assert_eq!(desk.asked(), [CUSTOMERS, "DELETE /v1/invoices/in_1", READ, "POST /v1/invoices"]);

    let void = || (200, invoice("in_1", "void"));
    let desk = scripted(CELL, [former("open"), none(), void(), void(), (200, made)]).superseding("invoice", "in_1");
    assert_eq!(prepare(&desk).await, Ok(Step::Note("invoice", "in_2".to_owned())));
    assert_eq!(desk.asked()[2..4], ["POST /v1/invoices/in_1/void", READ]);

    // Another customer's: only the note knows it. It can't be put out of the way.
    let paid = || (200, invoice("in_1", "paid"));
    let desk = scripted(CELL, [none(), paid(), none(), paid()]).superseding("invoice", "in_1");
    assert!(prepare(&desk).await.is_err(), "no second invoice beside one that was paid");
    let open = || (200, invoice("in_1", "open"));
    let desk = scripted(CELL, [former("open"), none(), stored_500(), open()]).superseding("invoice", "in_1");
    assert!(prepare(&desk).await.is_err(), "no second invoice beside one that can be paid");
}
