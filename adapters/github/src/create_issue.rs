//! `github.create_issue`: open an issue once.
//!
//! GitHub has no key for it. Our mark stands in a comment at the end of the body, and the list of issues is looked
//! through for it; an absence there only suggests.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, mark, wire};

/// Opens this issue. Two equal issues are two issues.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateIssue {
    /// `octocat/hello-world`
    pub repository: String,
    /// Its title.
    pub title: String,
    /// Its text in Markdown. Our mark is added as a comment that isn't shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Names of labels. GitHub drops them in silence if the token may not push.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Logins. GitHub drops them in silence if the token may not push.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// Number of a milestone. GitHub drops it in silence if the token may not push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<u64>,
}

/// An issue that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IssueReceipt {
    /// `octocat/hello-world#12`
    pub id: String,
    /// Its number in the repository.
    pub number: u64,
    /// Where people see it.
    pub url: String,
    /// The labels that it got.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Who was assigned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
}

/// The cell `github.create_issue`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateIssueCell;

const SPEC: CellSpec = CellSpec::new(
    "github.create_issue",
    "Opens an issue",
    &[
        Rung::Query(facts::BODY),
        Rung::Human(Human {
            place: "https://github.com/{repository}/issues: issues since then whose source has the comment hapax:{mark}",
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
    facts::GONE,
    facts::INVALID_REQUEST,
    facts::about_itself("title"),
    facts::about_itself("body"),
    facts::FOLLOW_UP,
])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("by closing it; only an administrator can delete it, and mails have gone out")
.residual("an issue whose mark somebody edits away, or that is moved or deleted before a lost answer is looked for, is not found, so a person decides");

#[derive(Debug, Deserialize)]
struct Issue {
    number: u64,
    html_url: String,
    body: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    assignees: Vec<wire::User>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Object { name: Option<String> },
}

impl Cell for CreateIssueCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateIssue;
    type Receipt = IssueReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateIssue) -> Answer<IssueReceipt> {
        let mark = shot.names().mark();
        let request = Request::post(wire::path(&args.repository, "issues")).json(args.create(&mark));
        shot.send(request, |issue: Issue| match args.receipt(issue, &mark) {
            Some(receipt) => Answer::Happened(receipt),
            None => Answer::Unclear(Fault::Echo("mark".to_owned())),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreateIssue) -> Result<Finding<IssueReceipt>, Fault> {
        let mark = cx.names().mark();
        let filters = [
            ("state", "all".to_owned()),
            ("sort", "created".to_owned()),
            ("direction", "desc".to_owned()),
            // By the time of the last update, which is no earlier than that of the creation.
            ("since", wire::time(cx.names().since_unix())),
        ];
        let first = wire::list(wire::path(&args.repository, "issues"), filters);
        let ours = |issue: Issue| args.receipt(issue, &mark);
        let hits = cx.search(first.clone(), |page: Vec<Issue>, response| wire::page(page, response, &first, ours));
        Ok(found(hits.await?))
    }

    async fn fetch(&self, cx: &Context, args: &CreateIssue, id: &str) -> Result<Option<IssueReceipt>, Fault> {
        let Some(number) = wire::number(&args.repository, id) else {
            return Err(Fault::Unread("an issue is named by its number".to_owned()));
        };
        let read = Request::get(wire::path(&args.repository, &format!("issues/{number}")));
        match cx.get::<Issue>(read).await? {
            Some(issue) => {
                args.receipt(issue, &cx.names().mark()).ok_or_else(|| Fault::Echo("mark".to_owned())).map(Some)
            }
            None => Ok(None),
        }
    }
}

impl CreateIssue {
    /// An issue without labels; for more, `CreateIssue { labels, ..CreateIssue::of(..) }`.
    pub fn of(repository: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            repository: repository.into(),
            title: title.into(),
            body: None,
            labels: Vec::new(),
            assignees: Vec::new(),
            milestone: None,
        }
    }

    fn create(&self, mark: &str) -> serde_json::Value {
        let mut body = json!({ "title": self.title, "body": mark::signed(self.body.as_deref(), mark) });
        if !self.labels.is_empty() {
            body["labels"] = json!(self.labels);
        }
        if !self.assignees.is_empty() {
            body["assignees"] = json!(self.assignees);
        }
        if let Some(milestone) = self.milestone {
            body["milestone"] = json!(milestone);
        }
        body
    }

    /// The receipt, if the issue carries our mark.
    fn receipt(&self, issue: Issue, mark: &str) -> Option<IssueReceipt> {
        mark::is_in(issue.body.as_deref(), mark).then(|| IssueReceipt {
            id: wire::numbered(&self.repository, issue.number),
            number: issue.number,
            url: issue.html_url,
            labels: issue.labels.into_iter().filter_map(Label::name).collect(),
            assignees: issue.assignees.into_iter().map(|user| user.login).collect(),
        })
    }
}

impl Label {
    fn name(self) -> Option<String> {
        match self {
            Self::Name(name) => Some(name),
            Self::Object { name } => name,
        }
    }
}

impl CellArgs for CreateIssue {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        if self.title.trim().is_empty() {
            return Err("title: an issue needs one".to_owned());
        }
        mark::check("title", Some(&self.title))?;
        mark::check("body", self.body.as_deref())
    }

    fn echo(&self) -> Echo {
        vec![("repository", self.repository.clone())]
    }
}

impl CellReceipt for IssueReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests;
