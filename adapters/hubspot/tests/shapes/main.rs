//! What the cells send and read, compared with HubSpot's own API descriptions by Prism. These are checks of shapes: Prism
//! keeps no state, so none of them proves an effect. What they need: `tests/third-party/README.md`; which files: `README.md`.

mod edits;

use edits::{CONTACTS, DEALS, RECORDS, SENDS};
use hapax_conformance::shapes::{Bench, Mock, preferring};
use hapax_core::cell::Credentials;
use hapax_core::words::{Next, Outcome};
use hapax_standin::client::Call;
use hapax_standin::third_party::prism::Edit;
use hapax_standin::{Fault, When};
use serde_json::{Value, json};

const UPSERT: &str = "/crm/v3/objects/contacts/batch/upsert";
const READ: &str = "/crm/v3/objects/contacts/batch/read";
/// The needs of the cells that create something.
const MET: [&str; 3] = [
    "deals have the property hapax_key with unique values",
    "tickets have the property hapax_key with unique values",
    "notes have the property hapax_key with unique values",
];
const SEND: &str = "/marketing/v3/transactional/single-email/send";

async fn mock(file: &str, edits: &[Edit]) -> Option<Mock> {
    Mock::of(file, edits).await.expect("it starts")
}

async fn contacts() -> Option<Mock> {
    mock("hubspot_contacts_v3.json", CONTACTS).await
}

async fn bench(mock: &Mock) -> Bench {
    let credentials = Credentials::none().with("token", "pat-na1-any".into());
    mock.bench_meeting(hapax_hubspot::integration(), credentials, &MET).await.expect("a bench")
}

fn args() -> Value {
    json!({ "id_property": "email", "id": edits::ADDRESS, "properties": { "firstname": "Bryan" } })
}

/// Every request is valid by the description, and has no member that these schemas of it don't have.
#[track_caller]
fn valid(mock: &Mock, bench: &Bench, schemas_of: impl Fn(&str, &Value) -> Vec<(&'static str, Value)>) {
    assert_eq!(bench.faults(), Vec::<String>::new());
    let schemas = &mock.description()["components"]["schemas"];
    for seen in bench.proxy().seen().iter().filter(|seen| !seen.body.is_empty()) {
        let body: Value = serde_json::from_slice(&seen.body).expect("JSON");
        for (schema, part) in schemas_of(&seen.target, &body) {
            let names = part.as_object().into_iter().flat_map(|members| members.keys());
            let unknown: Vec<_> = names.filter(|name| schemas[schema]["properties"].get(*name).is_none()).collect();
            assert!(unknown.is_empty(), "{schema} has no {unknown:?}");
        }
    }
}

fn of_a_batch(target: &str, body: &Value) -> Vec<(&'static str, Value)> {
    let (batch, input) = match target {
        UPSERT => ("BatchInputSimplePublicObjectBatchInputUpsert", "SimplePublicObjectBatchInputUpsert"),
        _ => ("BatchReadInputSimplePublicObjectId", "SimplePublicObjectId"),
    };
    vec![(batch, body.clone()), (input, body["inputs"][0].clone())]
}

fn of_a_record(_: &str, body: &Value) -> Vec<(&'static str, Value)> {
    let tie = &body["associations"][0];
    vec![
        ("SimplePublicObjectInputForCreate", body.clone()),
        ("PublicAssociationsForObject", tie.clone()),
        ("AssociationSpec", tie["types"][0].clone()),
    ]
}

fn of_a_send(_: &str, body: &Value) -> Vec<(&'static str, Value)> {
    vec![("PublicSingleSendRequestEgg", body.clone()), ("PublicSingleSendEmail", body["message"].clone())]
}

#[tokio::test]
async fn shape_at_prism_of_upsert_contact() {
    let Some(mock) = contacts().await else { return };
    let bench = bench(&mock).await;
    let report = bench.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &bench, of_a_batch);
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if receipt["id"] == "512"), "{report:?}");
    assert_eq!(bench.arrived(), [format!("POST {UPSERT}")]);
}

#[tokio::test]
async fn shape_at_prism_of_reading_a_contact() {
    let Some(mock) = contacts().await else { return };
    let bench = bench(&mock).await;
    bench.proxy().inject(When::on("POST", UPSERT), Fault::CutAfterCommit);
    let report = bench.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &bench, of_a_batch);
    let found = |receipt: &Value| receipt["id"] == "512" && receipt["doer"] == "cannot_tell";
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if found(receipt)), "{report:?}");
    assert_eq!(bench.arrived(), [format!("POST {UPSERT}"), format!("POST {READ}")]);
}

#[tokio::test]
async fn shape_at_prism_of_a_refusal_and_a_limit() {
    let Some(mock) = contacts().await else { return };
    let refused = bench(&mock).await;
    refused.proxy().inject(When::on("POST", UPSERT).always(), preferring("code=400"));
    let report = refused.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &refused, of_a_batch);
    assert!(
        matches!(&report.outcome, Outcome::Refused { reason } if reason.code == "VALIDATION_ERROR"),
        "the description's own example of an error is read: {report:?}"
    );
    assert_eq!(refused.arrived(), [format!("POST {UPSERT}")]);

    // Nothing says that a limited request did nothing, so the contact is read.
    let limited = bench(&mock).await;
    limited.proxy().inject(When::on("POST", UPSERT).always(), preferring("code=429"));
    let report = limited.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &limited, of_a_batch);
    let found = |receipt: &Value| receipt["doer"] == "cannot_tell";
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if found(receipt)), "{report:?}");
    assert_eq!(limited.arrived(), [format!("POST {UPSERT}"), format!("POST {READ}")]);
}

#[tokio::test]
async fn shape_at_prism_can_be_wrong() {
    let Some(mock) = contacts().await else { return };
    let bench = bench(&mock).await;
    let url = format!("{}{UPSERT}", bench.proxy().url());
    let call = Call::post(&url).header("authorization", "Bearer any");
    // An upsert without the value that the contact is found by.
    call.json(&json!({ "inputs": [{ "idProperty": "email", "properties": {} }] })).send().await.expect("an answer");
    assert!(bench.faults().iter().any(|fault| fault.contains("id")), "{:?}", bench.faults());
}

/// The description's example carries another key, so it is an alarm and never a receipt, whether it is answered or read.
async fn creates(mock: &Mock, cell: &str, kind: &str, args: Value) {
    let path = format!("/crm/v3/objects/{kind}");
    for lost in [false, true] {
        let bench = bench(mock).await;
        if lost {
            bench.proxy().inject(When::on("POST", &path), Fault::CutAfterCommit);
        }
        let report = bench.run(cell, &args).await.expect("it is settled");
        valid(mock, &bench, of_a_record);
        assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
        assert!(!report.alarms.is_empty(), "{report:?}");
        let arrived = bench.arrived();
        assert!(arrived.len() > 1 && arrived[0] == format!("POST {path}"), "{arrived:?}");
        assert!(arrived[1..].iter().all(|asked| asked.starts_with(&format!("GET {path}/"))), "{arrived:?}");
    }

    let refused = bench(mock).await;
    refused.proxy().inject(When::on("POST", &path).always(), preferring("code=400"));
    let report = refused.run(cell, &args).await.expect("it is settled");
    valid(mock, &refused, of_a_record);
    // The description's own example of an error doesn't say what is wrong, so it is looked for, and another's is found.
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    assert!(
        refused.arrived().iter().any(|asked| asked.starts_with(&format!("GET {path}/"))),
        "{:?}",
        refused.arrived()
    );
}

#[tokio::test]
async fn shape_at_prism_of_create_deal() {
    let Some(mock) = mock("hubspot_deals_v3.json", DEALS).await else { return };
    let args = json!({
        "name": "Roof", "stage": "contractsent", "pipeline": "default", "properties": { "amount": "1500.00" },
        "associations": [{ "to": "201", "type_id": 3 }, { "to": "301", "type_id": 36, "category": "USER_DEFINED" }],
    });
    creates(&mock, "hubspot.create_deal", "deals", args).await;
}

#[tokio::test]
async fn shape_at_prism_of_create_ticket() {
    let Some(mock) = mock("hubspot_tickets_v3.json", RECORDS).await else { return };
    creates(&mock, "hubspot.create_ticket", "tickets", json!({ "subject": "It is broken", "stage": "1" })).await;
}

#[tokio::test]
async fn shape_at_prism_of_create_note() {
    let Some(mock) = mock("hubspot_notes_v3.json", RECORDS).await else { return };
    let ties = json!([{ "to": "201", "type_id": 202 }]);
    let args = json!({ "body": "Called back.", "at": "2026-09-21T14:13:20Z", "associations": ties });
    creates(&mock, "hubspot.create_note", "notes", args).await;
}

#[tokio::test]
async fn shape_at_prism_of_send_single_email() {
    let Some(mock) = mock("hubspot_transactional_v3.json", SENDS).await else { return };
    let bench = bench(&mock).await;
    let args = json!({
        "email_id": 4_126_643_121_u64, "to": "jane@example.com", "from": "Shop <shop@example.com>",
        "reply_to": ["desk@example.com"], "cc": ["cc@example.com"], "bcc": ["bcc@example.com"],
        "contact_properties": { "last_paid_date": "2026-09-21" }, "custom_properties": { "item": "roof" },
    });
    let report = bench.run("hubspot.send_single_email", &args).await.expect("it is settled");
    valid(&mock, &bench, of_a_send);
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if receipt["id"] == "string"), "{report:?}");
    assert_eq!(bench.arrived(), [format!("POST {SEND}")]);
}
