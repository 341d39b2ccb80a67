use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;

const KEY: &str = "String {6f1a2c7e-4b0d-4e57-9c1e-8d6b3f2a9e10} Name hapax";

async fn started(clock: &Scripted) -> Server {
    StandIn::new(World::with_clock(1, clock.clock())).serve(0).await.expect("a free port")
}

async fn ask(server: &Server, method: &str, path: &str, body: Option<&Value>) -> Reply {
    let call = Call::new(method, &format!("{}/v1.0/{path}", server.url()));
    let call = call.header("authorization", "Bearer EwB.test").header("prefer", "IdType=\"ImmutableId\"");
    let call = if let Some(body) = body { call.json(body) } else { call };
    call.send().await.expect("an answer")
}

fn id(reply: &Reply) -> String {
    reply.value()["id"].as_str().expect("an id").to_owned()
}

fn mail(mark: &str) -> Value {
    json!({
        "subject": "a", "toRecipients": [{ "emailAddress": { "address": "jane@example.com" } }],
        "singleValueExtendedProperties": [{ "id": KEY, "value": mark }],
    })
}

#[tokio::test]
async fn a_queued_mail_looks_like_a_draft_and_can_go_twice() {
    let clock = Scripted::at(0);
    let server = started(&clock).await;
    let made = ask(&server, "POST", "me/messages", Some(&mail("m"))).await;
    assert_eq!((made.status, &made.value()["isDraft"]), (201, &json!(true)));
    let (one, send) = (format!("me/messages/{}", id(&made)), format!("me/messages/{}/send", id(&made)));
    let sent = ask(&server, "POST", &send, None).await;
    assert_eq!((sent.status, sent.body.len()), (202, 0));
    assert_eq!(ask(&server, "GET", &one, None).await.value()["isDraft"], true);
    assert_eq!(ask(&server, "POST", &send, None).await.status, 202);
    clock.advance(2_000);
    assert_eq!(ask(&server, "GET", &one, None).await.value()["isDraft"], false);
    assert_eq!(ask(&server, "POST", &send, None).await.status, 400);
    assert_eq!(server.effects().count("mail"), 2);
    assert_eq!(ask(&server, "GET", "users/jane@example.com/messages", None).await.status, 200);
}

#[tokio::test]
async fn a_filter_finds_whatever_the_case_and_shows_no_properties() {
    let server = started(&Scripted::at(0)).await;
    for mark in ["abc", "ABC", "other"] {
        ask(&server, "POST", "me/messages", Some(&mail(mark))).await;
    }
    let filter = format!("singleValueExtendedProperties/Any(ep: ep/id eq '{KEY}' and ep/value eq 'abc')");
    let filter = filter.replace(' ', "%20").replace('{', "%7B").replace('}', "%7D");
    let list = ask(&server, "GET", &format!("me/messages?$filter={filter}&$top=1"), None).await.value();
    assert_eq!(list["value"][0]["singleValueExtendedProperties"], Value::Null);
    let next = list["@odata.nextLink"].as_str().expect("another page");
    let rest = next.split_once("/v1.0/").expect("an address").1;
    let list = ask(&server, "GET", rest, None).await.value();
    assert_eq!((list["value"].as_array().map(Vec::len), &list["@odata.nextLink"]), (Some(1), &Value::Null));
    let one = format!("me/messages/{}", list["value"][0]["id"].as_str().expect("an id"));
    let expand = format!("$expand=singleValueExtendedProperties($filter=id%20eq%20'{}')", KEY.replace(' ', "%20"));
    let expand = expand.replace('{', "%7B").replace('}', "%7D");
    let shown = ask(&server, "GET", &format!("{one}?{expand}"), None).await.value();
    assert_eq!(shown["singleValueExtendedProperties"], json!([{ "id": KEY, "value": "abc" }]));
}

#[tokio::test]
async fn a_transaction_id_is_remembered_for_a_while() {
    let clock = Scripted::at(0);
    let server = started(&clock).await;
    let at = |time: &str| json!({ "dateTime": time, "timeZone": "UTC" });
    let event = json!({
        "subject": "a", "transactionId": "t", "start": at("2026-12-01T10:00:00"), "end": at("2026-12-01T11:00:00"),
    });
    let create = || ask(&server, "POST", "me/events", Some(&event));
    let first = create().await;
    assert_eq!((create().await.status, server.effects().count("event")), (201, 2), "two at once");
    clock.advance(2_000);
    assert_eq!((id(&create().await), server.effects().count("event")), (id(&first), 2));
    clock.advance(600_000);
    create().await;
    assert_eq!(server.effects().count("event"), 3);
    let gone = ask(&server, "GET", "me/calendars/missing/events", None).await;
    assert_eq!((gone.status, &gone.value()["error"]["code"]), (404, &json!("ErrorItemNotFound")));
}

#[tokio::test]
async fn a_chat_is_listed_newest_first_fifty_at_a_time() {
    let clock = Scripted::at(1_000_000);
    let server = started(&clock).await;
    for number in 0..51 {
        let text = json!({ "body": { "content": format!("{number}") } });
        assert_eq!(ask(&server, "POST", "chats/19:a@thread.v2/messages", Some(&text)).await.status, 201);
        clock.advance(1_000);
    }
    let list = ask(&server, "GET", "chats/19:a@thread.v2/messages?$top=100", None).await.value();
    assert_eq!(
        (list["value"].as_array().map(Vec::len), &list["value"][0]["body"]["content"]),
        (Some(50), &json!("50"))
    );
    assert!(list["@odata.nextLink"].is_string());
    let since = "$filter=lastModifiedDateTime%20gt%201970-01-01T00:17:28Z";
    let path = format!("chats/19:a@thread.v2/messages?{since}");
    assert_eq!(ask(&server, "GET", &path, None).await.value()["value"].as_array().map(Vec::len), Some(10));
    let path = format!("{path}&$orderby=lastModifiedDateTime%20desc");
    assert_eq!(ask(&server, "GET", &path, None).await.value()["value"].as_array().map(Vec::len), Some(2));
    let unplaced = json!({ "body": { "content": "x" }, "attachments": [{ "id": "1" }] });
    assert_eq!(ask(&server, "POST", "chats/19:a@thread.v2/messages", Some(&unplaced)).await.status, 400);
}

#[tokio::test]
async fn tokens_are_issued_and_taken_back() {
    let stand_in = StandIn::new(World::new(1));
    let server = stand_in.clone().serve(0).await.expect("a free port");
    let ask_for = |fields: &[(&str, &str)]| {
        Call::post(&format!("{}/contoso.com/oauth2/v2.0/token", server.url())).form(fields).send()
    };
    let app = [("client_id", "c"), ("client_secret", "s"), ("scope", "https://x/.default")];
    let issued = ask_for(&[app.as_slice(), &[("grant_type", "client_credentials")]].concat()).await.expect("an answer");
    let token = issued.value()["access_token"].as_str().expect("a token").to_owned();
    let revoked = [("grant_type", "refresh_token"), ("client_id", "c"), ("refresh_token", "revoked")];
    assert_eq!(ask_for(&revoked).await.expect("an answer").status, 400);
    let bearer = format!("Bearer {token}");
    let me = || Call::get(&format!("{}/v1.0/me", server.url())).header("authorization", &bearer).send();
    assert_eq!(me().await.expect("an answer").status, 200);
    stand_in.revoke();
    assert_eq!(me().await.expect("an answer").status, 401);
}
