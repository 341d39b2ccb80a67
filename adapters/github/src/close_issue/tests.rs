use hapax_core::capability::Absence;
use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{AFTER, error, invalid, losing, scripted, unclear};

const CELL: &str = "github.close_issue";

fn args() -> CloseIssue {
    CloseIssue::of("octo/repo", 7)
}

/// An open issue with other fields.
fn issue(more: Value) -> (u16, Value) {
    let mut issue = json!({"number": 7, "state": "open", "state_reason": null, "closed_at": null, "closed_by": null});
    for (name, value) in more.as_object().expect("fields") {
        issue[name] = value.clone();
    }
    (200, issue)
}

fn closed(reason: &str) -> (u16, Value) {
    issue(json!({"state": "closed", "state_reason": reason, "closed_at": AFTER, "closed_by": {"login": "hubot"}}))
}

async fn said((status, body): (u16, Value)) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

async fn seen(answer: (u16, Value)) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [answer]).find(&args()).await.expect("a finding")
}

#[tokio::test]
async fn close_issue_sends_what_was_asked() {
    let desk = scripted(CELL, [closed("completed")]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((&receipt.body["doer"], &receipt.body["is_pull_request"]), (&json!("us"), &json!(false)));
    assert_eq!(desk.asked(), ["PATCH /repos/octo/repo/issues/7"]);
    assert_eq!(body_of(&desk.request(0)), json!({"state": "closed"}));
    for (reason, written) in [(CloseReason::Completed, "completed"), (CloseReason::NotPlanned, "not_planned")] {
        let desk = scripted(CELL, [closed(written)]);
        desk.attempt(&CloseIssue { reason: Some(reason), ..args() }).await;
        assert_eq!(body_of(&desk.request(0)), json!({"state": "closed", "state_reason": written}));
    }
}

#[tokio::test]
async fn close_issue_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = scripted(CELL, [closed("completed")]);
    let Finding::Happened(receipt) = desk.find(&args()).await.expect("a finding") else { panic!("it is closed") };
    let of = |field: &str| receipt.body[field].clone();
    assert_eq!((of("closed_by"), of("closed_at"), of("doer")), (json!("hubot"), json!(AFTER), json!("cannot_tell")));
    assert_eq!(desk.asked(), ["GET /repos/octo/repo/issues/7"]);
}

#[tokio::test]
async fn close_issue_open_is_only_suggested() {
    assert_eq!(seen(issue(json!({}))).await, Finding::Absent);
    assert!(CloseIssueCell::SPEC.queries().all(|query| query.absence == Absence::Suggests));
    let unknown = seen(issue(json!({"state": "frozen"}))).await;
    assert!(matches!(unknown, Finding::CannotTell(_)), "{unknown:?}");
}

#[tokio::test]
async fn close_issue_reopened_is_a_persons() {
    let finding = seen(issue(json!({"state_reason": "reopened"}))).await;
    assert!(matches!(&finding, Finding::CannotTell(why) if why.contains("opened it again")), "{finding:?}");
}

#[tokio::test]
async fn close_issue_closed_before_is_enough() {
    let planned = CloseIssue { reason: Some(CloseReason::NotPlanned), ..args() };
    let desk = scripted(CELL, [closed("duplicate"), closed("completed")]);
    let Answer::Happened(receipt) = desk.attempt(&planned).await else { panic!("it is closed") };
    assert_eq!(receipt.body["reason"], "duplicate");
    let Ok(Finding::Happened(receipt)) = desk.find(&planned).await else { panic!("it is closed") };
    assert_eq!(receipt.body["reason"], "completed");
}

#[tokio::test]
async fn close_issue_closes_a_pull_request_too() {
    let (status, mut body) = closed("completed");
    body["state_reason"] = Value::Null;
    body["pull_request"] = json!({"merged_at": null});
    let desk = scripted(CELL, [(status, body.clone()), (status, body)]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it is closed") };
    assert_eq!(receipt.body["is_pull_request"], true);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("it is closed") };
    assert_eq!(receipt.body["is_pull_request"], true);
}

#[tokio::test]
async fn close_issue_refusals_speak_for_their_attempt() {
    let forbidden = error(403, "Must have admin rights to Repository.", Value::Null);
    let deleted = error(410, "This issue was deleted", Value::Null);
    let unknown = error(404, "Not Found", Value::Null);
    for answer in [forbidden, deleted, unknown, invalid("state_reason", "invalid"), invalid("state", "invalid")] {
        assert_eq!(said(answer.clone()).await, "refused", "{answer:?}");
    }
}

#[tokio::test]
async fn close_issue_limits_are_not_done() {
    for status in [403, 429] {
        let desk = scripted(CELL, []);
        let mut limited = response(status, &error(status, "API rate limit exceeded for user ID 1.", Value::Null).1);
        limited.headers.push(("x-ratelimit-remaining".to_owned(), "0".to_owned()));
        desk.script().push(Ok(limited));
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status}");
    }
    let secondary = "You have exceeded a secondary rate limit.";
    assert_eq!(said(error(403, secondary, Value::Null)).await, "not done");
    assert_eq!(said(error(429, secondary, Value::Null)).await, "unclear");
}

#[tokio::test]
async fn close_issue_moved_is_not_followed() {
    let moved = error(301, "Moved Permanently", Value::Null);
    let desk = scripted(CELL, [moved.clone(), moved]);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
    assert!(matches!(desk.find(&args()).await, Err(Fault::Status(301, _))));
    assert_eq!(desk.asked(), ["PATCH /repos/octo/repo/issues/7", "GET /repos/octo/repo/issues/7"]);
}

#[tokio::test]
async fn close_issue_gone_cannot_be_told() {
    let missing = seen(error(404, "Not Found", Value::Null)).await;
    assert!(matches!(&missing, Finding::CannotTell(why) if why.contains("gone")), "{missing:?}");
    let deleted = scripted(CELL, [error(410, "This issue was deleted", Value::Null)]).find(&args()).await;
    assert!(matches!(deleted, Err(Fault::Status(410, _))), "{deleted:?}");
}

#[tokio::test]
async fn close_issue_other_answers_are_not_guessed() {
    let spammed = error(422, "Validation failed, or the endpoint has been spammed.", Value::Null);
    for answer in unclear().into_iter().chain([spammed, issue(json!({}))]) {
        assert_eq!(said(answer.clone()).await, "unclear", "{answer:?}");
    }
    assert!(scripted(CELL, [error(500, "Server Error", Value::Null)]).find(&args()).await.is_err());
}

#[tokio::test]
async fn close_issue_echo_mismatch_is_caught() {
    assert_eq!(said(issue(json!({"number": 8, "state": "closed"}))).await, "echo");
    for state in ["closed", "open"] {
        let look = scripted(CELL, [issue(json!({"number": 8, "state": state}))]).find(&args()).await;
        assert!(matches!(look, Err(Fault::Echo(_))), "{state}: {look:?}");
    }
}

#[test]
fn close_issue_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (args, field) in [(CloseIssue::of("octo", 7), "repository"), (CloseIssue::of("octo/repo", 0), "issue")] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
