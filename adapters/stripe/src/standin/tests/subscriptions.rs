use super::{DAY_MS, Stage, stage, text};
use serde_json::{Value, json};

async fn subscribe(stage: &Stage, more: &[(&str, &str)]) -> hapax_standin::Reply {
    let basis = [("customer", "cus_1"), ("items[0][price]", "price_1")];
    let fields: Vec<_> = basis.into_iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name)).collect();
    stage.post("/v1/subscriptions", &[fields.as_slice(), more].concat()).await
}

async fn cancel(stage: &Stage, id: &str) -> hapax_standin::Reply {
    stage.call("DELETE", &format!("/v1/subscriptions/{id}")).send().await.expect("a reply")
}

async fn read(stage: &Stage, id: &str) -> Value {
    stage.get(&format!("/v1/subscriptions/{id}")).await.value()
}

async fn ids(stage: &Stage, query: &str) -> Vec<String> {
    let listed = stage.get(&format!("/v1/subscriptions{query}")).await.value();
    listed["data"].as_array().expect("a list").iter().map(|subscription| text(&subscription["id"])).collect()
}

#[tokio::test]
async fn two_equal_subscriptions_are_two_and_a_key_makes_them_one() {
    let stage = stage().await;
    let made = subscribe(&stage, &[("metadata[hapax]", "m1"), ("items[0][quantity]", "3")]).await.value();
    assert_eq!((&made["status"], &made["items"]["data"][0]["quantity"]), (&json!("active"), &json!(3)));
    assert_eq!(made["items"]["data"][0]["price"]["id"], "price_1");
    assert_eq!(stage.server.effects().marked("m1").len(), 1);
    subscribe(&stage, &[]).await;
    let fields = [("customer", "cus_1"), ("items[0][price]", "price_1")];
    let first = stage.keyed("k", "/v1/subscriptions", &fields).await;
    let again = stage.keyed("k", "/v1/subscriptions", &fields).await;
    assert_eq!((again.header("Idempotent-Replayed"), &again.body), (Some("true"), &first.body));
    assert_eq!(stage.count("subscribe"), 3);
}

#[tokio::test]
async fn a_first_payment_that_fails_leaves_an_error_or_an_incomplete_one() {
    let stage = stage().await;
    let declined = ("default_payment_method", "pm_card_chargeDeclined");
    let refused = subscribe(&stage, &[declined, ("payment_behavior", "error_if_incomplete")]).await;
    assert_eq!((refused.status, &refused.value()["error"]["type"]), (402, &json!("card_error")));
    let away = ("default_payment_method", "pm_card_authenticationRequired");
    assert_eq!(subscribe(&stage, &[away, ("payment_behavior", "error_if_incomplete")]).await.status, 402);
    assert!(ids(&stage, "?customer=cus_1&status=all").await.is_empty());
    assert_eq!(stage.count("subscribe"), 0);

    let id = text(&subscribe(&stage, &[declined]).await.value()["id"]);
    assert_eq!(read(&stage, &id).await["status"], "incomplete");
    stage.clock.advance(DAY_MS);
    assert_eq!(read(&stage, &id).await["status"], "incomplete_expired");
    let waits = subscribe(&stage, &[("payment_behavior", "default_incomplete")]).await.value();
    assert_eq!(waits["status"], "incomplete");
    let trial = subscribe(&stage, &[declined, ("trial_period_days", "7")]).await.value();
    assert_eq!(trial["status"], "trialing");
    stage.clock.advance(7 * DAY_MS);
    assert_eq!(read(&stage, &text(&trial["id"])).await["status"], "active");
}

#[tokio::test]
async fn what_is_canceled_is_read_and_listed_and_cannot_be_canceled_again() {
    let stage = stage().await;
    let id = text(&subscribe(&stage, &[]).await.value()["id"]);
    let canceled = cancel(&stage, &id).await;
    assert_eq!((canceled.status, &canceled.value()["status"]), (200, &json!("canceled")));
    for gone in [id.as_str(), "sub_none"] {
        let again = cancel(&stage, gone).await;
        assert_eq!((again.status, &again.value()["error"]["code"]), (404, &json!("resource_missing")), "{gone}");
    }
    assert_eq!(read(&stage, &id).await["status"], "canceled");
    assert!(ids(&stage, "?customer=cus_1").await.is_empty());
    assert_eq!(ids(&stage, "?customer=cus_1&status=all").await, std::slice::from_ref(&id));
    assert_eq!(ids(&stage, "?status=ended").await, std::slice::from_ref(&id));
    assert!(ids(&stage, "?customer=cus_2&status=all").await.is_empty());
    let path = format!("/v1/subscriptions/{id}");
    let update = stage.post(&path, &[("cancel_at_period_end", "true")]).await;
    assert_eq!((update.status, update.value()["error"]["code"].is_null()), (400, true));
    assert_eq!(stage.post(&path, &[("metadata[a]", "b")]).await.status, 200);
    assert_eq!(stage.count("cancel_subscription"), 1);
}

#[tokio::test]
async fn a_delete_takes_no_key() {
    let stage = stage().await;
    let id = text(&subscribe(&stage, &[]).await.value()["id"]);
    for status in [200, 404] {
        let call = stage.call("DELETE", &format!("/v1/subscriptions/{id}")).header("idempotency-key", "k");
        let reply = call.send().await.expect("a reply");
        assert_eq!((reply.status, reply.header("Idempotent-Replayed")), (status, None));
    }
}

#[tokio::test]
async fn an_end_with_the_period_can_be_taken_back_and_comes() {
    let stage = stage().await;
    let id = text(&subscribe(&stage, &[]).await.value()["id"]);
    let end = async |yes: &str| {
        stage.post(&format!("/v1/subscriptions/{id}"), &[("cancel_at_period_end", yes)]).await.value()
    };
    assert!(end("true").await["cancel_at"].is_i64());
    end("true").await;
    assert_eq!(stage.count("cancel_at_period_end"), 1);
    end("false").await;
    stage.clock.advance(20 * DAY_MS);
    assert_eq!(end("true").await["status"], "active");
    stage.clock.advance(10 * DAY_MS);
    assert_eq!(read(&stage, &id).await["status"], "canceled");
    assert_eq!((stage.count("cancel_at_period_end"), stage.count("cancel_subscription")), (2, 0));
}

#[tokio::test]
async fn what_cannot_be_subscribed_to() {
    let stage = stage().await;
    let code = async |field: (&str, &str)| subscribe(&stage, &[field]).await.value()["error"]["code"].clone();
    assert_eq!(code(("customer", "cus_missing")).await, "resource_missing");
    assert_eq!(code(("items[0][price]", "price_missing")).await, "resource_missing");
    assert_eq!(code(("items[0][quantity]", "0")).await, "parameter_invalid_integer");
    assert_eq!(code(("plan", "gold")).await, "parameter_unknown");
    let none = stage.post("/v1/subscriptions", &[("customer", "cus_1")]).await;
    assert_eq!(none.value()["error"]["code"], "parameter_missing");
    let incomplete = subscribe(&stage, &[("default_payment_method", "pm_card_chargeDeclined")]).await.value();
    let path = format!("/v1/subscriptions/{}", text(&incomplete["id"]));
    assert_eq!(stage.post(&path, &[("cancel_at_period_end", "true")]).await.status, 400);
    assert_eq!(cancel(&stage, &text(&incomplete["id"])).await.value()["status"], "incomplete_expired");
}
