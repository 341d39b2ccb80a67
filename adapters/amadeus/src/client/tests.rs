use hapax_core::cell::{Connection, Credentials};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::words::Answer;
use serde_json::json;
use std::sync::Arc;

use super::*;
use crate::testing::{CARD, Desk, SECRET, TOKEN, credentials, error, flight, order, token};
use hapax_core::testing::{Script, response, word};

const CELL: &str = "amadeus.book_flight";

fn amadeus() -> Amadeus {
    Amadeus::default()
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let quoting = json!({"errors": [{"code": 38190, "title": format!("Invalid access token {TOKEN} {SECRET}")}]});
    let desk = Desk::new(CELL, [(401, quoting)]);
    let answer = desk.attempt(&flight("1")).await;
    let (request, connection) = (desk.last(), desk.wire().connection());
    let integration = amadeus();
    let shown = format!("{answer:?} {request:?} {:?} {connection:?} {integration:?}", connection.credentials);
    assert!(!shown.contains("verysecret") && !shown.contains(CARD), "{shown}");
    assert!(!request.headers.iter().any(|(_, value)| value.contains("verysecret")));
    assert_eq!(request.secrets[0].1.expose_secret(), format!("Bearer {TOKEN}"));
}

#[test]
fn client_missing_credential_is_not_sent() {
    let missing = Connection::new("amadeus", crate::integration(), Credentials::none()).err();
    assert!(missing.expect("no credentials").to_string().contains("AMADEUS_CLIENT_ID"));
}

async fn refreshed_at(address: Option<&str>) -> Result<(), Fault> {
    let connection = Connection::new("amadeus", crate::integration(), credentials()).expect("a connection");
    let connection = match address {
        Some(address) => connection.at(address).expect("an address"),
        None => connection,
    };
    let clock: SharedClock = Arc::new(SystemClock::new());
    let wire = Wire::new(Arc::new(connection), Arc::new(hapax_core::transport::HttpTransport::new()), clock);
    wire.connection().integration.refresh(&wire).await
}

#[tokio::test]
async fn client_unset_address_is_not_sent() {
    let fault = refreshed_at(None).await;
    assert!(matches!(&fault, Err(Fault::NotSent(why)) if why.contains("set base_url")), "{fault:?}");
}

#[tokio::test]
async fn client_self_service_is_gone() {
    for address in ["https://api.amadeus.com", "https://test.api.amadeus.com/"] {
        let fault = refreshed_at(Some(address)).await;
        assert!(matches!(&fault, Err(Fault::NotSent(why)) if why.contains("2026-07-17")), "{fault:?}");
    }
}

#[tokio::test]
async fn client_token_is_kept_until_shortly_before_it_expires() {
    let desk = Desk::new(CELL, std::iter::repeat_n((201, order("eJz1", "1")), 3));
    desk.attempt(&flight("1")).await;
    desk.later(1_498_000);
    assert_eq!(word(&desk.attempt(&flight("1")).await), "happened");
    assert_eq!(desk.tokens(), 1);
    desk.later(2_000);
    assert_eq!(word(&desk.attempt(&flight("1")).await), "happened");
    assert_eq!(desk.tokens(), 2, "five minutes before its end it is asked for anew");
}

#[tokio::test]
async fn client_401_forgets_the_token() {
    let desk = Desk::new(CELL, [error(401, 38190), (201, order("eJz1", "1"))]);
    assert_eq!(word(&desk.attempt(&flight("1")).await), "not done");
    assert_eq!(word(&desk.attempt(&flight("1")).await), "happened");
    assert_eq!(desk.tokens(), 2);
    // A look has no refresh before it, so it asks for a token itself, also when the one it has is refused.
    let order = || (200, order("eJz1", "1"));
    let desk = Desk::new(CELL, [order(), error(401, 38190), order()]);
    for tokens in [1, 2] {
        assert!(desk.fetch(&flight("1"), "eJz1").await.expect("read").is_some());
        assert_eq!(desk.tokens(), tokens);
    }
}

#[tokio::test]
async fn client_tokens_belong_to_their_credentials() {
    let desk = Desk::new(CELL, [(201, order("eJz1", "1"))]);
    desk.attempt(&flight("1")).await;
    let integration = &desk.wire().connection().integration;
    let is_authorized = |credentials| {
        let connection = Connection::new("amadeus", crate::integration(), credentials).expect("a connection");
        let connection = connection.at(crate::testing::ADDRESS).expect("an address");
        integration.authorize(&connection, &mut Request::get("/v1/x")).is_ok()
    };
    assert!(is_authorized(credentials()));
    assert!(!is_authorized(credentials().with("client_id", "other".into())));
    assert!(!is_authorized(office()), "another office has no token yet");
    let script = Script::of([(200, token())]);
    let connection = Connection::new("amadeus", crate::integration(), office()).expect("a connection");
    let connection = connection.at(crate::testing::ADDRESS).expect("an address");
    let desk = hapax_core::testing::Desk::new(connection, CELL, script);
    desk.wire().connection().integration.refresh(desk.wire()).await.expect("a token");
    let form = String::from_utf8(desk.last().encoded().expect("a form").1).expect("text");
    for part in ["grant_type=client_credentials", "client_id=id", "client_secret=", "guest_office_id=NCE1A0955"] {
        assert!(form.contains(part), "{form}");
    }
}

fn office() -> Credentials {
    credentials().with("guest_office_id", "NCE1A0955".into())
}

#[tokio::test]
async fn client_refused_token_is_not_sent() {
    let refusal = json!({"error": "invalid_client", "error_description": SECRET, "code": 38187, "title": SECRET});
    let desk = Desk::new(CELL, []).giving([(401, &refusal), (200, &json!({"access_token": TOKEN}))]);
    let answers: [Answer<_>; 2] = [desk.attempt(&flight("1")).await, desk.attempt(&flight("1")).await];
    assert_eq!(answers.each_ref().map(word), ["not done", "not done"]);
    assert!(!format!("{answers:?}").contains("verysecret"), "{answers:?}");
    assert_eq!(desk.asked(), Vec::<String>::new());
}

#[test]
fn client_reads_only_amadeus_envelope() {
    let code = |status, body| amadeus().code(&response(status, &body));
    assert_eq!(code(404, json!({"message": "Not Found"})), None);
    assert_eq!(code(502, json!("<html>")), None);
    assert_eq!(code(400, json!({"errors": []})), None);
    assert_eq!(code(400, json!({"errors": [{"title": "no code"}]})), None);
    assert_eq!(code(400, json!({"error": "invalid"})), None);
    let gateway = code(401, json!({"error": "invalid_client", "code": 38187, "title": "Invalid parameters"}));
    assert_eq!(gateway.expect("an error").kind, "invalid_client");
    let inside_a_2xx = code(200, error(200, 477).1);
    assert_eq!(inside_a_2xx.expect("an error").code, "477");
    assert!(amadeus().is_absent(&response(404, &error(404, 1797).1)));
    assert!(!amadeus().is_absent(&response(404, &error(404, 38196).1)), "a wrong URL");
}

#[tokio::test]
async fn client_several_codes_match_no_row() {
    let list = |codes: &[u32]| {
        let errors: Vec<_> = codes.iter().map(|code| json!({"code": code, "title": "TITLE"})).collect();
        (400, json!({"errors": errors}))
    };
    let desk = Desk::new(CELL, [list(&[477, 36870]), list(&[477, 477])]);
    assert_eq!(word(&desk.attempt(&flight("1")).await), "unclear", "one of the two follows an effect");
    assert_eq!(word(&desk.attempt(&flight("1")).await), "refused", "one code, twice");
}

#[test]
fn client_detail_is_left_out() {
    let body = json!({"errors": [{"code": 477, "title": "INVALID FORMAT", "detail": "MARIE is not acceptable",
        "source": {"pointer": "/data/travelers[0]/name", "example": "MARIE"}}]});
    let code = amadeus().code(&response(400, &body)).expect("an error");
    assert_eq!(code.message, "INVALID FORMAT at /data/travelers[0]/name");
}

#[test]
fn client_scope_names_the_office() {
    let scope = |credentials| {
        let connection = Connection::new("amadeus", crate::integration(), credentials).expect("a connection");
        amadeus().scope(&connection)
    };
    assert_eq!(scope(credentials()), "office=own");
    assert_eq!(scope(credentials().with("guest_office_id", "NCE1A0955".into())), "office=NCE1A0955");
}

#[tokio::test]
async fn client_whoami_names_the_application() {
    let desk = Desk::new(CELL, []).giving([(200, &token()), (401, &json!({"error": "invalid_client", "code": 1}))]);
    let integration = &desk.wire().connection().integration;
    let words = integration.whoami(desk.wire()).await.expect("words");
    assert_eq!(words, "Amadeus application Trips at amadeus.example, token for 1799 s");
    assert!(matches!(integration.whoami(desk.wire()).await, Err(Fault::NotSent(_))));
}
