use hapax_core::capability::{Absence, Class, guarantee};
use hapax_core::cell::{Cell, CellArgs};
use hapax_core::testing::{body_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, losing, paged, scripted, unclear};

const CELL: &str = "github.dispatch_workflow";
const WORKFLOW: &str = "/repos/octo/repo/actions/workflows/deploy.yml";

fn args() -> DispatchWorkflow {
    DispatchWorkflow::of("octo/repo", "deploy.yml", "main")
}

fn started(id: u64) -> Value {
    json!({"workflow_run_id": id, "run_url": format!("https://api.github.com/repos/octo/repo/actions/runs/{id}"),
        "html_url": format!("https://github.com/octo/repo/actions/runs/{id}")})
}

fn run(id: u64, title: &str) -> Value {
    json!({"id": id, "html_url": format!("https://github.com/octo/repo/actions/runs/{id}"), "display_title": title,
        "status": "queued"})
}

fn runs(total: u64, all: Vec<Value>) -> Value {
    json!({"total_count": total, "workflow_runs": all})
}

fn title() -> String {
    format!("Deploy ({})", losing(CELL).mark())
}

async fn said(status: u16, body: Value) -> &'static str {
    word(&scripted(CELL, [(status, body)]).attempt(&args()).await)
}

#[tokio::test]
async fn dispatch_workflow_sends_what_was_asked() {
    let desk = scripted(CELL, [(200, started(5))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == "5"), "{answer:?}");
    assert_eq!(desk.asked(), [format!("POST {WORKFLOW}/dispatches")]);
    let body = json!({"ref": "main", "inputs": {"hapax": desk.mark()}, "return_run_details": true});
    assert_eq!(body_of(&desk.request(0)), body);

    let inputs = [("stage".to_owned(), "live".to_owned())].into();
    let more = DispatchWorkflow { inputs, mark_input: "request".to_owned(), ..args() };
    let desk = scripted(CELL, [(200, started(5))]);
    desk.attempt(&more).await;
    assert_eq!(body_of(&desk.request(0))["inputs"], json!({"stage": "live", "request": desk.mark()}));
}

#[tokio::test]
async fn dispatch_workflow_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let (first, second) = (runs(2, vec![run(6, "Deploy (other)")]), runs(2, vec![run(5, &title())]));
    let desk = paged(CELL, &first, &second);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "5"));
    let list = "?event=workflow_dispatch&created=%3E%3D2023-11-14T22%3A03%3A20Z&per_page=100";
    let next = format!("GET {WORKFLOW}/runs?per_page=100&page=2");
    assert_eq!(desk.asked(), [format!("GET {WORKFLOW}/runs{list}"), next]);
}

#[tokio::test]
async fn dispatch_workflow_without_an_id_is_looked_for() {
    assert_eq!(said(204, Value::Null).await, "unclear");
}

#[tokio::test]
async fn dispatch_workflow_absent_is_only_suggested() {
    let others = runs(1, vec![run(6, "Deploy")]);
    assert_eq!(scripted(CELL, [(200, others)]).find(&args()).await, Ok(Finding::Absent));
    assert!(DispatchWorkflowCell::SPEC.queries().all(|query| query.absence == Absence::Suggests));
    for failed in [error(404, "Not Found", Value::Null), (200, json!([])), (200, json!({"workflow_runs": []}))] {
        assert!(scripted(CELL, [failed]).find(&args()).await.is_err());
    }
}

#[test]
fn dispatch_workflow_needs_a_run_name() {
    let spec = DispatchWorkflowCell::SPEC;
    assert_eq!(spec.published().1, [facts::SHOWS_THE_MARK]);
    assert_eq!(guarantee(spec, &|_| true, false).class, Class::Query);
    assert_eq!(guarantee(spec, &|_| false, false).class, Class::Human);
}

#[tokio::test]
async fn dispatch_workflow_full_list_is_no_absence() {
    let full = scripted(CELL, [(200, runs(1_000, vec![run(6, "Deploy")]))]).find(&args()).await;
    assert!(matches!(full, Ok(Finding::CannotTell(_))), "{full:?}");
    let found = scripted(CELL, [(200, runs(1_000, vec![run(5, &title())]))]).find(&args()).await;
    assert!(matches!(found, Ok(Finding::Happened(_))), "{found:?}");
}

#[tokio::test]
async fn dispatch_workflow_refusals_speak_for_their_attempt() {
    for (status, body) in [
        error(404, "Not Found", Value::Null),
        error(422, "No ref found for: missing", Value::Null),
        error(422, "Unexpected inputs provided: [\"hapax\"]", Value::Null),
    ] {
        assert_eq!(said(status, body.clone()).await, "refused", "{status} {body}");
    }
}

#[tokio::test]
async fn dispatch_workflow_other_answers_are_not_guessed() {
    for (status, body) in unclear() {
        assert_eq!(said(status, body.clone()).await, "unclear", "{status} {body}");
    }
}

#[tokio::test]
async fn dispatch_workflow_answer_that_contradicts_itself_is_an_echo_fault() {
    let mut other = started(5);
    other["workflow_run_id"] = json!(6);
    assert_eq!(said(200, other).await, "echo");
}

#[tokio::test]
async fn dispatch_workflow_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [(200, run(5, &title()))]);
    let read = desk.fetch(&args(), "5").await.expect("read").expect("there");
    assert_eq!((read.id.as_str(), desk.asked()), ("5", vec!["GET /repos/octo/repo/actions/runs/5".to_owned()]));
    assert_eq!(scripted(CELL, [error(404, "Not Found", Value::Null)]).fetch(&args(), "5").await, Ok(None));
    let other = scripted(CELL, [(200, run(5, "Deploy"))]).fetch(&args(), "5").await;
    assert!(matches!(other, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&args(), "5/jobs").await.is_err());
}

#[test]
fn dispatch_workflow_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let inputs = |count: usize| (0..count).map(|number| (format!("i{number}"), String::new())).collect();
    assert_eq!(DispatchWorkflow { inputs: inputs(24), ..args() }.check(), Ok(()));
    for (args, field) in [
        (DispatchWorkflow { repository: "octo".to_owned(), ..args() }, "repository"),
        (DispatchWorkflow { workflow: "../secrets".to_owned(), ..args() }, "workflow"),
        (DispatchWorkflow { git_ref: String::new(), ..args() }, "git_ref"),
        (DispatchWorkflow { mark_input: String::new(), ..args() }, "mark_input"),
        (DispatchWorkflow { inputs: [("hapax".to_owned(), String::new())].into(), ..args() }, "inputs"),
        (DispatchWorkflow { inputs: inputs(25), ..args() }, "inputs"),
    ] {
        assert!(args.check().expect_err(field).starts_with(field), "{field}");
    }
}
