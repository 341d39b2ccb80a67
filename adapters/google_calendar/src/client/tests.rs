use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::response;
use hapax_core::transport::Request;
use serde_json::json;

use crate::testing::{TOKEN, error, scripted};
use crate::{CreateEvent, Guest, UpdateEvent, When, integration};

const CELL: &str = "google_calendar.create_event";

#[test]
fn client_secrets_and_addresses_are_never_shown() {
    let credentials = Credentials::none().with("access_token", TOKEN.into());
    let mut request = Request::get("/x");
    let connection = Connection::new("calendar", integration(), credentials.clone()).expect("a connection");
    integration().authorize(&connection, &mut request).expect("a token");
    assert_eq!(request.secrets.len(), 1);
    let (status, body) = error(401, "authError");
    let code = integration().code(&response(status, &body)).expect("an envelope");
    let guests = vec![Guest { name: Some("Jané".to_owned()), ..Guest::new("jane@example.com") }];
    let event = CreateEvent::of("Grüße", When::day("2026-12-01"), When::day("2026-12-02"));
    let event = CreateEvent { guests, description: Some("It is due".to_owned()), ..event };
    let update = UpdateEvent { summary: Some("Grüße".to_owned()), ..UpdateEvent::of("ev1") };
    let shown = format!("{request:?} {credentials:?} {event:?} {:?} {update:?} {code:?}", event.guests);
    for secret in [TOKEN, "jane", "Grüße", "It is due", "Jané"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn client_reads_only_googles_envelope() {
    let calendar = integration();
    for foreign in [
        json!({ "message": "Not Found", "documentation_url": "https://emulate.dev" }),
        json!({ "error": "invalid_grant" }),
        json!({ "error": { "code": 404, "message": "Not Found" } }),
        json!([]),
    ] {
        assert_eq!(calendar.code(&response(404, &foreign)), None, "{foreign}");
        assert!(!calendar.is_absent(&response(404, &foreign)), "{foreign}");
    }
    let (status, body) = error(409, "duplicate");
    assert_eq!(calendar.code(&response(status, &body)).map(|code| code.code).as_deref(), Some("duplicate"));
}

#[test]
fn client_absent_only_by_not_found() {
    let calendar = integration();
    let is_absent = |(status, body)| calendar.is_absent(&response(status, &body));
    assert!(is_absent(error(404, "notFound")));
    assert!(!is_absent(error(404, "other")));
    assert!(!is_absent(error(410, "notFound")));
}

#[test]
fn client_scope_names_the_user() {
    let scope = |subject: Option<&str>| {
        let credentials = Credentials::none();
        let credentials = match subject {
            Some(subject) => credentials.with("subject", subject.into()),
            None => credentials,
        };
        let connection = Connection::new("calendar", integration(), credentials).expect("a connection");
        connection.integration.scope(&connection)
    };
    assert_eq!(scope(None), "subject=own");
    assert_ne!(scope(Some("jane@example.com")), scope(Some("kim@example.com")));
    assert_eq!(scope(Some("jane@example.com")), scope(Some("Jane@example.com")));
    assert!(!scope(Some("jane@example.com")).contains("jane"));
}

#[tokio::test]
async fn client_whoami_names_the_calendar() {
    let list = json!({ "kind": "calendar#events", "summary": "jane@example.com", "items": [] });
    let desk = scripted(CELL, [(200, list)]);
    let who = integration().whoami(desk.wire()).await;
    assert_eq!(who, Ok("Google Calendar, primary calendar j...@example.com".to_owned()));
    assert_eq!(desk.asked(), ["GET /calendar/v3/calendars/primary/events?maxResults=1"]);
    let named = json!({ "kind": "calendar#events", "summary": "Jane's secret plans", "items": [] });
    let who = integration().whoami(scripted(CELL, [(200, named)]).wire()).await.expect("a calendar");
    assert!(!who.contains("secret"), "{who}");
    assert!(integration().whoami(scripted(CELL, [error(401, "authError")]).wire()).await.is_err());
}
