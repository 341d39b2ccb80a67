//! `github.close_issue`: see to it that an issue is closed.
//!
//! Be so: anybody's closing satisfies, for whatever reason. What a person opens again can be told from what never was
//! closed only by its reason, so an open issue never proves that nothing happened.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, wire};

/// Closes an issue.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseIssue {
    /// `octocat/hello-world`
    pub repository: String,
    /// Its number. Pull requests have numbers out of the same row: one of them is closed too, unmerged.
    pub issue: u64,
    /// Why; GitHub decides if not said. It is for this closing: an issue that is closed already keeps its reason, or
    /// should by GitHub's documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<CloseReason>,
}

/// Why an issue is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// It is done.
    Completed,
    /// It won't be done.
    NotPlanned,
}

/// An issue that is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CloseReceipt {
    /// `octocat/hello-world#12`
    pub id: String,
    /// The reason that stands, in GitHub's words: not the one that was asked for, if it was closed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was closed, as GitHub writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Login of who closed it, if GitHub says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// Whether it is a pull request.
    pub is_pull_request: bool,
    /// Whose doing it was.
    pub doer: Doer,
}

/// The cell `github.close_issue`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CloseIssueCell;

const SPEC: CellSpec = CellSpec::new(
    "github.close_issue",
    "Closes an issue",
    &[
        Rung::Native(facts::OPEN_ISSUE),
        Rung::Query(facts::ISSUE),
        Rung::Human(Human { place: "https://github.com/{repository}/issues/{issue}" }),
    ],
)
.be_so()
.stakes(Stakes::Low)
.answers(&[
    facts::UNAUTHORIZED,
    facts::LIMIT,
    facts::LIMIT_429,
    facts::SECONDARY_LIMIT,
    facts::TOO_QUICKLY,
    facts::GONE,
    facts::INVALID_REQUEST,
    facts::about_itself("state"),
    facts::about_itself("state_reason"),
    facts::SPAMMED,
])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("by opening it again; mails have gone out")
.residual("an issue that somebody else closed for another reason may get ours, and one that somebody opens again while a request is under way may be closed once more");

#[derive(Debug, Deserialize)]
struct Issue {
    number: u64,
    state: String,
    state_reason: Option<String>,
    closed_at: Option<String>,
    closed_by: Option<wire::User>,
    pull_request: Option<IgnoredAny>,
}

impl Cell for CloseIssueCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CloseIssue;
    type Receipt = CloseReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CloseIssue) -> Answer<CloseReceipt> {
        let request = Request::new(Method::Patch, args.path()).json(args.close());
        shot.send(request, |issue: Issue| {
            if issue.state != "closed" {
                return Answer::Unclear(Fault::Unread("a 200 that closed nothing".to_owned()));
            }
            Answer::Happened(args.receipt(issue, Doer::Us))
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CloseIssue) -> Result<Finding<CloseReceipt>, Fault> {
        let Some(issue) = cx.get::<Issue>(Request::get(args.path())).await? else {
            return Ok(Finding::CannotTell("it is gone, or can't be read; it may have been closed before".to_owned()));
        };
        // A receipt is compared with the intent by the core; that another issue is open has none.
        if issue.number != args.issue {
            return Err(Fault::Echo("issue".to_owned()));
        }
        Ok(match (issue.state.as_str(), issue.state_reason.as_deref()) {
            ("closed", _) => Finding::Happened(args.receipt(issue, Doer::CannotTell)),
            // Before our request or after it: to close it again is not ours to decide.
            ("open", Some("reopened")) => Finding::CannotTell("somebody has opened it again".to_owned()),
            ("open", _) => Finding::Absent,
            _ => Finding::CannotTell("its state is none that we know".to_owned()),
        })
    }
}

impl CloseIssue {
    /// Closes this issue; for a reason, `CloseIssue { reason, ..CloseIssue::of(..) }`.
    pub fn of(repository: impl Into<String>, issue: u64) -> Self {
        Self { repository: repository.into(), issue, reason: None }
    }

    fn path(&self) -> String {
        wire::path(&self.repository, &format!("issues/{}", self.issue))
    }

    fn close(&self) -> serde_json::Value {
        let mut close = json!({ "state": "closed" });
        if let Some(reason) = self.reason {
            close["state_reason"] = json!(reason);
        }
        close
    }

    fn receipt(&self, issue: Issue, doer: Doer) -> CloseReceipt {
        CloseReceipt {
            id: wire::numbered(&self.repository, issue.number),
            reason: issue.state_reason,
            closed_at: issue.closed_at,
            closed_by: issue.closed_by.map(|user| user.login),
            is_pull_request: issue.pull_request.is_some(),
            doer,
        }
    }
}

impl CellArgs for CloseIssue {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        if self.issue == 0 {
            return Err("issue: give its number".to_owned());
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        vec![("issue", wire::numbered(&self.repository, self.issue))]
    }
}

impl CellReceipt for CloseReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and create_issue holds the claim on the issue.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("issue", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
