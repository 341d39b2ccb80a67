//! What `hubspot.upsert_contact` sends and reads, compared with HubSpot's own API description by Prism. These are checks of
//! shapes: Prism keeps no state, so none of them proves an effect. What they need: `tests/third-party/README.md`. Of deals,
//! tickets and single sends there is no description where the others are.

use hapax_conformance::shapes::{Bench, Mock, preferring};
use hapax_core::cell::Credentials;
use hapax_core::words::{Next, Outcome};
use hapax_standin::client::Call;
use hapax_standin::third_party::prism::{self, Edit};
use hapax_standin::{Fault, When};
use serde_json::{Value, json};

const UPSERT: &str = "/crm/v3/objects/contacts/batch/upsert";
const READ: &str = "/crm/v3/objects/contacts/batch/read";
const ADDRESS: &str = "bcooper@biglytics.net";

/// What the description needs, so that its answers can be read.
const EDITS: [Edit; 3] = [
    Edit {
        why: "nearly everything has the example null, which makes every answer empty",
        make: |description| {
            prism::each_object(description, &mut |object| {
                let is_null = object.get("example").is_some_and(Value::is_null);
                is_null && object.remove("example").is_some()
            })
        },
    },
    Edit {
        why: "errors have no media type but */*, and Prism turns a refusal into a failure of its own",
        make: |description| {
            let content = &mut description["components"]["responses"]["Error"]["content"];
            let any = content.as_object_mut().and_then(|content| content.remove("*/*"));
            let is_there = any.is_some();
            content["application/json"] = any.unwrap_or_default();
            is_there
        },
    },
    Edit {
        why: "without the null examples the answers have none, and Prism makes up words that echo no contact",
        make: |description| {
            let schemas = &mut description["components"]["schemas"];
            let contact = json!({ "email": ADDRESS, "firstname": "Bryan" });
            let examples = [
                ("/SimplePublicUpsertObject/properties/id", json!("512")),
                ("/SimplePublicUpsertObject/properties/properties", contact.clone()),
                ("/BatchResponseSimplePublicUpsertObject/properties/status", json!("COMPLETE")),
                ("/SimplePublicObject/properties/id", json!("512")),
                ("/SimplePublicObject/properties/properties", contact),
                ("/BatchResponseSimplePublicObject/properties/status", json!("COMPLETE")),
            ];
            let mut set = |(pointer, example): &(&str, Value)| {
                schemas.pointer_mut(pointer).map(|schema| schema["example"] = example.clone()).is_some()
            };
            examples.iter().all(&mut set)
        },
    },
];

async fn mock() -> Option<Mock> {
    Mock::of("hubspot_contacts_v3.json", &EDITS).await.expect("it starts")
}

async fn bench(mock: &Mock) -> Bench {
    let credentials = Credentials::none().with("token", "pat-na1-any".into());
    mock.bench(hapax_hubspot::integration(), credentials).await.expect("a bench")
}

fn args() -> Value {
    json!({ "id_property": "email", "id": ADDRESS, "properties": { "firstname": "Bryan" } })
}

/// Every request is valid by the description, and has no member that the description doesn't have.
#[track_caller]
fn valid(mock: &Mock, bench: &Bench) {
    assert_eq!(bench.faults(), Vec::<String>::new());
    let schemas = &mock.description()["components"]["schemas"];
    let known = |schema: &str, of: &Value| {
        let names = of.as_object().into_iter().flat_map(|members| members.keys());
        let unknown: Vec<_> = names.filter(|name| schemas[schema]["properties"].get(*name).is_none()).collect();
        assert!(unknown.is_empty(), "{schema} has no {unknown:?}");
    };
    for seen in bench.proxy().seen() {
        let body: Value = serde_json::from_slice(&seen.body).expect("JSON");
        let (batch, input) = match seen.target.as_str() {
            UPSERT => ("BatchInputSimplePublicObjectBatchInputUpsert", "SimplePublicObjectBatchInputUpsert"),
            _ => ("BatchReadInputSimplePublicObjectId", "SimplePublicObjectId"),
        };
        known(batch, &body);
        known(input, &body["inputs"][0]);
    }
}

#[tokio::test]
async fn shape_at_prism_of_upsert_contact() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    let report = bench.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &bench);
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if receipt["id"] == "512"), "{report:?}");
    assert_eq!(bench.arrived(), [format!("POST {UPSERT}")]);
}

#[tokio::test]
async fn shape_at_prism_of_reading_a_contact() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    bench.proxy().inject(When::on("POST", UPSERT), Fault::CutAfterCommit);
    let report = bench.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &bench);
    let found = |receipt: &Value| receipt["id"] == "512" && receipt["doer"] == "cannot_tell";
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if found(receipt)), "{report:?}");
    assert_eq!(bench.arrived(), [format!("POST {UPSERT}"), format!("POST {READ}")]);
}

#[tokio::test]
async fn shape_at_prism_of_a_refusal_and_a_limit() {
    let Some(mock) = mock().await else { return };
    let refused = bench(&mock).await;
    refused.proxy().inject(When::on("POST", UPSERT).always(), preferring("code=400"));
    let report = refused.run("hubspot.upsert_contact", &args()).await.expect("it is settled");
    valid(&mock, &refused);
    assert!(
        matches!(&report.outcome, Outcome::Refused { reason } if reason.code == "VALIDATION_ERROR"),
        "the description's own example of an error is read: {report:?}"
    );
    assert_eq!(refused.arrived(), [format!("POST {UPSERT}")]);

    // The contact is as it should be in the description's example, so another value keeps it from being found.
    let other = json!({ "id_property": "email", "id": ADDRESS, "properties": { "firstname": "Another" } });
    let limited = bench(&mock).await;
    limited.proxy().inject(When::on("POST", UPSERT).always(), preferring("code=429"));
    let report = limited.run("hubspot.upsert_contact", &other).await.expect("it is settled");
    valid(&mock, &limited);
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
}

#[tokio::test]
async fn shape_at_prism_can_be_wrong() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    let url = format!("{}{UPSERT}", bench.proxy().url());
    let call = Call::post(&url).header("authorization", "Bearer any");
    // An upsert without the value that the contact is found by.
    call.json(&json!({ "inputs": [{ "idProperty": "email", "properties": {} }] })).send().await.expect("an answer");
    assert!(bench.faults().iter().any(|fault| fault.contains("id")), "{:?}", bench.faults());
}
