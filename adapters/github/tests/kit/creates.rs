//! What the kit can't know of the cells that make something and find it again by its mark.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, REPOSITORY, ask, post};

const PAIR: &str = "a head and a base have one open pull request: a second one is no second intent";
const TAG: &str = "a tag has one published release: a second one is no second intent";

/// A cell that makes something of a kind.
pub(crate) struct Create {
    id: &'static str,
    kind: Kind,
    routes: Routes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Issue,
    Comment,
    PullRequest,
    Release,
    Run,
}

fn routes(shot: &'static str, look: &'static str) -> Routes {
    Routes { shot: ("POST", shot), prepare: &[], look: Some(("GET", look)) }
}

impl Create {
    pub(crate) fn issue() -> Self {
        let routes = routes("/repos/*/*/issues", "/repos/*/*/issues");
        Self { id: "github.create_issue", kind: Kind::Issue, routes }
    }

    pub(crate) fn comment() -> Self {
        let routes = routes("/repos/*/*/issues/*/comments", "/repos/*/*/issues/*/comments");
        Self { id: "github.create_comment", kind: Kind::Comment, routes }
    }

    pub(crate) fn pull_request() -> Self {
        let routes = routes("/repos/*/*/pulls", "/repos/*/*/pulls");
        Self { id: "github.create_pull_request", kind: Kind::PullRequest, routes }
    }

    pub(crate) fn release() -> Self {
        let routes = routes("/repos/*/*/releases", "/repos/*/*/releases");
        Self { id: "github.create_release", kind: Kind::Release, routes }
    }

    pub(crate) fn run() -> Self {
        let routes = routes("/repos/*/*/actions/workflows/*/dispatches", "/repos/*/*/actions/workflows/*/runs");
        Self { id: "github.dispatch_workflow", kind: Kind::Run, routes }
    }

    /// Kind of its effect in the stand-in's list.
    fn effect(&self) -> &'static str {
        match self.kind {
            Kind::Issue => "issue",
            Kind::Comment => "comment",
            Kind::PullRequest => "pull_request",
            Kind::Release => "release",
            Kind::Run => "run",
        }
    }

    /// Whether a second one like it is refused.
    fn is_unique(&self) -> bool {
        matches!(self.kind, Kind::PullRequest | Kind::Release)
    }

    /// The path and the body by which somebody else makes the same.
    fn by_hand_is(&self, sample: &Sample) -> (String, Value) {
        let args = &sample.args;
        match self.kind {
            Kind::Issue => ("issues".to_owned(), json!({ "title": args["title"], "body": args["body"] })),
            Kind::Comment => (format!("issues/{}/comments", args["issue"]), json!({ "body": args["body"] })),
            Kind::PullRequest => {
                let body = json!({ "title": args["title"], "head": args["head"], "base": args["base"] });
                ("pulls".to_owned(), body)
            }
            Kind::Release => ("releases".to_owned(), json!({ "tag_name": args["tag"] })),
            Kind::Run => {
                let path = format!("actions/workflows/{}/dispatches", args["workflow"].as_str().unwrap_or_default());
                (path, json!({ "ref": args["git_ref"] }))
            }
        }
    }
}

#[async_trait]
impl CellSubject for Create {
    fn id(&self) -> &'static str {
        self.id
    }

    fn routes(&self) -> Routes {
        self.routes
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let body = format!("Number {number}.");
        let args = match self.kind {
            Kind::Issue => json!({ "repository": REPOSITORY, "title": format!("Broken {number}"), "body": body }),
            Kind::Comment => {
                let issue = post(site, "issues", &json!({ "title": format!("By hand {number}") })).await?;
                json!({ "repository": REPOSITORY, "issue": issue["number"], "body": body })
            }
            Kind::PullRequest => {
                let (head, title) = (format!("change-{number}"), format!("Better {number}"));
                json!({ "repository": REPOSITORY, "head": head, "base": "main", "title": title, "body": body })
            }
            Kind::Release => json!({ "repository": REPOSITORY, "tag": format!("v{number}.0.0"), "body": body }),
            Kind::Run => json!({ "repository": REPOSITORY, "workflow": "deploy.yml", "git_ref": format!("b{number}") }),
        };
        Ok(Sample { args, target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == self.effect() && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        let field = match self.kind {
            Kind::Issue | Kind::PullRequest => "title",
            Kind::Comment | Kind::Release => "body",
            Kind::Run => "git_ref",
        };
        args[field] = "another".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(match self.kind {
            Kind::Run => json!({ "workflow_run_id": 99_999_999 }),
            _ => json!({ "id": 99_999_999, "number": 99_999_999, "body": "Of somebody else." }),
        })
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        let mut sample = match self.intent(site, number).await {
            Ok(sample) => sample,
            Err(why) => return Some(Err(why)),
        };
        let (field, value) = match self.kind {
            // Nobody may see that repository, or there is no such issue, branch, commit or workflow.
            Kind::Issue => ("repository", json!("octocat/missing")),
            Kind::Comment => ("issue", json!(99_999_999)),
            Kind::PullRequest => ("head", json!(format!("missing-{number}"))),
            Kind::Release => ("target", json!("missing")),
            Kind::Run => ("workflow", json!("missing.yml")),
        };
        sample.args[field] = value;
        Some(Ok(sample))
    }

    fn can_happen_twice(&self) -> bool {
        !self.is_unique()
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for number in 0..101 {
            let (path, mut body) = self.by_hand_is(sample);
            match self.kind {
                Kind::PullRequest => body["head"] = json!(format!("clutter-{number}")),
                Kind::Release => body["tag_name"] = json!(format!("clutter-{number}")),
                _ => {}
            }
            if let Err(why) = post(site, &path, &body).await {
                return Some(Err(why));
            }
        }
        Some(ask(site, "GET", "issues", None).await.map(|_| ()))
    }

    fn has_hands(&self) -> bool {
        !self.is_unique()
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let (path, body) = self.by_hand_is(sample);
        Some(post(site, &path, &body).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        let once = match self.kind {
            Kind::PullRequest => PAIR,
            Kind::Release => TAG,
            _ => return Vec::new(),
        };
        vec![("equal-intents", once), ("equal-intents-one-record", once)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![
            // The process is stopped in its second try: what it wrote down may have left, so a person has it.
            ("connection-refused", End::Any),
            // Cut before the first byte left, it goes again; after it, nobody can tell, and a person has it.
            ("connection-cut-at-once", End::Any),
            // The provider goes on in the end, inside settle, and it is found.
            ("hangs-before", End::Succeeded),
            // A departure that was written and answered with an error was not made, and nobody can know that.
            ("ledger-writes-and-fails", End::Any),
        ]
    }
}
