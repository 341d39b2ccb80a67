//! GitHub's cells at a server that nobody here wrote. What it can show: `tests/third-party/README.md`. It has no
//! workflows, so dispatching one is not played.

use async_trait::async_trait;
use hapax_conformance::independent::Elsewhere;
use hapax_conformance::independent::patient::{self, Patient};
use hapax_conformance::kit::{Sample, Site};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::third_party::Program;
use serde_json::{Value, json};

use crate::site::{REPOSITORY, ask, post};

/// One cell at emulate.
struct AtEmulate {
    id: &'static str,
    shot: (&'static str, &'static str),
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Issue,
    Close,
    Comment,
    PullRequest,
    Merge,
    Release,
}

/// Makes a branch with a commit of its own and returns its name.
async fn branch(site: &Site, number: u64) -> Result<String, String> {
    let main = ask(site, "GET", "git/ref/heads/main", None).await?;
    let name = format!("change-{number}");
    let made = json!({ "ref": format!("refs/heads/{name}"), "sha": main["object"]["sha"] });
    post(site, "git/refs", &made).await?;
    let file = json!({ "message": format!("Change {number}"), "content": "aGFwYXg=", "branch": name });
    ask(site, "PUT", &format!("contents/change-{number}.txt"), Some(&file)).await?;
    Ok(name)
}

/// How many of a list satisfy this. The lists here have less than a page.
async fn counted(site: &Site, list: &str, is_it: impl Fn(&Value) -> bool) -> Result<usize, String> {
    let found = ask(site, "GET", list, None).await?;
    let all = found.as_array().ok_or_else(|| format!("no list in {found}"))?;
    if all.len() < 100 { Ok(all.iter().filter(|one| is_it(one)).count()) } else { Err("more than one page".to_owned()) }
}

#[async_trait]
impl Elsewhere for AtEmulate {
    fn id(&self) -> &'static str {
        self.id
    }

    fn program(&self) -> Program {
        Program::Emulate("github")
    }

    fn server(&self) -> &'static str {
        "emulate 0.12.2"
    }

    fn integration(&self) -> SharedIntegration {
        hapax_github::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("token", "github_pat_elsewhere".into())
    }

    fn shot(&self) -> (&'static str, &'static str) {
        self.shot
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let body = format!("Number {number}.");
        let args = match self.what {
            What::Issue => json!({ "repository": REPOSITORY, "title": format!("Broken {number}"), "body": body }),
            What::Close => {
                let issue = post(site, "issues", &json!({ "title": format!("By hand {number}") })).await?;
                json!({ "repository": REPOSITORY, "issue": issue["number"], "reason": "not_planned" })
            }
            What::Comment => {
                let issue = post(site, "issues", &json!({ "title": format!("By hand {number}") })).await?;
                json!({ "repository": REPOSITORY, "issue": issue["number"], "body": body })
            }
            What::PullRequest => {
                let head = branch(site, number).await?;
                json!({ "repository": REPOSITORY, "head": head, "base": "main", "title": "Better", "body": body })
            }
            What::Merge => {
                let head = branch(site, number).await?;
                let pull = json!({ "title": "By hand", "head": head, "base": "main" });
                let pull = post(site, "pulls", &pull).await?;
                json!({ "repository": REPOSITORY, "pull_request": pull["number"], "sha": pull["head"]["sha"] })
            }
            What::Release => json!({ "repository": REPOSITORY, "tag": format!("v{number}.0.0"), "body": body }),
        };
        Ok(Sample { args, target: String::new() })
    }

    /// By what was asked for, not by the mark: a second one without it would be a second one too.
    async fn count(&self, site: &Site, sample: &Sample, _: &str) -> Result<usize, String> {
        let args = &sample.args;
        match self.what {
            What::Issue => {
                counted(site, "issues?state=all&per_page=100", |issue| issue["title"] == args["title"]).await
            }
            What::Close => {
                let events = format!("issues/{}/events?per_page=100", args["issue"]);
                counted(site, &events, |event| event["event"] == "closed").await
            }
            What::Comment => counted(site, &format!("issues/{}/comments?per_page=100", args["issue"]), |_| true).await,
            What::PullRequest => {
                counted(site, "pulls?state=all&per_page=100", |pull| pull["head"]["ref"] == args["head"]).await
            }
            What::Merge => {
                let pull = ask(site, "GET", &format!("pulls/{}", args["pull_request"]), None).await?;
                Ok(usize::from(pull["merged"] == true))
            }
            What::Release => counted(site, "releases?per_page=100", |release| release["tag_name"] == args["tag"]).await,
        }
    }
}

impl Patient for AtEmulate {
    /// A list in which nothing is found doesn't prove that nothing was made, nor does an issue that is open: somebody may
    /// have opened it again. A pull request that is still open does.
    fn asks_a_person(&self) -> bool {
        self.what != What::Merge
    }
}

/// Plays all of them, where the server is installed.
pub(crate) async fn play_all() {
    let there = |id, shot, what| -> Box<dyn Patient> { Box::new(AtEmulate { id, shot, what }) };
    let cells = vec![
        there("github.create_issue", ("POST", "/repos/*/*/issues"), What::Issue),
        there("github.close_issue", ("PATCH", "/repos/*/*/issues/*"), What::Close),
        there("github.create_comment", ("POST", "/repos/*/*/issues/*/comments"), What::Comment),
        there("github.create_pull_request", ("POST", "/repos/*/*/pulls"), What::PullRequest),
        there("github.merge_pull_request", ("PUT", "/repos/*/*/pulls/*/merge"), What::Merge),
        there("github.create_release", ("POST", "/repos/*/*/releases"), What::Release),
    ];
    patient::play_all("github", env!("CARGO_MANIFEST_DIR"), cells).await;
}
