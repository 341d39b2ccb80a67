//! GitHub's REST API as hapax cells: create_issue, close_issue, create_comment, create_pull_request,
//! merge_pull_request, create_release, dispatch_workflow.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod client;
mod close_issue;
mod create_comment;
mod create_issue;
mod create_pull_request;
mod create_release;
mod dispatch_workflow;
mod facts;
mod mark;
mod merge_pull_request;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::GitHub;
pub use close_issue::{CloseIssue, CloseIssueCell, CloseReason, CloseReceipt};
pub use create_comment::{CommentReceipt, CreateComment, CreateCommentCell};
pub use create_issue::{CreateIssue, CreateIssueCell, IssueReceipt};
pub use create_pull_request::{CreatePullRequest, CreatePullRequestCell, PullRequestReceipt};
pub use create_release::{CreateRelease, CreateReleaseCell, ReleaseReceipt};
pub use dispatch_workflow::{DispatchWorkflow, DispatchWorkflowCell, RunReceipt};
pub use hapax_core::words::Doer;
pub use merge_pull_request::{MergeMethod, MergePullRequest, MergePullRequestCell, MergeReceipt};

/// GitHub, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(GitHub)
}
