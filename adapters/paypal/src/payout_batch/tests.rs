use hapax_core::cell::{CellArgs, CellReceipt};
use hapax_core::money::Money;
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Answer, Covers, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{BATCH, batch_taken, error, losing, missing, scripted, unclear, unprocessable};

const CELL: &str = "paypal.payout_batch";
const LINK: &str = "https://api-m.paypal.com/v1/payments/payouts/CR9VS2K4X4846";

fn item(receiver: Receiver, amount: i64) -> PayoutItem {
    PayoutItem { receiver, amount: Money::new(amount, "EUR").expect("money") }
}

fn args() -> PayoutBatch {
    let jane = Receiver::Email { address: "jane@example.com".to_owned() };
    PayoutBatch::of([item(jane, 987), item(Receiver::PaypalId { id: "G83JXTJ5EHCQ2".to_owned() }, 532)])
}

fn desk(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

/// A desk after an answer that named a batch, with what reading that one gives.
fn named(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    desk(answers).naming(BATCH)
}

fn ours() -> String {
    desk([]).names().token("payout")
}

fn header(status: &str, batch_id: &str) -> Value {
    json!({"payout_batch_id": BATCH, "batch_status": status, "sender_batch_header": {"sender_batch_id": batch_id}})
}

fn accepted(status: &str) -> (u16, Value) {
    (201, json!({"batch_header": header(status, &ours()), "links": []}))
}

fn listed(place: usize, status: &str) -> Value {
    let (receiver, value) = if place == 1 { ("Jane@Example.com", "9.87") } else { ("G83JXTJ5EHCQ2", "5.32") };
    json!({"payout_item_id": format!("ITEM{place}"), "payout_batch_id": BATCH, "transaction_status": status,
        "payout_item": {"sender_item_id": format!("{}-{place}", desk([]).mark()), "receiver": receiver,
            "amount": {"currency": "EUR", "value": value}}})
}

/// The whole batch, with these items.
fn shown(status: &str, items: &[Value]) -> Value {
    let mut header = header(status, &ours());
    header["amount"] = json!({"currency": "EUR", "value": "15.19"});
    json!({"batch_header": header, "items": items, "total_items": items.len(), "total_pages": 1})
}

fn paid(status: &str) -> Value {
    shown(status, &[listed(1, "SUCCESS"), listed(2, "SUCCESS")])
}

#[tokio::test]
async fn payout_batch_sends_what_was_asked() {
    let desk = desk([accepted("PENDING")]);
    let words =
        PayoutBatch { email_subject: Some("Paid".to_owned()), email_message: Some("Thanks".to_owned()), ..args() };
    assert_eq!(word(&desk.attempt(&words).await), "happened");
    assert_eq!(desk.asked().last().map(String::as_str), Some("POST /v1/payments/payouts"));
    let (request, mark) = (desk.last(), desk.mark());
    assert!(!request.headers.iter().any(|(name, _)| name == "PayPal-Request-Id"), "{request:?}");
    let sent = json!({
        "sender_batch_header": {"sender_batch_id": ours(), "email_subject": "Paid", "email_message": "Thanks"},
        "items": [
            {"recipient_type": "EMAIL", "receiver": "jane@example.com", "sender_item_id": format!("{mark}-1"),
                "amount": {"currency": "EUR", "value": "9.87"}},
            {"recipient_type": "PAYPAL_ID", "receiver": "G83JXTJ5EHCQ2", "sender_item_id": format!("{mark}-2"),
                "amount": {"currency": "EUR", "value": "5.32"}},
        ],
    });
    assert_eq!(body_of(&request), sent);
}

#[tokio::test]
async fn payout_batch_accepted_is_not_paid() {
    for status in ["PENDING", "PROCESSING", "SUCCESS"] {
        let Answer::Happened(receipt) = desk([accepted(status)]).attempt(&args()).await else { panic!("{status}") };
        assert_eq!((receipt.id.as_str(), &receipt.body["status"]), (BATCH, &json!(status)));
        let receipt: PayoutBatchReceipt = serde_json::from_value((*receipt.body).clone()).expect("a receipt");
        assert_eq!(receipt.fate(), Some((status.to_ascii_lowercase(), false)));
    }
}

#[tokio::test]
async fn payout_batch_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let before = desk([]);
    assert!(matches!(before.find(&args()).await, Ok(Finding::CannotTell(_))), "nothing was named yet");
    assert_eq!(before.asked(), Vec::<String>::new(), "so there is nothing to ask");
    let after = named([(200, paid("SUCCESS"))]);
    assert!(matches!(after.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == BATCH));
    let page = format!("GET /v1/payments/payouts/{BATCH}?page=1&page_size=200&total_required=true");
    assert_eq!(after.asked().last(), Some(&page));
}

#[tokio::test]
async fn payout_batch_request_lost_before_effect() {
    let desk = losing(CELL);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let first = body_of(&desk.last());
    desk.script().push(Ok(hapax_core::testing::response(201, &accepted("PENDING").1)));
    assert_eq!(word(&desk.attempt(&args()).await), "happened");
    assert_eq!(body_of(&desk.last()), first, "the same batch id, and the same items");
}

#[tokio::test]
async fn payout_batch_repeat_is_taken_and_named() {
    let answer = desk([batch_taken(LINK)]).attempt(&args()).await;
    assert!(matches!(&answer, Answer::Taken(_, Some(id)) if id == BATCH), "{answer:?}");
    let elsewhere = format!("https://evil.example/v1/payments/payouts/{BATCH}?page=1");
    let answer = desk([batch_taken(&elsewhere)]).attempt(&args()).await;
    assert!(matches!(&answer, Answer::Taken(_, Some(id)) if id == BATCH), "the id alone is taken: {answer:?}");
    for status in [400, 409, 422] {
        let (_, mut otherwise) = batch_taken(LINK);
        otherwise["name"] = "DUPLICATE_BATCH".into();
        otherwise["details"][0]["issue"] = "ANOTHER_WORD".into();
        let answer = desk([(status, otherwise)]).attempt(&args()).await;
        assert!(matches!(&answer, Answer::Taken(_, Some(id)) if id == BATCH), "the link tells: {answer:?}");
    }
}

#[tokio::test]
async fn payout_batch_business_errors_are_never_refused() {
    for issues in [vec!["Duplicate batch request"], vec!["Something else"], vec![], vec!["One", "Two"]] {
        let answer = desk([error(400, "USER_BUSINESS_ERROR", &issues)]).attempt(&args()).await;
        assert!(matches!(answer, Answer::Taken(_, None)), "{issues:?}: {answer:?}");
    }
    for status in [403, 409, 422] {
        let answer = desk([error(status, "USER_BUSINESS_ERROR", &["Something else"])]).attempt(&args()).await;
        assert!(matches!(answer, Answer::Taken(_, None)), "{status}: {answer:?}");
        let (_, mut otherwise) = batch_taken("");
        otherwise["name"] = "VALIDATION_ERROR".into();
        otherwise["details"][0]["issue"] = "DUPLICATE".into();
        let answer = desk([(status, otherwise)]).attempt(&args()).await;
        assert!(matches!(answer, Answer::Taken(_, None)), "it is about our batch id: {answer:?}");
    }
}

#[tokio::test]
async fn payout_batch_taken_without_a_name_cannot_be_told() {
    for link in ["", "https://api-m.paypal.com/v1/payments/payouts/../secret", "https://x/v2/checkout/orders/1"] {
        let answer = desk([batch_taken(link)]).attempt(&args()).await;
        assert!(matches!(answer, Answer::Taken(_, None)), "{link}: {answer:?}");
    }
    let (status, mut body) = batch_taken(LINK);
    body["links"] = json!([{"href": "https://api-m.paypal.com/v1/payments/payouts/0THER"}]);
    let answer = desk([(status, body)]).attempt(&args()).await;
    assert!(matches!(answer, Answer::Taken(_, None)), "two names are none: {answer:?}");
    assert!(matches!(desk([]).find(&args()).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn payout_batch_named_batch_must_be_ours() {
    let changed = |pointer: &str, value: Value| {
        let mut batch = paid("SUCCESS");
        *batch.pointer_mut(pointer).expect("a place") = value;
        batch
    };
    for (pointer, value) in [
        ("/batch_header/sender_batch_header/sender_batch_id", json!("another")),
        ("/batch_header/sender_batch_header/sender_batch_id", Value::Null),
        ("/batch_header/amount/value", json!("99.00")),
        ("/items/0/payout_item/sender_item_id", json!("another-1")),
        ("/items/0/payout_item/sender_item_id", Value::Null),
        ("/items/1/payout_item/sender_item_id", json!(format!("{}-1", desk([]).mark()))),
        ("/items/0/payout_item/amount/value", json!("9.88")),
        ("/items/0/payout_item/amount/currency", json!("USD")),
        ("/items/0/payout_item/receiver", json!("joe@example.com")),
    ] {
        let finding = named([(200, changed(pointer, value))]).find(&args()).await;
        assert!(matches!(finding, Err(Fault::Echo(_))), "{pointer}: {finding:?}");
    }
    let fewer = named([(200, shown("SUCCESS", &[listed(1, "SUCCESS")]))]).find(&args()).await;
    assert!(matches!(fewer, Err(Fault::Echo(_))), "{fewer:?}");
    let mut another = paid("SUCCESS");
    another["batch_header"]["payout_batch_id"] = "0THER".into();
    assert!(named([(200, another)]).find(&args()).await.is_err());
}

#[tokio::test]
async fn payout_batch_named_batch_shows_its_items_first() {
    for status in ["PENDING", "PROCESSING", "SUCCESS"] {
        let finding = named([(200, shown(status, &[]))]).find(&args()).await;
        assert!(
            matches!(finding, Ok(Finding::NotYet(_))),
            "{status}: our id alone says nothing of whom it pays: {finding:?}"
        );
    }
    let half = named([(200, shown("PROCESSING", &[listed(1, "PENDING")]))]).find(&args()).await;
    assert!(matches!(half, Ok(Finding::NotYet(_))), "{half:?}");
    let mut others = shown("PROCESSING", &[listed(1, "PENDING")]);
    others["items"][0]["payout_item"]["amount"]["value"] = "9.88".into();
    assert!(matches!(named([(200, others)]).find(&args()).await, Err(Fault::Echo(_))), "what it shows must be ours");
}

#[tokio::test]
async fn payout_batch_named_batch_is_gone() {
    for gone in [missing(), error(404, "INVALID_RESOURCE_ID", &[])] {
        assert!(matches!(named([gone]).find(&args()).await, Ok(Finding::CannotTell(_))));
    }
    for (status, body) in unclear() {
        let finding = named([(status, body)]).find(&args()).await;
        assert!(finding.is_err(), "a look that fails is no finding: {status} {finding:?}");
    }
}

#[tokio::test]
async fn payout_batch_denied_batch_burns_the_id() {
    let answer = desk([accepted("DENIED")]).attempt(&args()).await;
    assert!(matches!(&answer, Answer::Refused(refusal, Covers::Record) if refusal.code == "DENIED"), "{answer:?}");
    for items in [vec![], vec![listed(1, "DENIED"), listed(2, "DENIED")]] {
        let finding = named([(200, shown("DENIED", &items))]).find(&args()).await;
        assert!(matches!(&finding, Ok(Finding::Failed(refusal)) if refusal.code == "DENIED"), "{finding:?}");
    }
}

#[tokio::test]
async fn payout_batch_superseding_takes_another_id() {
    let first = desk([accepted("PENDING")]);
    first.attempt(&args()).await;
    let second = desk([accepted("PENDING")]).superseding("none", "none");
    assert_eq!(word(&second.attempt(&args()).await), "echo", "the batch of the epoch before is not this one");
    let (first, second) = (body_of(&first.last()), body_of(&second.last()));
    assert_ne!(first["sender_batch_header"], second["sender_batch_header"]);
    assert_eq!(first["items"], second["items"]);
}

#[tokio::test]
async fn payout_batch_is_refused() {
    let refusals = [
        error(400, "VALIDATION_ERROR", &["Receiver is invalid or does not match with type"]),
        error(403, "SENDER_RESTRICTED", &[]),
        error(422, "INSUFFICIENT_FUNDS", &[]),
        unprocessable("NON_HOLDING_CURRENCY"),
    ];
    for refusal in refusals {
        let answer = desk([refusal.clone()]).attempt(&args()).await;
        assert!(matches!(&answer, Answer::Refused(_, Covers::Attempt)), "{refusal:?}: {answer:?}");
    }
}

#[tokio::test]
async fn payout_batch_other_failures_are_not_guessed() {
    let timeout = error(504, "REQUEST_TIMEOUT_EXCEEDED", &[]);
    for (status, body) in unclear().into_iter().chain([timeout, error(409, "RESOURCE_CONFLICT", &[])]) {
        assert_eq!(word(&desk([(status, body.clone())]).attempt(&args()).await), "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn payout_batch_unauthorized_is_not_done() {
    let denied = error(401, "AUTHENTICATION_FAILURE", &[]);
    assert_eq!(word(&desk([denied]).attempt(&args()).await), "not done");
}

#[tokio::test]
async fn payout_batch_echo_mismatch_is_caught() {
    for batch_id in ["another", ""] {
        let another = (201, json!({"batch_header": header("PENDING", batch_id)}));
        assert_eq!(word(&desk([another]).attempt(&args()).await), "echo", "{batch_id}");
    }
    let mut dearer = accepted("PENDING");
    dearer.1["batch_header"]["amount"] = json!({"currency": "EUR", "value": "99.00"});
    assert_eq!(word(&desk([dearer]).attempt(&args()).await), "echo");
    let mut unfilled = accepted("PENDING");
    unfilled.1["batch_header"]["amount"] = json!({"currency": "EUR", "value": "0.00"});
    assert_eq!(word(&desk([unfilled]).attempt(&args()).await), "happened");
}

#[tokio::test]
async fn payout_batch_unknown_states_cannot_be_told() {
    for status in ["CANCELED", "NEW", ""] {
        assert_eq!(word(&desk([accepted(status)]).attempt(&args()).await), "unclear", "{status}");
        let finding = named([(200, paid(status))]).find(&args()).await;
        assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{status}: {finding:?}");
    }
}

#[tokio::test]
async fn payout_batch_items_of_all_pages_are_read() {
    let page = |item: Value| {
        let mut page = shown("SUCCESS", &[item]);
        page["total_items"] = 2.into();
        page["total_pages"] = 2.into();
        (200, page)
    };
    let desk = named([page(listed(1, "SUCCESS")), page(listed(2, "UNCLAIMED"))]);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("{:?}", desk.asked()) };
    assert_eq!(receipt.body["items"].as_array().map(Vec::len), Some(2));
    assert!(desk.asked().last().is_some_and(|asked| asked.contains("page=2&")), "{:?}", desk.asked());

    let mut short = paid("SUCCESS");
    short["total_items"] = 3.into();
    let mut endless = paid("SUCCESS");
    endless["total_pages"] = 1_000.into();
    let mut foreign = page(listed(2, "SUCCESS"));
    foreign.1["batch_header"]["payout_batch_id"] = "0THER".into();
    for answers in [vec![(200, short)], vec![(200, endless)], vec![page(listed(1, "SUCCESS")), foreign]] {
        let finding = named(answers).find(&args()).await;
        assert!(matches!(finding, Err(Fault::Unread(_))), "{finding:?}");
    }
}

#[tokio::test]
async fn payout_batch_fate_counts_items() {
    let fate_of = async |status: &str, items: [&str; 2]| {
        let batch = shown(status, &[listed(1, items[0]), listed(2, items[1])]);
        let receipt = desk([(200, batch)]).follow(&args(), BATCH).await.expect("it is read").expect("it is there");
        let receipt: PayoutBatchReceipt = serde_json::from_value((*receipt.body).clone()).expect("a receipt");
        receipt.fate().expect("a fate")
    };
    for (status, items, words, failed) in [
        ("SUCCESS", ["SUCCESS", "SUCCESS"], "success: 2 success", false),
        ("SUCCESS", ["FAILED", "UNCLAIMED"], "success: 1 failed, 1 unclaimed", false),
        ("SUCCESS", ["FAILED", "RETURNED"], "success: 1 failed, 1 returned", true),
        ("SUCCESS", ["FAILED", "REFUNDED"], "success: 1 failed, 1 refunded", false),
        ("SUCCESS", ["BLOCKED", "ONHOLD"], "success: 1 blocked, 1 onhold", false),
        ("PROCESSING", ["FAILED", "FAILED"], "processing: 2 failed", false),
        ("DENIED", ["DENIED", "DENIED"], "denied: 2 denied", true),
    ] {
        assert_eq!(fate_of(status, items).await, (words.to_owned(), failed));
    }
}

#[tokio::test]
async fn payout_batch_fetch_reads_what_a_person_names() {
    let desk = desk([(200, paid("SUCCESS")), error(404, "INVALID_RESOURCE_ID", &[])]);
    let receipt = desk.fetch(&args(), BATCH).await.expect("it is read").expect("it is there");
    assert_eq!((receipt.id.as_str(), &receipt.body["amount"]["amount"]), (BATCH, &json!(1519)));
    assert_eq!(desk.fetch(&args(), BATCH).await, Ok(None));
    assert!(desk.fetch(&args(), "a/b").await.is_err());
    for status in ["DENIED", "CANCELED", "NEW"] {
        let fetched = scripted(CELL, [(200, paid(status))]).fetch(&args(), BATCH).await;
        assert!(matches!(fetched, Err(Fault::Unread(_))), "{status}: {fetched:?}");
    }
    let mut dearer = paid("SUCCESS");
    dearer["batch_header"]["amount"]["value"] = "99.00".into();
    let mut others = paid("SUCCESS");
    others["items"][0]["payout_item"]["sender_item_id"] = "somebody-1".into();
    let mut unlisted = paid("PENDING");
    unlisted["items"] = json!([]);
    unlisted["total_items"] = 0.into();
    unlisted["batch_header"]["sender_batch_header"]["sender_batch_id"] = "somebody".into();
    for batch in [dearer, others, unlisted] {
        let fetched = scripted(CELL, [(200, batch.clone())]).fetch(&args(), BATCH).await;
        assert!(matches!(fetched, Err(Fault::Echo(_))), "{fetched:?}: {batch}");
    }
}

#[tokio::test]
async fn payout_batch_receivers_are_left_out() {
    let Ok(Finding::Happened(receipt)) = named([(200, paid("SUCCESS"))]).find(&args()).await else { panic!("found") };
    let kept = receipt.body.to_string().to_ascii_lowercase();
    assert!(!kept.contains("jane") && !kept.contains("g83jx"), "{kept}");
    let debugged = format!("{:?}", args()).to_ascii_lowercase();
    assert!(!debugged.contains("jane") && !debugged.contains("g83jx"), "{debugged}");
    let why = PayoutBatch::of([item(Receiver::Email { address: "jane example.com".to_owned() }, 1)]).check();
    assert!(why.is_err_and(|why| why.contains("items[0]") && !why.contains("jane")));
}

#[test]
fn payout_batch_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert_eq!(args().money(), Some(Money::new(1519, "EUR").expect("money")));
    let phone = Receiver::Phone { number: "+49 (170) 12345-67".to_owned() };
    assert_eq!(PayoutBatch::of([item(phone.clone(), 1)]).check(), Ok(()));
    assert!(phone.is("491701234567") && !phone.is("491701234568"));
    let none = PayoutBatch::of([]).check();
    assert!(none.is_err_and(|why| why.contains("items")));
    let many = PayoutBatch::of(vec![item(phone, 1); 15_001]).check();
    assert!(many.is_err_and(|why| why.contains("15000")));
    let mut mixed = args();
    mixed.items[1].amount.currency = "USD".to_owned();
    assert!(mixed.check().is_err_and(|why| why.contains("one currency")));
    let mut nothing = args();
    nothing.items[1].amount.amount = 0;
    assert!(nothing.check().is_err_and(|why| why.contains("items[1]: amount")));
    let mut beyond = args();
    beyond.items = vec![beyond.items[0].clone(); 2];
    beyond.items.iter_mut().for_each(|item| item.amount.amount = i64::MAX);
    assert!(beyond.check().is_err());
    for wrong in ["", "jane", "@example.com", "jane@", "jane doe@example.com", &format!("{}@x.de", "a".repeat(127))] {
        let wrong = Receiver::Email { address: wrong.to_owned() };
        assert!(PayoutBatch::of([item(wrong.clone(), 1)]).check().is_err(), "{wrong:?}");
    }
    for wrong in [Receiver::Phone { number: "call me".to_owned() }, Receiver::PaypalId { id: "a/b".to_owned() }] {
        assert!(PayoutBatch::of([item(wrong.clone(), 1)]).check().is_err(), "{wrong:?}");
    }
    let long = PayoutBatch { email_subject: Some("x".repeat(256)), ..args() };
    assert!(long.check().is_err_and(|why| why.contains("email_subject")));
    let long = PayoutBatch { email_message: Some("x".repeat(1001)), ..args() };
    assert!(long.check().is_err_and(|why| why.contains("email_message")));
}
