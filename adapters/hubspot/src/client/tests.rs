use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::response;
use serde_json::{Value, json};

use super::*;
use crate::CreateDeal;
use crate::testing::{TOKEN as SECRET, error, invalid, limited, missing, scripted, wrong_associations};

const CELL: &str = "hubspot.create_deal";

fn code_of((status, body): &(u16, Value)) -> Option<Code> {
    HubSpot.code(&response(*status, body))
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let refused = error(401, "INVALID_AUTHENTICATION", &format!("no {SECRET}"));
    let desk = scripted(CELL, [refused.clone(), refused]);
    let args = CreateDeal::of("Roof", "1");
    let answer = desk.attempt(&args).await;
    let look = desk.find(&args).await;
    let connection = desk.wire().connection();
    let shown = format!("{answer:?} {look:?} {:?} {connection:?}", connection.credentials);
    assert!(!shown.contains("verysecret"), "{shown}");
    let request = desk.request(0);
    assert!(!request.headers.iter().any(|(_, value)| value.contains("verysecret")));
    let (name, value) = &request.secrets[0];
    assert_eq!((name.as_str(), value.expose_secret()), ("Authorization", format!("Bearer {SECRET}").as_str()));
}

#[test]
fn client_messages_name_nobody() {
    let mut quoting = error(400, "VALIDATION_ERROR", "jane@example.com is no contact");
    quoting.1["errors"] = json!([{
        "message": "jane@example.com is wrong", "code": "jane@example.com",
        "context": { "propertyName": ["jane@example.com"] },
    }]);
    for quoting in [quoting, invalid("email", "INVALID_EMAIL"), error(409, "CONFLICT", "jane@example.com: ID 512")] {
        let shown = format!("{:?}", code_of(&quoting).expect("an error"));
        assert!(!shown.contains("jane") && !shown.contains("ID 512"), "{shown}");
    }
}

#[test]
fn client_missing_credential_is_not_sent() {
    let missing = Connection::new("hubspot", crate::integration(), Credentials::none()).expect_err("no token");
    assert!(missing.to_string().contains("HUBSPOT_TOKEN"), "{missing}");
}

#[test]
fn client_reads_only_hubspots_envelope() {
    let foreign = [
        (404, json!({ "message": "Not Found" })),
        (404, json!({ "category": "OBJECT_NOT_FOUND" })),
        (404, Value::Null),
        (403, json!({ "error": "blocked by the proxy" })),
        (200, error(200, "X", "a status of a send has a message too").1),
        (200, json!({ "results": [], "errors": [] })),
    ];
    for answer in foreign {
        assert_eq!(code_of(&answer), None, "{answer:?}");
        assert!(!HubSpot.is_absent(&response(answer.0, &answer.1)), "{answer:?}");
    }
    let elsewhere = error(404, "NOT_FOUND", "no such path");
    assert!(!HubSpot.is_absent(&response(elsewhere.0, &elsewhere.1)));
    let own = missing();
    assert!(HubSpot.is_absent(&response(own.0, &own.1)));
}

#[test]
fn client_errors_are_told_apart() {
    let named = |answer: &(u16, Value)| {
        let code = code_of(answer).expect("an error");
        (code.kind, code.code)
    };
    let pair = |kind: &str, code: &str| (kind.to_owned(), code.to_owned());
    let mut detailed = error(400, "VALIDATION_ERROR", "no");
    let detail = json!({ "message": "no", "code": "INVALID_INTEGER", "context": { "propertyName": ["discount"] } });
    detailed.1["errors"] = json!([detail]);
    assert_eq!(named(&detailed), pair("VALIDATION_ERROR", "INVALID_INTEGER"));
    let message = code_of(&detailed).expect("an error").message;
    assert_eq!(message, "HubSpot answers 400 VALIDATION_ERROR INVALID_INTEGER about discount");
    detailed.1["errors"] = json!([{ "message": "no", "code": "A" }, { "message": "no", "code": "B" }]);
    assert_eq!(named(&detailed), pair("VALIDATION_ERROR", "several"));
    assert_eq!(named(&invalid("stage", "INVALID_OPTION")), pair("VALIDATION_ERROR", "INVALID_OPTION"));
    let taken = invalid("hapax_key", "CONFLICTING_UNIQUE_VALUE");
    assert_eq!(named(&taken), pair("VALIDATION_ERROR", VALUE_IS_TAKEN));
    assert_eq!(named(&wrong_associations()[0]), pair("VALIDATION_ERROR", ASSOCIATION_IS_WRONG));
    assert_eq!(named(&limited()), pair("RATE_LIMIT", ""));
    assert_eq!(named(&missing()), pair("OBJECT_NOT_FOUND", ""));
    let in_a_batch = json!({ "status": "COMPLETE", "results": [], "errors": [{ "category": "OBJECT_NOT_FOUND" }] });
    assert_eq!(named(&(207, in_a_batch)), pair("OBJECT_NOT_FOUND", ""));
}

#[tokio::test]
async fn client_whoami_names_the_account() {
    let desk = scripted(CELL, [(200, json!({ "portalId": 1_234, "accountType": "DEVELOPER_TEST" }))]);
    assert_eq!(HubSpot.whoami(desk.wire()).await, Ok("HubSpot account 1234 (developer_test)".to_owned()));
    assert_eq!(desk.asked(), ["GET /account-info/v3/details"]);
    let desk = scripted(CELL, [error(401, "INVALID_AUTHENTICATION", "no")]);
    assert!(matches!(HubSpot.whoami(desk.wire()).await, Err(Fault::Status(401, _))));
}

#[tokio::test]
async fn client_probe_reads_the_property() {
    let property = |is_unique: bool, archived: bool| {
        (200, json!({ "name": "hapax_key", "hasUniqueValue": is_unique, "archived": archived }))
    };
    let cases = [
        (property(true, false), Ok(Some(true))),
        (property(false, false), Ok(Some(false))),
        (property(true, true), Ok(Some(false))),
        ((200, json!({ "name": "hapax_key" })), Ok(Some(false))),
        (missing(), Ok(Some(false))),
        (error(403, "MISSING_SCOPES", "no"), Ok(None)),
    ];
    for (answer, expected) in cases {
        let desk = scripted(CELL, [answer.clone()]);
        assert_eq!(HubSpot.probe(desk.wire(), facts::DEALS_KEY).await, expected, "{answer:?}");
        assert_eq!(desk.asked(), ["GET /crm/v3/properties/deals/hapax_key"]);
    }
    let desk = scripted(CELL, [property(true, false), error(500, "INTERNAL_ERROR", "no")]);
    assert_eq!(HubSpot.probe(desk.wire(), facts::TICKETS_KEY).await, Ok(Some(true)));
    assert_eq!(desk.asked(), ["GET /crm/v3/properties/tickets/hapax_key"]);
    assert!(HubSpot.probe(desk.wire(), facts::TICKETS_KEY).await.is_err());
    assert_eq!(HubSpot.probe(desk.wire(), Need::Setting("another")).await, Ok(None));
    let desk = scripted(CELL, [property(false, false)]);
    assert_eq!(HubSpot.probe(desk.wire(), facts::NOTES_KEY).await, Ok(Some(false)));
    assert_eq!(desk.asked(), ["GET /crm/v3/properties/notes/hapax_key"]);
}
