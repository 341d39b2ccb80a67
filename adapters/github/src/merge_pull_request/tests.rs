use hapax_core::cell::CellArgs;
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, losing, scripted, unclear};

const CELL: &str = "github.merge_pull_request";

fn sha() -> String {
    "a".repeat(40)
}

fn args() -> MergePullRequest {
    MergePullRequest::of("octo/repo", 12, sha())
}

/// The pull request with other fields.
fn pull(more: Value) -> (u16, Value) {
    let mut pull = json!({"number": 12, "state": "open", "merged": false, "draft": false, "mergeable": true,
        "mergeable_state": "clean", "merge_commit_sha": null, "merged_by": null, "head": {"sha": sha()}});
    for (name, value) in more.as_object().expect("fields") {
        pull[name] = value.clone();
    }
    (200, pull)
}

fn merged(head: &str) -> (u16, Value) {
    pull(json!({"state": "closed", "merged": true, "mergeable": null, "merge_commit_sha": "c0ffee",
        "merged_by": {"login": "hubot"}, "head": {"sha": head}}))
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

async fn seen(answer: (u16, Value)) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [answer]).find(&args()).await.expect("a finding")
}

#[tokio::test]
async fn merge_pull_request_is_conditional_on_the_head() {
    let done = json!({"sha": "c0ffee", "merged": true, "message": "Pull Request successfully merged"});
    let desk = scripted(CELL, [(200, done.clone())]);
    let Answer::Happened(receipt) = desk.attempt(&args()).await else { panic!("it happened") };
    assert_eq!((&receipt.body["merge_commit"], &receipt.body["doer"]), (&json!("c0ffee"), &json!("us")));
    assert_eq!(desk.asked(), ["PUT /repos/octo/repo/pulls/12/merge"]);
    assert_eq!(body_of(&desk.request(0)), json!({"sha": sha()}));
    let more = MergePullRequest {
        method: Some(MergeMethod::Squash),
        commit_title: Some("T".to_owned()),
        commit_message: Some("M".to_owned()),
        ..args()
    };
    let desk = scripted(CELL, [(200, done)]);
    desk.attempt(&more).await;
    let body = json!({"sha": sha(), "merge_method": "squash", "commit_title": "T", "commit_message": "M"});
    assert_eq!(body_of(&desk.request(0)), body);
}

#[tokio::test]
async fn merge_pull_request_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
    let desk = scripted(CELL, [merged(&sha())]);
    let Finding::Happened(receipt) = desk.find(&args()).await.expect("a finding") else { panic!("it is merged") };
    let of = |field: &str| receipt.body[field].clone();
    assert_eq!(
        (of("merged_by"), of("doer"), of("merge_commit")),
        (json!("hubot"), json!("cannot_tell"), json!("c0ffee"))
    );
    assert_eq!(desk.asked(), ["GET /repos/octo/repo/pulls/12"]);
}

#[tokio::test]
async fn merge_pull_request_open_is_absent() {
    assert_eq!(seen(pull(json!({}))).await, Finding::Absent);
    assert_eq!(seen(pull(json!({"mergeable": null, "mergeable_state": "unknown"}))).await, Finding::Absent);
    // Another pull request than the one that was asked for says nothing.
    let other = scripted(CELL, [pull(json!({"number": 13}))]).find(&args()).await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, [error(500, "Server Error", Value::Null)]).find(&args()).await.is_err());
}

#[tokio::test]
async fn merge_pull_request_405_is_taken() {
    // As the description's example has it, and as GitHub answers.
    assert_eq!(said(405, json!({"message": "Pull Request is not mergeable"})).await, "taken");
    let (status, body) = error(405, "Pull Request is not mergeable", Value::Null);
    assert_eq!(said(status, body).await, "taken");
}

#[tokio::test]
async fn merge_pull_request_moved_head_is_refused() {
    let moved = json!({"message": "Head branch was modified. Review and try the merge again."});
    assert_eq!(said(409, moved).await, "refused");
}

#[tokio::test]
async fn merge_pull_request_that_cannot_be_failed() {
    for (more, code) in [
        (json!({"state": "closed"}), "closed"),
        (json!({"draft": true}), "draft"),
        (json!({"mergeable": false, "mergeable_state": "dirty"}), "not_mergeable"),
        (json!({"mergeable_state": "blocked"}), "not_mergeable"),
        (json!({"head": {"sha": "b".repeat(40)}}), "conflict"),
    ] {
        let finding = seen(pull(more.clone())).await;
        assert!(matches!(&finding, Finding::Failed(refusal) if refusal.code == code), "{more}: {finding:?}");
    }
}

#[tokio::test]
async fn merge_pull_request_of_another_head_failed() {
    let finding = seen(merged(&"b".repeat(40))).await;
    assert!(matches!(finding, Finding::Failed(refusal) if refusal.code == "merged_with_another_head"));
}

#[tokio::test]
async fn merge_pull_request_success_without_a_merge_is_unread() {
    assert_eq!(said(200, json!({"sha": "c0ffee", "merged": false, "message": "x"})).await, "unclear");
    assert_eq!(said(200, json!({"message": "x"})).await, "unclear");
}

#[tokio::test]
async fn merge_pull_request_unknown_is_absent() {
    let missing = error(404, "Not Found", Value::Null);
    assert_eq!(seen(missing.clone()).await, Finding::Absent);
    assert_eq!(said(missing.0, missing.1).await, "refused");
}

#[test]
fn merge_pull_request_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    assert_eq!(MergePullRequest::of("octo/repo", 12, "a".repeat(64)).check(), Ok(()));
    for (args, field) in [
        (MergePullRequest::of("octo", 12, sha()), "repository"),
        (MergePullRequest::of("octo/repo", 0, sha()), "pull_request"),
        (MergePullRequest::of("octo/repo", 12, "abc1234"), "sha"),
        (MergePullRequest::of("octo/repo", 12, "A".repeat(40)), "sha"),
        (MergePullRequest::of("octo/repo", 12, "main"), "sha"),
    ] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
