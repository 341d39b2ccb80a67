use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Finding};
use serde_json::json;

use super::*;
use crate::testing::{error, losing, scripted};

const CELL: &str = "sendgrid.upsert_contact";

fn args() -> UpsertContact {
    let email = "Jane@example.org".parse().expect("an address");
    UpsertContact { first_name: Some("Jané".to_owned()), ..UpsertContact::of(email, vec!["l1".to_owned()]) }
}

/// The contact as the search shows it, in the list `l0` and in this one.
fn shown(first_name: &str, list: &str) -> (u16, Value) {
    let contact = json!({
        "id": "c1", "email": "jane@example.org", "first_name": first_name, "last_name": "Novák", "list_ids": ["l0", list],
    });
    (200, json!({ "result": { "jane@example.org": { "contact": contact } } }))
}

fn job(id: &str, status: &str) -> (u16, Value) {
    (200, json!({ "id": id, "status": status, "job_type": "upsert", "results": {} }))
}

#[tokio::test]
async fn upsert_contact_sends_what_was_asked() {
    let desk = scripted(CELL, [(202, json!({ "job_id": "j1" }))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "j1"), "{answer:?}");
    assert_eq!(desk.asked(), ["PUT /v3/marketing/contacts"]);
    let expected = json!({
        "contacts": [{ "email": "Jane@example.org", "first_name": "Jané" }], "list_ids": ["l1"],
    });
    assert_eq!(body_of(&desk.last()), expected);
}

#[tokio::test]
async fn upsert_contact_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [shown("Jané", "l1")]);
    let finding = desk.find(&args()).await;
    assert!(matches!(&finding, Ok(Finding::Happened(receipt)) if receipt.body["doer"] == "cannot_tell"), "{finding:?}");
    assert_eq!(desk.asked(), ["POST /v3/marketing/contacts/search/emails"]);
    assert_eq!(body_of(&desk.last()), json!({ "emails": ["Jane@example.org"] }));
}

#[tokio::test]
async fn upsert_contact_that_differs_is_absent() {
    let none = (200, json!({ "result": { "jane@example.org": { "error": "contact not found" } } }));
    for answer in [shown("Jana", "l1"), shown("Jané", "l2"), error(404), none] {
        assert_eq!(scripted(CELL, [answer]).find(&args()).await, Ok(Finding::Absent));
    }
}

#[tokio::test]
async fn upsert_contact_failed_look_is_no_absence() {
    let of_others = (200, json!({ "result": { "kim@example.org": { "error": "contact not found" } } }));
    let of_nobody = (200, json!({ "result": { "jane@example.org": {} } }));
    let a_proxys = (404, json!({ "message": "not here" }));
    for answer in [error(429), error(500), of_others, of_nobody, a_proxys, (200, json!({}))] {
        let finding = scripted(CELL, [answer]).find(&args()).await;
        assert!(finding.is_err(), "{finding:?}");
    }
}

#[tokio::test]
async fn upsert_contact_answer_without_a_job_is_unread() {
    for answer in [json!({}), json!({ "job_id": "" }), json!({ "job_id": "../x" })] {
        assert_eq!(word(&scripted(CELL, [(202, answer)]).attempt(&args()).await), "unclear");
    }
}

#[tokio::test]
async fn upsert_contact_refusals_speak_for_their_attempt() {
    for (status, expected) in
        [(400, "refused"), (401, "not done"), (403, "refused"), (429, "unclear"), (500, "unclear")]
    {
        assert_eq!(word(&scripted(CELL, [error(status)]).attempt(&args()).await), expected, "{status}");
    }
}

#[tokio::test]
async fn upsert_contact_fate_is_that_of_its_job() {
    let read = |desk: hapax_core::testing::Desk| async move {
        desk.fetch(&args(), "j1").await.map(|receipt| receipt.map(|receipt| receipt.body["status"].clone()))
    };
    assert_eq!(read(scripted(CELL, [job("j1", "completed"), shown("Jané", "l1")])).await, Ok(Some(json!("completed"))));
    assert_eq!(read(scripted(CELL, [job("j1", "errored")])).await, Ok(Some(json!("errored"))));
    assert_eq!(read(scripted(CELL, [error(404)])).await, Ok(None));
    assert!(read(scripted(CELL, [job("j1", "completed"), shown("Jana", "l1")])).await.is_err());
    assert!(read(scripted(CELL, [job("j1", "pending"), error(404)])).await.is_err());
    assert!(read(scripted(CELL, [job("j2", "errored")])).await.is_err(), "another job");
    let fate = |status: &str| {
        let receipt = UpsertContactReceipt { job: "j1".to_owned(), doer: Doer::Us, status: Some(status.to_owned()) };
        receipt.fate().expect("a fate").1
    };
    assert!(fate("errored") && fate("failed") && !fate("completed") && !fate("pending"));
}

#[test]
fn upsert_contact_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for city in ["", " Prague", "a\nb"] {
        assert!(UpsertContact { city: Some(city.to_owned()), ..args() }.check().is_err(), "{city}");
    }
    assert!(UpsertContact { lists: vec!["a/b".to_owned()], ..args() }.check().is_err());
}

#[test]
fn upsert_contact_is_never_shown() {
    let shown = format!("{:?}", args());
    assert!(!shown.contains("Jan") && !shown.contains("example"), "{shown}");
}
