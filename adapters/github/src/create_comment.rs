//! `github.create_comment`: comment on an issue or a pull request once.
//!
//! As for issues: our mark stands in the body, and the comments of that one issue are looked through for it.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, mark, wire};

/// Comments on this. Two equal comments are two comments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateComment {
    /// `octocat/hello-world`
    pub repository: String,
    /// Number of the issue or pull request.
    pub issue: u64,
    /// The text in Markdown. Our mark is added as a comment that isn't shown.
    pub body: String,
}

/// A comment that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentReceipt {
    /// GitHub's id of the comment.
    pub id: String,
    /// Where people see it.
    pub url: String,
}

/// The cell `github.create_comment`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateCommentCell;

const SPEC: CellSpec = CellSpec::new(
    "github.create_comment",
    "Comments on an issue or a pull request",
    &[
        Rung::Query(facts::BODY),
        Rung::Human(Human {
            place: "https://github.com/{repository}/issues/{issue}: comments whose source has the comment hapax:{mark}",
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
])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("by deleting it; mails have gone out")
.residual("a comment whose mark somebody edits away or that is deleted before a lost answer is looked for is not found, so a person decides");

#[derive(Debug, Deserialize)]
struct Comment {
    id: u64,
    html_url: String,
    body: Option<String>,
}

impl Cell for CreateCommentCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateComment;
    type Receipt = CommentReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateComment) -> Answer<CommentReceipt> {
        let mark = shot.names().mark();
        let request = Request::post(args.comments()).json(json!({ "body": mark::signed(Some(&args.body), &mark) }));
        shot.send(request, |comment: Comment| match receipt(comment, &mark) {
            Some(receipt) => Answer::Happened(receipt),
            None => Answer::Unclear(Fault::Echo("mark".to_owned())),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreateComment) -> Result<Finding<CommentReceipt>, Fault> {
        let mark = cx.names().mark();
        // By the time of the last update, which is no earlier than that of the creation.
        let first = wire::list(args.comments(), [("since", wire::time(cx.names().since_unix()))]);
        let ours = |comment: Comment| receipt(comment, &mark);
        let hits = cx.search(first.clone(), |page: Vec<Comment>, response| wire::page(page, response, &first, ours));
        Ok(found(hits.await?))
    }

    async fn fetch(&self, cx: &Context, args: &CreateComment, id: &str) -> Result<Option<CommentReceipt>, Fault> {
        let Ok(id) = id.parse::<u64>() else {
            return Err(Fault::Unread("a comment is named by its id, a number".to_owned()));
        };
        let read = Request::get(wire::path(&args.repository, &format!("issues/comments/{id}")));
        match cx.get::<Comment>(read).await? {
            Some(comment) => {
                receipt(comment, &cx.names().mark()).ok_or_else(|| Fault::Echo("mark".to_owned())).map(Some)
            }
            None => Ok(None),
        }
    }
}

/// The receipt, if the comment carries our mark.
fn receipt(comment: Comment, mark: &str) -> Option<CommentReceipt> {
    let is_ours = mark::is_in(comment.body.as_deref(), mark);
    is_ours.then(|| CommentReceipt { id: comment.id.to_string(), url: comment.html_url })
}

impl CreateComment {
    /// A comment.
    pub fn of(repository: impl Into<String>, issue: u64, body: impl Into<String>) -> Self {
        Self { repository: repository.into(), issue, body: body.into() }
    }

    fn comments(&self) -> String {
        wire::path(&self.repository, &format!("issues/{}/comments", self.issue))
    }
}

impl CellArgs for CreateComment {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        if self.issue == 0 {
            return Err("issue: give the number of an issue or pull request".to_owned());
        }
        if self.body.trim().is_empty() {
            return Err("body: a comment says something".to_owned());
        }
        mark::check("body", Some(&self.body))
    }

    fn echo(&self) -> Echo {
        vec![("issue", wire::numbered(&self.repository, self.issue))]
    }
}

impl CellReceipt for CommentReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests;
