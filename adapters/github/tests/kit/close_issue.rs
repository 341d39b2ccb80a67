//! What the kit can't know of closing an issue.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, REPOSITORY, ask, post};

const ONCE: &str = "an issue is closed once: a second closing of it is no second intent";
const ONE: &str = "/repos/*/*/issues/*";

/// `github.close_issue`.
pub(crate) struct CloseIssue;

impl CloseIssue {
    fn sample(number: &Value) -> Sample {
        let args = json!({ "repository": REPOSITORY, "issue": number, "reason": "not_planned" });
        Sample { args, target: format!("{REPOSITORY}#{number}") }
    }
}

#[async_trait]
impl CellSubject for CloseIssue {
    fn id(&self) -> &'static str {
        "github.close_issue"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("PATCH", ONE), prepare: &[], look: Some(("GET", ONE)) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let issue = post(site, "issues", &json!({ "title": format!("By hand {number}") })).await?;
        Ok(Self::sample(&issue["number"]))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "close" && effect.object == sample.target
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["reason"] = "completed".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": 99_999_999, "number": 99_999_999 }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        // Nobody has opened so many.
        Some(Ok(Self::sample(&json!(1_000_000 + number))))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("issues/{}", sample.args["issue"]);
        Some(ask(site, "PATCH", &path, Some(&json!({ "state": "closed" }))).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        // As for what is made here: an open issue doesn't prove that nothing happened.
        vec![
            ("connection-refused", End::Any),
            ("connection-cut-at-once", End::Any),
            // GitHub goes on in the end, inside settle, and it is found.
            ("hangs-before", End::Succeeded),
            ("ledger-writes-and-fails", End::Any),
        ]
    }
}
