use hapax_core::cell::{Cell, CellArgs, CellReceipt};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.transfer";

fn args() -> Transfer {
    let args = json!({"amount": {"amount": 400, "currency": "EUR"}, "destination": "acct_1"});
    serde_json::from_value(args).expect("arguments")
}

fn in_order_95() -> Transfer {
    Transfer { transfer_group: Some("ORDER_95".to_owned()), ..args() }
}

fn from_a_charge() -> Transfer {
    Transfer { source_transaction: Some("ch_1".to_owned()), ..args() }
}

fn transfer(id: &str, mark: &str, group: &str) -> Value {
    json!({"id": id, "amount": 400, "currency": "eur", "destination": "acct_1", "transfer_group": group,
        "source_transaction": null, "reversed": false, "metadata": {"hapax": mark}})
}

/// As it is where no group and no charge is named.
fn ours(id: &str) -> Value {
    transfer(id, &mark(), &mark())
}

fn list(data: Vec<Value>, has_more: bool) -> (u16, Value) {
    (200, json!({"object": "list", "data": data, "has_more": has_more}))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

#[tokio::test]
async fn transfer_sends_key_mark_and_group() {
    let desk = scripted(CELL, [(200, ours("tr_1"))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "tr_1"), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /v1/transfers"]);
    assert_eq!(key_of(&desk.request(0)), desk.names().token("transfer"));
    let expected = json!({"amount": "400", "currency": "eur", "destination": "acct_1", "transfer_group": mark(),
        "metadata[hapax]": mark()});
    assert_eq!(json_of(&form_of(&desk.request(0))), expected);
}

#[tokio::test]
async fn transfer_keeps_the_callers_group() {
    let desk = scripted(CELL, [(200, transfer("tr_1", &mark(), "ORDER_95"))]);
    assert_eq!(word(&desk.attempt(&in_order_95()).await), "happened");
    let form = form_of(&desk.request(0));
    assert_eq!((form["transfer_group"].as_str(), form["metadata[hapax]"].clone()), ("ORDER_95", mark()));

    let others = transfer("tr_2", "another mark", "ORDER_95");
    let found = transfer("tr_1", &mark(), "ORDER_95");
    let desk = scripted(CELL, [list(vec![others.clone(), found], false), list(vec![others], false)]);
    let finding = desk.find(&in_order_95()).await;
    assert!(matches!(finding, Ok(Finding::Happened(receipt)) if receipt.id == "tr_1"));
    assert_eq!(desk.asked(), ["GET /v1/transfers?limit=100&transfer_group=ORDER_95"]);
    assert_eq!(desk.find(&in_order_95()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn transfer_from_a_charge_has_no_group_of_ours() {
    let mut made = transfer("tr_1", &mark(), "group_ch_1");
    made["source_transaction"] = json!({"id": "ch_1", "object": "charge"});
    let desk = scripted(CELL, [(200, made.clone()), list(vec![made], false)]);
    assert_eq!(word(&desk.attempt(&from_a_charge()).await), "happened");
    let form = form_of(&desk.request(0));
    assert_eq!((form.get("transfer_group"), form["source_transaction"].as_str()), (None, "ch_1"));
    assert!(matches!(desk.find(&from_a_charge()).await, Ok(Finding::Happened(_))));
    assert_eq!(desk.asked()[1], "GET /v1/transfers?limit=100&destination=acct_1");
}

#[tokio::test]
async fn transfer_answer_lost_after_effect() {
    let desk = losing(CELL);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [list(vec![ours("tr_1")], false)]);
    let finding = desk.find(&args()).await;
    assert!(matches!(finding, Ok(Finding::Happened(receipt)) if receipt.id == "tr_1"));
    assert_eq!(desk.asked(), [format!("GET /v1/transfers?limit=100&transfer_group={}", mark())]);
}

#[tokio::test]
async fn transfer_absent_after_all_pages() {
    let other = transfer("tr_2", "another mark", "ORDER_95");
    let desk = scripted(CELL, [list(vec![other], true), list(Vec::new(), false)]);
    assert_eq!(desk.find(&in_order_95()).await, Ok(Finding::Absent));
    assert!(desk.asked()[1].ends_with("&starting_after=tr_2"), "{:?}", desk.asked());
}

#[tokio::test]
async fn transfer_found_by_its_group_when_metadata_is_gone() {
    let mut cleared = ours("tr_1");
    cleared["metadata"] = json!({});
    let desk = scripted(CELL, [list(vec![cleared], false)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(_))));
}

#[tokio::test]
async fn transfer_failed_page_is_no_absence() {
    for broken in [error(500, "api_error", ""), (200, json!({"data": [], "has_more": true})), (404, json!({}))] {
        let desk = scripted(CELL, [list(vec![transfer("tr_9", "another mark", "ORDER_95")], true), broken]);
        assert!(desk.find(&in_order_95()).await.is_err());
    }
}

#[tokio::test]
async fn transfer_beyond_the_balance_is_refused() {
    let desk = scripted(CELL, [error(400, "invalid_request_error", "balance_insufficient")]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Refused(why, _) if why.code == "balance_insufficient"), "{answer:?}");
    assert_eq!(word(&answer), "refused");
}

#[tokio::test]
async fn transfer_stored_500_is_adrift() {
    let desk = scripted(CELL, [error(500, "api_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "adrift");
    assert!(TransferCell::SPEC.can_be_adrift());
}

#[tokio::test]
async fn transfer_in_use_and_limits_are_not_done() {
    for (status, code) in [(409, "idempotency_key_in_use"), (429, "rate_limit"), (429, "lock_timeout"), (401, "")] {
        let desk = scripted(CELL, [error(status, "invalid_request_error", code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status} {code}");
    }
}

#[tokio::test]
async fn transfer_key_with_other_parameters_is_taken() {
    let desk = scripted(CELL, [error(400, "idempotency_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn transfer_reversed_later_has_happened_with_a_failed_fate() {
    for (reversed, fate) in [(true, "reversed"), (false, "transferred")] {
        let mut late = ours("tr_1");
        late["reversed"] = json!(reversed);
        let desk = scripted(CELL, [list(vec![late], false)]);
        let Ok(Finding::Happened(receipt)) = TransferCell.find(&desk.context(), &args()).await else {
            panic!("{fate}")
        };
        assert_eq!(receipt.fate(), Some((fate.to_owned(), reversed)));
    }
}

#[tokio::test]
async fn transfer_echo_mismatch_is_caught() {
    let whole = Transfer { source_transaction: Some("ch_1".to_owned()), ..in_order_95() };
    let mut right = transfer("tr_1", &mark(), "ORDER_95");
    right["source_transaction"] = json!("ch_1");
    let desk = scripted(CELL, [(200, right.clone())]);
    assert_eq!(word(&desk.attempt(&whole).await), "happened");
    let wrong = [
        ("amount", json!(401)),
        ("currency", json!("usd")),
        ("destination", json!("acct_2")),
        ("transfer_group", json!("ORDER_96")),
        ("source_transaction", json!("ch_2")),
        ("metadata", json!({"hapax": "somebody else's"})),
    ];
    for (field, value) in wrong {
        let mut other = right.clone();
        other[field] = value;
        let desk = scripted(CELL, [(200, other)]);
        assert_eq!(word(&desk.attempt(&whole).await), "echo", "{field}");
    }
    let mut other = ours("tr_1");
    other["amount"] = json!(401);
    let desk = scripted(CELL, [list(vec![other], false)]);
    assert_eq!(desk.find(&args()).await, Err(Fault::Echo("amount".to_owned())));
}

#[tokio::test]
async fn transfer_two_with_our_mark_are_several() {
    let desk = scripted(CELL, [list(vec![ours("tr_2"), ours("tr_1")], false)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(hits)) if hits.len() == 2));
}

#[tokio::test]
async fn transfer_fetch_reads_what_a_person_names() {
    let missing = error(404, "invalid_request_error", "resource_missing");
    let desk = scripted(CELL, [(200, ours("tr_1")), missing]);
    let read = TransferCell.fetch(&desk.context(), &args(), "tr_1").await;
    assert_eq!(read.expect("read").expect("there").id, "tr_1");
    assert_eq!(TransferCell.fetch(&desk.context(), &args(), "tr_1").await, Ok(None));
    assert_eq!(desk.asked()[0], "GET /v1/transfers/tr_1");
    assert!(TransferCell.fetch(&desk.context(), &args(), "../refunds").await.is_err());
}

#[test]
fn transfer_checks_its_arguments() {
    let check = |change: fn(&mut Transfer)| {
        let mut transfer = args();
        change(&mut transfer);
        transfer.check().err().unwrap_or_default()
    };
    assert_eq!(args().check(), Ok(()));
    assert_eq!(args().money(), Some(args().amount));
    assert!(check(|transfer| transfer.amount.amount = 0).contains("amount"));
    assert!(check(|transfer| transfer.destination = "acct_1/../x".to_owned()).contains("destination"));
    assert!(check(|transfer| transfer.transfer_group = Some(" ".to_owned())).contains("transfer_group"));
    assert!(check(|transfer| transfer.source_transaction = Some("pi_1".to_owned())).contains("source_transaction"));
}
