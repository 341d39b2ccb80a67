//! `github.create_pull_request`: open a pull request once.
//!
//! GitHub keeps one open pull request for a head and a base, which keeps most second ones away and which no document
//! says. Whose the open one is, our mark in its body tells.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Page, Shot};
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, mark, wire};

/// Opens this pull request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePullRequest {
    /// `octocat/hello-world`: where it is opened.
    pub repository: String,
    /// The branch with the changes; `octocat:branch` for one of a fork.
    pub head: String,
    /// The branch that they are for.
    pub base: String,
    /// Its title.
    pub title: String,
    /// Its text in Markdown. Our mark is added as a comment that isn't shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Opened as a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// A pull request that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PullRequestReceipt {
    /// `octocat/hello-world#12`
    pub id: String,
    /// Its number in the repository.
    pub number: u64,
    /// Where people see it.
    pub url: String,
    /// The commit at its head, for `github.merge_pull_request`.
    pub head_sha: String,
}

/// The cell `github.create_pull_request`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreatePullRequestCell;

const SPEC: CellSpec = CellSpec::new(
    "github.create_pull_request",
    "Opens a pull request",
    &[
        Rung::Native(facts::OPEN_PAIR),
        Rung::Query(facts::BODY),
        Rung::Human(Human {
            place: "https://github.com/{repository}/pulls?q=is%3Apr: pull requests of {head} whose source has the comment hapax:{mark}",
        }),
    ],
)
.stakes(Stakes::Low)
.answers(&[
    facts::UNAUTHORIZED,
    facts::LIMIT,
    facts::LIMIT_429,
    facts::SECONDARY_LIMIT,
    facts::TOO_QUICKLY,
    facts::PAIR_EXISTS,
])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("by closing it; it can't be deleted, and mails have gone out")
.residual("a pull request whose mark somebody edits away before a lost answer is looked for is not found, so a person decides");

#[derive(Debug, Deserialize)]
struct PullRequest {
    number: u64,
    html_url: String,
    body: Option<String>,
    head: Branch,
    base: Branch,
    created_at: String,
}

#[derive(Debug, Deserialize)]
struct Branch {
    #[serde(rename = "ref")]
    name: String,
    sha: String,
}

impl Cell for CreatePullRequestCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreatePullRequest;
    type Receipt = PullRequestReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreatePullRequest) -> Answer<PullRequestReceipt> {
        let mark = shot.names().mark();
        let request = Request::post(wire::path(&args.repository, "pulls")).json(args.create(&mark));
        shot.send(request, |pull: PullRequest| {
            if pull.base.name != args.base {
                return Answer::Unclear(Fault::Echo("base".to_owned()));
            }
            args.receipt(pull, &mark).map_or_else(|| Answer::Unclear(Fault::Echo("mark".to_owned())), Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreatePullRequest) -> Result<Finding<PullRequestReceipt>, Fault> {
        let (mark, since) = (cx.names().mark(), cx.names().since_unix());
        // Neither head nor base filters: branches are renamed, and the base can be changed.
        let filters = [("state", "all"), ("sort", "created"), ("direction", "desc")];
        let filters = filters.map(|(name, value)| (name, value.to_owned()));
        let first = wire::list(wire::path(&args.repository, "pulls"), filters);
        let page = |pulls: Vec<PullRequest>, response: &Response| {
            let is_past = pulls.iter().any(|pull| wire::seconds(&pull.created_at).is_some_and(|at| at < since));
            let page = wire::page(pulls, response, &first, |pull| args.receipt(pull, &mark))?;
            // Newest first: what follows is older than the first departure.
            Ok(Page { next: page.next.filter(|_| !is_past), ..page })
        };
        Ok(found(cx.search(first.clone(), page).await?))
    }

    async fn fetch(
        &self,
        cx: &Context,
        args: &CreatePullRequest,
        id: &str,
    ) -> Result<Option<PullRequestReceipt>, Fault> {
        let Some(number) = wire::number(&args.repository, id) else {
            return Err(Fault::Unread("a pull request is named by its number".to_owned()));
        };
        let read = Request::get(wire::path(&args.repository, &format!("pulls/{number}")));
        match cx.get::<PullRequest>(read).await? {
            Some(pull) => {
                args.receipt(pull, &cx.names().mark()).ok_or_else(|| Fault::Echo("mark".to_owned())).map(Some)
            }
            None => Ok(None),
        }
    }
}

impl CreatePullRequest {
    /// A pull request without a text; for more, `CreatePullRequest { body, ..CreatePullRequest::of(..) }`.
    pub fn of(
        repository: impl Into<String>,
        head: impl Into<String>,
        base: impl Into<String>,
        title: impl Into<String>,
    ) -> Self {
        let (repository, head, base, title) = (repository.into(), head.into(), base.into(), title.into());
        Self { repository, head, base, title, body: None, draft: false }
    }

    fn create(&self, mark: &str) -> serde_json::Value {
        let body = mark::signed(self.body.as_deref(), mark);
        let mut create = json!({ "title": self.title, "head": self.head, "base": self.base, "body": body });
        if self.draft {
            create["draft"] = json!(true);
        }
        create
    }

    /// The receipt, if the pull request carries our mark.
    fn receipt(&self, pull: PullRequest, mark: &str) -> Option<PullRequestReceipt> {
        mark::is_in(pull.body.as_deref(), mark).then(|| PullRequestReceipt {
            id: wire::numbered(&self.repository, pull.number),
            number: pull.number,
            url: pull.html_url,
            head_sha: pull.head.sha,
        })
    }
}

impl CellArgs for CreatePullRequest {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        for (field, text) in [("head", &self.head), ("base", &self.base), ("title", &self.title)] {
            if text.trim().is_empty() {
                return Err(format!("{field}: a pull request needs one"));
            }
        }
        mark::check("body", self.body.as_deref())
    }

    fn echo(&self) -> Echo {
        vec![("repository", self.repository.clone())]
    }
}

impl CellReceipt for PullRequestReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests;
