use hapax_core::capability::Absence;
use hapax_core::cell::{Cell, CellArgs};
use hapax_core::testing::{body_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{FOREIGN, error, invalid, losing, marked, paged, scripted, unclear};

const CELL: &str = "github.create_comment";
const COMMENTS: &str = "/repos/octo/repo/issues/7/comments";

fn args() -> CreateComment {
    CreateComment::of("octo/repo", 7, "Some text.")
}

fn stored(id: u64, body: &str) -> Value {
    json!({"id": id, "html_url": format!("https://github.com/octo/repo/issues/7#issuecomment-{id}"), "body": body})
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_comment_sends_what_was_asked() {
    let desk = scripted(CELL, []);
    desk.script().push(Ok(response(201, &stored(5, &marked(&desk)))));
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "5"), "{answer:?}");
    assert_eq!(desk.asked(), [format!("POST {COMMENTS}")]);
    assert_eq!(body_of(&desk.request(0)), json!({"body": marked(&desk)}));
}

#[tokio::test]
async fn create_comment_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    // By ascending id, so that ours is the last.
    let mark = marked(&losing(CELL));
    let desk = paged(CELL, &json!([stored(4, FOREIGN)]), &json!([stored(5, &mark)]));
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "5"));
    let first = format!("GET {COMMENTS}?since=2023-11-14T22%3A03%3A20Z&per_page=100");
    assert_eq!(desk.asked(), [first, format!("GET {COMMENTS}?per_page=100&page=2")]);
}

#[tokio::test]
async fn create_comment_absent_is_only_suggested() {
    let finding = scripted(CELL, [(200, json!([stored(4, "Some text.")]))]).find(&args()).await.expect("a finding");
    assert_eq!(finding, Finding::Absent);
    assert!(CreateCommentCell::SPEC.queries().all(|query| query.absence == Absence::Suggests));
    // An issue that is gone says nothing of its comments.
    assert!(scripted(CELL, [error(404, "Not Found", Value::Null)]).find(&args()).await.is_err());
}

#[tokio::test]
async fn create_comment_refusals_speak_for_their_attempt() {
    let locked = error(403, "Unable to create comment because issue is locked.", Value::Null);
    let gone = error(410, "This issue was deleted", Value::Null);
    for (status, body) in [locked, gone, error(404, "Not Found", Value::Null), invalid("body", "custom")] {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
}

#[tokio::test]
async fn create_comment_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_comment_answer_about_another_one_is_an_echo_fault() {
    assert_eq!(said(201, stored(5, FOREIGN)).await, "echo");
}

#[tokio::test]
async fn create_comment_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, []);
    desk.script().push(Ok(response(200, &stored(5, &marked(&desk)))));
    let read = desk.fetch(&args(), "5").await.expect("read").expect("there");
    assert_eq!((read.id.as_str(), desk.asked()), ("5", vec!["GET /repos/octo/repo/issues/comments/5".to_owned()]));
    assert_eq!(scripted(CELL, [error(404, "Not Found", Value::Null)]).fetch(&args(), "5").await, Ok(None));
    let other = scripted(CELL, [(200, stored(5, FOREIGN))]).fetch(&args(), "5").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&args(), "5/reactions").await.is_err());
}

#[test]
fn create_comment_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (args, field) in [
        (CreateComment::of("octo", 7, "x"), "repository"),
        (CreateComment::of("octo/repo", 0, "x"), "issue"),
        (CreateComment::of("octo/repo", 7, " "), "body"),
        (CreateComment::of("octo/repo", 7, FOREIGN), "body"),
    ] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
