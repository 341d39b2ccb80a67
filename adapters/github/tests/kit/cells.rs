//! What the kit can't know of merging.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, REPOSITORY, ask, pull};

const ONCE: &str = "a pull request is merged once: a second merge of it is no second intent";

/// `github.merge_pull_request`.
pub(crate) struct MergePullRequest;

impl MergePullRequest {
    fn sample(pull: &Value, sha: &Value) -> Sample {
        let args = json!({ "repository": REPOSITORY, "pull_request": pull["number"], "sha": sha });
        Sample { args, target: format!("{REPOSITORY}#{}", pull["number"]) }
    }
}

#[async_trait]
impl CellSubject for MergePullRequest {
    fn id(&self) -> &'static str {
        "github.merge_pull_request"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("PUT", "/repos/*/*/pulls/*/merge"), prepare: &[], look: Some(("GET", "/repos/*/*/pulls/*")) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let pull = pull(site, &format!("change-{number}")).await?;
        Ok(Self::sample(&pull, &pull["head"]["sha"]))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "merge" && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["commit_title"] = "Another".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "merged": false, "number": 99_999_999 }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        // Somebody has pushed since that commit was seen.
        let pull = pull(site, &format!("pushed-{number}")).await;
        Some(pull.map(|pull| Self::sample(&pull, &json!("0".repeat(40)))))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("pulls/{}/merge", sample.args["pull_request"]);
        Some(ask(site, "PUT", &path, Some(&json!({ "sha": sample.args["sha"] }))).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }
}
