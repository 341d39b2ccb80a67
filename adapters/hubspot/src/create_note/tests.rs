use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, invalid, losing, missing, record, scripted, unclear, wrong_associations};

const CELL: &str = "hubspot.create_note";

fn args() -> CreateNote {
    CreateNote::of("Called back.", "2026-09-21T14:13:20Z".parse().expect("a time"))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn note(key: &str) -> Value {
    record("31", json!({ "hs_note_body": "<p>Called back.</p>", "hapax_key": key }))
}

fn look(archived: bool) -> String {
    format!("GET /crm/v3/objects/notes/{}?idProperty=hapax_key&properties=hapax_key&archived={archived}", mark())
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_note_sends_what_was_asked() {
    let desk = scripted(CELL, [(201, note(&mark()))]);
    let all = CreateNote {
        properties: [("hubspot_owner_id".to_owned(), "14240720".to_owned())].into(),
        associations: vec![Association::of("201", 202)],
        ..args()
    };
    let answer = desk.attempt(&all).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "31"), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /crm/v3/objects/notes"]);
    let properties = json!({
        "hs_note_body": "Called back.", "hs_timestamp": "2026-09-21T14:13:20Z", "hubspot_owner_id": "14240720",
        "hapax_key": mark(),
    });
    let types = json!([{ "associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 202 }]);
    let ties = json!([{ "to": { "id": "201" }, "types": types }]);
    assert_eq!(body_of(&desk.request(0)), json!({ "properties": properties, "associations": ties }));
    assert!(desk.request(0).headers.iter().all(|(name, _)| !name.to_lowercase().contains("key")));
}

#[tokio::test]
async fn create_note_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let mut edited = note(&mark());
    edited["properties"]["hs_note_body"] = "Called back twice.".into();
    let desk = scripted(CELL, [(200, edited)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == "31"));
    assert_eq!(desk.asked(), [look(false)]);
}

#[tokio::test]
async fn create_note_request_lost_before_effect() {
    let desk = scripted(CELL, [missing(), missing()]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(desk.asked(), [look(false), look(true)]);
    assert_eq!(scripted(CELL, []).superseding("x", "y").mark(), mark());
    assert_ne!(scripted(CELL, []).keyed("order:1043").mark(), mark());
}

#[tokio::test]
async fn create_note_deleted_one_is_found() {
    let mut gone = note(&mark());
    gone["archived"] = true.into();
    let desk = scripted(CELL, [missing(), (200, gone)]);
    let Finding::Happened(receipt) = desk.find(&args()).await.expect("a finding") else { panic!("it happened") };
    assert_eq!((receipt.id.as_str(), &receipt.body["deleted"]), ("31", &json!(true)));
}

#[tokio::test]
async fn create_note_taken_key_is_looked_for() {
    for (status, body) in [invalid("hapax_key", "CONFLICTING_UNIQUE_VALUE"), error(409, "CONFLICT", "exists")] {
        assert_eq!(said(status, body.clone()).await, "taken", "{status} {body}");
    }
}

#[tokio::test]
async fn create_note_without_the_property_is_refused() {
    let (status, body) = invalid("hapax_key", "PROPERTY_DOESNT_EXIST");
    let answer = scripted(CELL, [(status, body)]).attempt(&args()).await;
    let Answer::Refused(why, _) = answer else { panic!("not refused: {answer:?}") };
    assert_eq!(why.code, "PROPERTY_DOESNT_EXIST");
}

#[tokio::test]
async fn create_note_wrong_association_is_looked_for() {
    for (status, body) in wrong_associations() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_note_refusals_speak_for_their_attempt() {
    for (status, body) in [invalid("hubspot_owner_id", "INVALID_OWNER"), error(403, "MISSING_SCOPES", "no")] {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
    let (status, body) = error(401, "INVALID_AUTHENTICATION", "no");
    assert_eq!(said(status, body).await, "not done");
}

#[tokio::test]
async fn create_note_limits_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_note_failed_look_is_no_absence() {
    let foreign = (404, json!({ "message": "no such page" }));
    let not_unique = error(400, "VALIDATION_ERROR", "hapax_key is no unique property of notes");
    for failed in [error(500, "INTERNAL_ERROR", "no"), not_unique, error(404, "NOT_FOUND", "no such page"), foreign] {
        assert!(scripted(CELL, [failed.clone()]).find(&args()).await.is_err(), "{failed:?}");
        assert!(scripted(CELL, [missing(), failed.clone()]).find(&args()).await.is_err(), "{failed:?}");
    }
}

#[tokio::test]
async fn create_note_echo_mismatch_is_caught() {
    assert_eq!(said(201, note("somebodyelse")).await, "echo");
    let found = scripted(CELL, [(200, note("somebodyelse"))]).find(&args()).await;
    assert!(matches!(found, Err(Fault::Echo(_))), "{found:?}");
}

#[tokio::test]
async fn create_note_answer_without_the_key_is_unread() {
    for shown in [json!({ "hs_note_body": "Called back." }), json!({ "hapax_key": null })] {
        assert_eq!(said(201, record("31", shown.clone())).await, "unclear", "{shown}");
        assert!(scripted(CELL, [(200, record("31", shown))]).find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn create_note_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, note(&mark()))]);
    assert!(desk.fetch(&args(), "31").await.is_ok_and(|read| read.is_some_and(|receipt| receipt.id == "31")));
    assert_eq!(desk.asked(), ["GET /crm/v3/objects/notes/31?properties=hapax_key&archived=false"]);
    let other = scripted(CELL, [(200, note("somebodyelse"))]).fetch(&args(), "31").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
}

#[test]
fn create_note_checks_its_arguments() {
    let wrong = |args: CreateNote, field: &str| {
        let why = args.check().expect_err(field);
        assert!(why.starts_with(field), "{why}");
    };
    let of = |body: String| CreateNote { body, ..args() };
    assert_eq!((args().check(), of("á".repeat(65_536)).check()), (Ok(()), Ok(())));
    wrong(of(" ".to_owned()), "body");
    wrong(of("á".repeat(65_537)), "body");
    for name in ["hs_note_body", "hs_timestamp", "hapax_key"] {
        wrong(CreateNote { properties: [(name.to_owned(), "x".to_owned())].into(), ..args() }, "properties");
    }
    wrong(CreateNote { associations: vec![Association::of("jane", 202)], ..args() }, "associations");
}
