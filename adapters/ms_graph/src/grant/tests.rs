use std::collections::BTreeMap;
use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::transport::Request;
use hapax_core::words::Answer;
use serde_json::{Value, json};

use super::grant_of;
use crate::testing::{error, scripted_for};
use crate::{PostChatMessage, integration};

const CELL: &str = "ms_graph.post_chat_message";
const LOOK: &str = "/v1.0/chats/19:x@thread.v2/messages";

fn credentials(fields: &[(&str, &str)]) -> Credentials {
    fields.iter().fold(Credentials::none(), |all, (name, value)| all.with(name, (*value).into()))
}

fn app() -> Credentials {
    let fields =
        [("client_id", "client"), ("client_secret", "hush"), ("tenant", "contoso.com"), ("user", "jane@contoso.com")];
    credentials(&fields)
}

fn refreshing() -> Credentials {
    credentials(&[("client_id", "client"), ("refresh_token", "0.refresh")])
}

fn token(name: &str) -> (u16, Value) {
    (200, json!({ "access_token": name, "expires_in": 3600, "token_type": "Bearer" }))
}

fn args() -> PostChatMessage {
    PostChatMessage::text("19:x@thread.v2", "It is due.")
}

fn desk(credentials: Credentials, answers: impl IntoIterator<Item = (u16, Value)>) -> (Desk, Arc<Script>) {
    let script = Script::of(answers);
    (scripted_for(CELL, script.clone(), credentials), script)
}

fn empty() -> (u16, Value) {
    (200, json!({ "value": [] }))
}

#[test]
fn tokens_missing_credentials_are_named() {
    let check = |fields: &[(&str, &str)], says: &str| {
        let connection = Connection::new("graph", integration(), credentials(fields)).expect("a connection");
        let refused = grant_of(&connection).err().expect("nothing to go with").to_string();
        assert!(refused.contains(says), "{refused}");
    };
    check(&[], "MS_GRAPH_REFRESH_TOKEN");
    check(&[("refresh_token", "0.x")], "MS_GRAPH_CLIENT_ID");
    check(&[("client_secret", "x")], "MS_GRAPH_CLIENT_ID");
    check(&[("client_secret", "x"), ("client_id", "c")], "MS_GRAPH_USER");
    check(&[("client_secret", "x"), ("client_id", "c"), ("user", "u")], "MS_GRAPH_TENANT");
    check(&[("refresh_token", "0.x"), ("client_id", "c"), ("tenant", "../x")], "tenant is no id");
}

#[tokio::test]
async fn tokens_are_refreshed_once_and_kept() {
    let (desk, script) = desk(refreshing(), [token("one"), empty(), empty()]);
    assert!(desk.find(&args()).await.is_ok());
    assert!(desk.find(&args()).await.is_ok());
    assert_eq!((script.count("/common/oauth2/v2.0/token"), script.count(LOOK)), (1, 2));
    let (base, request) = script.request(0);
    assert_eq!(base.as_str(), "https://login.microsoftonline.com/");
    let form = form_of(&request);
    assert_eq!((form["grant_type"].as_str(), form["refresh_token"].as_str()), ("refresh_token", "0.refresh"));
    assert_eq!(form["client_id"], "client");
    assert!(!format!("{request:?}").contains("refresh"));
}

#[tokio::test]
async fn tokens_of_an_application_are_for_its_cloud() {
    let (desk, script) = desk(app(), [token("one"), empty()]);
    assert!(desk.find(&args()).await.is_ok());
    let (base, request) = script.request(0);
    assert_eq!(
        (base.as_str(), request.path.as_str()),
        ("https://login.microsoftonline.com/", "/contoso.com/oauth2/v2.0/token")
    );
    assert_eq!(form_of(&request)["scope"], "https://graph.microsoft.com/.default");
    let cloud = app().with("token_url", "https://login.chinacloudapi.cn/contoso.cn/oauth2/v2.0/token".into());
    let connection = Connection::new("graph", integration(), cloud).expect("a connection");
    let script = Script::of([token("one"), empty()]);
    let there = connection.at("https://microsoftgraph.chinacloudapi.cn").expect("an address");
    assert!(Desk::new(there, CELL, script.clone()).find(&args()).await.is_ok());
    let (base, request) = script.request(0);
    assert_eq!(base.as_str(), "https://login.chinacloudapi.cn/");
    assert_eq!(form_of(&request)["scope"], "https://microsoftgraph.chinacloudapi.cn/.default");
}

#[tokio::test]
async fn tokens_are_refreshed_after_a_401() {
    let refused = || error(401, "InvalidAuthenticationToken");
    let (desk, script) = desk(refreshing(), [token("one"), refused(), token("two"), empty()]);
    assert!(desk.find(&args()).await.is_ok(), "a look goes on with a new token");
    assert_eq!(script.asked().len(), 4);
    let (desk, script) = self::desk(refreshing(), [token("one"), refused(), token("two")]);
    assert!(matches!(desk.attempt(&args()).await, Answer::NotDone(..)), "a shot is never sent twice");
    integration_of(&desk).refresh(desk.wire()).await.expect("a new token before the next attempt");
    assert_eq!(script.asked().len(), 3);
}

/// The library writes its own form.
fn form_of(request: &Request) -> BTreeMap<String, String> {
    let (_, body) = request.encoded().expect("a form");
    form_urlencoded::parse(&body).into_owned().collect()
}

fn integration_of(desk: &Desk) -> hapax_core::cell::SharedIntegration {
    desk.wire().connection().integration.clone()
}
