//! The stand-in over real sockets, asked as a client asks.

mod invoices;

use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;

const HOUR_MS: i64 = 3_600_000;

struct Stage {
    server: Server,
    clock: Scripted,
    token: String,
}

async fn stage(set: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(1_790_000_000_000);
    let server = set(StandIn::new(World::with_clock(1, clock.clock()))).serve(0).await.expect("a free port");
    let mut stage = Stage { server, clock, token: String::new() };
    stage.renew().await;
    stage
}

impl Stage {
    async fn renew(&mut self) {
        let call = Call::post(&format!("{}/v1/oauth2/token", self.server.url()));
        let call = call.header("authorization", "Basic aWQ6c2VjcmV0").form(&[("grant_type", "client_credentials")]);
        let reply = call.send().await.expect("a reply");
        self.token = reply.value()["access_token"].as_str().expect("a token").to_owned();
    }

    async fn call(&self, method: &str, path: &str, key: &str, body: &Value) -> Reply {
        let call = Call::new(method, &format!("{}{path}", self.server.url()));
        let call = call.header("authorization", &format!("Bearer {}", self.token));
        let call = if key.is_empty() { call } else { call.header("paypal-request-id", key) };
        let call = if body.is_null() { call } else { call.json(body) };
        call.send().await.expect("a reply")
    }

    async fn created(&self, key: &str, value: &str, invoice: &str) -> Reply {
        let unit = json!({ "amount": { "currency_code": "EUR", "value": value }, "invoice_id": invoice });
        let body = json!({ "intent": "CAPTURE", "purchase_units": [unit] });
        self.call("POST", "/v2/checkout/orders", key, &body).await
    }

    async fn captured(&self, order: &Reply, key: &str, source: &str) -> Reply {
        let path = format!("/v2/checkout/orders/{}/capture", text(&order.value()["id"]));
        self.call("POST", &path, key, &json!({ "payment_source": { "paypal": { "vault_id": source } } })).await
    }

    /// A payment over 20.00 EUR, and where it is refunded.
    async fn paid(&self, source: &str) -> String {
        let order = self.created("", "20.00", source).await;
        let paid = self.captured(&order, "", source).await;
        let id = text(&paid.value()["purchase_units"][0]["payments"]["captures"][0]["id"]);
        format!("/v2/payments/captures/{id}/refund")
    }

    fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn issue(reply: &Reply) -> (u16, String) {
    (reply.status, text(&reply.value()["details"][0]["issue"]))
}

fn refund(value: &str, invoice: &str) -> Value {
    json!({ "amount": { "currency_code": "EUR", "value": value }, "invoice_id": invoice })
}

#[tokio::test]
async fn an_order_is_captured_once() {
    let stage = stage(|it| it).await;
    let order = stage.created("k1", "10.50", "i1").await;
    assert_eq!((order.status, &order.value()["status"]), (201, &json!("CREATED")));
    assert_eq!(stage.count("payment"), 0, "an order takes no money");
    let paid = stage.captured(&order, "c1", "v").await;
    assert_eq!((paid.status, &paid.value()["status"]), (201, &json!("COMPLETED")));
    assert_eq!(issue(&stage.captured(&order, "c2", "v").await), (422, "ORDER_ALREADY_CAPTURED".to_owned()));
    assert_eq!(stage.captured(&order, "c1", "v").await.status, 200, "the same key gets the present state");
    assert_eq!(stage.count("payment"), 1);
}

#[tokio::test]
async fn a_key_gets_the_first_order_whatever_the_body_says_for_six_hours() {
    let mut stage = stage(|it| it).await;
    let first = stage.created("k1", "10.50", "i1").await;
    stage.clock.advance(6 * HOUR_MS - 1);
    let again = stage.created("k1", "99.00", "i2").await;
    assert_eq!((again.status, again.value()), (200, first.value()), "silently");
    stage.clock.advance(1);
    stage.renew().await;
    let other = stage.created("k1", "10.50", "i1").await;
    assert_eq!(other.status, 201);
    assert_ne!(other.value()["id"], first.value()["id"]);
}

#[tokio::test]
async fn the_payment_method_decides() {
    let stage = stage(|it| it).await;
    let order = stage.created("", "10.50", "i1").await;
    assert_eq!(issue(&stage.captured(&order, "", "declined").await), (422, "INSTRUMENT_DECLINED".to_owned()));
    let paid = stage.captured(&order, "", "refused-by-bank").await;
    assert_eq!(paid.value()["purchase_units"][0]["payments"]["captures"][0]["status"], "DECLINED");
    assert_eq!(stage.count("payment"), 0);
    let other = stage.created("", "10.50", "i1").await;
    let paid = stage.captured(&other, "", "pending").await;
    assert_eq!(paid.value()["purchase_units"][0]["payments"]["captures"][0]["status"], "PENDING");
    let missing = stage.call("GET", "/v2/checkout/orders/N0NE", "", &Value::Null).await;
    assert_eq!(issue(&missing), (404, "INVALID_RESOURCE_ID".to_owned()));
}

#[tokio::test]
async fn repeated_invoice_ids_are_blocked_where_the_account_says_so() {
    for (blocks, expected) in [(false, 201), (true, 422)] {
        let stage = stage(|it| if blocks { it.blocks_repeated_invoice_ids() } else { it }).await;
        for status in [201, expected] {
            let order = stage.created("", "10.50", "i1").await;
            assert_eq!(stage.captured(&order, "", "v").await.status, status);
        }
    }
}

#[tokio::test]
async fn a_payment_is_refunded_up_to_its_amount() {
    let stage = stage(StandIn::blocks_repeated_invoice_ids).await;
    let path = stage.paid("v").await;
    let first = stage.call("POST", &path, "r1", &refund("4.00", "a")).await;
    assert_eq!((first.status, &first.value()["amount"]["value"]), (201, &json!("4.00")));
    let again = stage.call("POST", &path, "r1", &refund("5.00", "b")).await;
    assert_eq!(again.value()["id"], first.value()["id"], "the same key gets the first refund");
    let repeated = stage.call("POST", &path, "r2", &refund("4.00", "a")).await;
    assert_eq!(issue(&repeated), (422, "DUPLICATE_INVOICE_ID".to_owned()));
    let over = stage.call("POST", &path, "r3", &refund("16.01", "c")).await;
    assert_eq!(issue(&over), (422, "REFUND_AMOUNT_EXCEEDED".to_owned()));
    let rest = stage.call("POST", &path, "r4", &json!({})).await;
    assert_eq!(rest.value()["amount"]["value"], "16.00");
    let more = stage.call("POST", &path, "r5", &json!({})).await;
    assert_eq!(issue(&more), (422, "CAPTURE_FULLY_REFUNDED".to_owned()));
    assert_eq!(stage.count("refund"), 2);
    let late = stage.paid("no-refund").await;
    let late = stage.call("POST", &late, "r6", &json!({})).await;
    assert_eq!(issue(&late), (422, "REFUND_TIME_LIMIT_EXCEEDED".to_owned()));
}

#[tokio::test]
async fn without_a_token_nobody_is_let_in() {
    let mut stage = stage(|it| it).await;
    stage.clock.advance(10 * HOUR_MS);
    assert_eq!(stage.created("k1", "10.50", "i1").await.status, 401);
    stage.renew().await;
    assert_eq!(stage.created("k1", "10.50", "i1").await.status, 201);
    let wrong = Call::post(&format!("{}/v1/oauth2/token", stage.server.url()));
    let wrong = wrong.header("authorization", "Basic aWQ6d3Jvbmc=").form(&[("grant_type", "client_credentials")]);
    assert_eq!(wrong.send().await.expect("a reply").status, 401);
}

fn payout(batch_id: &str, receivers: &[&str]) -> Value {
    let item = |receiver: &&str| {
        json!({ "recipient_type": "EMAIL", "receiver": format!("{receiver}@example.com"),
            "amount": { "currency": "EUR", "value": "9.87" }, "sender_item_id": format!("{batch_id}-{receiver}") })
    };
    let items: Vec<Value> = receivers.iter().map(item).collect();
    json!({ "sender_batch_header": { "sender_batch_id": batch_id }, "items": items })
}

impl Stage {
    async fn pays(&self, batch_id: &str, receivers: &[&str]) -> Reply {
        // A request id keeps no second batch away.
        self.call("POST", "/v1/payments/payouts", "p1", &payout(batch_id, receivers)).await
    }

    async fn batch(&self, accepted: &Reply, query: &str) -> Value {
        let id = text(&accepted.value()["batch_header"]["payout_batch_id"]);
        self.call("GET", &format!("/v1/payments/payouts/{id}{query}"), "", &Value::Null).await.value()
    }
}

#[tokio::test]
async fn a_batch_id_is_taken_for_thirty_days_and_names_its_batch() {
    let mut stage = stage(|it| it).await;
    let first = stage.pays("b1", &["jane"]).await;
    assert_eq!((first.status, &first.value()["batch_header"]["batch_status"]), (201, &json!("PENDING")));
    stage.clock.advance(30 * 24 * HOUR_MS - 1);
    stage.renew().await;
    let again = stage.pays("b1", &["joe"]).await;
    assert_eq!((again.status, &again.value()["name"]), (400, &json!("USER_BUSINESS_ERROR")));
    let link = text(&again.value()["details"][0]["link"][0]["href"]);
    assert!(link.ends_with(&text(&first.value()["batch_header"]["payout_batch_id"])), "{link}");
    assert_eq!(stage.count("payout_batch"), 1);
    stage.clock.advance(1);
    assert_eq!(stage.pays("b1", &["jane"]).await.status, 201);
    assert_eq!(stage.pays("b2", &["jane"]).await.status, 201);
    assert_eq!(stage.count("payout_batch"), 3);
}

#[tokio::test]
async fn a_denied_batch_pays_nobody_and_burns_its_id() {
    let stage = stage(|it| it).await;
    let denied = stage.pays("b1", &["denied"]).await;
    assert_eq!((denied.status, &denied.value()["batch_header"]["batch_status"]), (201, &json!("DENIED")));
    assert_eq!(stage.pays("b1", &["jane"]).await.status, 400);
    assert_eq!(stage.count("payout_batch"), 0);
    let later = stage.pays("b2", &["denied-later"]).await;
    assert_eq!(stage.batch(&later, "").await["batch_header"]["batch_status"], "PENDING");
    stage.clock.advance(180_000);
    assert_eq!(stage.batch(&later, "").await["batch_header"]["batch_status"], "DENIED");
    let refused = stage.pays("b3", &["refused"]).await;
    assert_eq!((refused.status, &refused.value()["name"]), (422, &json!("INSUFFICIENT_FUNDS")));
    assert_eq!(stage.pays("b3", &["jane"]).await.status, 201, "a rejected request leaves nothing");
}

#[tokio::test]
async fn a_batch_shows_its_items_in_pages() {
    let stage = stage(|it| it).await;
    let accepted = stage.pays("b1", &["jane", "unclaimed", "failed"]).await;
    let under_way = stage.batch(&accepted, "?total_required=true").await;
    assert_eq!((&under_way["items"], &under_way["total_items"]), (&json!([]), &json!(0)));
    stage.clock.advance(180_000);
    let first = stage.batch(&accepted, "?page=1&page_size=2&total_required=true").await;
    assert_eq!((&first["total_items"], &first["total_pages"]), (&json!(3), &json!(2)));
    assert_eq!(first["batch_header"]["amount"], json!({ "currency": "EUR", "value": "29.61" }));
    let second = stage.batch(&accepted, "?page=2&page_size=2").await;
    let items = [&first["items"][0], &first["items"][1], &second["items"][0]];
    let statuses: Vec<String> = items.iter().map(|item| text(&item["transaction_status"])).collect();
    assert_eq!(statuses, ["SUCCESS", "UNCLAIMED", "FAILED"]);
    assert_eq!(second["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(second["total_items"], Value::Null, "only if asked for");
    let none = stage.call("GET", "/v1/payments/payouts/N0NE", "", &Value::Null).await;
    assert_eq!((none.status, &none.value()["name"]), (404, &json!("INVALID_RESOURCE_ID")));
    let mixed = json!({ "sender_batch_header": {}, "items": [] });
    assert_eq!(stage.call("POST", "/v1/payments/payouts", "", &mixed).await.status, 400);
}
