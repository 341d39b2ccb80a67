//! `github.dispatch_workflow`: start a workflow once.
//!
//! Every accepted call starts a run, and a run carries nothing of ours unless the workflow itself shows an input in its
//! `run-name`. That is the receiver's cooperation, and a need of the connection.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, wire};

/// Starts this workflow.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DispatchWorkflow {
    /// `octocat/hello-world`
    pub repository: String,
    /// `deploy.yml`: the workflow's file, or its id.
    pub workflow: String,
    /// The branch or tag that it runs on.
    pub git_ref: String,
    /// Its inputs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The input that gets our mark; `hapax` if not said. The workflow must have it, and must show it in its `run-name`.
    #[serde(default = "hapax", skip_serializing_if = "is_hapax")]
    pub mark_input: String,
}

/// A run that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunReceipt {
    /// GitHub's id of the run.
    pub id: String,
    /// Where people see it.
    pub url: String,
    /// `queued`, `in_progress`, `completed`, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The cell `github.dispatch_workflow`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DispatchWorkflowCell;

const SPEC: CellSpec = CellSpec::new(
    "github.dispatch_workflow",
    "Starts a workflow",
    &[
        Rung::Query(facts::RUN),
        Rung::Human(Human {
            place: "https://github.com/{repository}/actions/workflows/{workflow}: runs since then, whose name has {mark} if the workflow shows it",
        }),
    ],
)
.stakes(Stakes::High)
.answers(&[facts::UNAUTHORIZED, facts::LIMIT, facts::LIMIT_429, facts::SECONDARY_LIMIT, facts::TOO_QUICKLY])
.answers_within(facts::ANSWERS_WITHIN)
.later("status and conclusion of the run")
.reversal("by cancelling the run, as far as it hasn't run")
.residual("a run that is deleted before a lost answer is looked for is not found, so a person decides");

/// Inputs that GitHub takes at most.
const MOST_INPUTS: usize = 25;
/// Runs that GitHub lists at most where a list is filtered.
const MOST_RUNS: u64 = 1_000;

#[derive(Debug, Deserialize)]
struct Started {
    workflow_run_id: u64,
    html_url: String,
    run_url: String,
}

#[derive(Debug, Deserialize)]
struct Runs {
    total_count: u64,
    workflow_runs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
struct Run {
    id: u64,
    html_url: String,
    display_title: String,
    status: Option<String>,
}

impl Cell for DispatchWorkflowCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = DispatchWorkflow;
    type Receipt = RunReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &DispatchWorkflow) -> Answer<RunReceipt> {
        let request = Request::post(args.path("dispatches")).json(args.dispatch(&shot.names().mark()));
        shot.send(request, |run: Started| {
            // Nothing else in the answer says which run it speaks of.
            if !run.run_url.ends_with(&format!("/actions/runs/{}", run.workflow_run_id)) {
                return Answer::Unclear(Fault::Echo("run_url".to_owned()));
            }
            Answer::Happened(RunReceipt { id: run.workflow_run_id.to_string(), url: run.html_url, status: None })
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &DispatchWorkflow) -> Result<Finding<RunReceipt>, Fault> {
        let mark = cx.names().mark();
        let filters = [
            ("event", "workflow_dispatch".to_owned()),
            ("created", format!(">={}", wire::time(cx.names().since_unix()))),
        ];
        let first = wire::list(args.path("runs"), filters);
        let mut counted = 0;
        let page = |runs: Runs, response: &Response| {
            counted = counted.max(runs.total_count);
            wire::page(runs.workflow_runs, response, &first, |run| receipt(run, &mark))
        };
        let hits = cx.search(first.clone(), page).await?;
        if hits.is_empty() && counted >= MOST_RUNS {
            return Ok(Finding::CannotTell(format!("GitHub lists {MOST_RUNS} runs and there are more")));
        }
        Ok(found(hits))
    }

    async fn fetch(&self, cx: &Context, args: &DispatchWorkflow, id: &str) -> Result<Option<RunReceipt>, Fault> {
        let Ok(id) = id.parse::<u64>() else {
            return Err(Fault::Unread("a run is named by its id, a number".to_owned()));
        };
        let read = Request::get(wire::path(&args.repository, &format!("actions/runs/{id}")));
        match cx.get::<Run>(read).await? {
            Some(run) => receipt(run, &cx.names().mark()).ok_or_else(|| Fault::Echo("mark".to_owned())).map(Some),
            None => Ok(None),
        }
    }
}

/// The receipt, if the run's name has our mark.
fn receipt(run: Run, mark: &str) -> Option<RunReceipt> {
    let is_ours = run.display_title.contains(mark);
    is_ours.then(|| RunReceipt { id: run.id.to_string(), url: run.html_url, status: run.status })
}

fn hapax() -> String {
    "hapax".to_owned()
}

fn is_hapax(input: &str) -> bool {
    input == "hapax"
}

impl DispatchWorkflow {
    /// A run without inputs but our mark; for more, `DispatchWorkflow { inputs, ..DispatchWorkflow::of(..) }`.
    pub fn of(repository: impl Into<String>, workflow: impl Into<String>, git_ref: impl Into<String>) -> Self {
        Self {
            repository: repository.into(),
            workflow: workflow.into(),
            git_ref: git_ref.into(),
            inputs: BTreeMap::new(),
            mark_input: hapax(),
        }
    }

    fn path(&self, rest: &str) -> String {
        wire::path(&self.repository, &format!("actions/workflows/{}/{rest}", self.workflow))
    }

    fn dispatch(&self, mark: &str) -> serde_json::Value {
        let mut inputs = self.inputs.clone();
        inputs.insert(self.mark_input.clone(), mark.to_owned());
        json!({ "ref": self.git_ref, "inputs": inputs, "return_run_details": true })
    }
}

impl CellArgs for DispatchWorkflow {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        if !wire::is_name(&self.workflow) {
            return Err("workflow: give its file, deploy.yml, or its id".to_owned());
        }
        if self.git_ref.trim().is_empty() {
            return Err("git_ref: give a branch or a tag".to_owned());
        }
        if self.mark_input.trim().is_empty() {
            return Err("mark_input: name an input of the workflow".to_owned());
        }
        if self.inputs.contains_key(&self.mark_input) {
            return Err(format!("inputs: {} is for our mark; name another input in mark_input", self.mark_input));
        }
        if self.inputs.len() >= MOST_INPUTS {
            return Err(format!("inputs: at most {}, because one carries our mark", MOST_INPUTS - 1));
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        vec![("workflow", format!("{} {}", self.repository, self.workflow))]
    }
}

impl CellReceipt for RunReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests;
