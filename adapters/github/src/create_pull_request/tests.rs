use hapax_core::capability::Absence;
use hapax_core::cell::{Cell, CellArgs};
use hapax_core::testing::{Desk, body_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{AFTER, BEFORE, FOREIGN, error, invalid, losing, marked, paged, scripted, unclear};

const CELL: &str = "github.create_pull_request";
const LIST: &str = "GET /repos/octo/repo/pulls?state=all&sort=created&direction=desc&per_page=100";

fn args() -> CreatePullRequest {
    let of = CreatePullRequest::of("octo/repo", "change", "main", "Better");
    CreatePullRequest { body: Some("Some text.".to_owned()), ..of }
}

fn stored(number: u64, body: &str, at: &str) -> Value {
    json!({"number": number, "html_url": format!("https://github.com/octo/repo/pull/{number}"), "body": body,
        "head": {"ref": "change", "sha": "a".repeat(40)}, "base": {"ref": "main", "sha": "b".repeat(40)},
        "state": "open", "created_at": at})
}

fn answering(status: u16) -> Desk {
    let desk = scripted(CELL, []);
    desk.script().push(Ok(response(status, &stored(12, &marked(&desk), AFTER))));
    desk
}

fn exists() -> (u16, Value) {
    let complaint = json!([{"resource": "PullRequest", "code": "custom",
        "message": "A pull request already exists for octo:change."}]);
    error(422, "Validation Failed", complaint)
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_pull_request_sends_what_was_asked() {
    let desk = answering(201);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((receipt.id.as_str(), &receipt.body["head_sha"]), ("octo/repo#12", &json!("a".repeat(40))));
    assert_eq!(desk.asked(), ["POST /repos/octo/repo/pulls"]);
    let body = json!({"title": "Better", "head": "change", "base": "main", "body": marked(&desk)});
    assert_eq!(body_of(&desk.request(0)), body);
    let desk = answering(201);
    desk.attempt(&CreatePullRequest { draft: true, ..args() }).await;
    assert_eq!(body_of(&desk.request(0))["draft"], true);
}

#[tokio::test]
async fn create_pull_request_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let mark = marked(&losing(CELL));
    let mut closed = stored(12, &mark, AFTER);
    closed["state"] = json!("closed");
    closed["base"]["ref"] = json!("another");
    let desk = paged(CELL, &json!([stored(13, FOREIGN, AFTER)]), &json!([closed]));
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "octo/repo#12"));
    assert_eq!(desk.asked(), [LIST, "GET /repos/octo/repo/pulls?per_page=100&page=2"]);
    // What is older than the first departure is not looked at.
    let desk = paged(CELL, &json!([stored(13, FOREIGN, AFTER), stored(9, FOREIGN, BEFORE)]), &json!([]));
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent));
    assert_eq!(desk.asked(), [LIST]);
}

#[tokio::test]
async fn create_pull_request_exists_is_taken() {
    let (status, body) = exists();
    assert_eq!(said(status, body).await, "taken");
    let mark = marked(&losing(CELL));
    let ours = scripted(CELL, [(200, json!([stored(12, &mark, AFTER)]))]).find(&args()).await;
    assert!(matches!(ours, Ok(Finding::Happened(receipt)) if receipt.id == "octo/repo#12"));
}

#[tokio::test]
async fn create_pull_request_of_others_is_not_ours() {
    let theirs = json!([stored(12, "Some text.", AFTER), stored(11, FOREIGN, AFTER)]);
    assert_eq!(scripted(CELL, [(200, theirs)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn create_pull_request_absent_is_only_suggested() {
    assert_eq!(scripted(CELL, [(200, json!([]))]).find(&args()).await, Ok(Finding::Absent));
    assert!(CreatePullRequestCell::SPEC.queries().all(|query| query.absence == Absence::Suggests));
    let failed = scripted(CELL, [error(500, "Server Error", Value::Null)]).find(&args()).await;
    assert!(failed.is_err());
}

#[tokio::test]
async fn create_pull_request_refusals_speak_for_their_attempt() {
    let nothing =
        json!([{"resource": "PullRequest", "code": "custom", "message": "No commits between main and change"}]);
    for (status, body) in [
        invalid("head", "invalid"),
        invalid("base", "invalid"),
        error(422, "Validation Failed", nothing),
        error(404, "Not Found", Value::Null),
        error(403, "Resource not accessible by integration", Value::Null),
    ] {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
}

#[tokio::test]
async fn create_pull_request_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_pull_request_answer_about_another_one_is_an_echo_fault() {
    assert_eq!(said(201, stored(12, FOREIGN, AFTER)).await, "echo");
    let desk = scripted(CELL, []);
    let mut other = stored(12, &marked(&desk), AFTER);
    other["base"]["ref"] = json!("production");
    desk.script().push(Ok(response(201, &other)));
    assert_eq!(word(&desk.attempt(&args()).await), "echo");
}

#[tokio::test]
async fn create_pull_request_fetch_reads_what_a_person_names() {
    let desk = answering(200);
    let read = desk.fetch(&args(), "12").await.expect("read").expect("there");
    assert_eq!((read.id.as_str(), desk.asked()), ("octo/repo#12", vec!["GET /repos/octo/repo/pulls/12".to_owned()]));
    let other = scripted(CELL, [(200, stored(12, FOREIGN, AFTER))]).fetch(&args(), "12").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert_eq!(scripted(CELL, [error(404, "Not Found", Value::Null)]).fetch(&args(), "12").await, Ok(None));
    assert!(scripted(CELL, []).fetch(&args(), "twelve").await.is_err());
}

#[test]
fn create_pull_request_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (args, field) in [
        (CreatePullRequest { repository: "octo".to_owned(), ..args() }, "repository"),
        (CreatePullRequest { head: String::new(), ..args() }, "head"),
        (CreatePullRequest { base: " ".to_owned(), ..args() }, "base"),
        (CreatePullRequest { title: String::new(), ..args() }, "title"),
        (CreatePullRequest { body: Some(FOREIGN.to_owned()), ..args() }, "body"),
    ] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
