use hapax_core::capability::Absence;
use hapax_core::cell::{Cell, CellArgs};
use hapax_core::testing::{Desk, body_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{FOREIGN, error, invalid, losing, marked, paged, scripted, unclear};

const CELL: &str = "github.create_issue";
const ISSUES: &str = "/repos/octo/repo/issues";
const LIST: &str =
    "GET /repos/octo/repo/issues?state=all&sort=created&direction=desc&since=2023-11-14T22%3A03%3A20Z&per_page=100";

fn args() -> CreateIssue {
    CreateIssue { body: Some("Some text.".to_owned()), ..CreateIssue::of("octo/repo", "Broken") }
}

fn stored(number: u64, body: &str) -> Value {
    json!({"number": number, "html_url": format!("https://github.com/octo/repo/issues/{number}"), "title": "Broken",
        "body": body, "labels": [{"name": "bug"}, "old"], "assignees": [{"login": "octo"}]})
}

/// A desk whose answer is this issue with our mark.
fn answering(status: u16) -> Desk {
    let desk = scripted(CELL, []);
    desk.script().push(Ok(response(status, &stored(12, &marked(&desk)))));
    desk
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_issue_sends_what_was_asked() {
    let desk = answering(201);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "octo/repo#12"), "{answer:?}");
    assert_eq!(desk.asked(), [format!("POST {ISSUES}")]);
    assert_eq!(body_of(&desk.request(0)), json!({"title": "Broken", "body": marked(&desk)}));
    // GitHub has no key; a made-up one would only look like one.
    assert!(desk.request(0).headers.iter().all(|(name, _)| !name.to_lowercase().contains("key")));

    let all = CreateIssue {
        labels: vec!["bug".to_owned()],
        assignees: vec!["octo".to_owned()],
        milestone: Some(3),
        body: None,
        ..args()
    };
    let desk = answering(201);
    assert_eq!(word(&desk.attempt(&all).await), "happened");
    let mark = format!("<!-- hapax:{} -->", desk.mark());
    let body = json!({"title": "Broken", "body": mark, "labels": ["bug"], "assignees": ["octo"], "milestone": 3});
    assert_eq!(body_of(&desk.request(0)), body);
}

#[tokio::test]
async fn create_issue_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let mark = marked(&losing(CELL));
    let desk = paged(CELL, &json!([stored(13, FOREIGN)]), &json!([stored(12, &mark)]));
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "octo/repo#12"));
    assert_eq!(desk.asked(), [LIST.to_owned(), format!("GET {ISSUES}?per_page=100&page=2")]);
}

#[tokio::test]
async fn create_issue_absent_is_only_suggested() {
    let finding = scripted(CELL, [(200, json!([]))]).find(&args()).await.expect("a finding");
    assert_eq!(finding, Finding::Absent);
    let worth: Vec<_> = CreateIssueCell::SPEC.queries().map(|query| query.absence).collect();
    assert_eq!(worth, [Absence::Suggests]);
}

#[tokio::test]
async fn create_issue_others_are_not_ours() {
    let mut without = stored(3, "");
    without["body"] = Value::Null;
    let other = scripted(CELL, []).keyed("order:1043");
    let all = json!([stored(1, "Some text."), stored(2, FOREIGN), without, stored(4, &marked(&other))]);
    let finding = scripted(CELL, [(200, all)]).find(&args()).await.expect("a finding");
    assert_eq!(finding, Finding::Absent);
}

#[tokio::test]
async fn create_issue_two_are_several() {
    let mark = marked(&scripted(CELL, []));
    let desk = scripted(CELL, [(200, json!([stored(2, &format!("> {mark}")), stored(1, &mark)]))]);
    let Finding::Several(both) = desk.find(&args()).await.expect("a finding") else { panic!("not several") };
    assert_eq!(both.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["octo/repo#2", "octo/repo#1"]);
}

#[tokio::test]
async fn create_issue_failed_page_is_no_absence() {
    let foreign = (404, json!({"message": "Not Found", "documentation_url": "https://emulate.dev/github"}));
    for failed in [error(500, "Server Error", Value::Null), error(404, "Not Found", Value::Null), foreign] {
        assert!(scripted(CELL, [failed]).find(&args()).await.is_err());
    }
    assert!(scripted(CELL, [(200, json!({"message": "hello"}))]).find(&args()).await.is_err());
    let desk = paged(CELL, &json!([]), &json!({}));
    assert!(desk.find(&args()).await.is_err());
    let desk = scripted(CELL, []);
    let mut page = response(200, &json!([]));
    page.headers.push(("link".to_owned(), "<https://api.github.com/x>; rel=\"next\"".to_owned()));
    desk.script().push(Ok(page));
    assert!(matches!(desk.find(&args()).await, Err(Fault::Unread(_))));
}

#[tokio::test]
async fn create_issue_follow_ups_may_come_after_it() {
    for field in ["labels", "assignees", "milestone", "type"] {
        let (status, body) = invalid(field, "invalid");
        assert_eq!(said(status, body).await, "unclear", "{field}");
    }
    let both = json!([{"field": "title", "code": "invalid"}, {"field": "labels", "code": "invalid"}]);
    let (status, body) = error(422, "Validation Failed", both);
    assert_eq!(said(status, body).await, "unclear");
    let (status, body) = error(422, "Validation Failed", Value::Null);
    assert_eq!(said(status, body).await, "unclear");
}

#[tokio::test]
async fn create_issue_dropped_labels_are_no_fault() {
    let desk = scripted(CELL, []);
    let mut dropped = stored(12, &marked(&desk));
    dropped["labels"] = json!([]);
    desk.script().push(Ok(response(201, &dropped)));
    let asked = CreateIssue { labels: vec!["bug".to_owned()], ..args() };
    let Answer::Happened(receipt) = desk.attempt(&asked).await else { panic!("it happened") };
    assert_eq!((&receipt.body["labels"], &receipt.body["assignees"]), (&Value::Null, &json!(["octo"])));
    let Answer::Happened(receipt) = answering(201).attempt(&asked).await else { panic!("it happened") };
    assert_eq!(receipt.body["labels"], json!(["bug", "old"]));
}

#[tokio::test]
async fn create_issue_refusals_speak_for_their_attempt() {
    let not_a_form = error(422, "Invalid request.\n\n\"title\" wasn't supplied.", Value::Null);
    let refusals = [
        invalid("title", "missing_field"),
        invalid("body", "custom"),
        not_a_form,
        error(404, "Not Found", Value::Null),
        error(410, "Issues are disabled for this repo", Value::Null),
        error(403, "Resource not accessible by personal access token", Value::Null),
    ];
    for (status, body) in refusals {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
}

#[tokio::test]
async fn create_issue_limits_are_not_done() {
    let secondary = "You have exceeded a secondary rate limit and have been temporarily blocked from content creation.";
    let (status, body) = error(403, secondary, Value::Null);
    assert_eq!(said(status, body).await, "not done");
    let (status, body) = error(401, "Bad credentials", Value::Null);
    assert_eq!(said(status, body).await, "not done");
    for status in [403, 429] {
        let desk = scripted(CELL, []);
        let mut limit = response(status, &error(status, "API rate limit exceeded for user ID 1.", Value::Null).1);
        limit.headers.push(("x-ratelimit-remaining".to_owned(), "0".to_owned()));
        desk.script().push(Ok(limit));
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{status}");
    }
}

#[tokio::test]
async fn create_issue_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
    let (status, body) = error(409, "Conflict", Value::Null);
    assert_eq!(said(status, body).await, "unclear");
}

#[tokio::test]
async fn create_issue_answer_about_another_one_is_an_echo_fault() {
    for body in ["Some text.", FOREIGN] {
        assert_eq!(said(201, stored(12, body)).await, "echo", "{body}");
    }
}

#[tokio::test]
async fn create_issue_fetch_reads_what_a_person_names() {
    let desk = answering(200);
    let read = desk.fetch(&args(), "octo/repo#12").await.expect("read").expect("there");
    assert_eq!((read.id.as_str(), desk.asked()), ("octo/repo#12", vec![format!("GET {ISSUES}/12")]));
    let missing = scripted(CELL, [error(404, "Not Found", Value::Null)]).fetch(&args(), "12").await;
    assert_eq!(missing, Ok(None));
    let other = scripted(CELL, [(200, stored(12, FOREIGN))]).fetch(&args(), "12").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&args(), "other/repo#12").await.is_err());
}

#[test]
fn create_issue_checks_its_arguments() {
    let wrong = |args: CreateIssue, field: &str| {
        let why = args.check().expect_err(field);
        assert!(why.starts_with(field), "{why}");
    };
    assert_eq!(args().check(), Ok(()));
    wrong(CreateIssue::of("octo", "Broken"), "repository");
    wrong(CreateIssue::of("octo/../repo", "Broken"), "repository");
    wrong(CreateIssue::of("octo/repo", " "), "title");
    wrong(CreateIssue { body: Some(FOREIGN.to_owned()), ..args() }, "body");
}
