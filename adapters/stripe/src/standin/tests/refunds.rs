use super::{fields, stage, text};
use serde_json::json;

#[tokio::test]
async fn two_equal_partial_refunds_are_two_until_nothing_is_left() {
    let stage = stage().await;
    let id = text(&stage.paid("pm_card_visa").await["id"]);
    let refund = async |amount: &str, mark: &str| {
        let fields = [("payment_intent", id.as_str()), ("amount", amount), ("metadata[hapax]", mark)];
        stage.post("/v1/refunds", &fields).await
    };
    assert_eq!(refund("800", "m1").await.status, 200);
    assert_eq!(refund("800", "m2").await.status, 200);
    let over = refund("800", "m3").await;
    assert_eq!((over.status, over.value()["error"]["code"].is_null()), (400, true));
    assert_eq!(refund("400", "m4").await.value()["status"], "succeeded");
    assert_eq!(refund("1", "m5").await.value()["error"]["code"], "charge_already_refunded");
    let listed = stage.get(&format!("/v1/refunds?payment_intent={id}")).await.value();
    let marks: Vec<_> =
        listed["data"].as_array().expect("a list").iter().map(|r| text(&r["metadata"]["hapax"])).collect();
    assert_eq!(marks, ["m4", "m2", "m1"]);
    let effects = stage.server.effects().of("refund");
    assert_eq!(effects.iter().map(|effect| effect.amount).sum::<i64>(), 2000);
}

#[tokio::test]
async fn the_whole_by_charge_once() {
    let stage = stage().await;
    let charge = text(&stage.paid("pm_card_visa").await["latest_charge"]);
    let refund = stage.post("/v1/refunds", &[("charge", &charge)]).await.value();
    assert_eq!((&refund["amount"], &refund["charge"]), (&json!(2000), &json!(charge)));
    let again = stage.post("/v1/refunds", &[("charge", &charge)]).await;
    assert_eq!(again.value()["error"]["code"], "charge_already_refunded");
    assert_eq!(stage.get(&format!("/v1/refunds/{}", text(&refund["id"]))).await.value(), refund);
    assert_eq!(stage.get(&format!("/v1/charges/{charge}")).await.value()["refunded"], true);
    assert_eq!(stage.count("refund"), 1);
}

#[tokio::test]
async fn what_cannot_be_refunded() {
    let stage = stage().await;
    let disputed = text(&stage.paid("pm_card_createDispute").await["id"]);
    let reply = stage.post("/v1/refunds", &[("payment_intent", &disputed)]).await;
    assert_eq!((reply.status, &reply.value()["error"]["code"]), (400, &json!("charge_disputed")));
    let unpaid = stage.created(&[("payment_method", "pm_card_visa")]).await;
    assert_eq!(stage.post("/v1/refunds", &[("payment_intent", &unpaid)]).await.status, 400);
    let held = fields(&[("payment_method", "pm_card_visa"), ("confirm", "true"), ("capture_method", "manual")]);
    let held = text(&stage.post("/v1/payment_intents", &held).await.value()["id"]);
    assert_eq!(stage.post("/v1/refunds", &[("payment_intent", &held)]).await.status, 400);
    let missing = stage.post("/v1/refunds", &[("payment_intent", "pi_none")]).await;
    assert_eq!((missing.status, &missing.value()["error"]["code"]), (404, &json!("resource_missing")));
    assert_eq!(stage.post("/v1/refunds", &[]).await.value()["error"]["code"], "parameter_missing");
    assert_eq!(stage.post("/v1/refunds", &[("charge", "ch_1"), ("amount", "0")]).await.status, 400);
    assert_eq!(stage.count("refund"), 0);
}

#[tokio::test]
async fn a_refund_that_fails_days_later_gives_its_amount_back() {
    let stage = stage().await;
    let charge = text(&stage.paid("pm_card_refundFail").await["latest_charge"]);
    let refund = stage.post("/v1/refunds", &[("charge", &charge)]).await.value();
    assert_eq!(refund["status"], "succeeded");
    stage.clock.advance(5_000);
    let later = stage.get(&format!("/v1/refunds/{}", text(&refund["id"]))).await.value();
    assert_eq!((&later["status"], &later["failure_reason"]), (&json!("failed"), &json!("unknown")));
    assert_eq!(stage.get(&format!("/v1/charges/{charge}")).await.value()["amount_refunded"], 0);

    let pending = text(&stage.paid("pm_card_pendingRefund").await["id"]);
    let refund = stage.post("/v1/refunds", &[("payment_intent", &pending)]).await.value();
    assert_eq!(refund["status"], "pending");
    assert!(stage.hand.turn_refund(&text(&refund["id"]), "canceled"));
    assert!(!stage.hand.turn_refund("re_none", "canceled"));
    assert_eq!(stage.post("/v1/refunds", &[("payment_intent", &pending)]).await.status, 200);
}
