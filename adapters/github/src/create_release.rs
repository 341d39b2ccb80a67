//! `github.create_release`: publish a release, or draft one, once.
//!
//! Published releases are unique by tag and drafts are not, of which documents say nothing. Our mark stands in the body.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{facts, mark, wire};

/// Makes this release.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateRelease {
    /// `octocat/hello-world`
    pub repository: String,
    /// `v1.0.0`: the tag; it is made if there is none.
    pub tag: String,
    /// Branch or commit that a new tag is made from; the default branch if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its text in Markdown. Our mark is added as a comment that isn't shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// A draft: it isn't published, and its tag isn't made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Not ready for production.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prerelease: bool,
}

/// A release that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseReceipt {
    /// GitHub's id of the release.
    pub id: String,
    /// Its tag.
    pub tag: String,
    /// Whether it is a draft.
    pub draft: bool,
    /// Where people see it.
    pub url: String,
}

/// The cell `github.create_release`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateReleaseCell;

const SPEC: CellSpec = CellSpec::new(
    "github.create_release",
    "Publishes a release, or drafts one",
    &[
        Rung::Native(facts::TAG),
        Rung::Query(facts::BODY),
        Rung::Human(Human {
            place: "https://github.com/{repository}/releases: releases of {tag} whose source has the comment hapax:{mark}",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(&[
    facts::UNAUTHORIZED,
    facts::LIMIT,
    facts::LIMIT_429,
    facts::SECONDARY_LIMIT,
    facts::TOO_QUICKLY,
    facts::TAG_EXISTS,
])
.answers_within(facts::ANSWERS_WITHIN)
.reversal("by deleting it; its tag stays, and mails have gone out")
.residual("a release whose mark somebody edits away before a lost answer is looked for is not found, so a person decides; a refused one may leave its tag");

#[derive(Debug, Deserialize)]
struct Release {
    id: u64,
    html_url: String,
    tag_name: String,
    draft: bool,
    body: Option<String>,
}

impl Cell for CreateReleaseCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateRelease;
    type Receipt = ReleaseReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateRelease) -> Answer<ReleaseReceipt> {
        let mark = shot.names().mark();
        let request = Request::post(wire::path(&args.repository, "releases")).json(args.create(&mark));
        shot.send(request, |release: Release| {
            if release.tag_name != args.tag || release.draft != args.draft {
                return Answer::Unclear(Fault::Echo("tag or draft".to_owned()));
            }
            receipt(release, &mark).map_or_else(|| Answer::Unclear(Fault::Echo("mark".to_owned())), Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreateRelease) -> Result<Finding<ReleaseReceipt>, Fault> {
        let mark = cx.names().mark();
        // To its end: the order isn't documented, and a release is dated by its commit.
        let first = wire::list(wire::path(&args.repository, "releases"), []);
        let ours = |release: Release| receipt(release, &mark);
        let hits = cx.search(first.clone(), |page: Vec<Release>, response| wire::page(page, response, &first, ours));
        Ok(found(hits.await?))
    }

    async fn fetch(&self, cx: &Context, args: &CreateRelease, id: &str) -> Result<Option<ReleaseReceipt>, Fault> {
        let Ok(id) = id.parse::<u64>() else {
            return Err(Fault::Unread("a release is named by its id, a number".to_owned()));
        };
        let read = Request::get(wire::path(&args.repository, &format!("releases/{id}")));
        match cx.get::<Release>(read).await? {
            Some(release) => {
                receipt(release, &cx.names().mark()).ok_or_else(|| Fault::Echo("mark".to_owned())).map(Some)
            }
            None => Ok(None),
        }
    }
}

/// The receipt, if the release carries our mark.
fn receipt(release: Release, mark: &str) -> Option<ReleaseReceipt> {
    mark::is_in(release.body.as_deref(), mark).then(|| ReleaseReceipt {
        id: release.id.to_string(),
        tag: release.tag_name,
        draft: release.draft,
        url: release.html_url,
    })
}

impl CreateRelease {
    /// A published release; for more, `CreateRelease { draft: true, ..CreateRelease::of(..) }`.
    pub fn of(repository: impl Into<String>, tag: impl Into<String>) -> Self {
        Self {
            repository: repository.into(),
            tag: tag.into(),
            target: None,
            name: None,
            body: None,
            draft: false,
            prerelease: false,
        }
    }

    fn create(&self, mark: &str) -> serde_json::Value {
        let mut create = json!({
            "tag_name": self.tag, "body": mark::signed(self.body.as_deref(), mark),
            "draft": self.draft, "prerelease": self.prerelease,
        });
        if let Some(target) = &self.target {
            create["target_commitish"] = json!(target);
        }
        if let Some(name) = &self.name {
            create["name"] = json!(name);
        }
        create
    }
}

impl CellArgs for CreateRelease {
    fn check(&self) -> Result<(), String> {
        wire::check_repository(&self.repository)?;
        if self.tag.trim().is_empty() {
            return Err("tag: a release needs one".to_owned());
        }
        mark::check("body", self.body.as_deref())
    }

    fn echo(&self) -> Echo {
        vec![("repository", self.repository.clone())]
    }
}

impl CellReceipt for ReleaseReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests;
