use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::response;
use hapax_core::words::{Answer, Fault};
use serde_json::json;

use super::*;
use crate::Charge;
use crate::testing::{SECRET_KEY, error, scripted};

fn charge() -> Charge {
    let args = json!({"amount": {"amount": 1050, "currency": "EUR"}, "payment_method": "pm_1abc"});
    serde_json::from_value(args).expect("arguments")
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let quoting = json!({"error": {"type": "invalid_request_error",
        "message": format!("Invalid API Key provided: {SECRET_KEY}")}});
    let desk = scripted("stripe.charge", [(401, quoting.clone()), (401, quoting)]).noting("intent", "pi_1");
    let answer: Answer<_> = desk.attempt(&charge()).await;
    let look = desk.find(&charge()).await;
    let request = desk.request(0);
    let connection = desk.wire().connection();
    let shown = format!("{answer:?} {look:?} {request:?} {:?} {connection:?}", connection.credentials);
    assert!(!shown.contains("verysecret"), "{shown}");
    assert!(!request.headers.iter().any(|(_, value)| value.contains("verysecret")));
    assert_eq!(request.secrets[0].0, "Authorization");
    assert_eq!(request.secrets[0].1.expose_secret(), format!("Bearer {SECRET_KEY}"));
}

#[test]
fn client_missing_credential_is_not_sent() {
    let missing = Connection::new("stripe", crate::integration(), Credentials::none()).err();
    assert!(missing.expect("no credentials").to_string().contains("STRIPE_API_KEY"));
}

#[test]
fn client_reads_only_stripes_envelope() {
    let code = |status, body| Stripe.code(&response(status, &body));
    assert_eq!(code(404, json!({"message": "Not Found"})), None);
    assert_eq!(code(502, json!("<html>")), None);
    assert_eq!(code(400, json!({"error": "bad"})), None);
    assert_eq!(code(400, json!({"error": {"message": "no type"}})), None);
    let inside_a_2xx = code(200, json!({"error": {"type": "api_error", "message": "x"}}));
    assert_eq!(inside_a_2xx.expect("an error").kind, "api_error");
}

#[test]
fn client_idempotency_errors_have_a_type_and_no_code() {
    let body = json!({"error": {"type": "idempotency_error", "message": "Keys for idempotent requests ..."}});
    let code = Stripe.code(&response(400, &body)).expect("an error");
    assert_eq!((code.kind.as_str(), code.code.as_str()), ("idempotency_error", ""));
}

#[test]
fn client_absent_only_by_resource_missing() {
    let absent = |(status, body): (u16, serde_json::Value)| Stripe.is_absent(&response(status, &body));
    assert!(absent(error(404, "invalid_request_error", "resource_missing")));
    assert!(!absent(error(404, "invalid_request_error", "")), "an unrecognised URL");
    assert!(!absent(error(400, "invalid_request_error", "resource_missing")), "of something that was named");
    assert!(!absent((404, json!({"message": "Not Found"}))));
}

#[test]
fn client_scope_names_mode_and_connected_account() {
    let scope = |key: &str, account: Option<&str>| {
        let mut credentials = Credentials::none().with("api_key", key.into());
        if let Some(account) = account {
            credentials = credentials.with("stripe_account", account.into());
        }
        Stripe.scope(&Connection::new("stripe", crate::integration(), credentials).expect("a connection"))
    };
    assert_eq!(scope("sk_test_1", None), "mode=test stripe_account=own");
    assert_eq!(scope("rk_live_1", Some("acct_9")), "mode=live stripe_account=acct_9");
    assert_eq!(scope("sk_", None), "mode=unknown stripe_account=own");
}

#[test]
fn client_pins_the_version() {
    let credentials = Credentials::none().with("api_key", SECRET_KEY.into()).with("stripe_account", "acct_9".into());
    let mut request = Request::get("/v1/account");
    let connection = Connection::new("stripe", crate::integration(), credentials).expect("a connection");
    Stripe.authorize(&connection, &mut request).expect("authorized");
    assert_eq!(request.headers, [("Stripe-Version".to_owned(), VERSION.to_owned())]);
    assert_eq!(request.secrets[1].0, "Stripe-Account");
}

#[tokio::test]
async fn client_whoami_names_the_account() {
    let desk = scripted("stripe.charge", [(200, json!({"id": "acct_1", "email": "somebody@example.com"}))]);
    assert_eq!(Stripe.whoami(desk.wire()).await, Ok("Stripe account acct_1, test mode".to_owned()));
    let desk = scripted("stripe.charge", [error(401, "invalid_request_error", "")]);
    assert!(matches!(Stripe.whoami(desk.wire()).await, Err(Fault::Status(401, _))));
}

#[tokio::test]
async fn client_whoami_without_account_endpoint() {
    let empty = json!({"data": [], "has_more": false});
    for refusal in [(404, json!({"message": "Not Found"})), error(403, "invalid_request_error", "")] {
        let desk = scripted("stripe.charge", [refusal, (200, empty.clone())]);
        let words = Stripe.whoami(desk.wire()).await.expect("words");
        assert!(words.contains("can't be read"), "{words}");
    }
}
