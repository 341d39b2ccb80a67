use hapax_core::capability::Need;
use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::response;
use hapax_core::transport::Request;
use serde_json::json;

use crate::facts::READS_SENT;
use crate::integration;
use crate::testing::{TOKEN, error, mail, scripted};

#[test]
fn client_secrets_and_addresses_are_never_shown() {
    let credentials = Credentials::none().with("access_token", TOKEN.into());
    let mut request = Request::get("/x");
    let connection = Connection::new("gmail", integration(), credentials.clone()).expect("a connection");
    integration().authorize(&connection, &mut request).expect("a token");
    assert_eq!(request.secrets.len(), 1);
    let (status, body) = error(401, "authError");
    let code = integration().code(&response(status, &body)).expect("an envelope");
    let shown = format!("{request:?} {credentials:?} {:?} {code:?} {:?}", mail(), mail().to[0]);
    for secret in [TOKEN, "jane", "Grüße", "It is due", "Jané"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn client_reads_only_googles_envelope() {
    let gmail = integration();
    for foreign in [json!({ "message": "Not Found" }), json!({ "error": "invalid_grant" }), json!([])] {
        assert_eq!(gmail.code(&response(404, &foreign)), None);
        assert!(!gmail.is_absent(&response(404, &foreign)));
    }
}

#[test]
fn client_absent_only_by_not_found() {
    let gmail = integration();
    let is_absent = |(status, body)| gmail.is_absent(&response(status, &body));
    assert!(is_absent(error(404, "notFound")));
    assert!(!is_absent(error(404, "other")));
    assert!(!is_absent(error(410, "notFound")));
}

#[test]
fn client_scope_names_the_mailbox() {
    let scope = |subject: Option<&str>| {
        let credentials = Credentials::none();
        let credentials = match subject {
            Some(subject) => credentials.with("subject", subject.into()),
            None => credentials,
        };
        let connection = Connection::new("gmail", integration(), credentials).expect("a connection");
        connection.integration.scope(&connection)
    };
    assert_eq!(scope(None), "subject=own");
    assert_ne!(scope(Some("jane@example.com")), scope(Some("kim@example.com")));
    assert_eq!(scope(Some("jane@example.com")), scope(Some("Jane@example.com")));
    assert!(!scope(Some("jane@example.com")).contains("jane"));
}

#[tokio::test]
async fn client_whoami_names_the_mailbox() {
    let desk = scripted([(200, json!({ "emailAddress": "jane@example.com" }))]);
    let who = integration().whoami(desk.wire()).await;
    assert_eq!(who, Ok("Gmail mailbox j...@example.com".to_owned()));
    let desk = scripted([error(403, "insufficientPermissions"), (200, json!({ "resultSizeEstimate": 0 }))]);
    assert!(integration().whoami(desk.wire()).await.expect("drafts").contains("403"));
    assert!(integration().whoami(scripted([error(401, "authError")]).wire()).await.is_err());
}

#[tokio::test]
async fn client_probe_reads_sent() {
    let probe = async |answer, need| integration().probe(scripted([answer]).wire(), need).await;
    let empty = (200, json!({ "resultSizeEstimate": 0 }));
    assert_eq!(probe(empty.clone(), READS_SENT).await, Ok(Some(true)));
    assert_eq!(probe(error(403, "insufficientPermissions"), READS_SENT).await, Ok(Some(false)));
    assert!(probe(error(500, "backendError"), READS_SENT).await.is_err());
    assert_eq!(probe(empty, Need::Setting("other")).await, Ok(None));
}
