use hapax_core::capability::{Need, Scope, Token};
use hapax_core::cell::{Cell, Integration};
use hapax_core::testing::{Desk, response};
use serde_json::{Value, json};

use super::*;
use crate::SendCell;
use crate::testing::{KEY, error, mail, scripted};

const CELL: &str = "resend.send";

fn desk(answers: Vec<(u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

fn said(status: u16, name: &str, message: &str) -> Response {
    response(status, &json!({"statusCode": status, "name": name, "message": message}))
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let desk = desk(vec![error(422, "validation_error")]);
    let answer = desk.attempt(&mail("jane@example.org")).await;
    let shown = format!("{answer:?} {:?} {:?}", desk.wire().connection(), desk.last());
    assert!(!shown.contains(KEY) && !shown.contains("jane"), "{shown}");
    let request = desk.last();
    assert!(request.headers.iter().all(|(_, value)| !value.contains(KEY)));
    assert_eq!(request.secrets.len(), 1);
    assert_eq!(request.secrets[0].1.expose_secret(), format!("Bearer {KEY}"));
}

#[test]
fn client_messages_name_nobody() {
    let code =
        Resend.code(&said(422, "validation_error", "Invalid `to` field jane@example.org, sorry")).expect("a code");
    assert_eq!(code.message, "Invalid `to` field ... sorry");
    assert_eq!(code.refusal().code, "validation_error");
}

#[test]
fn client_reads_only_resends_envelope() {
    let none = |status: u16, body: &Value| assert_eq!(Resend.code(&response(status, body)), None, "{body}");
    none(404, &json!({"message": "Not Found", "documentation_url": "https://emulate.dev"}));
    none(500, &json!({"error": "boom"}));
    none(403, &json!({"name": "validation_error", "message": "no status"}));
    none(200, &json!({"id": "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}));
    assert!(Resend.code(&response(200, &json!({"statusCode": null, "name": "x", "message": "y"}))).is_some());
}

#[test]
fn client_absent_only_by_a_record() {
    assert!(Resend.is_absent(&said(404, "not_found", "Email not found")));
    assert!(!Resend.is_absent(&said(404, "not_found", "The requested endpoint does not exist")));
    assert!(!Resend.is_absent(&said(422, "not_found", "Email not found")));
    assert!(!Resend.is_absent(&response(404, &json!({"message": "Not Found"}))));
}

#[test]
fn client_invalid_key_has_one_name() {
    for (status, name) in [(400, "validation_error"), (401, "validation_error"), (403, "invalid_api_key")] {
        let code = Resend.code(&said(status, name, "API key is invalid.")).expect("a code");
        assert_eq!(code.code, "invalid_api_key", "{status} {name}");
    }
    let other = Resend.code(&said(400, "validation_error", "The `to` field is invalid")).expect("a code");
    assert_eq!(other.code, "validation_error");
}

#[tokio::test]
async fn client_says_who_asks() {
    let desk = desk(vec![error(422, "validation_error"), (200, json!({"data": []}))]);
    desk.attempt(&mail("jane@example.org")).await;
    Resend.whoami(desk.wire()).await.expect("an answer");
    for number in 0..2 {
        let request = desk.request(number);
        let agent = request.headers.iter().find(|(name, _)| name == "User-Agent").map(|(_, value)| value.as_str());
        assert!(agent.is_some_and(|agent| agent.starts_with("hapax/")), "{agent:?}");
    }
}

#[tokio::test]
async fn client_probe_tells_what_the_key_may() {
    let need = SendCell::SPEC.queries().find_map(|query| query.needs.first().copied()).expect("a need");
    let may = desk(vec![(200, json!({"object": "list", "has_more": false, "data": []}))]);
    assert_eq!(Resend.probe(may.wire(), need).await, Ok(Some(true)));
    assert_eq!(may.asked(), ["GET /emails?limit=1"]);
    let may_not = desk(vec![error(401, "restricted_api_key")]);
    assert_eq!(Resend.probe(may_not.wire(), need).await, Ok(Some(false)));
    assert!(Resend.probe(desk(vec![error(401, "missing_api_key")]).wire(), need).await.is_err());
    assert_eq!(Resend.probe(desk(vec![]).wire(), Need::Receiver("somebody else's need")).await, Ok(None));
}

#[tokio::test]
async fn client_whoami_names_the_domains() {
    let domains = json!({"data": [{"name": "example.org", "status": "verified"}, {"name": "mail.example.org"}]});
    let said = Resend.whoami(desk(vec![(200, domains)]).wire()).await.expect("a sentence");
    assert_eq!(said, "Resend, full access, with example.org, mail.example.org");
    let restricted = Resend.whoami(desk(vec![error(401, "restricted_api_key")]).wire()).await.expect("a sentence");
    assert!(restricted.contains("may only send"), "{restricted}");
    assert!(Resend.whoami(desk(vec![error(401, "missing_api_key")]).wire()).await.is_err());
}

#[test]
fn client_tokens_are_scoped_to_the_credential() {
    let key = SendCell::SPEC.natives().find(|native| matches!(native.token, Token::Key(_))).expect("a key");
    for scope in [Scope::Account, Scope::Credential, Scope::Endpoint] {
        assert!(key.scope.contains(&scope), "{scope:?}");
    }
}
