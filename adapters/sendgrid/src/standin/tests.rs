//! The stand-in over real sockets, asked as a client asks.

use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;

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
    async fn ask(&self, method: &str, path: &str, body: &Value) -> Reply {
        let call = Call::new(method, &format!("{}{path}", self.server.url())).header("authorization", "Bearer SG.1");
        let call = if body.is_null() { call } else { call.json(body) };
        call.send().await.expect("a reply")
    }

    async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &Value::Null).await
    }

    async fn send(&self, body: &Value) -> Reply {
        self.ask("POST", "/v3/mail/send", body).await
    }

    async fn marked(&self) -> Vec<Value> {
        let path = "/v3/messages?limit=1000&query=%28unique_args%5B%27hapax%27%5D%3D%22m1%22%29";
        self.get(path).await.value()["messages"].as_array().cloned().unwrap_or_default()
    }
}

fn mail(to: &[&str]) -> Value {
    let to: Vec<Value> = to.iter().map(|email| json!({ "email": email })).collect();
    json!({
        "personalizations": [{ "to": to, "custom_args": { "hapax": "m1" } }], "from": { "email": "shop@stand-in.dev" },
        "subject": "Hi", "content": [{ "type": "text/plain", "value": "Hi" }],
    })
}

#[tokio::test]
async fn each_recipient_has_a_message_that_begins_with_the_requests_id() {
    let stage = stage(|it| it).await;
    let accepted = stage.send(&mail(&["jane@stand-in.dev", "bounce@stand-in.dev"])).await;
    assert_eq!((accepted.status, accepted.value()), (202, Value::Null));
    let id = accepted.header("x-message-id").expect("an id").to_owned();
    assert_eq!(stage.server.effects().count("mail"), 1);
    assert_eq!(stage.marked().await.len(), 0, "not shown yet");
    stage.clock.advance(60_000);
    let messages = stage.marked().await;
    assert_eq!(messages.len(), 2);
    for message in &messages {
        assert!(message["msg_id"].as_str().is_some_and(|message| message.starts_with(&format!("{id}."))));
    }
    let statuses: Vec<&Value> = messages.iter().map(|message| &message["status"]).collect();
    assert!(statuses.contains(&&json!("delivered")) && statuses.contains(&&json!("not_delivered")), "{statuses:?}");
    let one = stage.get(&format!("/v3/messages/{}", messages[0]["msg_id"].as_str().unwrap_or_default())).await;
    assert_eq!(one.value()["unique_args"], json!({ "hapax": "m1" }).to_string());
    let by_id = stage.get(&format!("/v3/messages?limit=10&query=msg_id%20LIKE%20%27{id}%25%27")).await;
    assert_eq!(by_id.value()["messages"].as_array().map(Vec::len), Some(2));
    stage.clock.advance(31 * 24 * 3_600_000);
    assert_eq!(stage.marked().await.len(), 0, "thirty days are over");
}

#[tokio::test]
async fn a_scheduled_mail_is_shown_when_it_left_and_not_if_its_batch_is_cancelled() {
    let stage = stage(|it| it).await;
    let mut batches = Vec::new();
    for _ in 0..2 {
        let made = stage.ask("POST", "/v3/mail/batch", &Value::Null).await;
        assert_eq!(made.status, 201);
        let batch = made.value()["batch_id"].clone();
        let mut later = mail(&["jane@stand-in.dev"]);
        (later["send_at"], later["batch_id"]) = (json!(BEGIN_MS / 1000 + 3_600), batch.clone());
        assert_eq!(stage.send(&later).await.status, 202);
        batches.push(batch);
    }
    let cancel = |batch: &Value| json!({ "batch_id": batch, "status": "cancel" });
    let path = format!("/v3/user/scheduled_sends/{}", batches[0].as_str().unwrap_or_default());
    assert_eq!(stage.get(&path).await.value(), json!([]));
    let cancelled = stage.ask("POST", "/v3/user/scheduled_sends", &cancel(&batches[0])).await;
    assert_eq!((cancelled.status, cancelled.value()), (201, cancel(&batches[0])));
    assert_eq!(stage.get(&path).await.value(), json!([cancel(&batches[0])]));
    assert_eq!(stage.ask("POST", "/v3/user/scheduled_sends", &cancel(&batches[0])).await.status, 400);
    assert_eq!(stage.server.effects().count("cancel"), 1);
    stage.clock.advance(51 * 60_000);
    let late = stage.ask("POST", "/v3/user/scheduled_sends", &cancel(&batches[1])).await;
    assert_eq!(late.status, 400, "less than ten minutes before");
    assert_eq!(stage.marked().await.len(), 0, "not shown before it leaves");
    stage.clock.advance(10 * 60_000);
    assert_eq!(stage.marked().await.len(), 1);
}

#[tokio::test]
async fn what_is_wrong_is_refused() {
    let stage = stage(|it| it).await;
    let mut unverified = mail(&["jane@stand-in.dev"]);
    unverified["from"]["email"] = "shop@unverified.example".into();
    let mut far = mail(&["jane@stand-in.dev"]);
    far["send_at"] = json!(BEGIN_MS / 1000 + 73 * 3_600);
    let mut no_batch = mail(&["jane@stand-in.dev"]);
    no_batch["batch_id"] = "unknown".into();
    for (status, body) in [(400, mail(&[])), (403, unverified), (400, far), (400, no_batch), (400, json!({}))] {
        let reply = stage.send(&body).await;
        assert_eq!(reply.status, status, "{body}");
        assert!(reply.value()["errors"][0]["message"].is_string());
    }
    assert_eq!(stage.server.effects().all().len(), 0);
    assert_eq!(stage.get("/v3/messages?query=subject%3D%22x%22").await.status, 400);
}

#[tokio::test]
async fn the_activity_has_its_price_and_its_limit() {
    let path = "/v3/messages?query=status%3D%22processed%22";
    assert_eq!(stage(StandIn::without_activity).await.get(path).await.status, 403);
    let stage = stage(|it| it.activity_per_minute(6)).await;
    for _ in 0..6 {
        assert_eq!(stage.get(path).await.status, 200);
    }
    assert_eq!(stage.get(path).await.status, 429);
    assert_eq!(stage.send(&mail(&["jane@stand-in.dev"])).await.status, 202, "sending has another limit");
    stage.clock.advance(60_000);
    assert_eq!(stage.get(path).await.status, 200);
}

#[tokio::test]
async fn a_contact_is_shown_when_its_job_is_done_and_counts_where_it_changes() {
    let stage = stage(|it| it).await;
    let upsert =
        |city: &str| json!({ "list_ids": ["l1"], "contacts": [{ "email": "Jane@stand-in.dev", "city": city }] });
    let search = json!({ "emails": ["jane@STAND-IN.dev"] });
    let found = || stage.ask("POST", "/v3/marketing/contacts/search/emails", &search);
    let put = |city: &str| {
        let body = upsert(city);
        let stage = &stage;
        async move { stage.ask("PUT", "/v3/marketing/contacts", &body).await }
    };
    let accepted = put("Prague").await;
    assert_eq!(accepted.status, 202);
    let job = format!("/v3/marketing/contacts/imports/{}", accepted.value()["job_id"].as_str().unwrap_or_default());
    assert_eq!((found().await.status, stage.get(&job).await.value()["status"].clone()), (404, json!("pending")));
    stage.clock.advance(5_000);
    assert_eq!(stage.get(&job).await.value()["status"], "completed");
    let contact = |reply: Reply| reply.value()["result"]["jane@stand-in.dev"]["contact"].clone();
    let shown = contact(found().await);
    assert_eq!((&shown["city"], &shown["list_ids"]), (&json!("Prague"), &json!(["l1"])));
    put("Prague").await;
    assert_eq!(stage.server.effects().count("contact"), 1, "the same again changes nothing");
    put("Brno").await;
    assert_eq!(stage.server.effects().count("contact"), 2);
    assert_eq!(contact(found().await)["city"], "Prague", "not worked on yet");
    stage.clock.advance(5_000);
    assert_eq!(contact(found().await)["city"], "Brno");
    let unknown = json!({ "list_ids": ["unknown"], "contacts": [{ "email": "jane@stand-in.dev" }] });
    assert_eq!(stage.ask("PUT", "/v3/marketing/contacts", &unknown).await.status, 400);
}
