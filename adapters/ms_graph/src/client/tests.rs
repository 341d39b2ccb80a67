use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, response};
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Fault, Finding};
use serde_json::{Value, json};

use crate::facts::{READS_CHATS, READS_MAIL};
use crate::testing::{TOKEN, error, scripted};
use crate::{Attendee, CreateEvent, Mailbox, PostChatMessage, SendMail, integration};

const CELL: &str = "ms_graph.send_mail";

fn connection(fields: &[(&str, &str)]) -> Connection {
    let token = Credentials::none().with("access_token", TOKEN.into());
    let credentials = fields.iter().fold(token, |all, (name, value)| all.with(name, (*value).into()));
    Connection::new("graph", integration(), credentials).expect("a connection")
}

fn path_for(user: &str) -> Result<String, Fault> {
    let mut request = Request::get("/v1.0/{mailbox}/messages");
    integration().authorize(&connection(&[("user", user)]), &mut request)?;
    Ok(request.path)
}

#[test]
fn client_secrets_and_addresses_are_never_shown() {
    let mut request = Request::get("/v1.0/{mailbox}/messages");
    let connection = connection(&[("client_secret", "hush"), ("client_id", "a"), ("refresh_token", "0.hush")]);
    let given = self::connection(&[]);
    integration().authorize(&given, &mut request).expect("a token");
    assert_eq!(request.secrets.len(), 1);
    let (status, body) = error(401, "InvalidAuthenticationToken");
    let code = integration().code(&response(status, &body)).expect("an envelope");
    let jane: Mailbox = Mailbox::named("jane@example.com".parse().expect("an address"), "Jané");
    let mail = SendMail::to(jane, "Grüße", "It is due");
    let attendees = vec![Attendee::new("jane@example.com".parse().expect("an address"))];
    let event = CreateEvent { attendees, ..CreateEvent::of("Grüße", "2026-12-01T10:00:00", "2026-12-01T11:00:00") };
    let message = PostChatMessage::text("19:x@thread.v2", "It is due");
    let shown = format!(
        "{request:?} {connection:?} {:?} {mail:?} {event:?} {:?} {message:?} {code:?}",
        given.credentials, event.attendees
    );
    for secret in [TOKEN, "hush", "jane", "Jané", "Grüße", "It is due"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn client_quotes_in_messages_are_cut() {
    for (message, shown) in [
        (
            "At least one recipient isn't valid., Recipient 'Jané O'Neill' isn't resolved.",
            "At least one recipient isn't valid., Recipient ... isn't resolved.",
        ),
        ("The value \"Grüße an Jane\" is too long.", "The value ... is too long."),
        ("No \u{201c}Jane\u{201d}, no \u{2018}Kim\u{2019}", "No ..., no ..."),
        ("It has no end: 'Jane Doe is", "It has no end: ..."),
        ("Access is denied. Check credentials and try again.", "Access is denied. Check credentials and try again."),
    ] {
        let body = json!({ "error": { "code": "ErrorInvalidRecipients", "message": message } });
        let code = integration().code(&response(400, &body)).expect("an envelope");
        assert_eq!(code.message, shown);
    }
}

#[test]
fn client_reads_only_the_providers_envelope() {
    let graph = integration();
    for foreign in [
        json!({ "message": "Not Found", "documentation_url": "https://emulate.dev" }),
        json!({ "error": "invalid_grant" }),
        json!({ "error": { "message": "Not Found" } }),
        json!([]),
    ] {
        assert_eq!(graph.code(&response(404, &foreign)), None, "{foreign}");
        assert!(!graph.is_absent(&response(404, &foreign)), "{foreign}");
    }
    let (status, body) = error(429, "ApplicationThrottled");
    assert_eq!(graph.code(&response(status, &body)).map(|code| code.code).as_deref(), Some("ApplicationThrottled"));
    assert_eq!(graph.code(&Response { status: 202, ..Response::default() }), None);
}

#[test]
fn client_absent_only_by_item_not_found() {
    let is_absent = |(status, body): (u16, Value)| integration().is_absent(&response(status, &body));
    assert!(is_absent(error(404, "ErrorItemNotFound")) && is_absent(error(404, "itemNotFound")));
    for code in ["ErrorInvalidUser", "ResourceNotFound", "MailboxNotEnabledForRESTAPI", "NotFound"] {
        assert!(!is_absent(error(404, code)), "{code}");
    }
    assert!(!is_absent(error(410, "itemNotFound")));
}

#[test]
fn client_puts_the_mailbox_into_the_path() {
    let mut request = Request::get("/v1.0/{mailbox}/messages");
    integration().authorize(&connection(&[]), &mut request).expect("a token");
    assert_eq!(request.path, "/v1.0/me/messages");
    assert_eq!(path_for("jane@contoso.com").as_deref(), Ok("/v1.0/users/jane@contoso.com/messages"));
    for unfit in ["", "../me", "a/b", "a?b", "a#ext", "..", "a b"] {
        assert!(matches!(path_for(unfit), Err(Fault::NotSent(_))), "{unfit}");
    }
}

#[test]
fn client_scope_names_mailbox_and_app() {
    let scope = |fields: &[(&str, &str)]| integration().scope(&connection(fields));
    assert_eq!(scope(&[]), "user=own app=unnamed");
    assert_ne!(scope(&[("user", "jane@example.com")]), scope(&[("user", "kim@example.com")]));
    assert_eq!(scope(&[("user", "jane@example.com")]), scope(&[("user", "Jane@example.com")]));
    assert_ne!(scope(&[("client_id", "one")]), scope(&[("client_id", "two")]));
    assert!(!scope(&[("user", "jane@example.com")]).contains("jane"));
}

#[tokio::test]
async fn client_whoami_names_the_mailbox() {
    let who = |answer: (u16, Value)| async move { integration().whoami(scripted(CELL, [answer]).wire()).await };
    let profile = json!({ "id": "1", "mail": null, "userPrincipalName": "jane@example.com" });
    assert_eq!(who((200, profile)).await, Ok("Microsoft Graph, mailbox j...@example.com".to_owned()));
    assert!(who(error(403, "Authorization_RequestDenied")).await.expect("accepted").contains("may not be read"));
    assert!(who(error(401, "InvalidAuthenticationToken")).await.is_err());
}

#[tokio::test]
async fn client_probe_reads_what_it_can() {
    let list = || (200, json!({ "value": [] }));
    let probe = |need, answer| async move { integration().probe(scripted(CELL, [answer]).wire(), need).await };
    assert_eq!(probe(READS_MAIL, list()).await, Ok(Some(true)));
    assert_eq!(probe(READS_MAIL, error(403, "ErrorAccessDenied")).await, Ok(Some(false)));
    assert_eq!(probe(READS_CHATS, list()).await, Ok(None));
    assert_eq!(probe(READS_CHATS, error(403, "Forbidden")).await, Ok(Some(false)));
    assert!(probe(READS_MAIL, error(503, "ErrorServerBusy")).await.is_err());
}

#[tokio::test]
async fn client_follows_links_on_its_own_host() {
    let evil = json!({ "value": [], "@odata.nextLink": "https://evil.example/v1.0/users/eve/messages?$skiptoken=2" });
    let desk: Desk = scripted(CELL, [(200, evil), (200, json!({ "value": [] }))]);
    let jane: Mailbox = "jane@example.com".parse::<crate::Address>().expect("an address").into();
    assert_eq!(desk.find(&SendMail::to(jane, "a", "b")).await, Ok(Finding::Absent));
    let (base, request) = desk.script().request(1);
    assert_eq!(
        (base.as_str(), request.target().as_str()),
        ("https://graph.microsoft.com/", "/v1.0/me/messages?%24skiptoken=2")
    );
}
