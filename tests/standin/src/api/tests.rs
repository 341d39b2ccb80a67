use super::{Api, Context, Idempotency, KeyRefusal, Routes, Service};
use crate::client::Call;
use crate::clock::Scripted;
use crate::effects::Effect;
use crate::injection::Kind;
use crate::keys::{FailuresKept, KeyRules, KeyScope, Twins};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;
use crate::when::When;
use crate::world::World;
use serde_json::{Value, json};

/// Counts what it was asked, and what time brought about.
#[derive(Default)]
struct Counter {
    reads: u32,
    caught_up: u32,
}

impl Api for Counter {
    fn routes() -> Routes<Self> {
        Routes::new()
            .open("POST", "/token", |_| Ok::<Value, Reply>(json!({ "token": "t" })))
            .get("/reads", read)
            .plain("POST", "/reads", read)
            .parsed("POST", "/orders", parse, order)
            .delete("/orders/{id}", |context| Ok::<Value, Reply>(json!({ "id": context.path("id") })))
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        Reply::json(status, &json!({ "error": code }))
    }

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn admit(&mut self, request: &Request, _: &World) -> Result<String, Reply> {
        request.bearer().map(str::to_owned).ok_or_else(|| Self::error(401, None))
    }

    fn idempotency() -> Option<Idempotency> {
        let rules = KeyRules {
            window_ms: 1_000,
            scope: KeyScope::Account,
            failures: FailuresKept::Kept,
            twins: Twins::OneWins,
            replay_marker: Some(("replayed", "true")),
        };
        let key = |request: &Request| Ok(request.header("key").map(str::to_owned));
        let refuse = |refusal: KeyRefusal<'_>| Self::error(409, Some(&format!("{refusal:?}")));
        Some(Idempotency { rules, key, compared: Request::parameters, refuse })
    }

    fn catch_up(context: &mut Context<'_, Self>) {
        context.state.caught_up += 1;
    }

    fn finish(&mut self, reply: Reply, request: &Request, _: &World) -> Reply {
        reply.with_header("asked", &request.path)
    }
}

fn read(context: &mut Context<'_, Counter>) -> Result<Value, Reply> {
    context.state.reads += 1;
    Ok(json!({ "reads": context.state.reads, "caught_up": context.state.caught_up }))
}

fn parse(request: &Request) -> Result<i64, Reply> {
    request.json_at("/amount").as_i64().ok_or_else(|| Counter::error(400, Some("amount")))
}

fn order(amount: i64, context: &mut Context<'_, Counter>) -> Result<(u16, Value), Reply> {
    if amount > 100 {
        return Err(Counter::error(402, Some("too much")));
    }
    let object = context.world.ids.next("or", 4);
    context.effect(Effect { kind: "order".to_owned(), object: object.clone(), amount, ..Effect::default() });
    if let Some(url) = context.request.json_at("/notify").as_str() {
        let url = url.to_owned();
        context.webhook(Call::post(&url).json(&json!({ "id": object })));
    }
    Ok((201, json!({ "id": object })))
}

async fn counter() -> Server {
    let world = World::with_clock(1, Scripted::at(5).clock());
    Service::new(world, Counter::default()).serve(0).await.expect("a free port")
}

fn call(server: &Server, method: &str, path: &str) -> Call {
    Call::new(method, &format!("{}{path}", server.url())).header("authorization", "Bearer me")
}

async fn sent(call: Call) -> Reply {
    call.send().await.expect("a reply")
}

async fn ordered(server: &Server, key: &str, amount: &Value) -> Reply {
    sent(call(server, "POST", "/orders").header("key", key).json(&json!({ "amount": amount }))).await
}

#[tokio::test]
async fn who_is_not_let_in_learns_nothing_of_the_routes() {
    let server = counter().await;
    let bare = |method: &str, path: &str| sent(Call::new(method, &format!("{}{path}", server.url())));
    assert_eq!(bare("GET", "/reads").await.status, 401);
    assert_eq!(bare("GET", "/nothing").await.status, 401);
    assert_eq!(bare("POST", "/token").await.value(), json!({ "token": "t" }));
    assert_eq!(sent(call(&server, "GET", "/nothing")).await.status, 404);
    let other = sent(call(&server, "PUT", "/reads")).await;
    assert_eq!((other.status, other.header("asked")), (405, Some("/reads")));
    assert_eq!(sent(call(&server, "DELETE", "/orders/a%20b")).await.value(), json!({ "id": "a b" }));
    assert_eq!(sent(call(&server, "GET", "/reads")).await.value(), json!({ "reads": 1, "caught_up": 3 }));
}

#[tokio::test]
async fn an_effect_has_account_key_and_time_and_a_key_makes_it_once() {
    let server = counter().await;
    let first = ordered(&server, "k", &json!(5)).await;
    let again = ordered(&server, "k", &json!(5)).await;
    assert_eq!((first.status, again.header("replayed"), again.value()), (201, Some("true"), first.value()));
    assert_eq!(ordered(&server, "k", &json!(6)).await.value(), json!({ "error": "OtherParameters" }));
    let elsewhere = sent(call(&server, "DELETE", "/orders/1").header("key", "k")).await;
    assert_eq!(elsewhere.value(), json!({ "error": "OtherEndpoint(\"POST /orders\")" }));
    let effects = server.effects().all();
    let [effect] = effects.as_slice() else { panic!("one effect: {effects:?}") };
    assert_eq!((effect.account.as_str(), effect.token.as_deref(), effect.at_ms), ("me", Some("k"), 5));
    assert_eq!(ordered(&server, "other", &json!(5)).await.status, 201);
}

#[tokio::test]
async fn a_failed_run_is_kept_under_its_key_and_unread_parameters_are_not() {
    let server = counter().await;
    assert_eq!(ordered(&server, "k", &json!("no number")).await.status, 400);
    assert_eq!(ordered(&server, "k", &json!(101)).await.status, 402);
    assert_eq!(ordered(&server, "k", &json!(101)).await.header("replayed"), Some("true"));
    assert_eq!(server.effects().count("order"), 0);
}

#[tokio::test]
async fn a_stored_error_comes_back_with_and_without_the_effect() {
    for effect in [false, true] {
        let server = counter().await;
        let kind = Kind::StoredError { status: 500, effect, repaired_after_ms: None };
        server.injections().add(When::on("POST", "/orders"), kind);
        assert_eq!(ordered(&server, "k", &json!(5)).await.status, 500);
        assert_eq!(ordered(&server, "k", &json!(5)).await.header("replayed"), Some("true"));
        assert_eq!(server.effects().count("order"), usize::from(effect));
    }
}

#[tokio::test]
async fn a_request_that_hangs_holds_its_key_and_not_the_state() {
    let server = counter().await;
    for (after_effect, key) in [(false, "before"), (true, "after")] {
        let hang = server.injections().add(When::on("POST", "/orders"), Kind::Hang { after_effect });
        let waiting =
            tokio::spawn(call(&server, "POST", "/orders").header("key", key).json(&json!({ "amount": 5 })).send());
        hang.reached().await;
        assert_eq!(server.effects().count("order"), if after_effect { 2 } else { 0 });
        assert_eq!(ordered(&server, key, &json!(5)).await.value(), json!({ "error": "InUse" }));
        assert_eq!(sent(call(&server, "GET", "/reads")).await.status, 200);
        hang.release();
        assert_eq!(waiting.await.expect("a task").expect("a reply").status, 201);
    }
}

#[tokio::test]
async fn an_ignored_key_and_a_reset_key_protect_nothing() {
    let server = counter().await;
    ordered(&server, "k", &json!(5)).await;
    server.injections().add(When::on("POST", "/orders"), Kind::KeyIgnored);
    ordered(&server, "k", &json!(5)).await;
    assert_eq!(server.effects().count("order"), 2);
    sent(Call::post(&format!("{}/_standin/reset", server.url()))).await;
    assert_eq!(ordered(&server, "k", &json!(5)).await.header("replayed"), None);
    assert_eq!(sent(call(&server, "POST", "/reads")).await.value()["reads"], 1);
}

#[tokio::test]
async fn a_webhook_is_sent_once_the_endpoint_is_done() {
    let (server, (listener, _)) = (counter().await, crate::testing::maker().await);
    let body = json!({ "amount": 1, "notify": format!("{}/things", listener.url()) });
    assert_eq!(sent(call(&server, "POST", "/orders").json(&body)).await.status, 201);
    while listener.effects().count("make") == 0 {
        tokio::task::yield_now().await;
    }
}
