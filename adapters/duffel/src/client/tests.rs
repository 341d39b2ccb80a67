use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::response;
use serde_json::json;

use super::*;
use crate::testing::{TOKEN, error, missing, page, scripted};

const CELL: &str = "duffel.pay";

fn read(status: u16, body: &serde_json::Value) -> Option<Code> {
    Duffel.code(&response(status, body))
}

fn connected(token: &str) -> Connection {
    let credentials = Credentials::none().with("access_token", token.into());
    Connection::new("duffel", crate::integration(), credentials).expect("a connection")
}

#[test]
fn client_secrets_are_never_shown() {
    let desk = scripted(CELL, []);
    let mut request = Request::get(ORDERS);
    Duffel.authorize(desk.wire().connection(), &mut request).expect("a token");
    assert_eq!(request.secrets[0].1.expose_secret(), format!("Bearer {TOKEN}"));
    let shown = format!("{request:?} {:?}", desk.wire().connection());
    assert!(!shown.contains("verysecret"), "{shown}");
}

#[test]
fn client_missing_token_is_not_sent() {
    let missing = Connection::new("duffel", crate::integration(), Credentials::none()).err();
    assert!(missing.expect("no credentials").to_string().contains("DUFFEL_ACCESS_TOKEN"));
}

#[test]
fn client_reads_only_duffels_envelope() {
    for (status, body) in [
        (404, json!({"message": "Not Found"})),
        (404, json!({"errors": ["not_found"]})),
        (404, json!({"errors": []})),
        (502, json!("<html>")),
        (200, json!({"data": {"id": "ord_1"}})),
    ] {
        assert_eq!(read(status, &body), None, "{body}");
        assert!(!Duffel.is_absent(&response(status, &body)));
    }
    let (status, body) = missing();
    assert!(Duffel.is_absent(&response(status, &body)));
    let (status, body) = error(404, "invalid_request_error", "no_such_path");
    assert!(!Duffel.is_absent(&response(status, &body)), "a wrong URL is no absence");
}

#[test]
fn client_several_errors_match_no_row() {
    let issue = |code: &str| json!({"type": "validation_error", "code": code, "title": "No", "message": "no"});
    let body = json!({"errors": [issue("already_paid"), issue("validation_required")], "meta": {}});
    let code = read(422, &body).expect("an error");
    assert_eq!((code.kind.as_str(), code.code.as_str()), ("validation_error", "already_paid,validation_required"));
    let mixed = json!({"errors": [issue("a"), {"type": "airline_error", "code": "b", "title": "No"}]});
    assert_eq!(read(422, &mixed).expect("an error").kind, "validation_error,airline_error");
}

#[test]
fn client_messages_are_left_out() {
    let (status, body) = error(422, "validation_error", "invalid_phone_number");
    let code = read(status, &body).expect("an error");
    assert_eq!((code.message.as_str(), code.code.as_str()), ("No", "invalid_phone_number"));
}

#[test]
fn client_202_is_an_answer_of_its_own() {
    for body in [json!({"data": {"id": "ord_1"}}), serde_json::Value::Null] {
        assert_eq!(read(202, &body).map(|code| code.code).as_deref(), Some(ACCEPTED));
    }
}

#[test]
fn client_mode_is_part_of_the_scope() {
    for (token, scope) in [("duffel_test_a", "mode=test"), ("duffel_live_a", "mode=live"), ("a", "mode=unknown")] {
        assert_eq!(Duffel.scope(&connected(token)), scope);
    }
    assert_eq!(Duffel.scope(&connected("duffel_test_a")), Duffel.scope(&connected("duffel_test_b")));
}

#[tokio::test]
async fn client_whoami_names_the_mode() {
    let desk = scripted(CELL, [page(&[], None)]);
    let said = Duffel.whoami(desk.wire()).await.expect("it answers");
    assert_eq!(said, "Duffel, test mode; the access token may read orders");
    assert_eq!(desk.asked(), ["GET /air/orders?limit=1"]);
    assert!(desk.last().headers.contains(&("Duffel-Version".to_owned(), "v2".to_owned())));
}
