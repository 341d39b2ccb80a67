use super::{DAY_MS, Stage, fields, stage, text};
use hapax_standin::{Kind, When};
use serde_json::json;

async fn charge(stage: &Stage, key: &str, method: &str) -> hapax_standin::Reply {
    let fields = fields(&[("payment_method", method), ("confirm", "true")]);
    stage.keyed(key, "/v1/payment_intents", &fields).await
}

#[tokio::test]
async fn a_key_replays_its_answer_for_a_day_and_then_runs_anew() {
    let stage = stage().await;
    let first = charge(&stage, "k", "pm_card_visa").await;
    assert_eq!(first.header("Idempotent-Replayed"), None);
    stage.clock.advance(DAY_MS - 1);
    let again = charge(&stage, "k", "pm_card_visa").await;
    assert_eq!(again.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(again.header("Original-Request"), first.header("Request-Id"));
    assert_ne!(again.header("Request-Id"), first.header("Request-Id"));
    assert_eq!((again.status, &again.body, stage.count("charge")), (first.status, &first.body, 1));
    stage.clock.advance(1);
    charge(&stage, "k", "pm_card_visa").await;
    assert_eq!(stage.count("charge"), 2);
}

#[tokio::test]
async fn other_parameters_or_another_endpoint_is_an_error_without_a_code() {
    let stage = stage().await;
    charge(&stage, "k", "pm_card_visa").await;
    let other = charge(&stage, "k", "pm_card_mastercard").await;
    let elsewhere = stage.keyed("k", "/v1/refunds", &[("charge", "ch_1")]).await;
    for reply in [other, elsewhere] {
        let error = reply.value()["error"].clone();
        assert_eq!((reply.status, &error["type"]), (400, &json!("idempotency_error")));
        assert!(error["code"].is_null());
    }
    assert_eq!(stage.count("charge"), 1);
}

#[tokio::test]
async fn a_decline_is_kept_and_a_failed_validation_is_not() {
    let stage = stage().await;
    charge(&stage, "k", "pm_card_chargeDeclined").await;
    let again = charge(&stage, "k", "pm_card_chargeDeclined").await;
    assert_eq!((again.status, again.header("Idempotent-Replayed")), (402, Some("true")));
    assert_eq!(stage.get("/v1/payment_intents").await.value()["data"].as_array().map(Vec::len), Some(1));

    let bad = stage.keyed("v", "/v1/payment_intents", &[("amount", "1"), ("currency", "usd")]).await;
    assert_eq!(bad.status, 400);
    assert_eq!(charge(&stage, "v", "pm_card_visa").await.status, 200);

    let id = text(&stage.get("/v1/payment_intents").await.value()["data"][0]["id"]);
    let confirm = format!("/v1/payment_intents/{id}/confirm");
    stage.keyed("s", &confirm, &[]).await;
    let state = stage.keyed("s", &confirm, &[]).await;
    assert_eq!((state.status, state.header("Idempotent-Replayed")), (400, Some("true")));
}

#[tokio::test]
async fn limits_and_credentials_come_before_the_key() {
    let stage = stage().await;
    let posts = When::on("POST", "/v1/*");
    stage.server.injections().add(posts.clone(), Kind::RateLimited { retry_after_s: 2 });
    stage.server.injections().add(posts.clone().nth(2), Kind::Unauthorized);
    let busy = Some("lock_timeout".to_owned());
    stage.server.injections().add(posts.nth(3), Kind::ErrorBefore { status: 429, code: busy });
    let limited = charge(&stage, "k", "pm_card_visa").await;
    assert_eq!((limited.status, limited.header("Retry-After")), (429, Some("2")));
    assert_eq!(limited.value()["error"]["code"], "rate_limit");
    assert_eq!(charge(&stage, "k", "pm_card_visa").await.status, 401);
    let locked = charge(&stage, "k", "pm_card_visa").await;
    assert_eq!((&locked.value()["error"]["code"], locked.status), (&json!("lock_timeout"), 429));
    assert_eq!(locked.header("Stripe-Should-Retry"), Some("true"));
    assert_eq!(stage.count("charge"), 0);
    let done = charge(&stage, "k", "pm_card_visa").await;
    assert_eq!((done.status, done.header("Idempotent-Replayed"), stage.count("charge")), (200, None, 1));
}

#[tokio::test]
async fn the_loser_of_two_at_once_is_told_so_and_did_nothing() {
    let stage = stage().await;
    for after_effect in [false, true] {
        let hang = stage.server.injections().add(When::on("POST", "/v1/*"), Kind::Hang { after_effect });
        let key = format!("k{after_effect}");
        let fields = fields(&[("payment_method", "pm_card_visa"), ("confirm", "true")]);
        let first = stage.call("POST", "/v1/payment_intents").header("idempotency-key", &key).form(&fields);
        let first = tokio::spawn(first.send());
        hang.reached().await;
        let loser = charge(&stage, &key, "pm_card_visa").await;
        assert_eq!((loser.status, &loser.value()["error"]["code"]), (409, &json!("idempotency_key_in_use")));
        hang.release();
        assert_eq!(first.await.expect("no panic").expect("a reply").status, 200);
        let replay = charge(&stage, &key, "pm_card_visa").await;
        assert_eq!((replay.status, replay.header("Idempotent-Replayed")), (200, Some("true")));
    }
    assert_eq!(stage.count("charge"), 2);
}

#[tokio::test]
async fn a_stored_500_stays_with_and_without_its_effect() {
    let stage = stage().await;
    for (key, effect, charges) in [("a", false, 0), ("b", true, 1)] {
        let kind = Kind::StoredError { status: 500, effect, repaired_after_ms: None };
        stage.server.injections().add(When::on("POST", "/v1/*"), kind);
        assert_eq!(charge(&stage, key, "pm_card_visa").await.status, 500);
        let again = charge(&stage, key, "pm_card_visa").await;
        assert_eq!((again.status, again.header("Idempotent-Replayed")), (500, Some("true")));
        assert_eq!(again.value()["error"]["type"], "api_error");
        assert_eq!(stage.count("charge"), charges, "{key}");
    }
}

#[tokio::test]
async fn a_stored_500_may_be_repaired_later() {
    let stage = stage().await;
    let id = stage.created(&[("payment_method", "pm_card_visa")]).await;
    let kind = Kind::StoredError { status: 500, effect: false, repaired_after_ms: Some(60_000) };
    stage.server.injections().add(When::on("POST", "*/confirm"), kind);
    let confirm = format!("/v1/payment_intents/{id}/confirm");
    assert_eq!(stage.keyed("k", &confirm, &[]).await.status, 500);
    let status = async || stage.get(&format!("/v1/payment_intents/{id}")).await.value()["status"].clone();
    assert_eq!((status().await, stage.count("charge")), (json!("requires_confirmation"), 0));
    stage.clock.advance(60_000);
    assert_eq!((status().await, stage.count("charge")), (json!("succeeded"), 1));
    assert_eq!(stage.keyed("k", &confirm, &[]).await.status, 500);
}

#[tokio::test]
async fn an_ignored_key_protects_nothing() {
    let stage = stage().await;
    stage.server.injections().add(When::on("POST", "/v1/*").always(), Kind::KeyIgnored);
    charge(&stage, "k", "pm_card_visa").await;
    charge(&stage, "k", "pm_card_visa").await;
    assert_eq!(stage.count("charge"), 2);
}

#[tokio::test]
async fn a_key_that_is_too_long_is_refused() {
    let stage = stage().await;
    assert_eq!(charge(&stage, &"k".repeat(256), "pm_card_visa").await.status, 400);
    assert_eq!(charge(&stage, &"k".repeat(255), "pm_card_visa").await.status, 200);
}
