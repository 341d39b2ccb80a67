use hapax_core::cell::{Cell, CellArgs, CellReceipt};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, key_of, losing, scripted};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "stripe.create_subscription";

fn args() -> CreateSubscription {
    serde_json::from_value(json!({
        "customer": "cus_1", "items": [{"price": "price_seat", "quantity": 3}, {"price": "price_base", "quantity": 1}],
    }))
    .expect("arguments")
}

fn item(price: &str, quantity: Option<u64>) -> Value {
    json!({"id": format!("si_{price}"), "price": {"id": price}, "quantity": quantity})
}

fn subscription(id: &str, status: &str, mark: &str) -> Value {
    let items = [item("price_base", Some(1)), item("price_seat", Some(3))];
    json!({"id": id, "status": status, "customer": "cus_1", "items": {"data": items, "has_more": false},
        "latest_invoice": "in_1", "cancel_at_period_end": false, "metadata": {"hapax": mark}})
}

fn list(data: Vec<Value>, has_more: bool) -> (u16, Value) {
    (200, json!({"object": "list", "data": data, "has_more": has_more}))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

#[tokio::test]
async fn create_subscription_sends_key_mark_and_items() {
    let desk = scripted(CELL, [(200, subscription("sub_1", "active", &mark()))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let items = json!([{"price": "price_base", "quantity": 1}, {"price": "price_seat", "quantity": 3}]);
    let expected = json!({"id": "sub_1", "status": "active", "customer": "cus_1", "items": items,
        "latest_invoice": "in_1"});
    assert_eq!(*receipt.body, expected);
    assert_eq!(desk.asked(), ["POST /v1/subscriptions"]);
    assert_eq!(key_of(&desk.request(0)), desk.names().token("create_subscription"));
    let expected = json!({"customer": "cus_1", "payment_behavior": "error_if_incomplete",
        "items[0][price]": "price_seat", "items[0][quantity]": "3", "items[1][price]": "price_base",
        "items[1][quantity]": "1", "metadata[hapax]": mark()});
    assert_eq!(json_of(&form_of(&desk.request(0))), expected);

    let more = CreateSubscription {
        default_payment_method: Some("pm_1".to_owned()),
        trial_period_days: Some(14),
        off_session: Some(true),
        items: vec![SubscriptionItem { price: "price_metered".to_owned(), quantity: None }],
        ..args()
    };
    let desk = losing(CELL);
    desk.attempt(&more).await;
    let expected = json!({"customer": "cus_1", "payment_behavior": "error_if_incomplete",
        "default_payment_method": "pm_1", "trial_period_days": "14", "off_session": "true",
        "items[0][price]": "price_metered", "metadata[hapax]": mark()});
    assert_eq!(json_of(&form_of(&desk.request(0))), expected);
}

#[tokio::test]
async fn create_subscription_answer_lost_after_effect() {
    let desk = losing(CELL);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    for status in ["active", "trialing", "past_due", "paused"] {
        let other = subscription("sub_2", "canceled", "another mark");
        let found = subscription("sub_1", status, &mark());
        let desk = scripted(CELL, [list(vec![other], true), list(vec![found], false)]);
        let finding = desk.find(&args()).await;
        assert!(matches!(finding, Ok(Finding::Happened(receipt)) if receipt.id == "sub_1"), "{status}");
        let first = "GET /v1/subscriptions?limit=100&customer=cus_1&status=all";
        assert_eq!(desk.asked(), [first.to_owned(), format!("{first}&starting_after=sub_2")]);
    }
}

#[tokio::test]
async fn create_subscription_absent_after_all_pages() {
    let other = subscription("sub_2", "active", "another mark");
    let desk = scripted(CELL, [list(vec![other], true), list(Vec::new(), false)]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(desk.asked().len(), 2);
}

#[tokio::test]
async fn create_subscription_equal_ones_are_distinct() {
    let (one, two) = (mark(), scripted(CELL, []).keyed("order:1043").mark());
    for (key, id) in [("order:1042", "sub_1"), ("order:1043", "sub_2")] {
        let both = vec![subscription("sub_2", "active", &two), subscription("sub_1", "active", &one)];
        let desk = scripted(CELL, [list(both, false)]).keyed(key);
        let finding = desk.find(&args()).await;
        assert!(matches!(finding, Ok(Finding::Happened(receipt)) if receipt.id == id));
    }
}

#[tokio::test]
async fn create_subscription_failed_page_is_no_absence() {
    for broken in [error(500, "api_error", ""), (200, json!({"data": [], "has_more": true})), (404, json!({}))] {
        let other = subscription("sub_9", "active", "another mark");
        let desk = scripted(CELL, [list(vec![other], true), broken]);
        assert!(desk.find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn create_subscription_first_payment_declined_is_refused_on_record() {
    let (status, mut declined) = error(402, "card_error", "card_declined");
    declined["error"]["decline_code"] = json!("insufficient_funds");
    let desk = scripted(CELL, [(status, declined)]);
    let answer = desk.attempt(&args()).await;
    assert_eq!(word(&answer), "refused on record");
    let Answer::Refused(refusal, _) = answer else { panic!() };
    assert!(refusal.code == "card_declined" && refusal.message.contains("insufficient_funds"), "{refusal}");
}

#[tokio::test]
async fn create_subscription_incomplete_one_is_not_yet() {
    let incomplete = subscription("sub_1", "incomplete", &mark());
    let desk = scripted(CELL, [list(vec![incomplete.clone()], false), (200, incomplete)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::NotYet(_))));
    // Stripe's own answer is not in doubt: one more request would be one more subscription.
    assert_eq!(word(&desk.attempt(&args()).await), "happened");
}

#[tokio::test]
async fn create_subscription_stored_500_is_adrift() {
    let desk = scripted(CELL, [error(500, "api_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "adrift");
    assert!(CreateSubscriptionCell::SPEC.can_be_adrift());
}

#[tokio::test]
async fn create_subscription_in_use_and_limits_are_not_done() {
    for (status, code) in [(409, "idempotency_key_in_use"), (429, "rate_limit"), (429, "lock_timeout"), (401, "")] {
        let desk = scripted(CELL, [error(status, "invalid_request_error", code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status} {code}");
    }
}

#[tokio::test]
async fn create_subscription_key_with_other_parameters_is_taken() {
    let desk = scripted(CELL, [error(400, "idempotency_error", "")]);
    assert_eq!(word(&desk.attempt(&args()).await), "taken");
}

#[tokio::test]
async fn create_subscription_ended_later_has_happened_with_a_failed_fate() {
    for (status, failed) in [("canceled", true), ("incomplete_expired", true), ("past_due", false), ("active", false)] {
        let desk = scripted(CELL, [list(vec![subscription("sub_1", status, &mark())], false)]);
        let Ok(Finding::Happened(receipt)) = CreateSubscriptionCell.find(&desk.context(), &args()).await else {
            panic!("{status}")
        };
        assert_eq!(receipt.fate(), Some((status.to_owned(), failed)));
    }
}

#[tokio::test]
async fn create_subscription_echo_mismatch_is_caught() {
    let items = |price: &str, quantity| json!({"data": [item("price_base", Some(1)), item(price, quantity)], "has_more": false});
    let wrong = [
        ("customer", json!("cus_2")),
        ("items", items("price_other", Some(3))),
        ("items", items("price_seat", Some(4))),
        ("items", json!({"data": [item("price_base", Some(1))], "has_more": false})),
        ("metadata", json!({"hapax": "somebody else's"})),
    ];
    for (field, value) in wrong {
        let mut other = subscription("sub_1", "active", &mark());
        other[field] = value;
        let desk = scripted(CELL, [(200, other)]);
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{field}");
    }
    // A quantity that is left out is Stripe's to fill in.
    let mut open = args();
    open.items[0].quantity = None;
    let desk = scripted(CELL, [(200, subscription("sub_1", "active", &mark()))]);
    assert_eq!(word(&desk.attempt(&open).await), "happened");
}

#[tokio::test]
async fn create_subscription_items_cut_off_are_unread() {
    let mut cut = subscription("sub_1", "active", &mark());
    cut["items"]["has_more"] = json!(true);
    let desk = scripted(CELL, [(200, cut.clone()), list(vec![cut], false)]);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    assert!(desk.find(&args()).await.is_err());
}

#[tokio::test]
async fn create_subscription_two_with_our_mark_are_several() {
    let two = vec![subscription("sub_2", "active", &mark()), subscription("sub_1", "incomplete", &mark())];
    let desk = scripted(CELL, [list(two, false)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(hits)) if hits.len() == 2));
}

#[tokio::test]
async fn create_subscription_fetch_reads_what_a_person_names() {
    let missing = error(404, "invalid_request_error", "resource_missing");
    let desk = scripted(CELL, [(200, subscription("sub_1", "active", &mark())), missing]);
    let read = CreateSubscriptionCell.fetch(&desk.context(), &args(), "sub_1").await;
    assert_eq!(read.expect("read").expect("there").id, "sub_1");
    assert_eq!(CreateSubscriptionCell.fetch(&desk.context(), &args(), "sub_1").await, Ok(None));
    assert_eq!(desk.asked()[0], "GET /v1/subscriptions/sub_1");
    assert!(CreateSubscriptionCell.fetch(&desk.context(), &args(), "../refunds").await.is_err());
}

#[test]
fn create_subscription_checks_its_arguments() {
    let check = |change: fn(&mut CreateSubscription)| {
        let mut subscription = args();
        change(&mut subscription);
        subscription.check().err().unwrap_or_default()
    };
    assert_eq!(args().check(), Ok(()));
    assert_eq!(CreateSubscription::to("cus_1", "gold").check(), Ok(()));
    assert!(check(|subscription| subscription.customer = "somebody@example.com".to_owned()).contains("customer"));
    assert!(check(|subscription| subscription.items = Vec::new()).contains("items"));
    assert!(check(|subscription| subscription.items = vec![subscription.items[0].clone(); 11]).contains("10"));
    assert!(check(|subscription| subscription.items[0].price = "price 1".to_owned()).contains("price"));
    let method = check(|subscription| subscription.default_payment_method = Some("4242".to_owned()));
    assert!(method.contains("default_payment_method"));
    assert!(check(|subscription| subscription.trial_period_days = Some(0)).contains("trial_period_days"));
}
