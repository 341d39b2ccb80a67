//! The stand-in over real sockets, asked as a client asks.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hapax_standin::client::Call;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;

const MAIL: &str =
    "To: Jane <jane@example.com>\r\nSubject: s\r\nMIME-Version: 1.0\r\nX-Hapax-Key: mark\r\n\r\nbody\r\n";

async fn stand_in() -> (Server, StandIn) {
    let hand = StandIn::new(World::new(1));
    (hand.clone().serve(0).await.expect("a free port"), hand)
}

async fn ask(server: &Server, method: &str, path: &str, body: Option<Value>) -> Reply {
    let url = format!("{}/gmail/v1/users/me{path}", server.url());
    let call = Call::new(method, &url).header("authorization", "Bearer ya29.test");
    let call = match body {
        Some(body) => call.json(&body),
        None => call,
    };
    call.send().await.expect("a reply")
}

async fn draft(server: &Server, mail: &str) -> Value {
    let body = json!({ "message": { "raw": URL_SAFE_NO_PAD.encode(mail) } });
    ask(server, "POST", "/drafts", Some(body)).await.value()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

#[tokio::test]
async fn a_sent_draft_is_gone_and_a_new_message_is_in_sent() {
    let (server, hand) = stand_in().await;
    let draft = draft(&server, MAIL).await;
    let send = json!({ "id": draft["id"] });
    let sent = ask(&server, "POST", "/drafts/send", Some(send.clone())).await.value();
    assert_eq!((&sent["labelIds"], &sent["threadId"]), (&json!(["SENT"]), &draft["message"]["threadId"]));
    assert_ne!(sent["id"], draft["message"]["id"]);
    let again = ask(&server, "POST", "/drafts/send", Some(send)).await;
    assert_eq!((again.status, &again.value()["error"]["errors"][0]["reason"]), (404, &json!("notFound")));
    let path = format!("/drafts/{}", text(&draft["id"]));
    assert_eq!(ask(&server, "GET", &path, None).await.status, 404);
    assert_eq!(server.effects().marked("mark").len(), 1);
    let path = format!("/messages/{}?format=metadata&metadataHeaders=X-Hapax-Key", text(&sent["id"]));
    let shown = ask(&server, "GET", &path, None).await.value();
    assert_eq!(shown["payload"]["headers"], json!([{ "name": "X-Hapax-Key", "value": "mark" }]));
    hand.empty_sent();
    assert_eq!(ask(&server, "GET", "/messages?labelIds=SENT", None).await.value(), json!({ "resultSizeEstimate": 0 }));
}

#[tokio::test]
async fn an_upload_in_two_parts_is_a_draft() {
    let (server, _) = stand_in().await;
    let body = format!(
        "--b\r\nContent-Type: application/json\r\n\r\n{{\"message\":{{}}}}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n{MAIL}\r\n--b--\r\n"
    );
    let url = format!("{}/upload/gmail/v1/users/me/drafts?uploadType=multipart", server.url());
    let call = Call::post(&url).header("authorization", "Bearer ya29.test");
    let call = call.header("content-type", "multipart/related; boundary=b").body(body.into_bytes());
    let draft = call.send().await.expect("a reply").value();
    ask(&server, "POST", "/drafts/send", Some(json!({ "id": draft["id"] }))).await;
    assert_eq!(server.effects().count("mail"), 1);
}

#[tokio::test]
async fn a_recipient_that_cannot_be_is_refused_when_the_draft_is_sent() {
    let (server, _) = stand_in().await;
    let draft = draft(&server, &MAIL.replace("example.com", "example.invalid")).await;
    let refused = ask(&server, "POST", "/drafts/send", Some(json!({ "id": draft["id"] }))).await;
    assert_eq!((refused.status, server.effects().count("mail")), (400, 0));
}

#[tokio::test]
async fn drafts_are_listed_and_deleted() {
    let (server, _) = stand_in().await;
    let (one, two) = (draft(&server, MAIL).await, draft(&server, MAIL).await);
    let page = ask(&server, "GET", "/drafts?maxResults=1", None).await.value();
    assert_eq!((&page["drafts"][0]["id"], &page["nextPageToken"]), (&two["id"], &json!("1")));
    assert_eq!(ask(&server, "DELETE", &format!("/drafts/{}", text(&one["id"])), None).await.status, 204);
    assert_eq!(ask(&server, "DELETE", &format!("/drafts/{}", text(&one["id"])), None).await.status, 404);
    assert_eq!(ask(&server, "GET", "/drafts", None).await.value()["resultSizeEstimate"], 1);
}

#[tokio::test]
async fn without_the_scope_or_a_token_mails_are_not_read() {
    let hand = StandIn::new(World::new(1)).without_read_scope();
    let server = hand.serve(0).await.expect("a free port");
    let refused = ask(&server, "GET", "/messages?labelIds=SENT", None).await;
    assert_eq!(
        (refused.status, &refused.value()["error"]["errors"][0]["reason"]),
        (403, &json!("insufficientPermissions"))
    );
    let url = format!("{}/gmail/v1/users/me/drafts", server.url());
    assert_eq!(Call::get(&url).send().await.expect("a reply").status, 401);
}
