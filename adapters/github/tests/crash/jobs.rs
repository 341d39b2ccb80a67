//! GitHub's cells.

use hapax_standin::client::Call;
use serde_json::{Value, json};

use super::{Intent, Job, Site, text};

const REPOSITORY: &str = "octocat/hello-world";

pub(super) const JOBS: &[Job] = &[
    Job { cell: "github.create_issue", effect: "issue", shot: ("POST", "/repos/*/*/issues") },
    Job { cell: "github.create_comment", effect: "comment", shot: ("POST", "/repos/*/*/issues/*/comments") },
    Job { cell: "github.create_pull_request", effect: "pull_request", shot: ("POST", "/repos/*/*/pulls") },
    Job { cell: "github.merge_pull_request", effect: "merge", shot: ("PUT", "/repos/*/*/pulls/*/merge") },
    Job { cell: "github.create_release", effect: "release", shot: ("POST", "/repos/*/*/releases") },
    Job {
        cell: "github.dispatch_workflow",
        effect: "run",
        shot: ("POST", "/repos/*/*/actions/workflows/*/dispatches"),
    },
    Job { cell: "github.close_issue", effect: "close", shot: ("PATCH", "/repos/*/*/issues/*") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let body = format!("Number {number}.");
    match cell {
        "github.create_issue" => Intent::marked(
            json!({ "repository": REPOSITORY, "title": format!("The build {number} is broken"), "body": body }),
        ),
        "github.create_comment" => {
            let issue = made(site, "issues", json!({ "title": format!("By hand {number}") })).await;
            Intent::marked(json!({ "repository": REPOSITORY, "issue": issue["number"], "body": body }))
        }
        "github.create_pull_request" => Intent::marked(json!({
            "repository": REPOSITORY, "head": format!("change-{number}"), "base": "main", "title": "Better", "body": body,
        })),
        "github.merge_pull_request" => {
            let pull = json!({ "title": "By hand", "head": format!("merge-{number}"), "base": "main" });
            let pull = made(site, "pulls", pull).await;
            let args = json!({
                "repository": REPOSITORY, "pull_request": pull["number"], "sha": text(&pull["head"]["sha"]),
            });
            Intent::known_by(&format!("{REPOSITORY}#{}", pull["number"]), args)
        }
        "github.create_release" => {
            Intent::marked(json!({ "repository": REPOSITORY, "tag": format!("v{number}.0.0"), "body": body }))
        }
        "github.dispatch_workflow" => Intent::marked(
            json!({ "repository": REPOSITORY, "workflow": "deploy.yml", "git_ref": format!("b{number}") }),
        ),
        "github.close_issue" => {
            let issue = made(site, "issues", json!({ "title": format!("By hand {number}") })).await;
            let args = json!({ "repository": REPOSITORY, "issue": issue["number"] });
            Intent::known_by(&format!("{REPOSITORY}#{}", issue["number"]), args)
        }
        other => panic!("no intent of {other}"),
    }
}

/// Something that somebody made.
async fn made(site: &Site, what: &str, body: Value) -> Value {
    let call = Call::post(&format!("{}/repos/{REPOSITORY}/{what}", site.url)).header("authorization", "Bearer setup");
    site.ask(call.json(&body)).await
}
