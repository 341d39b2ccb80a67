use super::{fields, stage, text};
use serde_json::{Value, json};

#[tokio::test]
async fn created_confirmed_and_read_again() {
    let stage = stage().await;
    let id = stage.created(&[("payment_method", "pm_card_visa"), ("metadata[hapax]", "m1")]).await;
    assert_eq!(stage.count("charge"), 0);
    let confirmed = stage.post(&format!("/v1/payment_intents/{id}/confirm"), &[]).await.value();
    assert_eq!((&confirmed["status"], &confirmed["amount_received"]), (&json!("succeeded"), &json!(2000)));
    assert_eq!(stage.get(&format!("/v1/payment_intents/{id}")).await.value(), confirmed);
    let charge = stage.get(&format!("/v1/charges/{}", text(&confirmed["latest_charge"]))).await.value();
    assert_eq!((&charge["payment_intent"], &charge["paid"]), (&json!(id), &json!(true)));
    let effects = stage.server.effects().marked("m1");
    assert_eq!((effects.len(), effects[0].kind.as_str(), effects[0].amount), (1, "charge", 2000));
    assert_eq!(effects[0].object, id);
}

#[tokio::test]
async fn a_spent_intent_cannot_be_spent_again() {
    let stage = stage().await;
    let id = text(&stage.paid("pm_card_visa").await["id"]);
    for verb in ["confirm", "capture", "cancel"] {
        let again = stage.post(&format!("/v1/payment_intents/{id}/{verb}"), &[]).await;
        let error = again.value()["error"].clone();
        assert_eq!((again.status, &error["code"]), (400, &json!("payment_intent_unexpected_state")), "{verb}");
        assert_eq!(error["payment_intent"]["status"], "succeeded", "{verb}");
    }
    assert_eq!((stage.count("charge"), stage.count("capture"), stage.count("cancel")), (1, 0, 0));
}

#[tokio::test]
async fn a_declined_intent_goes_back_and_may_be_tried_with_another_method() {
    let stage = stage().await;
    let id = stage.created(&[("payment_method", "pm_card_chargeDeclined")]).await;
    let confirm = format!("/v1/payment_intents/{id}/confirm");
    let declined = stage.post(&confirm, &[]).await;
    let error = declined.value()["error"].clone();
    assert_eq!((declined.status, &error["type"], &error["code"]), (402, &json!("card_error"), &json!("card_declined")));
    assert_eq!(error["decline_code"], "generic_decline");
    assert_eq!(error["payment_intent"]["status"], "requires_payment_method");
    let read = stage.get(&format!("/v1/payment_intents/{id}")).await.value();
    assert_eq!(read["last_payment_error"]["code"], "card_declined");
    let bare = stage.post(&confirm, &[]).await;
    assert_eq!(bare.value()["error"]["code"], "payment_intent_unexpected_state");
    assert_eq!(stage.count("charge"), 0);
    assert_eq!(stage.post(&confirm, &[("payment_method", "pm_card_visa")]).await.status, 200);
    assert_eq!(stage.count("charge"), 1);
}

#[tokio::test]
async fn authentication_waits_for_the_customer_or_fails_without_one() {
    let stage = stage().await;
    let intent = stage.paid("pm_card_authenticationRequired").await;
    assert_eq!((&intent["status"], stage.count("charge")), (&json!("requires_action"), 0));
    let id = text(&intent["id"]);
    assert!(stage.hand.authenticate(&id));
    assert!(!stage.hand.authenticate(&id));
    assert_eq!(stage.get(&format!("/v1/payment_intents/{id}")).await.value()["status"], "succeeded");
    assert_eq!(stage.count("charge"), 1);

    let method = ("payment_method", "pm_card_authenticationRequired");
    let off_session = fields(&[method, ("confirm", "true"), ("off_session", "true")]);
    let refused = stage.post("/v1/payment_intents", &off_session).await;
    assert_eq!((refused.status, &refused.value()["error"]["code"]), (402, &json!("authentication_required")));
    assert_eq!(stage.count("charge"), 1);
}

#[tokio::test]
async fn processing_settles_or_fails_later_by_the_providers_clock() {
    let stage = stage().await;
    let good = text(&stage.paid("pm_processing").await["id"]);
    let bad = text(&stage.paid("pm_processing_failed").await["id"]);
    let status = async |id: &str| stage.get(&format!("/v1/payment_intents/{id}")).await.value()["status"].clone();
    stage.clock.advance(4_999);
    assert_eq!((status(&good).await, status(&bad).await), (json!("processing"), json!("processing")));
    stage.clock.advance(1);
    assert_eq!((status(&good).await, status(&bad).await), (json!("succeeded"), json!("requires_payment_method")));
    assert_eq!(stage.count("charge"), 2);
}

#[tokio::test]
async fn a_hold_is_captured_once_in_part_and_the_rest_is_let_go() {
    let stage = stage().await;
    let held = fields(&[("payment_method", "pm_card_visa"), ("confirm", "true"), ("capture_method", "manual")]);
    let intent = stage.post("/v1/payment_intents", &held).await.value();
    assert_eq!((&intent["status"], &intent["amount_capturable"]), (&json!("requires_capture"), &json!(2000)));
    let capture = format!("/v1/payment_intents/{}/capture", text(&intent["id"]));
    let too_much = stage.post(&capture, &[("amount_to_capture", "2001")]).await;
    assert_eq!(too_much.value()["error"]["code"], "amount_too_large");
    let captured = stage.post(&capture, &[("amount_to_capture", "1500")]).await.value();
    assert_eq!((&captured["status"], &captured["amount_received"]), (&json!("succeeded"), &json!(1500)));
    assert_eq!(stage.post(&capture, &[]).await.value()["error"]["code"], "payment_intent_unexpected_state");
    assert_eq!((stage.count("charge"), stage.server.effects().of("capture")[0].amount), (1, 1500));
}

#[tokio::test]
async fn a_hold_is_canceled_by_hand_or_after_seven_days() {
    let stage = stage().await;
    let held = fields(&[("payment_method", "pm_card_visa"), ("confirm", "true"), ("capture_method", "manual")]);
    let one = text(&stage.post("/v1/payment_intents", &held).await.value()["id"]);
    let two = text(&stage.post("/v1/payment_intents", &held).await.value()["id"]);
    let cancel = format!("/v1/payment_intents/{one}/cancel");
    assert_eq!(stage.post(&cancel, &[("cancellation_reason", "whim")]).await.status, 400);
    let canceled = stage.post(&cancel, &[("cancellation_reason", "duplicate")]).await.value();
    assert_eq!((&canceled["status"], &canceled["cancellation_reason"]), (&json!("canceled"), &json!("duplicate")));
    stage.clock.advance(7 * super::DAY_MS);
    let expired = stage.get(&format!("/v1/payment_intents/{two}")).await.value();
    assert_eq!((&expired["status"], &expired["cancellation_reason"]), (&json!("canceled"), &json!("automatic")));
    assert_eq!((stage.count("charge"), stage.count("cancel")), (2, 1));
}

#[tokio::test]
async fn what_is_refused_before_anything_runs() {
    let stage = stage().await;
    let check = async |fields: &[(&str, &str)], code: &str| {
        let reply = stage.post("/v1/payment_intents", fields).await;
        let expected = if code.is_empty() { Value::Null } else { json!(code) };
        assert_eq!((reply.status, &reply.value()["error"]["code"]), (400, &expected), "{fields:?}");
    };
    check(&[("currency", "usd")], "parameter_missing").await;
    check(&[("amount", "20.00"), ("currency", "usd")], "parameter_invalid_integer").await;
    check(&[("amount", "-5"), ("currency", "usd")], "parameter_invalid_integer").await;
    check(&[("amount", "49"), ("currency", "usd")], "amount_too_small").await;
    check(&[("amount", "1235"), ("currency", "kwd")], "").await;
    check(&fields(&[("colour", "red")]), "parameter_unknown").await;
    check(&fields(&[("payment_method", "pm_missing")]), "resource_missing").await;
    check(&fields(&[("customer", "")]), "parameter_invalid_empty").await;
    check(&fields(&[("confirm", "true")]), "parameter_missing").await;
    let missing = stage.post("/v1/payment_intents/pi_none/confirm", &[]).await;
    assert_eq!((missing.status, &missing.value()["error"]["code"]), (404, &json!("resource_missing")));
    assert_eq!(stage.get("/v1/payment_intents").await.value()["data"], json!([]));
}

#[tokio::test]
async fn a_newer_version_wants_a_place_to_return_to_unless_the_types_are_named() {
    let stage = stage().await;
    let create = async |fields: &[(&str, &str)]| {
        let call = stage.call("POST", "/v1/payment_intents").header("stripe-version", "2026-07-29.dahlia");
        call.form(fields).send().await.expect("a reply").status
    };
    let bare = [("amount", "2000"), ("currency", "usd"), ("payment_method", "pm_card_visa"), ("confirm", "true")];
    let typed = fields(&[("payment_method", "pm_card_visa"), ("confirm", "true")]);
    assert_eq!((create(&bare).await, create(&typed).await), (400, 200));
}
