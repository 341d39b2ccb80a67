use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::record::AssociationCategory;
use crate::testing::{error, invalid, losing, missing, record, scripted, unclear, wrong_associations};

const CELL: &str = "hubspot.create_deal";

fn args() -> CreateDeal {
    CreateDeal::of("Roof", "contractsent")
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn deal(id: &str, key: &str) -> Value {
    record(id, json!({ "dealname": "Roof", "hapax_key": key, "hs_object_id": id }))
}

fn look(archived: bool) -> String {
    format!("GET /crm/v3/objects/deals/{}?idProperty=hapax_key&properties=hapax_key&archived={archived}", mark())
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_deal_sends_what_was_asked() {
    let desk = scripted(CELL, [(201, deal("12", &mark()))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "12"), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /crm/v3/objects/deals"]);
    let plain = json!({ "dealname": "Roof", "dealstage": "contractsent", "hapax_key": mark() });
    assert_eq!(body_of(&desk.request(0)), json!({ "properties": plain, "associations": [] }));
    // HubSpot has no key; a made-up one would only look like one.
    assert!(desk.request(0).headers.iter().all(|(name, _)| !name.to_lowercase().contains("key")));

    let own = Association { category: AssociationCategory::UserDefined, ..Association::of("301", 36) };
    let all = CreateDeal {
        pipeline: Some("default".to_owned()),
        properties: [("amount".to_owned(), "1500.00".to_owned())].into(),
        associations: vec![Association::of("201", 3), own],
        ..args()
    };
    let desk = scripted(CELL, [(201, deal("12", &mark()))]);
    assert_eq!(word(&desk.attempt(&all).await), "happened");
    let sent = body_of(&desk.request(0));
    assert_eq!(
        (&sent["properties"]["amount"], &sent["properties"]["pipeline"]),
        (&json!("1500.00"), &json!("default"))
    );
    let tie = |to: &str, category: &str, number: u32| json!({ "to": { "id": to }, "types": [{ "associationCategory": category, "associationTypeId": number }] });
    assert_eq!(sent["associations"], json!([tie("201", "HUBSPOT_DEFINED", 3), tie("301", "USER_DEFINED", 36)]));
}

#[tokio::test]
async fn create_deal_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [(200, deal("12", &mark()))]);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "12"));
    assert_eq!(desk.asked(), [look(false)]);
}

#[tokio::test]
async fn create_deal_request_lost_before_effect() {
    let desk = scripted(CELL, [missing(), missing()]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(desk.asked(), [look(false), look(true)]);
    // The same key in every epoch, and another one for another operation.
    assert_eq!(scripted(CELL, []).superseding("x", "y").mark(), mark());
    assert_ne!(scripted(CELL, []).keyed("order:1043").mark(), mark());
}

#[tokio::test]
async fn create_deal_deleted_one_is_found() {
    let mut gone = deal("12", &mark());
    gone["archived"] = true.into();
    let desk = scripted(CELL, [missing(), (200, gone)]);
    let Finding::Happened(receipt) = desk.find(&args()).await.expect("a finding") else { panic!("it happened") };
    assert_eq!((receipt.id.as_str(), &receipt.body["deleted"]), ("12", &json!(true)));
}

#[tokio::test]
async fn create_deal_taken_key_is_looked_for() {
    let in_details = json!({ "message": "no", "correlationId": "1", "category": "VALIDATION_ERROR",
        "errors": [{ "message": "propertyValue: already has that value hapax_key" }] });
    let conflict = error(409, "CONFLICT", "Deal already exists. Existing ID: 12");
    for (status, body) in [invalid("hapax_key", "CONFLICTING_UNIQUE_VALUE"), (400, in_details), conflict] {
        assert_eq!(said(status, body.clone()).await, "taken", "{status} {body}");
    }
}

#[tokio::test]
async fn create_deal_without_the_property_is_refused() {
    let (status, body) = invalid("hapax_key", "PROPERTY_DOESNT_EXIST");
    let answer = scripted(CELL, [(status, body)]).attempt(&args()).await;
    let Answer::Refused(why, _) = answer else { panic!("not refused: {answer:?}") };
    let message = "HubSpot answers 400 VALIDATION_ERROR PROPERTY_DOESNT_EXIST about hapax_key";
    assert_eq!((why.code.as_str(), why.message.as_str()), ("PROPERTY_DOESNT_EXIST", message));
}

#[tokio::test]
async fn create_deal_refusals_speak_for_their_attempt() {
    let refusals = [invalid("dealstage", "INVALID_OPTION"), error(403, "MISSING_SCOPES", "not granted")];
    for (status, body) in refusals {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
    let (status, body) = error(401, "INVALID_AUTHENTICATION", "no");
    assert_eq!(said(status, body).await, "not done");
}

#[tokio::test]
async fn create_deal_wrong_association_is_looked_for() {
    for (status, body) in wrong_associations() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_deal_limits_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_deal_failed_look_is_no_absence() {
    let foreign = (404, json!({ "message": "no such page" }));
    for failed in [error(500, "INTERNAL_ERROR", "no"), error(400, "VALIDATION_ERROR", "no"), foreign] {
        assert!(scripted(CELL, [failed.clone()]).find(&args()).await.is_err(), "{failed:?}");
        assert!(scripted(CELL, [missing(), failed.clone()]).find(&args()).await.is_err(), "{failed:?}");
    }
}

#[tokio::test]
async fn create_deal_echo_mismatch_is_caught() {
    assert_eq!(said(201, deal("12", "somebodyelse")).await, "echo");
    let found = scripted(CELL, [(200, deal("12", "somebodyelse"))]).find(&args()).await;
    assert!(matches!(found, Err(Fault::Echo(_))), "{found:?}");
}

#[tokio::test]
async fn create_deal_answer_without_the_key_is_unread() {
    for shown in [json!({ "dealname": "Roof" }), json!({ "hapax_key": null }), json!({ "hapax_key": "" })] {
        assert_eq!(said(201, record("12", shown.clone())).await, "unclear", "{shown}");
        assert!(scripted(CELL, [(200, record("12", shown))]).find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn create_deal_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, deal("12", &mark()))]);
    let read = desk.fetch(&args(), "12").await.expect("read").expect("there");
    assert_eq!(read.id, "12");
    assert_eq!(desk.asked(), ["GET /crm/v3/objects/deals/12?properties=hapax_key&archived=false"]);
    assert_eq!(scripted(CELL, [missing(), missing()]).fetch(&args(), "12").await, Ok(None));
    let other = scripted(CELL, [(200, deal("12", "somebodyelse"))]).fetch(&args(), "12").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&args(), "../contacts/1").await.is_err());
}

#[test]
fn create_deal_checks_its_arguments() {
    let wrong = |args: CreateDeal, field: &str| {
        let why = args.check().expect_err(field);
        assert!(why.starts_with(field), "{why}");
    };
    let with = |name: &str| CreateDeal { properties: [(name.to_owned(), "x".to_owned())].into(), ..args() };
    assert_eq!(args().check(), Ok(()));
    wrong(CreateDeal::of(" ", "1"), "name");
    wrong(CreateDeal::of("Roof", ""), "stage");
    wrong(CreateDeal { pipeline: Some(String::new()), ..args() }, "pipeline");
    for name in ["hapax_key", "dealname", "pipeline", "No Name"] {
        wrong(with(name), "properties");
    }
    wrong(CreateDeal { associations: vec![Association::of("jane", 3)], ..args() }, "associations");
    wrong(CreateDeal { associations: vec![Association::of("201", 0)], ..args() }, "associations");
}
