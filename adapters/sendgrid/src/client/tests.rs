use hapax_core::testing::response;
use serde_json::json;

use super::*;
use crate::testing::{KEY, error, mail, scripted};

const CELL: &str = "sendgrid.send";

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let desk = scripted(CELL, [error(400)]);
    let answer = desk.attempt(&mail("jane@example.org")).await;
    let shown = format!("{answer:?} {:?} {:?}", desk.wire().connection(), desk.last());
    assert!(!shown.contains(KEY) && !shown.contains("jane"), "{shown}");
    assert_eq!(desk.last().secrets[0].1.expose_secret(), format!("Bearer {KEY}"));
}

#[test]
fn client_messages_name_nobody() {
    let errors =
        json!({ "errors": [{ "message": "Does not contain a valid address: jane@example.org", "field": null }] });
    let code = SendGrid.code(&response(400, &errors)).expect("a code");
    assert_eq!((code.code.as_str(), code.message.as_str()), ("error", "Does not contain a valid address: ..."));
}

#[test]
fn client_reads_only_sendgrids_envelope() {
    assert_eq!(SendGrid.code(&response(400, &error(400).1)).map(|code| code.code).as_deref(), Some("from.email"));
    for other in [json!({ "message": "bad gateway" }), json!({ "errors": [] }), json!({ "errors": "x" })] {
        assert_eq!(SendGrid.code(&response(404, &other)), None, "{other}");
        assert!(!SendGrid.is_absent(&response(404, &other)));
    }
}

#[tokio::test]
async fn client_probe_tells_whether_the_activity_can_be_asked() {
    let probed = |answer| async move {
        let desk = scripted(CELL, [answer]);
        SendGrid.probe(desk.wire(), facts::HISTORY_BOUGHT).await
    };
    assert_eq!(probed((200, json!({ "messages": [] }))).await, Ok(Some(true)));
    assert_eq!(probed(error(403)).await, Ok(Some(false)));
    assert_eq!(probed(error(401)).await, Ok(Some(false)));
    assert!(probed(error(429)).await.is_err());
    let other = SendGrid.probe(scripted(CELL, []).wire(), Need::Receiver("something else")).await;
    assert_eq!(other, Ok(None));
}

#[tokio::test]
async fn client_whoami_counts_permissions() {
    let desk = scripted(CELL, [(200, json!({ "scopes": ["mail.send", "messages.read"] }))]);
    let who = SendGrid.whoami(desk.wire()).await.expect("a sentence");
    assert_eq!(who, "SendGrid; the API key has 2 permissions and may send mail");
    let desk = scripted(CELL, [(200, json!({ "scopes": ["messages.read"] }))]);
    assert!(SendGrid.whoami(desk.wire()).await.expect("a sentence").contains("may not send"));
}
