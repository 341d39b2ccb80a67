//! The stand-in over real sockets, asked as a client asks.

use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;

struct Stage {
    server: Server,
    clock: Scripted,
    hand: StandIn,
}

async fn stage(with: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(1_790_000_000_000);
    let hand = with(StandIn::new(World::with_clock(1, clock.clock())));
    let server = hand.clone().serve(0).await.expect("a free port");
    Stage { server, clock, hand }
}

impl Stage {
    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        let call = Call::new(method, &format!("{}{path}", self.server.url())).header("authorization", "Bearer me");
        let call = if let Some(body) = body { call.json(&body) } else { call };
        call.send().await.expect("a reply")
    }

    async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, None).await
    }

    async fn deal(&self, key: &str) -> Reply {
        let properties = json!({ "dealname": "Roof", "dealstage": "1", "hapax_key": key });
        self.ask("POST", "/crm/v3/objects/deals", Some(json!({ "properties": properties, "associations": [] }))).await
    }

    async fn upsert(&self, property: &str, id: &str, properties: Value) -> Reply {
        let input = json!({ "idProperty": property, "id": id, "properties": properties });
        self.ask("POST", "/crm/v3/objects/contacts/batch/upsert", Some(json!({ "inputs": [input] }))).await
    }

    async fn send(&self, to: &str, send_id: Option<&str>) -> Value {
        let body = json!({ "emailId": 1042, "message": { "to": to, "sendId": send_id } });
        self.ask("POST", "/marketing/v3/transactional/single-email/send", Some(body)).await.value()
    }
}

#[tokio::test]
async fn a_unique_value_is_taken_once_and_given_back_by_deleting() {
    let stage = stage(|stand_in| stand_in).await;
    let made = stage.deal("k1").await;
    let id = made.value()["id"].as_str().expect("an id").to_owned();
    let again = stage.deal("k1").await;
    assert_eq!((made.status, again.status), (201, 400));
    assert!(again.value()["message"].as_str().is_some_and(|words| words.contains("CONFLICTING_UNIQUE_VALUE")));
    let read = stage.get("/crm/v3/objects/deals/k1?idProperty=hapax_key&properties=hapax_key,amount").await.value();
    assert_eq!((&read["id"], &read["properties"]["hapax_key"]), (&json!(id), &json!("k1")));
    assert!(read["properties"]["amount"].is_null() && read["properties"]["dealname"].is_null());

    assert!(stage.hand.delete("deals", &id) && !stage.hand.delete("deals", "9"));
    assert_eq!(stage.get("/crm/v3/objects/deals/k1?idProperty=hapax_key").await.status, 404);
    let gone = stage.get("/crm/v3/objects/deals/k1?idProperty=hapax_key&archived=true").await;
    assert_eq!((gone.status, &gone.value()["archived"]), (200, &json!(true)));
    assert_eq!(stage.deal("k1").await.status, 201);
    assert_eq!(stage.server.effects().marked("k1").len(), 2);
}

#[tokio::test]
async fn the_key_property_must_be_set_up() {
    const READ: &str = "/crm/v3/objects/deals/k1?idProperty=hapax_key";
    const DEFINED: &str = "/crm/v3/properties/deals/hapax_key";
    let plain = stage(StandIn::with_plain_key_property).await;
    assert_eq!((plain.deal("k1").await.status, plain.deal("k1").await.status), (201, 201));
    assert_eq!(plain.get(READ).await.status, 400);
    assert_eq!(plain.get(DEFINED).await.value()["hasUniqueValue"], false);
    let without = stage(StandIn::without_key_property).await;
    assert_eq!((without.deal("k1").await.status, without.get(DEFINED).await.status), (400, 404));
    let ready = stage(|stand_in| stand_in).await;
    assert_eq!(ready.get(DEFINED).await.value()["hasUniqueValue"], true);
}

#[tokio::test]
async fn notes_have_the_key_property_too_and_wrong_ties_are_refused_with_words_alone() {
    let stage = stage(|stand_in| stand_in).await;
    let note = |key: &'static str, to: &'static str| {
        let properties = json!({ "hs_note_body": "Called.", "hs_timestamp": "2026-09-21T14:13:20Z", "hapax_key": key });
        let ties = json!([{ "to": { "id": to }, "types": [] }]);
        stage.ask("POST", "/crm/v3/objects/notes", Some(json!({ "properties": properties, "associations": ties })))
    };
    assert_eq!((note("k1", "201").await.status, note("k1", "201").await.status), (201, 400));
    let read = stage.get("/crm/v3/objects/notes/k1?idProperty=hapax_key&properties=hapax_key").await.value();
    assert_eq!(read["properties"]["hapax_key"], "k1");
    assert_eq!(stage.get("/crm/v3/properties/notes/hapax_key").await.value()["hasUniqueValue"], true);
    let refused = note("k2", "404").await;
    assert_eq!((refused.status, &refused.value()["category"]), (400, &json!("VALIDATION_ERROR")));
    assert!(refused.value()["message"].as_str().is_some_and(|words| words.contains("associations are invalid")));
    assert_eq!(stage.server.effects().count("note"), 1);
}

#[tokio::test]
async fn an_upsert_that_changes_nothing_is_no_effect() {
    let stage = stage(|stand_in| stand_in).await;
    let made = stage.upsert("email", "Jane@example.com", json!({ "firstname": "Jané" })).await.value();
    assert_eq!((&made["results"][0]["new"], &made["status"]), (&json!(true), &json!("COMPLETE")));
    assert_eq!(made["results"][0]["properties"]["email"], "jane@example.com");
    let again = stage.upsert("email", "jane@example.com", json!({ "firstname": "Jané" })).await.value();
    assert_eq!((&again["results"][0]["new"], &again["results"][0]["id"]), (&json!(false), &made["results"][0]["id"]));
    assert_eq!(stage.server.effects().count("contact"), 1);
    stage.upsert("email", "jane@example.com", json!({ "firstname": "" })).await;
    assert_eq!(stage.server.effects().count("contact"), 2);
    assert_eq!(stage.upsert("nickname", "jane", json!({})).await.status, 400);
    let number = stage.upsert("customer_number", "7", json!({ "email": "jane@example.com" })).await;
    assert_eq!(number.status, 400, "the address is another contact's");
}

#[tokio::test]
async fn a_batch_says_what_it_does_not_find() {
    let stage = stage(|stand_in| stand_in).await;
    stage.upsert("email", "jane@example.com", json!({ "firstname": "Jané" })).await;
    let read = |id: &'static str| {
        let body = json!({ "idProperty": "email", "inputs": [{ "id": id }], "properties": ["email", "phone"] });
        stage.ask("POST", "/crm/v3/objects/contacts/batch/read", Some(body))
    };
    let found = read("jane@example.com").await;
    assert_eq!((found.status, found.value()["results"][0]["properties"]["phone"].is_null()), (200, true));
    let missing = read("john@example.com").await;
    assert_eq!((missing.status, &missing.value()["errors"][0]["category"]), (207, &json!("OBJECT_NOT_FOUND")));
}

#[tokio::test]
async fn one_mail_is_sent_for_a_send_id_until_it_is_forgotten() {
    let stage = stage(|stand_in| stand_in).await;
    let first = stage.send("jane@example.com", Some("s1")).await;
    let repeat = stage.send("jane@example.com", Some("s1")).await;
    assert_ne!(first["statusId"], repeat["statusId"]);
    assert_eq!((&first["status"], stage.server.effects().count("mail")), (&json!("PENDING"), 1));
    stage.clock.advance(1_000);
    let status = |send: &Value| {
        let path = format!("/marketing/v3/email/send-statuses/{}", send["statusId"].as_str().unwrap_or_default());
        let stage = &stage;
        async move { stage.get(&path).await.value()["sendResult"].clone() }
    };
    assert_eq!((status(&first).await, status(&repeat).await), (json!("SENT"), json!("IDEMPOTENT_IGNORE")));
    stage.clock.advance(300_000);
    stage.send("jane@example.com", Some("s1")).await;
    stage.send("jane@example.com", None).await;
    assert_eq!(stage.server.effects().count("mail"), 3);
    let bounced = stage.send("bounced@example.com", Some("s2")).await;
    stage.clock.advance(1_000);
    assert_eq!(status(&bounced).await, "PREVIOUSLY_BOUNCED");
}

#[tokio::test]
async fn limits_and_tokens_are_kept() {
    let limited = stage(|stand_in| stand_in.accepts("me").requests_per_ten_seconds(1)).await;
    let account = format!("{}/account-info/v3/details", limited.server.url());
    let stranger = Call::new("GET", &account).header("authorization", "Bearer other").send().await.expect("a reply");
    assert_eq!(stranger.status, 401);
    assert_eq!(limited.get("/account-info/v3/details").await.value()["portalId"], 12_345_678);
    let refused = limited.get("/account-info/v3/details").await;
    assert_eq!((refused.status, &refused.value()["policyName"]), (429, &json!("TEN_SECONDLY_ROLLING")));
}
