use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{response, word};
use serde_json::json;

use super::*;
use crate::Refund;
use crate::testing::{CAPTURE, REFUND, SECRET, TOKEN, error, refund, scripted, token};

const CELL: &str = "paypal.refund";

fn read(status: u16, body: &Value) -> Option<Code> {
    Paypal::default().code(&response(status, body))
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let quoting = json!({"error": "invalid_token", "error_description": format!("{TOKEN} {SECRET}")});
    let desk = scripted(CELL, [(401, quoting)]);
    let answer = desk.attempt(&Refund::of(CAPTURE)).await;
    let (request, connection) = (desk.last(), desk.wire().connection());
    let shown = format!("{answer:?} {request:?} {:?} {connection:?}", connection.credentials);
    assert!(!shown.contains("verysecret"), "{shown}");
    assert!(!request.headers.iter().any(|(_, value)| value.contains("verysecret")));
    assert_eq!(request.secrets[0].1.expose_secret(), format!("Bearer {TOKEN}"));
}

#[test]
fn client_missing_credential_is_not_sent() {
    let missing = Connection::new("paypal", crate::integration(), Credentials::none()).err();
    assert!(missing.expect("no credentials").to_string().contains("PAYPAL_CLIENT_ID"));
}

#[test]
fn client_reads_only_paypals_envelopes() {
    for (status, body) in [
        (404, json!({"message": "Not Found"})),
        (404, json!({"name": "RESOURCE_NOT_FOUND", "message": "a proxy's"})),
        (422, json!({"error": "no description"})),
        (403, json!({"error": "forbidden", "error_description": "a gateway's"})),
        (400, json!({"error": "invalid_request", "error_description": "a gateway's"})),
        (502, json!("<html>")),
        (200, json!({"id": "X", "status": "COMPLETED"})),
    ] {
        assert_eq!(read(status, &body), None, "{body}");
        assert!(!Paypal::default().is_absent(&response(status, &body)));
    }
    let (status, body) = error(404, "RESOURCE_NOT_FOUND", &["INVALID_RESOURCE_ID"]);
    assert!(Paypal::default().is_absent(&response(status, &body)));
    let (status, body) = error(404, "RESOURCE_NOT_FOUND", &[]);
    assert!(!Paypal::default().is_absent(&response(status, &body)), "what isn't found is not said");
}

#[test]
fn client_several_issues_match_no_row() {
    let (status, body) = error(422, "UNPROCESSABLE_ENTITY", &["DUPLICATE_INVOICE_ID", "PENDING_CAPTURE"]);
    assert_eq!(read(status, &body).map(|code| code.code), Some("DUPLICATE_INVOICE_ID,PENDING_CAPTURE".to_owned()));
}

#[test]
fn client_issues_are_few_and_name_nobody() {
    let issues: Vec<String> =
        (0..15_000).map(|nth| format!("Receiver jane{nth}@example.com is wrong ({nth})")).collect();
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    let (status, body) = error(400, "VALIDATION_ERROR", &issues);
    let code = read(status, &body).expect("an error");
    assert!(code.code.len() < 400 && !code.code.contains("example"), "{}", code.code);
    let (status, body) = error(400, "VALIDATION_ERROR", &["A", "B", "A", "B"]);
    assert_eq!(read(status, &body).map(|code| code.code).as_deref(), Some("A,B"));
    let (status, body) = error(400, "VALIDATION_ERROR", &["A", "B", "C", "D", "E"]);
    assert_eq!(read(status, &body).map(|code| code.code).as_deref(), Some("A,B,C,..."));
}

#[test]
fn client_descriptions_are_left_out() {
    let (status, mut body) = error(422, "UNPROCESSABLE_ENTITY", &["PAYER_CANNOT_PAY"]);
    body["message"] = "Not done for jane@example.com.".into();
    let code = read(status, &body).expect("an error");
    assert_eq!((code.kind.as_str(), code.code.as_str()), ("UNPROCESSABLE_ENTITY", "PAYER_CANNOT_PAY"));
    assert_eq!(code.message, "Not done for ...");
}

#[tokio::test]
async fn client_one_token_serves_many_requests() {
    let desk = scripted(CELL, []);
    let answer = (201, refund(REFUND, &desk.mark()));
    // A second token would find nothing to answer it.
    let desk = scripted(CELL, [answer.clone(), answer]);
    for _ in 0..2 {
        assert_eq!(word(&desk.attempt(&Refund::of(CAPTURE)).await), "happened");
    }
}

#[tokio::test]
async fn client_whoami_names_the_app() {
    let desk = scripted(CELL, []);
    let said = desk.wire().connection().integration.whoami(desk.wire()).await.expect("it answers");
    assert_eq!(said, "PayPal app APP-1 at api-m.paypal.com, token for 32400 s");
    assert_eq!(token()["app_id"], "APP-1");
}
