//! What a repository holds.

use super::written;
use hapax_standin::{Collection, Record};
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Repo {
    /// Issues, and the issue that every pull request is, by number.
    pub(super) issues: Collection<Issue>,
    pub(super) comments: Collection<Comment>,
    pub(super) pulls: Collection<Pull>,
    pub(super) releases: Collection<Release>,
    pub(super) runs: Collection<Run>,
}

pub(super) struct Issue {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) title: String,
    pub(super) body: Option<String>,
    pub(super) labels: Vec<String>,
    pub(super) assignees: Vec<String>,
    pub(super) is_pull: bool,
    pub(super) closed: Option<Closing>,
    pub(super) was_reopened: bool,
    pub(super) created_ms: i64,
    pub(super) updated_ms: i64,
}

pub(super) struct Closing {
    /// Pull requests have none.
    pub(super) reason: Option<String>,
    pub(super) at_ms: i64,
}

pub(super) struct Comment {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) issue: String,
    pub(super) body: String,
    pub(super) created_ms: i64,
}

pub(super) struct Pull {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) title: String,
    pub(super) body: Option<String>,
    /// `owner:branch`
    pub(super) head: String,
    pub(super) head_sha: String,
    pub(super) base: String,
    pub(super) draft: bool,
    pub(super) state: State,
    pub(super) created_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    Closed,
    Merged,
}

pub(super) struct Release {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) tag: String,
    pub(super) name: Option<String>,
    pub(super) body: Option<String>,
    pub(super) draft: bool,
    pub(super) created_ms: i64,
}

pub(super) struct Run {
    pub(super) id: String,
    pub(super) repository: String,
    pub(super) workflow: String,
    pub(super) title: String,
    pub(super) created_ms: i64,
}

impl Repo {
    /// The next number: issues and pull requests share them.
    pub(super) fn next_number(&self) -> String {
        (self.issues.len() + 1).to_string()
    }

    pub(super) fn add_issue(&mut self, issue: Issue) -> &Issue {
        self.issues.add(issue)
    }
}

macro_rules! records {
    ($($name:ident),*) => {
        $(impl Record for $name {
            fn id(&self) -> &str {
                &self.id
            }

            fn created_ms(&self) -> i64 {
                self.created_ms
            }
        })*
    };
}
records!(Issue, Comment, Pull, Release, Run);

/// An id as GitHub writes it: a number.
fn number(id: &str) -> u64 {
    id.parse().unwrap_or_default()
}

fn user() -> Value {
    json!({ "login": super::LOGIN, "id": 1 })
}

impl Issue {
    pub(super) fn close(&mut self, closing: Closing) {
        self.updated_ms = closing.at_ms;
        self.closed = Some(closing);
    }

    /// What is open stays as it is.
    pub(super) fn reopen(&mut self, now_ms: i64) {
        if self.closed.take().is_some() {
            (self.was_reopened, self.updated_ms) = (true, now_ms);
        }
    }

    /// Why it is in the state that it is in.
    fn reason(&self) -> Option<&str> {
        match &self.closed {
            Some(closing) => closing.reason.as_deref(),
            None => self.was_reopened.then_some("reopened"),
        }
    }

    pub(super) fn value(&self) -> Value {
        let kind = if self.is_pull { "pull" } else { "issues" };
        let mut value = json!({
            "id": 1_000_000 + number(&self.id), "number": number(&self.id), "title": self.title, "body": self.body,
            "state": if self.closed.is_some() { "closed" } else { "open" }, "state_reason": self.reason(),
            "closed_at": self.closed.as_ref().map(|closing| written(closing.at_ms)),
            "closed_by": self.closed.as_ref().map(|_| user()), "locked": false, "user": user(), "milestone": null,
            "labels": self.labels.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
            "assignees": self.assignees.iter().map(|login| json!({ "login": login })).collect::<Vec<_>>(),
            "html_url": format!("https://github.com/{}/{kind}/{}", self.repository, self.id),
            "created_at": written(self.created_ms), "updated_at": written(self.updated_ms),
        });
        if self.is_pull {
            value["pull_request"] = json!({ "merged_at": null });
        }
        value
    }
}

impl Comment {
    pub(super) fn value(&self) -> Value {
        let place = format!("https://github.com/{}/issues/{}", self.repository, self.issue);
        json!({
            "id": number(&self.id), "body": self.body, "user": user(),
            "html_url": format!("{place}#issuecomment-{}", self.id),
            "created_at": written(self.created_ms), "updated_at": written(self.created_ms),
        })
    }
}

impl Pull {
    pub(super) fn push(&mut self) -> String {
        self.head_sha = sha(&format!("{} again", self.head_sha));
        self.head_sha.clone()
    }

    pub(super) fn close(&mut self) {
        self.state = State::Closed;
    }

    pub(super) fn is_mergeable(&self) -> bool {
        let branch = self.head.split_once(':').map_or(self.head.as_str(), |(_, branch)| branch);
        self.state == State::Open && !self.draft && !branch.starts_with("conflict")
    }

    pub(super) fn merge_sha(&self) -> String {
        sha(&format!("merge of {} {}", self.repository, self.id))
    }

    pub(super) fn value(&self) -> Value {
        let branch = self.head.split_once(':').map_or(self.head.as_str(), |(_, branch)| branch);
        let is_merged = self.state == State::Merged;
        json!({
            "id": 2_000_000 + number(&self.id), "number": number(&self.id), "title": self.title, "body": self.body,
            "state": if self.state == State::Open { "open" } else { "closed" }, "draft": self.draft, "user": user(),
            "merged": is_merged, "merged_by": is_merged.then(user),
            "merge_commit_sha": is_merged.then(|| self.merge_sha()), "mergeable": self.is_mergeable(),
            "mergeable_state": if self.is_mergeable() { "clean" } else { "unknown" },
            "head": { "label": self.head, "ref": branch, "sha": self.head_sha },
            "base": { "ref": self.base, "sha": sha(&self.base) },
            "html_url": format!("https://github.com/{}/pull/{}", self.repository, self.id),
            "created_at": written(self.created_ms),
        })
    }
}

impl Release {
    /// Its date is that of its commit, which is older than all that happens here.
    pub(super) fn value(&self) -> Value {
        json!({
            "id": number(&self.id), "tag_name": self.tag, "name": self.name, "body": self.body, "draft": self.draft,
            "prerelease": false, "author": user(), "created_at": "2020-01-01T00:00:00Z",
            "published_at": (!self.draft).then(|| written(self.created_ms)),
            "html_url": format!("https://github.com/{}/releases/tag/{}", self.repository, self.tag),
        })
    }
}

impl Run {
    pub(super) fn urls(&self) -> (String, String) {
        let place = format!("{}/actions/runs/{}", self.repository, self.id);
        (format!("https://api.github.com/repos/{place}"), format!("https://github.com/{place}"))
    }

    pub(super) fn value(&self) -> Value {
        let (url, html_url) = self.urls();
        json!({
            "id": number(&self.id), "display_title": self.title, "name": "Deploy", "event": "workflow_dispatch",
            "status": "queued", "conclusion": null, "path": format!(".github/workflows/{}", self.workflow),
            "url": url, "html_url": html_url, "created_at": written(self.created_ms),
        })
    }
}

/// The commit at a branch: the same for the same name.
pub(super) fn sha(name: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:040x}")
}
