//! The stand-in over real sockets, asked as a client asks.

mod charges;
mod invoices;
mod keys;
mod lists;
mod refunds;
mod subscriptions;
mod transfers;

use super::{StandIn, auth::OWN_ACCOUNT};
use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::Value;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// A stand-in at work, its clock, and the hand that steers what customers and banks do.
struct Stage {
    server: Server,
    clock: Scripted,
    hand: StandIn,
}

async fn stage() -> Stage {
    let clock = Scripted::at(1_790_000_000_000);
    let hand = StandIn::new(World::with_clock(1, clock.clock()));
    let server = hand.clone().serve(0).await.expect("a free port");
    Stage { server, clock, hand }
}

impl Stage {
    fn call(&self, method: &str, path: &str) -> Call {
        Call::new(method, &format!("{}{path}", self.server.url())).header("authorization", "Bearer sk_test_1")
    }

    async fn get(&self, path: &str) -> Reply {
        self.call("GET", path).send().await.expect("a reply")
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.call("POST", path).form(fields).send().await.expect("a reply")
    }

    async fn keyed(&self, key: &str, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.call("POST", path).header("idempotency-key", key).form(fields).send().await.expect("a reply")
    }

    /// Creates and confirms an intent over 20 dollars, and returns it.
    async fn paid(&self, method: &str) -> Value {
        let reply = self.post("/v1/payment_intents", &fields(&[("payment_method", method), ("confirm", "true")])).await;
        assert_eq!(reply.status, 200, "{}", reply.value());
        reply.value()
    }

    /// Creates an intent without confirming it, and returns its id.
    async fn created(&self, more: &[(&str, &str)]) -> String {
        let reply = self.post("/v1/payment_intents", &fields(more)).await;
        assert_eq!(reply.status, 200, "{}", reply.value());
        text(&reply.value()["id"])
    }

    fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }
}

/// Twenty dollars by card, and more.
fn fields<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let basis = [("amount", "2000"), ("currency", "usd"), ("payment_method_types[0]", "card")];
    basis.into_iter().chain(more.iter().copied()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

#[tokio::test]
async fn without_a_test_key_nothing_is_answered() {
    let stage = stage().await;
    let url = format!("{}/v1/account", stage.server.url());
    let ask = async |header: &str| {
        let call = Call::get(&url).header("authorization", header);
        call.send().await.expect("a reply").status
    };
    assert_eq!(Call::get(&url).send().await.expect("a reply").status, 401);
    assert_eq!(ask("Bearer sk_live_1").await, 401);
    assert_eq!(ask("Bearer sk_test_1").await, 200);
    assert_eq!(ask("Basic c2tfdGVzdF8xOg==").await, 200);
    assert_eq!(stage.get("/v1/account").await.value()["id"], OWN_ACCOUNT);
    assert!(stage.get("/v1/account").await.header("Request-Id").is_some_and(|id| id.starts_with("req_")));
}

#[tokio::test]
async fn only_the_named_keys_are_accepted_once_one_is_named() {
    let hand = StandIn::new(World::new(1)).accepts("sk_test_ours");
    let server = hand.serve(0).await.expect("a free port");
    let ask = async |key: &str| {
        let call = Call::get(&format!("{}/v1/account", server.url()));
        call.header("authorization", &format!("Bearer {key}")).send().await.expect("a reply").status
    };
    assert_eq!((ask("sk_test_ours").await, ask("sk_test_other").await), (200, 401));
}

#[tokio::test]
async fn connected_accounts_have_objects_and_keys_of_their_own() {
    let stage = stage().await;
    let create = async |account: &str| {
        let call = stage.call("POST", "/v1/payment_intents").header("idempotency-key", "k");
        call.header("stripe-account", account).form(&fields(&[])).send().await.expect("a reply")
    };
    let (one, two) = (create("acct_1").await, create("acct_2").await);
    assert_ne!(one.value()["id"], two.value()["id"]);
    assert_eq!(two.header("Idempotent-Replayed"), None);
    let there = stage.call("GET", &format!("/v1/payment_intents/{}", text(&one.value()["id"])));
    assert_eq!(there.header("stripe-account", "acct_2").send().await.expect("a reply").status, 404);
}

#[tokio::test]
async fn an_unknown_path_has_no_code() {
    let stage = stage().await;
    let reply = stage.get("/v1/nothing").await;
    assert_eq!((reply.status, reply.value()["error"]["code"].is_null()), (404, true));
    assert_eq!(stage.post("/v1/payouts", &[]).await.status, 404);
    assert_eq!(stage.call("DELETE", "/v1/refunds/re_1").send().await.expect("a reply").status, 404);
}
