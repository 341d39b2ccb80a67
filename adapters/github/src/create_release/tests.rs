use hapax_core::capability::Absence;
use hapax_core::cell::{Cell, CellArgs};
use hapax_core::testing::{body_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{FOREIGN, error, invalid, losing, marked, paged, scripted, unclear};

const CELL: &str = "github.create_release";

fn args() -> CreateRelease {
    CreateRelease { body: Some("Some text.".to_owned()), ..CreateRelease::of("octo/repo", "v1.0.0") }
}

/// A release whose date is that of an old commit.
fn stored(id: u64, body: &str, draft: bool) -> Value {
    json!({"id": id, "html_url": "https://github.com/octo/repo/releases/tag/v1.0.0", "tag_name": "v1.0.0", "body": body,
        "draft": draft, "created_at": "2020-01-01T00:00:00Z"})
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn create_release_sends_what_was_asked() {
    let desk = scripted(CELL, []);
    desk.script().push(Ok(response(201, &stored(5, &marked(&desk), false))));
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((receipt.id.as_str(), &receipt.body["draft"]), ("5", &json!(false)));
    assert_eq!(desk.asked(), ["POST /repos/octo/repo/releases"]);
    let body = json!({"tag_name": "v1.0.0", "body": marked(&desk), "draft": false, "prerelease": false});
    assert_eq!(body_of(&desk.request(0)), body);

    let desk = scripted(CELL, []);
    desk.script().push(Ok(response(201, &stored(6, &marked(&desk), true))));
    let more = CreateRelease {
        target: Some("main".to_owned()),
        name: Some("One".to_owned()),
        draft: true,
        prerelease: true,
        ..args()
    };
    assert_eq!(word(&desk.attempt(&more).await), "happened");
    let body = json!({"tag_name": "v1.0.0", "body": marked(&desk), "draft": true, "prerelease": true,
        "target_commitish": "main", "name": "One"});
    assert_eq!(body_of(&desk.request(0)), body);
}

#[tokio::test]
async fn create_release_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let mark = marked(&losing(CELL));
    for draft in [true, false] {
        let desk = paged(CELL, &json!([stored(4, FOREIGN, false)]), &json!([stored(5, &mark, draft)]));
        let finding = desk.find(&args()).await.expect("a finding");
        assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "5"));
        let list = "GET /repos/octo/repo/releases?per_page=100";
        assert_eq!(desk.asked(), [list.to_owned(), format!("{list}&page=2")]);
    }
}

#[tokio::test]
async fn create_release_tag_exists_is_taken() {
    let (status, body) = invalid("tag_name", "already_exists");
    assert_eq!(said(status, body).await, "taken");
    let theirs = json!([stored(4, "Some text.", false), stored(3, FOREIGN, false)]);
    assert_eq!(scripted(CELL, [(200, theirs)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn create_release_absent_is_only_suggested() {
    assert_eq!(scripted(CELL, [(200, json!([]))]).find(&args()).await, Ok(Finding::Absent));
    assert!(CreateReleaseCell::SPEC.queries().all(|query| query.absence == Absence::Suggests));
    assert!(scripted(CELL, [error(404, "Not Found", Value::Null)]).find(&args()).await.is_err());
}

#[tokio::test]
async fn create_release_refusals_speak_for_their_attempt() {
    let workflows = error(404, "Not Found", Value::Null);
    for (status, body) in [invalid("target_commitish", "invalid"), invalid("tag_name", "custom"), workflows] {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
}

#[tokio::test]
async fn create_release_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn create_release_answer_about_another_one_is_an_echo_fault() {
    let mark = marked(&losing(CELL));
    let mut other_tag = stored(5, &mark, false);
    other_tag["tag_name"] = json!("v2.0.0");
    for other in [stored(5, FOREIGN, false), stored(5, &mark, true), other_tag] {
        assert_eq!(said(201, other).await, "echo");
    }
}

#[tokio::test]
async fn create_release_fetch_reads_what_a_person_names() {
    let mark = marked(&losing(CELL));
    let desk = scripted(CELL, [(200, stored(5, &mark, false))]);
    let read = desk.fetch(&args(), "5").await.expect("read").expect("there");
    assert_eq!((read.id.as_str(), desk.asked()), ("5", vec!["GET /repos/octo/repo/releases/5".to_owned()]));
    assert_eq!(scripted(CELL, [error(404, "Not Found", Value::Null)]).fetch(&args(), "5").await, Ok(None));
    let other = scripted(CELL, [(200, stored(5, FOREIGN, false))]).fetch(&args(), "5").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&args(), "latest").await.is_err());
}

#[test]
fn create_release_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (args, field) in [
        (CreateRelease::of("octo", "v1"), "repository"),
        (CreateRelease::of("octo/repo", " "), "tag"),
        (CreateRelease { body: Some(FOREIGN.to_owned()), ..args() }, "body"),
    ] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
