use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script, response};
use hapax_core::words::Answer;
use serde_json::{Value, json};

use super::*;
use crate::Post;
use crate::testing::{CHANNEL, TOKEN, connection, error, scripted};

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let quoting = json!({"ok": false, "error": "invalid_auth", "response_metadata": {"messages": [TOKEN]}});
    let desk = scripted("slack.post", [(200, quoting.clone()), (200, quoting)]);
    let post = Post::text(CHANNEL, "hello");
    let answer: Answer<_> = desk.attempt(&post).await;
    let look = desk.find(&post).await;
    let connection = desk.wire().connection();
    let shown = format!("{answer:?} {look:?} {:?} {connection:?}", connection.credentials);
    assert!(!shown.contains("verysecret"), "{shown}");
    let request = desk.request(0);
    assert!(!request.headers.iter().any(|(_, value)| value.contains("Bearer")));
    assert_eq!(request.secrets[0].1.expose_secret(), format!("Bearer {TOKEN}"));
}

#[test]
fn client_messages_name_nobody() {
    let details = ["[ERROR] anna@example.com is no channel [json-pointer:/channel]"];
    let body = json!({"ok": false, "error": "missing_scope", "needed": "channels:history", "provided": "chat:write",
        "response_metadata": {"messages": details}});
    let code = Slack.code(&response(200, &body)).expect("an error");
    assert_eq!(code.message, "Slack answers missing_scope; it needs channels:history");
}

#[test]
fn client_missing_token_is_not_sent() {
    let missing = Connection::new("slack", crate::integration(), Credentials::none()).expect_err("no token");
    assert!(missing.to_string().contains("SLACK_BOT_TOKEN"), "{missing}");
    let webhook = connection("https://hooks.slack.com/services/T0/B0/verysecret");
    let fault = Slack.authorize(&webhook, &mut Request::post("/api/auth.test"));
    let Err(Fault::NotSent(why)) = fault else { panic!("{fault:?}") };
    assert!(why.contains("no Slack token") && !why.contains("verysecret"), "{why}");
}

#[test]
fn client_reads_errors_inside_a_200() {
    let code = |body: Value| Slack.code(&response(200, &body)).map(|code| code.code);
    assert_eq!(code(error("is_archived").1), Some("is_archived".to_owned()));
    let warned = json!({"ok": true, "channel": CHANNEL, "warning": "missing_charset",
        "response_metadata": {"warnings": ["missing_charset"]}});
    assert_eq!(code(warned), None);
    assert_eq!(code(json!({"ok": true, "error": "is_archived"})), None, "ok decides");
}

#[test]
fn client_reads_only_slacks_envelope() {
    let code = |status, body: Value| Slack.code(&response(status, &body)).map(|code| code.code);
    assert_eq!(code(404, json!({"message": "Not Found", "documentation_url": "x"})), None);
    assert_eq!(code(403, json!({"error": "forbidden"})), None);
    assert_eq!(code(502, json!("<html>")), None);
    assert_eq!(code(200, json!({"ok": false})), None);
    assert_eq!(code(429, json!({"ok": false, "error": "ratelimited"})), Some("ratelimited".to_owned()));
    assert!(!Slack.is_absent(&response(404, &error("thread_not_found").1)));
}

#[tokio::test]
async fn client_page_without_its_end_is_an_error() {
    for page in [
        json!({"ok": true, "messages": []}),
        json!({"ok": true, "messages": [], "has_more": true}),
        json!({"ok": true, "messages": [], "has_more": true, "response_metadata": {"next_cursor": ""}}),
        json!({"ok": true, "has_more": false}),
    ] {
        let desk = scripted("slack.post", [(200, page.clone())]);
        assert!(desk.find(&Post::text(CHANNEL, "hello")).await.is_err(), "{page}");
    }
}

#[tokio::test]
async fn client_whoami_names_the_workspace() {
    let who = json!({"ok": true, "team": "Acme", "team_id": "T1", "user": "hapax", "user_id": "U1", "bot_id": "B1"});
    let desk = scripted("slack.post", [(200, who)]);
    assert_eq!(Slack.whoami(desk.wire()).await, Ok("Slack workspace Acme (T1), bot hapax".to_owned()));
    assert_eq!(desk.asked(), ["POST /api/auth.test"]);
    let desk = scripted("slack.post", [error("token_revoked")]);
    assert!(matches!(Slack.whoami(desk.wire()).await, Err(Fault::Status(200, _))));
}

#[tokio::test]
async fn client_probe_reads_scopes() {
    let probed = async |scopes: Option<&str>| {
        let desk = Desk::new(connection(TOKEN), "slack.post", Script::of([]));
        let mut answer = response(200, &json!({"ok": true}));
        answer.headers.extend(scopes.map(|scopes| ("x-oauth-scopes".to_owned(), scopes.to_owned())));
        desk.script().push(Ok(answer));
        Slack.probe(desk.wire(), facts::READS_HISTORY).await
    };
    let all = "chat:write, channels:history,groups:history,im:history,mpim:history";
    assert_eq!(probed(Some(all)).await, Ok(Some(true)));
    assert_eq!(probed(Some("chat:write")).await, Ok(Some(false)));
    assert_eq!(probed(Some("chat:write,channels:history")).await, Ok(None));
    assert_eq!(probed(None).await, Ok(None));
    let desk = scripted("slack.post", [error("invalid_auth")]);
    assert!(Slack.probe(desk.wire(), facts::READS_HISTORY).await.is_err());
    assert_eq!(Slack.probe(desk.wire(), Need::Setting("else")).await, Ok(None));
}
