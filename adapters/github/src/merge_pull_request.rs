//! `github.merge_pull_request`: see to it that a pull request is merged with a head that somebody has seen.
//!
//! Be so: anybody's merge satisfies. GitHub merges only if the head is the named one, and a pull request is merged once.

use hapax_core::capability::{CellSpec, Human, Native, Repeat, Rung, Stakes, Window};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, mark, wire};

/// Merges a pull request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergePullRequest {
    /// `octocat/hello-world`
    pub repository: String,
    /// Its number.
    pub pull_request: u64,
    /// The commit that its head must be: the one that was reviewed. 40 or 64 hexadecimal digits.
    pub sha: String,
    /// How; a merge commit if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MergeMethod>,
    /// Title of the commit; GitHub's own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_title: Option<String>,
    /// Text of the commit; GitHub's own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_message: Option<String>,
}

/// How a pull request is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeMethod {
    /// By a merge commit.
    Merge,
    /// As one commit.
    Squash,
    /// Commit by commit.
    Rebase,
}

/// A pull request that is merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeReceipt {
    /// `octocat/hello-world#12`
    pub id: String,
    /// The commit at its head.
    pub sha: String,
    /// The commit that it became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit: Option<String>,
    /// Login of who merged it, if GitHub says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by: Option<String>,
    /// Whose doing it was.
    pub doer: Doer,
}

/// The cell `github.merge_pull_request`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MergePullRequestCell;

const SPEC: CellSpec = CellSpec::new(
    "github.merge_pull_request",
    "Merges a pull request if its head is the named commit",
    &[
        Rung::Native(
            Native::state("open, with this head")
                .kept(Window::Ever, "a pull request is merged once")
                .repeat(Repeat::Refuses)
                .from(&[facts::SPEC]),
        ),
        Rung::Query(facts::PULL_REQUEST),
        Rung::Human(Human { place: "https://github.com/{repository}/pull/{pull_request}" }),
    ],
)
.be_so()
.stakes(Stakes::High)
.answers(&[
    facts::UNAUTHORIZED,
    facts::LIMIT,
    facts::LIMIT_429,
    facts::SECONDARY_LIMIT,
    facts::TOO_QUICKLY,
    facts::NOT_MERGEABLE,
    facts::OTHER_HEAD,
])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("not reversible; another commit can revert it")
.residual("somebody else may have merged that head, in another way or with another text; the receipt says who");

#[derive(Debug, Deserialize)]
struct Merged {
    sha: String,
    merged: bool,
}

#[derive(Debug, Deserialize)]
struct PullRequest {
    number: u64,
    state: String,
    merged: bool,
    #[serde(default)]
    draft: bool,
    mergeable: Option<bool>,
    mergeable_state: Option<String>,
    merge_commit_sha: Option<String>,
    merged_by: Option<wire::User>,
    head: Head,
}

#[derive(Debug, Deserialize)]
struct Head {
    sha: String,
}

impl Cell for MergePullRequestCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = MergePullRequest;
    type Receipt = MergeReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &MergePullRequest) -> Answer<MergeReceipt> {
        let path = format!("{}/merge", args.path());
        let request = Request::new(Method::Put, path).json(args.merge());
        shot.send(request, |answer: Merged| {
            if !answer.merged {
                return Answer::Unclear(Fault::Unread("a 200 that merged nothing".to_owned()));
            }
            Answer::Happened(args.receipt(Some(answer.sha), None, Doer::Us))
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &MergePullRequest) -> Result<Finding<MergeReceipt>, Fault> {
        let Some(pull) = cx.get::<PullRequest>(Request::get(args.path())).await? else {
            return Ok(Finding::Absent);
        };
        if pull.number != args.pull_request {
            return Err(Fault::Echo("pull_request".to_owned()));
        }
        let is_our_head = pull.head.sha == args.sha;
        if pull.merged && is_our_head {
            let merged_by = pull.merged_by.map(|user| user.login);
            return Ok(Finding::Happened(args.receipt(pull.merge_commit_sha, merged_by, Doer::CannotTell)));
        }
        Ok(match obstacle(&pull, is_our_head) {
            Some(refusal) => Finding::Failed(refusal),
            None => Finding::Absent,
        })
    }
}

/// Why that head isn't merged and one more request would not merge it.
fn obstacle(pull: &PullRequest, is_our_head: bool) -> Option<Refusal> {
    let refusal = |code, words| Some(Refusal::new(code, words));
    let is_blocked = pull.mergeable == Some(false) || pull.mergeable_state.as_deref() == Some("blocked");
    match (pull.merged, pull.state.as_str()) {
        (true, _) => refusal("merged_with_another_head", "it was merged with another head"),
        (false, "closed") => refusal("closed", "it was closed without being merged"),
        (false, "open") if !is_our_head => refusal("conflict", "its head is another commit now"),
        (false, "open") if pull.draft => refusal("draft", "it is a draft"),
        (false, "open") if is_blocked => {
            refusal("not_mergeable", "it has conflicts, or a rule keeps it from being merged")
        }
        _ => None,
    }
}

impl MergePullRequest {
    /// A merge in GitHub's usual way; for more, `MergePullRequest { method, ..MergePullRequest::of(..) }`.
    pub fn of(repository: impl Into<String>, pull_request: u64, sha: impl Into<String>) -> Self {
        let (repository, sha) = (repository.into(), sha.into());
        Self { repository, pull_request, sha, method: None, commit_title: None, commit_message: None }
    }

    fn path(&self) -> String {
        wire::path(&self.repository, &format!("pulls/{}", self.pull_request))
    }

    fn merge(&self) -> serde_json::Value {
        let mut merge = json!({ "sha": self.sha });
        if let Some(method) = self.method {
            merge["merge_method"] = json!(method);
        }
        if let Some(title) = &self.commit_title {
            merge["commit_title"] = json!(title);
        }
        if let Some(message) = &self.commit_message {
            merge["commit_message"] = json!(message);
        }
        merge
    }

    fn receipt(&self, merge_commit: Option<String>, merged_by: Option<String>, doer: Doer) -> MergeReceipt {
        let id = wire::numbered(&self.repository, self.pull_request);
        MergeReceipt { id, sha: self.sha.clone(), merge_commit, merged_by, doer }
    }
}

impl CellArgs for MergePullRequest {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        if self.pull_request == 0 {
            return Err("pull_request: give its number".to_owned());
        }
        let is_hex = self.sha.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if !is_hex || !matches!(self.sha.len(), 40 | 64) {
            return Err("sha: give the whole commit, 40 or 64 hexadecimal digits in lower case".to_owned());
        }
        mark::check("commit_message", self.commit_message.as_deref())
    }

    fn echo(&self) -> Echo {
        vec![("pull_request", wire::numbered(&self.repository, self.pull_request)), ("sha", self.sha.clone())]
    }
}

impl CellReceipt for MergeReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and create_pull_request holds the claim on the pull request.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("pull_request", self.id.clone()), ("sha", self.sha.clone())]
    }
}

#[cfg(test)]
mod tests;
