//! The stand-in over real sockets, asked as a client asks.

use super::StandIn;
use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

/// 2026-09-21, 14:13:20 GMT.
const BEGIN_MS: i64 = 1_790_000_000_000;

struct Stage {
    server: Server,
    clock: Scripted,
}

async fn stage(with: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(BEGIN_MS);
    let hand = with(StandIn::new(World::with_clock(1, clock.clock())));
    Stage { server: hand.serve(0).await.expect("a free port"), clock }
}

impl Stage {
    fn call(&self, method: &str, path: &str) -> Call {
        Call::new(method, &format!("{}{path}", self.server.url())).header("authorization", "Bearer re_1")
    }

    async fn get(&self, path: &str) -> Reply {
        self.call("GET", path).send().await.expect("a reply")
    }

    async fn post(&self, path: &str, key: &str, body: &Value) -> Reply {
        self.call("POST", path).header("idempotency-key", key).json(body).send().await.expect("a reply")
    }

    async fn sent(&self, key: &str, body: &Value) -> String {
        let reply = self.post("/emails", key, body).await;
        assert_eq!(reply.status, 200, "{}", reply.value());
        reply.value()["id"].as_str().expect("an id").to_owned()
    }

    async fn event(&self, id: &str) -> Value {
        self.get(&format!("/emails/{id}")).await.value()["last_event"].clone()
    }
}

fn mail(to: &str) -> Value {
    json!({"from": "Shop <shop@stand-in.dev>", "to": [to], "subject": "Hi", "text": "Hi", "tags": [{"name": "a", "value": "b"}]})
}

fn name(reply: &Reply) -> (u16, String) {
    (reply.status, reply.value()["name"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_key_is_kept_for_a_day_and_compared() {
    let stage = stage(|it| it).await;
    let first = stage.sent("k1", &mail("delivered@resend.dev")).await;
    assert_eq!(stage.sent("k1", &mail("delivered@resend.dev")).await, first);
    let other = stage.post("/emails", "k1", &mail("delivered+2@resend.dev")).await;
    assert_eq!(name(&other), (409, "invalid_idempotent_request".to_owned()));
    let elsewhere = stage.post("/emails/batch", "k1", &json!([mail("delivered@resend.dev")])).await;
    assert_eq!(name(&elsewhere), (409, "invalid_idempotent_request".to_owned()));
    let long = stage.post("/emails", &"k".repeat(257), &mail("delivered@resend.dev")).await;
    assert_eq!(name(&long), (400, "invalid_idempotency_key".to_owned()));
    assert_eq!(stage.server.effects().count("mail"), 1);
    stage.clock.advance(24 * 3600 * 1000);
    assert_ne!(stage.sent("k1", &mail("delivered@resend.dev")).await, first);
}

#[tokio::test]
async fn a_refused_mail_leaves_nothing_of_its_key() {
    let stage = stage(|it| it).await;
    let refused = stage.post("/emails", "k1", &mail("jane@example.com")).await;
    assert_eq!(name(&refused), (422, "validation_error".to_owned()));
    stage.sent("k1", &mail("delivered@resend.dev")).await;
    let mut unverified = mail("delivered@resend.dev");
    unverified["from"] = "x@unverified.example".into();
    assert_eq!(name(&stage.post("/emails", "k2", &unverified).await), (403, "validation_error".to_owned()));
    let bare = json!({"from": "a@stand-in.dev", "to": "delivered@resend.dev", "subject": "Hi"});
    assert_eq!(name(&stage.post("/emails", "k3", &bare).await), (422, "missing_required_field".to_owned()));
}

#[tokio::test]
async fn lists_have_no_tags_and_go_on_by_cursor() {
    let stage = stage(|it| it).await;
    let mut ids = Vec::new();
    for number in 0..3 {
        stage.clock.advance(1_000);
        ids.push(stage.sent(&format!("k{number}"), &mail("delivered@resend.dev")).await);
    }
    let first = stage.get("/emails?limit=2").await.value();
    assert_eq!((first["has_more"].clone(), first["data"][0]["id"].clone()), (json!(true), json!(ids[2])));
    assert!(first["data"][0].get("tags").is_none());
    let rest = stage.get(&format!("/emails?limit=2&after={}", ids[1])).await.value();
    assert_eq!((rest["has_more"].clone(), rest["data"][0]["id"].clone()), (json!(false), json!(ids[0])));
    let one = stage.get(&format!("/emails/{}", ids[0])).await.value();
    assert_eq!(one["tags"], json!([{"name": "a", "value": "b"}]));
    assert_eq!(one["created_at"], "2026-09-21 14:13:21.000000+00");
    assert_eq!(name(&stage.get("/emails?limit=101").await), (422, "validation_error".to_owned()));
}

#[tokio::test]
async fn a_batch_is_all_or_nothing_and_drops_what_it_does_not_take() {
    let stage = stage(|it| it).await;
    let bad = json!([mail("delivered@resend.dev"), mail("jane@example.com")]);
    assert_eq!(stage.post("/emails/batch", "k1", &bad).await.status, 422);
    assert_eq!(stage.get("/emails").await.value()["data"], json!([]));
    let mut later = mail("delivered@resend.dev");
    later["scheduled_at"] = "2026-09-22T00:00:00Z".into();
    let made = stage.post("/emails/batch", "k2", &json!([later, mail("bounced@resend.dev")])).await.value();
    let ids: Vec<&str> = made["data"].as_array().expect("ids").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!((ids.len(), stage.server.effects().count("batch")), (2, 1));
    assert_eq!(stage.event(ids[0]).await, "queued", "the schedule was dropped");
    stage.clock.advance(3_000);
    assert_eq!((stage.event(ids[0]).await, stage.event(ids[1]).await), (json!("delivered"), json!("bounced")));
}

#[tokio::test]
async fn a_scheduled_mail_is_canceled_once_or_leaves() {
    let stage = stage(|it| it).await;
    let mut later = mail("delivered@resend.dev");
    later["scheduled_at"] = "2026-09-22T00:00:00.000Z".into();
    let (one, two) = (stage.sent("k1", &later).await, stage.sent("k2", &later).await);
    let cancel = |id: &str| stage.call("POST", &format!("/emails/{id}/cancel")).send();
    let canceled = cancel(&one).await.expect("a reply");
    assert_eq!((canceled.status, canceled.value()), (200, json!({"object": "email", "id": one})));
    assert_eq!(cancel(&one).await.expect("a reply").status, 422);
    stage.clock.advance(24 * 3600 * 1000);
    assert_eq!((stage.event(&one).await, stage.event(&two).await), (json!("canceled"), json!("delivered")));
    assert_eq!(cancel(&two).await.expect("a reply").status, 422);
    assert_eq!(name(&cancel("none").await.expect("a reply")), (404, "not_found".to_owned()));
    assert_eq!(stage.server.effects().count("cancel"), 1);
    later["scheduled_at"] = "2027-01-01T00:00:00Z".into();
    assert_eq!(stage.post("/emails", "k3", &later).await.status, 422);
}

#[tokio::test]
async fn keys_of_the_api_may_be_unknown_or_only_send() {
    let stage = stage(|it| it.accepts("re_1").accepts("re_2").sending_only("re_1")).await;
    stage.sent("k1", &mail("delivered@resend.dev")).await;
    assert_eq!(name(&stage.get("/emails").await), (401, "restricted_api_key".to_owned()));
    let wrong = |method: &str, path: &str| {
        Call::new(method, &format!("{}{path}", stage.server.url())).header("authorization", "Bearer re_9").send()
    };
    assert_eq!(wrong("POST", "/emails").await.expect("a reply").status, 401);
    assert_eq!(wrong("GET", "/emails").await.expect("a reply").status, 400);
    let none = Call::new("GET", &format!("{}/emails", stage.server.url())).send().await.expect("a reply");
    assert_eq!(name(&none), (401, "missing_api_key".to_owned()));
}

#[tokio::test]
async fn too_many_requests_are_told_when_to_come_again() {
    let stage = stage(|it| it.requests_per_second(1).without_tags().settles_after_ms(1)).await;
    let id = stage.sent("k1", &mail("delivered@resend.dev")).await;
    let limited = stage.get("/emails").await;
    assert_eq!((limited.status, limited.header("retry-after")), (429, Some("1")));
    stage.clock.advance(1_000);
    let shown = stage.get(&format!("/emails/{id}")).await.value();
    assert!(shown.get("tags").is_none() && shown["last_event"] == "delivered", "{shown}");
    stage.clock.advance(1_000);
    assert_eq!(name(&stage.get("/nowhere").await), (404, "not_found".to_owned()));
}
