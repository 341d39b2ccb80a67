use super::{Stage, stage, text};
use serde_json::{Value, json};

async fn transfer(stage: &Stage, more: &[(&str, &str)]) -> hapax_standin::Reply {
    let basis = [("amount", "800"), ("currency", "usd"), ("destination", "acct_1")];
    let fields: Vec<_> = basis.into_iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name)).collect();
    stage.post("/v1/transfers", &[fields.as_slice(), more].concat()).await
}

async fn ids(stage: &Stage, query: &str) -> Vec<String> {
    let listed = stage.get(&format!("/v1/transfers{query}")).await.value();
    listed["data"].as_array().expect("a list").iter().map(|transfer| text(&transfer["id"])).collect()
}

#[tokio::test]
async fn no_more_is_sent_than_the_charges_brought_in() {
    let stage = stage().await;
    let charge = text(&stage.paid("pm_card_visa").await["latest_charge"]);
    assert_eq!(transfer(&stage, &[("metadata[hapax]", "m1")]).await.status, 200);
    let second = transfer(&stage, &[]).await.value();
    let over = transfer(&stage, &[]).await;
    assert_eq!((over.status, &over.value()["error"]["code"]), (400, &json!("balance_insufficient")));
    // Euros were never taken.
    assert_eq!(transfer(&stage, &[("currency", "eur")]).await.status, 400);
    stage.post("/v1/refunds", &[("charge", charge.as_str()), ("amount", "300")]).await;
    assert_eq!(transfer(&stage, &[("amount", "101")]).await.status, 400);
    assert_eq!(transfer(&stage, &[("amount", "100")]).await.status, 200);
    assert!(stage.hand.reverse(&text(&second["id"])) && !stage.hand.reverse("tr_none"));
    let read = stage.get(&format!("/v1/transfers/{}", text(&second["id"]))).await.value();
    assert_eq!((&read["reversed"], &read["amount_reversed"]), (&json!(true), &json!(800)));
    assert_eq!(transfer(&stage, &[]).await.status, 200);
    let effects = stage.server.effects().marked("m1");
    assert_eq!((effects.len(), effects[0].kind.as_str(), effects[0].amount), (1, "transfer", 800));
    assert_eq!(stage.count("transfer"), 4);
}

#[tokio::test]
async fn a_charge_as_source_is_its_own_limit_and_makes_a_group() {
    let stage = stage().await;
    let charge = text(&stage.paid("pm_processing").await["latest_charge"]);
    let source = ("source_transaction", charge.as_str());
    let first = transfer(&stage, &[source]).await.value();
    assert_eq!(
        (&first["source_transaction"], &first["transfer_group"]),
        (&json!(charge), &json!(format!("group_{charge}")))
    );
    assert_eq!(transfer(&stage, &[source, ("transfer_group", "ORDER_95")]).await.value()["transfer_group"], "ORDER_95");
    let over = transfer(&stage, &[source]).await;
    assert_eq!((over.status, over.value()["error"]["code"].is_null()), (400, true));
    assert_eq!(
        transfer(&stage, &[("source_transaction", "ch_none")]).await.value()["error"]["code"],
        "resource_missing"
    );
}

#[tokio::test]
async fn lists_by_group_and_destination() {
    let stage = stage().await;
    stage.paid("pm_card_visa").await;
    let small = ("amount", "10");
    let one = text(&transfer(&stage, &[small, ("transfer_group", "g1")]).await.value()["id"]);
    let two =
        text(&transfer(&stage, &[small, ("transfer_group", "g2"), ("destination", "acct_2")]).await.value()["id"]);
    assert_eq!(ids(&stage, "").await, [two.clone(), one.clone()]);
    assert_eq!(ids(&stage, "?transfer_group=g1").await, [one]);
    assert_eq!(ids(&stage, "?destination=acct_2").await, [two]);
    assert!(ids(&stage, "?transfer_group=g3").await.is_empty());
    assert_eq!(stage.get("/v1/transfers/tr_none").await.status, 404);
}

#[tokio::test]
async fn a_transfer_is_kept_under_its_key_and_so_is_a_poor_balance() {
    let stage = stage().await;
    let fields = [("amount", "800"), ("currency", "usd"), ("destination", "acct_1")];
    assert_eq!(stage.keyed("k", "/v1/transfers", &fields).await.status, 400);
    stage.paid("pm_card_visa").await;
    let again = stage.keyed("k", "/v1/transfers", &fields).await;
    assert_eq!((again.status, again.header("Idempotent-Replayed")), (400, Some("true")));
    assert_eq!(stage.keyed("l", "/v1/transfers", &fields).await.status, 200);
    assert_eq!(stage.keyed("l", "/v1/transfers", &fields).await.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(stage.count("transfer"), 1);
}

#[tokio::test]
async fn what_cannot_be_transferred() {
    let stage = stage().await;
    stage.paid("pm_card_visa").await;
    let code = async |field: (&str, &str)| transfer(&stage, &[field]).await.value()["error"]["code"].clone();
    assert_eq!(code(("destination", "acct_missing")).await, "resource_missing");
    assert_eq!(code(("destination", "ba_1")).await, "resource_missing");
    assert_eq!(code(("amount", "0")).await, "parameter_invalid_integer");
    assert_eq!(code(("amount_off", "1")).await, "parameter_unknown");
    assert_eq!(code(("transfer_group", "")).await, "parameter_invalid_empty");
    assert_eq!(stage.post("/v1/transfers", &[]).await.value()["error"]["code"], Value::from("parameter_missing"));
    assert_eq!(stage.count("transfer"), 0);
}
