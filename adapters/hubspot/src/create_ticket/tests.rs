use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, invalid, losing, missing, record, scripted};

const CELL: &str = "hubspot.create_ticket";

fn args() -> CreateTicket {
    CreateTicket::of("It is broken", "1")
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn ticket(key: &str) -> Value {
    record("77", json!({ "subject": "It is broken", "hapax_key": key }))
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_ticket_sends_what_was_asked() {
    let desk = scripted(CELL, [(201, ticket(&mark()))]);
    let all = CreateTicket {
        pipeline: Some("0".to_owned()),
        properties: [("content".to_owned(), "It doesn't start.".to_owned())].into(),
        ..args()
    };
    let answer = desk.attempt(&all).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "77"), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /crm/v3/objects/tickets"]);
    let sent = json!({
        "subject": "It is broken", "hs_pipeline_stage": "1", "hs_pipeline": "0", "content": "It doesn't start.",
        "hapax_key": mark(),
    });
    assert_eq!(body_of(&desk.request(0)), json!({ "properties": sent, "associations": [] }));
}

#[tokio::test]
async fn create_ticket_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [(200, ticket(&mark()))]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == "77"));
    let by_key = format!("/crm/v3/objects/tickets/{}?idProperty=hapax_key&properties=hapax_key&archived=false", mark());
    assert_eq!(desk.asked(), [format!("GET {by_key}")]);
}

#[tokio::test]
async fn create_ticket_request_lost_before_effect() {
    assert_eq!(scripted(CELL, [missing(), missing()]).find(&args()).await, Ok(Finding::Absent));
    assert!(scripted(CELL, [missing(), error(500, "INTERNAL_ERROR", "no")]).find(&args()).await.is_err());
}

#[tokio::test]
async fn create_ticket_taken_key_is_looked_for() {
    let (status, body) = invalid("hapax_key", "CONFLICTING_UNIQUE_VALUE");
    assert_eq!(said(status, body).await, "taken");
    let (status, body) = error(409, "CONFLICT", "exists");
    assert_eq!(said(status, body).await, "taken");
}

#[tokio::test]
async fn create_ticket_refusals_speak_for_their_attempt() {
    let (status, body) = invalid("hs_pipeline_stage", "INVALID_OPTION");
    assert_eq!(said(status, body).await, "refused");
}

#[tokio::test]
async fn create_ticket_echo_mismatch_is_caught() {
    assert_eq!(said(201, ticket("somebodyelse")).await, "echo");
}

#[tokio::test]
async fn create_ticket_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, ticket(&mark()))]);
    assert!(desk.fetch(&args(), "77").await.is_ok_and(|read| read.is_some_and(|receipt| receipt.id == "77")));
    let other = scripted(CELL, [(200, ticket("somebodyelse"))]).fetch(&args(), "77").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
}

#[test]
fn create_ticket_checks_its_arguments() {
    let wrong = |args: CreateTicket, field: &str| {
        let why = args.check().expect_err(field);
        assert!(why.starts_with(field), "{why}");
    };
    assert_eq!(args().check(), Ok(()));
    wrong(CreateTicket::of("", "1"), "subject");
    wrong(CreateTicket::of("It is broken", " "), "stage");
    wrong(CreateTicket { properties: [("subject".to_owned(), "x".to_owned())].into(), ..args() }, "properties");
}
