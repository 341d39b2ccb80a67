use super::{Stage, stage, text};
use hapax_standin::{Kind, When};
use serde_json::Value;

async fn ids(stage: &Stage, path: &str) -> (Vec<String>, bool) {
    let page = stage.get(path).await.value();
    let data = page["data"].as_array().expect("a list").iter().map(|value| text(&value["id"])).collect();
    (data, page["has_more"] == Value::Bool(true))
}

#[tokio::test]
async fn pages_are_walked_from_the_newest_to_the_end() {
    let stage = stage().await;
    let mut made = Vec::new();
    for _ in 0..12 {
        made.push(stage.created(&[]).await);
    }
    made.reverse();
    let (first, more) = ids(&stage, "/v1/payment_intents").await;
    assert_eq!((first.as_slice(), more), (&made[..10], true));
    let (second, more) = ids(&stage, &format!("/v1/payment_intents?starting_after={}", first[9])).await;
    assert_eq!((second.as_slice(), more), (&made[10..], false));
    let (before, _) = ids(&stage, &format!("/v1/payment_intents?limit=2&ending_before={}", made[5])).await;
    assert_eq!(before, made[3..5]);
    assert_eq!(ids(&stage, "/v1/payment_intents?limit=12").await, (made.clone(), false));
    assert_eq!(stage.get("/v1/payment_intents?limit=101").await.status, 400);
    assert_eq!(stage.get("/v1/payment_intents?starting_after=pi_none").await.status, 400);
}

#[tokio::test]
async fn filters_by_time_and_customer() {
    let stage = stage().await;
    let old = stage.created(&[("customer", "cus_1")]).await;
    stage.clock.advance(10_000);
    let new = stage.created(&[("customer", "cus_2")]).await;
    let since = 1_790_000_010;
    let one = async |path: String| ids(&stage, &path).await.0;
    assert_eq!(one(format!("/v1/payment_intents?created[gte]={since}")).await, std::slice::from_ref(&new));
    assert_eq!(one(format!("/v1/payment_intents?created[lt]={since}")).await, std::slice::from_ref(&old));
    assert_eq!(one(format!("/v1/payment_intents?created={since}")).await, [new]);
    assert_eq!(one("/v1/payment_intents?customer=cus_1".to_owned()).await, [old]);
}

#[tokio::test]
async fn lists_that_lag_and_lists_that_end_too_soon() {
    let stage = stage().await;
    let lists = When::on("GET", "/v1/payment_intents").always();
    stage.server.injections().add(lists.clone(), Kind::ListLags { by_ms: 30_000 });
    let id = stage.created(&[]).await;
    assert!(ids(&stage, "/v1/payment_intents").await.0.is_empty());
    assert_eq!(stage.get(&format!("/v1/payment_intents/{id}")).await.status, 200);
    stage.clock.advance(30_000);
    assert_eq!(ids(&stage, "/v1/payment_intents").await.0, std::slice::from_ref(&id));

    stage.server.injections().clear();
    let newer = stage.created(&[]).await;
    stage.server.injections().add(lists.clone(), Kind::ListCapped { at: 1 });
    assert_eq!(ids(&stage, "/v1/payment_intents").await, (vec![newer.clone()], false));

    stage.server.injections().clear();
    let second_page = When::on("GET", "/v1/payment_intents?*starting_after=*");
    stage.server.injections().add(second_page, Kind::ErrorBefore { status: 500, code: None });
    assert_eq!(ids(&stage, "/v1/payment_intents?limit=1").await, (vec![newer.clone()], true));
    assert_eq!(stage.get(&format!("/v1/payment_intents?limit=1&starting_after={newer}")).await.status, 500);
}

#[tokio::test]
async fn events_name_the_key_of_the_request_that_caused_them() {
    let stage = stage().await;
    let fields = super::fields(&[("payment_method", "pm_card_visa"), ("confirm", "true")]);
    let made = stage.keyed("k", "/v1/payment_intents", &fields).await.value();
    let page = stage.get("/v1/events?type=payment_intent.succeeded").await.value();
    assert_eq!(page["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(page["data"][0]["request"]["idempotency_key"], "k");
    assert_eq!(page["data"][0]["data"]["object"]["id"], made["id"]);
    let both = stage.get("/v1/events?types[]=payment_intent.created&types[]=charge.succeeded").await.value();
    assert_eq!(both["data"].as_array().map(Vec::len), Some(2));
    stage.clock.advance(30 * super::DAY_MS);
    assert_eq!(stage.get("/v1/events").await.value()["data"].as_array().map(Vec::len), Some(0));
}
