//! The stand-in over real sockets, asked as a client asks.

use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;

const EVENTS: &str = "/calendar/v3/calendars/primary/events";

async fn ask(server: &Server, method: &str, path: &str, more: &[(&str, &str)], body: Option<Value>) -> Reply {
    let call = Call::new(method, &format!("{}{path}", server.url())).header("authorization", "Bearer ya29.test");
    let call = more.iter().fold(call, |call, (name, value)| call.header(name, value));
    let call = match body {
        Some(body) => call.json(&body),
        None => call,
    };
    call.send().await.expect("a reply")
}

fn event(id: &str) -> Value {
    json!({
        "id": id, "summary": "s", "description": "d",
        "start": { "dateTime": "2026-12-01T10:00:00+01:00" }, "end": { "dateTime": "2026-12-01T11:00:00+01:00" },
        "extendedProperties": { "private": { "hapax": "mark", "other": "x" } },
    })
}

fn reason(reply: &Reply) -> Value {
    reply.value()["error"]["errors"][0]["reason"].clone()
}

#[tokio::test]
async fn an_id_is_taken_once_though_not_at_once_and_stays_so_when_it_is_deleted() {
    let clock = Scripted::at(1_000_000);
    let hand = StandIn::new(World::with_clock(1, clock.clock()));
    let server = hand.clone().serve(0).await.expect("a free port");
    let create = |id| ask(&server, "POST", EVENTS, &[], Some(event(id)));
    let made = create("abcde").await;
    assert_eq!((made.status, &made.value()["start"]["dateTime"]), (200, &json!("2026-12-01T09:00:00Z")));
    assert_eq!(create("abcde").await.status, 200, "not noticed yet");
    clock.advance(2_000);
    let again = create("abcde").await;
    assert_eq!((again.status, reason(&again)), (409, json!("duplicate")));
    assert_eq!(server.effects().marked("mark").len(), 2);
    let one = format!("{EVENTS}/abcde");
    assert_eq!(ask(&server, "DELETE", &one, &[], None).await.status, 204);
    let gone = ask(&server, "DELETE", &one, &[], None).await;
    assert_eq!((gone.status, reason(&gone)), (410, json!("deleted")));
    assert_eq!(ask(&server, "GET", &one, &[], None).await.value()["status"], "cancelled");
    assert_eq!(create("abcde").await.status, 409);
    hand.purge("primary");
    assert_eq!(ask(&server, "GET", &one, &[], None).await.status, 404);
    for id in ["abc", "wxyz0", "ABCDE"] {
        assert_eq!(create(id).await.status, 400, "{id}");
    }
}

#[tokio::test]
async fn a_change_is_made_on_its_version_alone() {
    let server = super::serve(0).await.expect("a free port");
    let made = ask(&server, "POST", EVENTS, &[], Some(event("abcde"))).await.value();
    let (one, etag) = (format!("{EVENTS}/abcde"), made["etag"].as_str().expect("a version").to_owned());
    let patch = json!({ "description": null, "start": { "date": "2026-12-01", "dateTime": null },
        "end": { "date": "2026-12-02", "dateTime": null }, "extendedProperties": { "private": { "other": null } } });
    let change = |etag: String, patch: Value| {
        let (server, one) = (&server, &one);
        async move { ask(server, "PATCH", one, &[("if-match", &etag)], Some(patch)).await }
    };
    assert_eq!(change(etag.clone(), json!({ "summary": "refused" })).await.status, 400);
    let changed = change(etag.clone(), patch.clone()).await;
    let value = changed.value();
    assert_eq!((changed.status, &value["start"]), (200, &json!({ "date": "2026-12-01" })));
    assert_eq!(
        (&value["description"], &value["extendedProperties"]),
        (&Value::Null, &json!({ "private": { "hapax": "mark" } }))
    );
    let again = change(etag.clone(), patch).await;
    assert_eq!((again.status, reason(&again)), (412, json!("conditionNotMet")));
    assert_eq!(ask(&server, "DELETE", &one, &[("if-match", &etag)], None).await.status, 412);
    let effects = server.effects();
    assert_eq!((effects.count("update_event"), effects.count("delete_event")), (1, 0));
    let few = ask(&server, "GET", &format!("{one}?fields=id,status"), &[], None).await.value();
    assert_eq!(few, json!({ "id": "abcde", "status": "confirmed" }));
}

#[tokio::test]
async fn lists_filter_by_property_and_go_on_by_token() {
    let server = super::serve(0).await.expect("a free port");
    for number in 0..3 {
        ask(&server, "POST", EVENTS, &[], Some(event(&format!("event{number}")))).await;
    }
    ask(&server, "DELETE", &format!("{EVENTS}/event0"), &[], None).await;
    let list = |query: String| {
        let server = &server;
        async move { ask(server, "GET", &format!("{EVENTS}?{query}"), &[], None).await.value() }
    };
    let count = |list: &Value| list["items"].as_array().map(Vec::len);
    let first = list("privateExtendedProperty=hapax%3Dmark&showDeleted=true&maxResults=2".to_owned()).await;
    assert_eq!((&first["kind"], count(&first)), (&json!("calendar#events"), Some(2)));
    let token = first["nextPageToken"].as_str().expect("there is more");
    let next = format!("privateExtendedProperty=hapax%3Dmark&showDeleted=true&maxResults=2&pageToken={token}");
    let last = list(next).await;
    assert_eq!((count(&last), last.get("nextPageToken")), (Some(1), None));
    assert_eq!(count(&list("privateExtendedProperty=hapax%3Dmark".to_owned()).await), Some(2));
    assert_eq!(count(&list("privateExtendedProperty=hapax%3Dother".to_owned()).await), Some(0));
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() {
    let server = super::serve(0).await.expect("a free port");
    let mut wrong = event("abcde");
    wrong["end"] = json!({ "dateTime": "2026-12-01T09:00:00+01:00" });
    let refused = ask(&server, "POST", EVENTS, &[], Some(wrong)).await;
    assert_eq!((refused.status, reason(&refused)), (400, json!("timeRangeEmpty")));
    let missing = "/calendar/v3/calendars/missing@example.com/events";
    assert_eq!(ask(&server, "POST", missing, &[], Some(event("abcde"))).await.status, 404);
    let mut locked = event("abcde");
    locked["summary"] = "locked".into();
    ask(&server, "POST", EVENTS, &[], Some(locked)).await;
    assert_eq!(ask(&server, "DELETE", &format!("{EVENTS}/abcde"), &[], None).await.status, 403);
    assert_eq!(server.effects().count("create_event") + server.effects().count("delete_event"), 1);
    let url = format!("{}{EVENTS}", server.url());
    assert_eq!(Call::get(&url).send().await.expect("a reply").status, 401);
}
