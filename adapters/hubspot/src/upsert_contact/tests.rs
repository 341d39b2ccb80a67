use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, invalid, losing, record, scripted, unclear};

const CELL: &str = "hubspot.upsert_contact";

fn args() -> UpsertContact {
    UpsertContact::by_email("Jane@example.com", [("firstname", "Jané"), ("phone", "")])
}

fn contact(properties: Value) -> Value {
    record("512", properties)
}

fn jane() -> Value {
    contact(json!({ "email": "jane@example.com", "firstname": "Jané", "phone": null }))
}

fn batch(results: &[Value]) -> Value {
    json!({ "status": "COMPLETE", "results": results, "startedAt": "x", "completedAt": "y" })
}

fn failing(category: &str, message: &str) -> (u16, Value) {
    let mut batch = batch(&[]);
    batch["numErrors"] = 1.into();
    batch["errors"] = json!([{ "status": "error", "category": category, "message": message, "subCategory": {} }]);
    (207, batch)
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

async fn found(body: Value) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [(200, body)]).find(&args()).await.expect("a finding")
}

#[tokio::test]
async fn upsert_contact_sends_what_was_asked() {
    let mut created = jane();
    created["new"] = true.into();
    let desk = scripted(CELL, [(200, batch(&[created]))]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!(
        (&receipt.body["id"], &receipt.body["created"], &receipt.body["doer"]),
        (&json!("512"), &json!(true), &json!("us"))
    );
    // Many operations write one contact, so none of them claims it.
    assert_eq!(receipt.id, "");
    assert_eq!(desk.asked(), ["POST /crm/v3/objects/contacts/batch/upsert"]);
    let input = json!({
        "idProperty": "email", "id": "Jane@example.com", "properties": { "firstname": "Jané", "phone": "" },
    });
    assert_eq!(body_of(&desk.request(0)), json!({ "inputs": [input] }));
    assert!(desk.request(0).headers.iter().all(|(name, _)| !name.to_lowercase().contains("key")));
}

#[tokio::test]
async fn upsert_contact_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [(200, batch(&[jane()]))]);
    let Finding::Happened(receipt) = desk.find(&args()).await.expect("a finding") else { panic!("it is so") };
    assert_eq!((&receipt.body["id"], &receipt.body["doer"]), (&json!("512"), &json!("cannot_tell")));
    assert_eq!(desk.asked(), ["POST /crm/v3/objects/contacts/batch/read"]);
    let asked = json!({
        "idProperty": "email", "inputs": [{ "id": "Jane@example.com" }], "properties": ["firstname", "phone", "email"],
        "propertiesWithHistory": [],
    });
    assert_eq!(body_of(&desk.request(0)), asked);
    assert!(!format!("{:?}", desk.request(0)).contains("example.com"), "paths are logged");
}

#[tokio::test]
async fn upsert_contact_other_values_are_absent() {
    let other = json!({ "email": "jane@example.com", "firstname": "J.", "phone": null });
    assert_eq!(found(batch(&[contact(other)])).await, Finding::Absent);
    let not_cleared = json!({ "email": "jane@example.com", "firstname": "Jané", "phone": "5" });
    assert_eq!(found(batch(&[contact(not_cleared)])).await, Finding::Absent);
    let missing = failing("OBJECT_NOT_FOUND", "Could not get some CONTACT objects");
    assert_eq!(scripted(CELL, [missing]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn upsert_contact_value_in_another_form_is_absent() {
    let args = UpsertContact::by_email("jane@example.com", [("score", "100.0")]);
    let kept = contact(json!({ "email": "jane@example.com", "score": "100" }));
    let desk = scripted(CELL, [(200, batch(std::slice::from_ref(&kept))), (200, batch(&[kept]))]);
    assert_eq!(desk.find(&args).await, Ok(Finding::Absent));
    assert_eq!(word(&desk.attempt(&args).await), "happened");
}

#[tokio::test]
async fn upsert_contact_error_in_a_batch_is_no_success() {
    let (status, body) = failing("VALIDATION_ERROR", "no");
    assert_eq!(said(status, body.clone()).await, "unclear");
    let mut beside = body;
    beside["results"] = json!([jane()]);
    assert_eq!(said(207, beside).await, "unclear");
}

#[tokio::test]
async fn upsert_contact_unfinished_batch_is_no_success() {
    for status in ["PENDING", "PROCESSING", "CANCELED"] {
        let mut unfinished = batch(&[jane()]);
        unfinished["status"] = status.into();
        assert_eq!(said(200, unfinished.clone()).await, "unclear", "{status}");
        assert!(scripted(CELL, [(200, unfinished)]).find(&args()).await.is_err(), "{status}");
    }
    assert_eq!(said(200, batch(&[])).await, "unclear");
    assert_eq!(said(200, batch(&[jane(), jane()])).await, "unclear");
}

#[tokio::test]
async fn upsert_contact_refusals_speak_for_their_attempt() {
    let not_unique =
        error(400, "VALIDATION_ERROR", "Unable to perform update/upsert by non-unique 0-1 property nickname");
    let refusals = [invalid("missing", "PROPERTY_DOESNT_EXIST"), not_unique, error(403, "MISSING_SCOPES", "no")];
    for (status, body) in refusals {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
    let (status, body) = error(401, "INVALID_AUTHENTICATION", "no");
    assert_eq!(said(status, body).await, "not done");
}

#[tokio::test]
async fn upsert_contact_taken_value_is_looked_for() {
    let conflict = error(409, "CONFLICT", "Contact already exists. Existing ID: 512");
    for (status, body) in [conflict, invalid("email", "CONFLICTING_UNIQUE_VALUE")] {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn upsert_contact_limits_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn upsert_contact_failed_look_is_no_absence() {
    let foreign = (404, json!({ "message": "no such page" }));
    let own = error(404, "OBJECT_NOT_FOUND", "no such endpoint");
    for failed in [error(500, "INTERNAL_ERROR", "no"), foreign, own, failing("VALIDATION_ERROR", "no")] {
        assert!(scripted(CELL, [failed.clone()]).find(&args()).await.is_err(), "{failed:?}");
    }
    let neither = scripted(CELL, [(200, batch(&[]))]).find(&args()).await;
    assert!(neither.is_err(), "neither a contact nor an error: {neither:?}");
}

#[tokio::test]
async fn upsert_contact_answer_about_another_one_is_an_echo_fault() {
    let other = contact(json!({ "email": "john@example.com", "firstname": "Jané" }));
    assert_eq!(said(200, batch(std::slice::from_ref(&other))).await, "echo");
    let look = scripted(CELL, [(200, batch(&[other]))]).find(&args()).await;
    assert!(matches!(look, Err(Fault::Echo(_))), "{look:?}");
    // Only addresses are kept in another case.
    let by_number = UpsertContact { id_property: "customer_number".to_owned(), id: "A1".to_owned(), ..args() };
    let answer = contact(json!({ "customer_number": "a1" }));
    assert_eq!(word(&scripted(CELL, [(200, batch(&[answer]))]).attempt(&by_number).await), "echo");
}

#[tokio::test]
async fn upsert_contact_answer_without_the_value_is_unread() {
    assert_eq!(said(200, batch(&[contact(json!({ "firstname": "Jané" }))])).await, "unclear");
}

#[tokio::test]
async fn upsert_contact_fetch_reads_what_a_person_names() {
    let desk = || scripted(CELL, [(200, batch(&[jane()]))]);
    assert!(desk().fetch(&args(), "512").await.is_ok_and(|read| read.is_some()));
    assert!(matches!(desk().fetch(&args(), "513").await, Err(Fault::Echo(_))));
    let other = contact(json!({ "email": "jane@example.com", "firstname": "J." }));
    assert!(scripted(CELL, [(200, batch(&[other]))]).fetch(&args(), "512").await.is_err());
    let missing = failing("OBJECT_NOT_FOUND", "Could not get some CONTACT objects");
    assert_eq!(scripted(CELL, [missing]).fetch(&args(), "512").await, Ok(None));
}

#[test]
fn upsert_contact_checks_its_arguments() {
    let wrong = |args: UpsertContact, field: &str| {
        let why = args.check().expect_err(field);
        assert!(why.starts_with(field), "{why}");
        assert!(!why.contains("jane@"), "{why}");
    };
    assert_eq!(args().check(), Ok(()));
    assert!(!format!("{:?}", args()).contains("jane"));
    wrong(UpsertContact { id_property: "E-Mail".to_owned(), ..args() }, "id_property");
    wrong(UpsertContact { id_property: "hs_object_id".to_owned(), ..args() }, "id_property");
    wrong(UpsertContact { id: " ".to_owned(), ..args() }, "id");
    wrong(UpsertContact { id: "jane".to_owned(), ..args() }, "id");
    wrong(UpsertContact::by_email("jane@example.com", [("email", "john@example.com")]), "properties");
    wrong(UpsertContact::by_email("jane@example.com", [("First Name", "Jané")]), "properties");
}
