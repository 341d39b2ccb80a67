//! The stand-in over real sockets, asked as a client asks.

use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Kind, Reply, Server, When, World};
use serde_json::{Value, json};

use super::StandIn;
use crate::testing::passenger;

const MINUTE_MS: i64 = 60_000;

struct Stage {
    server: Server,
    clock: Scripted,
    world: World,
}

async fn stage(set: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(1_790_000_000_000);
    let world = World::with_clock(1, clock.clock());
    let server = set(StandIn::new(world.clone())).serve(0).await.expect("a free port");
    Stage { server, clock, world }
}

fn wanted(kind: &str, offer: &str) -> Value {
    let passengers = json!([passenger()]);
    let mut data = json!({"type": kind, "selected_offers": [offer], "passengers": passengers, "users": ["icu_1"],
        "metadata": {"hapax": offer}});
    if kind == "instant" {
        data["payments"] = json!([{"type": "balance", "amount": "90.80", "currency": "GBP"}]);
    }
    data
}

impl Stage {
    async fn send(&self, call: Call) -> Reply {
        let call = call.header("authorization", "Bearer duffel_test_a").header("duffel-version", "v2");
        call.send().await.expect("a reply")
    }

    async fn get(&self, path: &str) -> Reply {
        self.send(Call::get(&format!("{}{path}", self.server.url()))).await
    }

    async fn post(&self, path: &str, data: &Value) -> Reply {
        self.send(Call::post(&format!("{}{path}", self.server.url())).json(&json!({"data": data}))).await
    }

    async fn ordered(&self, kind: &str, offer: &str) -> Reply {
        self.post("/air/orders", &wanted(kind, offer)).await
    }

    async fn pay(&self, order: &str, amount: &str) -> Reply {
        let payment = json!({"type": "balance", "amount": amount, "currency": "GBP"});
        self.post("/air/payments", &json!({"order_id": order, "payment": payment})).await
    }

    async fn quote(&self, order: &str) -> Reply {
        self.post("/air/order_cancellations", &json!({"order_id": order})).await
    }

    async fn confirm(&self, quote: &str) -> Reply {
        let path = format!("{}/air/order_cancellations/{quote}/actions/confirm", self.server.url());
        self.send(Call::post(&path)).await
    }

    fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }
}

fn id(reply: &Reply) -> String {
    reply.value()["data"]["id"].as_str().unwrap_or_else(|| panic!("an id in {}", reply.value())).to_owned()
}

fn code(reply: &Reply) -> (u16, String) {
    (reply.status, reply.value()["errors"][0]["code"].as_str().unwrap_or_default().to_owned())
}

fn says(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn an_order_is_bought_read_and_listed() {
    let stage = stage(|hand| hand).await;
    let bought = stage.ordered("instant", "off_a").await;
    assert_eq!(bought.status, 201, "{}", bought.value());
    assert_eq!(stage.get(&format!("/air/orders/{}", id(&bought))).await.value(), bought.value());
    let data = &bought.value()["data"];
    assert_eq!(
        (&data["metadata"]["hapax"], &data["payment_status"]["awaiting_payment"]),
        (&json!("off_a"), &json!(false))
    );
    assert!(data["payment_status"]["paid_at"].is_string() && data["cancelled_at"].is_null());
    let other = stage.ordered("hold", "off_b").await;
    let reference = other.value()["data"]["booking_reference"].as_str().expect("one").to_owned();
    for (query, ids) in [
        ("", vec![id(&other), id(&bought)]),
        ("?offer_id=off_a", vec![id(&bought)]),
        ("?user_id=icu_1", vec![id(&other), id(&bought)]),
        ("?user_id=icu_2", vec![]),
        ("?awaiting_payment=true", vec![id(&other)]),
        (&format!("?booking_reference={reference}"), vec![id(&other)]),
    ] {
        let list = stage.get(&format!("/air/orders{query}")).await.value();
        let found: Vec<&str> =
            list["data"].as_array().expect("a list").iter().filter_map(|one| one["id"].as_str()).collect();
        assert_eq!(found, ids, "{query}");
    }
    assert_eq!(code(&stage.get("/air/orders/ord_x").await), says(404, "not_found"));
    assert_eq!((stage.count("order"), stage.count("hold")), (1, 1));
}

#[tokio::test]
async fn lists_go_on_after_a_cursor() {
    let stage = stage(|hand| hand).await;
    for offer in ["off_a", "off_b", "off_c"] {
        stage.ordered("instant", offer).await;
    }
    let first = stage.get("/air/orders?limit=2").await.value();
    let after = first["meta"]["after"].as_str().expect("there is more").to_owned();
    let second = stage.get(&format!("/air/orders?limit=2&after={after}")).await.value();
    assert_eq!((first["data"].as_array().map(Vec::len), second["data"].as_array().map(Vec::len)), (Some(2), Some(1)));
    assert_eq!((&second["data"][0]["metadata"]["hapax"], &second["meta"]["after"]), (&json!("off_a"), &Value::Null));
    for wrong in ["limit=201", "limit=0", "after=x"] {
        assert_eq!(stage.get(&format!("/air/orders?{wrong}")).await.status, 422, "{wrong}");
    }
}

#[tokio::test]
async fn a_second_order_of_an_offer_request_is_made_unless_told_otherwise() {
    let worst = stage(|hand| hand).await;
    assert_ne!(id(&worst.ordered("instant", "off_r_1").await), id(&worst.ordered("instant", "off_r_1").await));
    assert_eq!(worst.count("order"), 2);
    let seen = stage(StandIn::single_use_offers).await;
    seen.ordered("hold", "off_r_1").await;
    for offer in ["off_r_1", "off_r_2"] {
        assert_eq!(code(&seen.ordered("instant", offer).await), says(422, "offer_request_already_booked"));
    }
    assert_eq!(seen.ordered("instant", "off_s_1").await.status, 201);
    assert_eq!((seen.count("hold"), seen.count("order")), (1, 1));
}

#[tokio::test]
async fn offers_decide_what_an_order_leads_to() {
    let stage = stage(|hand| hand).await;
    assert_eq!(code(&stage.ordered("instant", "off_gone1").await), says(422, "offer_no_longer_available"));
    assert_eq!(code(&stage.ordered("instant", "off_poor1").await), says(422, "insufficient_balance"));
    assert_eq!(code(&stage.ordered("hold", "off_atonce1").await), says(422, "requires_instant_payment"));
    assert_eq!(code(&stage.ordered("pay_later", "off_a").await), says(422, "validation_inclusion"));
    let with = |name: &str, value: Value| {
        let mut data = wanted("instant", "off_a");
        data[name] = value;
        data
    };
    let cheap = json!([{"type": "balance", "amount": "9.80", "currency": "GBP"}]);
    for (name, value, says) in [
        ("payments", cheap, "payment_amount_does_not_match_order_amount"),
        ("payments", json!([]), "validation_required"),
        ("services", json!([{"id": "ase_1", "quantity": 1}]), "payment_amount_does_not_match_order_amount"),
        ("passengers", json!([]), "validation_required"),
        ("selected_offers", json!([]), "not_found"),
    ] {
        assert_eq!(code(&stage.post("/air/orders", &with(name, value)).await).1, says);
    }
    assert_eq!(stage.count("order") + stage.count("hold"), 0);
}

#[tokio::test]
async fn a_hold_is_paid_once_and_lapses_if_nobody_pays() {
    let stage = stage(|hand| hand).await;
    let (held, short) = (id(&stage.ordered("hold", "off_a").await), id(&stage.ordered("hold", "off_short").await));
    assert_eq!(code(&stage.pay(&held, "91.80").await), says(422, "price_changed"));
    let paid = stage.pay(&held, "90.80").await;
    assert_eq!((paid.status, &paid.value()["data"]["order_id"]), (201, &json!(held)));
    assert_eq!(code(&stage.pay(&held, "90.80").await), says(422, "already_paid"));
    let shown = stage.get(&format!("/air/orders/{held}")).await.value();
    assert!(shown["data"]["payment_status"]["paid_at"].is_string());
    stage.clock.advance(10 * MINUTE_MS);
    assert_eq!(code(&stage.pay(&short, "90.80").await), says(422, "past_payment_required_by_date"));
    let shown = stage.get(&format!("/air/orders/{short}")).await.value();
    let status = &shown["data"]["payment_status"];
    assert_eq!((&status["awaiting_payment"], &status["paid_at"]), (&json!(false), &Value::Null), "as at Duffel");
    let bought = id(&stage.ordered("instant", "off_b").await);
    assert_eq!(code(&stage.pay(&bought, "90.80").await), says(422, "order_type_not_eligible_for_payment"));
    assert_eq!(stage.count("payment"), 1);
}

#[tokio::test]
async fn a_quote_changes_nothing_and_only_the_latest_is_confirmed() {
    let stage = stage(|hand| hand).await;
    let order = id(&stage.ordered("instant", "off_a").await);
    let (old, new) = (stage.quote(&order).await, stage.quote(&order).await);
    assert_eq!((old.status, &new.value()["data"]["refund_amount"]), (201, &json!("90.80")));
    assert!(stage.get(&format!("/air/orders/{order}")).await.value()["data"]["cancelled_at"].is_null());
    assert_eq!(code(&stage.confirm(&id(&old)).await), says(422, "order_cancellation_stale"));
    assert_eq!(stage.count("cancel"), 0);
    let confirmed = stage.confirm(&id(&new)).await;
    assert!(confirmed.value()["data"]["confirmed_at"].is_string());
    assert_eq!(stage.get(&format!("/air/order_cancellations/{}", id(&new))).await.value(), confirmed.value());
    assert!(stage.get(&format!("/air/orders/{order}")).await.value()["data"]["cancelled_at"].is_string());
    assert_eq!(code(&stage.confirm(&id(&new)).await), says(422, "already_cancelled"));
    assert_eq!(code(&stage.quote(&order).await), says(422, "already_cancelled"));
    assert_eq!(stage.count("cancel"), 1);
}

#[tokio::test]
async fn quotes_expire_and_some_orders_have_none() {
    let stage = stage(|hand| hand).await;
    let held = id(&stage.ordered("hold", "off_a").await);
    let quote = stage.quote(&held).await;
    assert_eq!(quote.value()["data"]["refund_amount"], "0.00");
    stage.clock.advance(60 * MINUTE_MS);
    assert_eq!(code(&stage.confirm(&id(&quote)).await), says(422, "order_cancellation_stale"));
    let fixed = id(&stage.ordered("instant", "off_fixed").await);
    assert_eq!(code(&stage.quote(&fixed).await), says(422, "order_not_cancellable"));
    let late = id(&stage.ordered("instant", "off_late").await);
    let quote = id(&stage.quote(&late).await);
    assert_eq!(code(&stage.confirm(&quote).await), says(422, "order_not_cancellable"));
    assert_eq!(code(&stage.confirm("ore_x").await), says(404, "not_found"));
    assert_eq!(stage.count("cancel"), 0);
}

#[tokio::test]
async fn an_order_may_stand_behind_an_error() {
    let stage = stage(|hand| hand).await;
    let orphan = Kind::ErrorAfter { status: 500, code: None };
    stage.world.injections.add(When::on("POST", "/air/orders"), orphan);
    assert_eq!(code(&stage.ordered("instant", "off_a").await), says(500, "internal_server_error"));
    assert_eq!(stage.count("order"), 1);
}

#[tokio::test]
async fn without_token_or_version_nothing_is_answered() {
    let stage = stage(|hand| hand.accepts("duffel_test_a")).await;
    let url = format!("{}/air/orders", stage.server.url());
    let bare = Call::get(&url).header("duffel-version", "v2");
    assert_eq!(code(&bare.send().await.expect("a reply")), says(401, "access_token_not_found"));
    let other = Call::get(&url).header("authorization", "Bearer duffel_test_b").header("duffel-version", "v2");
    assert_eq!(other.send().await.expect("a reply").status, 401);
    let old = Call::get(&url).header("authorization", "Bearer duffel_test_a");
    assert_eq!(code(&old.send().await.expect("a reply")), says(400, "unsupported_version"));
    assert_eq!(stage.get("/air/orders").await.status, 200);
}
