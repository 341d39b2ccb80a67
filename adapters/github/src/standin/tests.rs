//! The stand-in over real sockets, asked as a client asks.

use super::StandIn;
use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

/// 2026-09-21, 14:13:20 GMT.
const BEGIN_MS: i64 = 1_790_000_000_000;

struct Stage {
    server: Server,
    clock: Scripted,
    hand: StandIn,
}

async fn stage(with: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(BEGIN_MS);
    let hand = with(StandIn::new(World::with_clock(1, clock.clock())));
    let server = hand.clone().serve(0).await.expect("a free port");
    Stage { server, clock, hand }
}

impl Stage {
    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        let url = format!("{}/repos/octo/repo/{path}", self.server.url());
        let call = Call::new(method, &url).header("authorization", "Bearer me");
        let call = if let Some(body) = body { call.json(&body) } else { call };
        call.send().await.expect("a reply")
    }

    async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None).await.value()
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        self.ask("POST", path, Some(body)).await
    }

    async fn pull(&self, head: &str) -> Reply {
        self.post("pulls", json!({"title": "t", "head": head, "base": "main", "body": "x <!-- hapax:m1 -->"})).await
    }
}

#[tokio::test]
async fn issues_and_pull_requests_share_their_numbers_and_one_list() {
    let stage = stage(|stand_in| stand_in).await;
    let issue = stage.post("issues", json!({"title": "one", "body": "<!-- hapax:m0 -->", "labels": ["bug"]})).await;
    assert_eq!((issue.status, &issue.value()["number"]), (201, &json!(1)));
    assert_eq!(stage.pull("change").await.value()["number"], 2);
    stage.clock.advance(60_000);
    let listed = stage.get("issues").await;
    assert_eq!((&listed[0]["number"], listed[0]["pull_request"].is_object()), (&json!(2), true));
    assert_eq!((&listed[1]["labels"][0]["name"], &listed[1]["body"]), (&json!("bug"), &json!("<!-- hapax:m0 -->")));
    assert_eq!(stage.get("issues?since=2026-09-21T14:14:00Z").await, json!([]));
    stage.post("issues/1/comments", json!({"body": "updates it"})).await;
    assert_eq!(stage.get("issues?since=2026-09-21T14:14:00Z").await[0]["number"], 1);
    assert_eq!(stage.server.effects().marked("m0").len(), 1);
}

#[tokio::test]
async fn an_issue_is_closed_once_until_it_is_opened_again() {
    let stage = stage(|stand_in| stand_in).await;
    stage.post("issues", json!({"title": "one"})).await;
    let patch = |body: Value| stage.ask("PATCH", "issues/1", Some(body));
    let first = patch(json!({"state": "closed", "state_reason": "not_planned"})).await.value();
    assert_eq!((&first["state"], &first["state_reason"]), (&json!("closed"), &json!("not_planned")));
    stage.clock.advance(60_000);
    assert_eq!(patch(json!({"state": "closed", "state_reason": "completed"})).await.value(), first);
    assert_eq!(stage.server.effects().count("close"), 1);
    let opened = patch(json!({"state": "open"})).await.value();
    assert_eq!((&opened["state_reason"], &opened["closed_at"]), (&json!("reopened"), &Value::Null));
    assert_eq!(patch(json!({"state": "closed"})).await.value()["state_reason"], "completed");
    assert_eq!(stage.server.effects().count("close"), 2);
    assert_eq!(patch(json!({"state": "closed", "state_reason": "bored"})).await.status, 422);
    assert_eq!(stage.ask("PATCH", "issues/9", Some(json!({"state": "closed"}))).await.status, 404);
}

#[tokio::test]
async fn a_pull_request_is_closed_by_its_issue_and_closes_it() {
    let stage = stage(|stand_in| stand_in).await;
    stage.pull("change").await;
    let closed = stage.ask("PATCH", "issues/1", Some(json!({"state": "closed"}))).await.value();
    assert_eq!((&closed["state"], closed["pull_request"].is_object()), (&json!("closed"), true));
    let pull = stage.get("pulls/1").await;
    assert_eq!((&pull["state"], &pull["merged"]), (&json!("closed"), &json!(false)));
    let sha = stage.pull("better").await.value()["head"]["sha"].clone();
    stage.ask("PUT", "pulls/2/merge", Some(json!({"sha": sha}))).await;
    assert_eq!(stage.get("issues/2").await["state"], "closed");
}

#[tokio::test]
async fn comments_are_walked_by_links_oldest_first() {
    let stage = stage(|stand_in| stand_in).await;
    stage.post("issues", json!({"title": "one"})).await;
    for number in 0..3 {
        stage.post("issues/1/comments", json!({"body": format!("c{number}")})).await;
    }
    let first = stage.ask("GET", "issues/1/comments?per_page=2", None).await;
    assert_eq!(first.value()[0]["body"], "c0");
    assert!(first.header("link").is_some_and(|link| link.contains("page=2>; rel=\"next\"")));
    let last = stage.ask("GET", "issues/1/comments?per_page=2&page=2", None).await;
    assert_eq!(
        (last.value()[0]["body"].clone(), last.header("link").is_some_and(|link| link.contains("next"))),
        (json!("c2"), false)
    );
    assert_eq!(stage.ask("GET", "issues/9/comments", None).await.status, 404);
}

#[tokio::test]
async fn an_open_pair_is_taken_and_a_closed_one_is_free() {
    let stage = stage(|stand_in| stand_in).await;
    assert_eq!(stage.pull("change").await.status, 201);
    let second = stage.pull("octo:change").await;
    assert_eq!(second.status, 422);
    let words = second.value()["errors"][0]["message"].as_str().map(str::to_owned);
    assert!(words.is_some_and(|words| words.starts_with("A pull request already exists for octo:change")));
    assert!(stage.hand.close("octo/repo", 1));
    assert_eq!(stage.pull("change").await.status, 201);
    assert_eq!(stage.get("pulls").await.as_array().map(Vec::len), Some(1));
    assert_eq!(stage.get("pulls?state=all").await.as_array().map(Vec::len), Some(2));
    assert_eq!((stage.pull("missing").await.status, stage.pull("same").await.status), (422, 422));
}

#[tokio::test]
async fn a_pull_request_is_merged_once_and_only_with_its_head() {
    let stage = stage(|stand_in| stand_in).await;
    let made = stage.pull("change").await.value();
    let merge = |sha: Value| stage.ask("PUT", "pulls/1/merge", Some(json!({"sha": sha})));
    let pushed = stage.hand.push("octo/repo", 1).expect("it is there");
    assert_eq!(merge(made["head"]["sha"].clone()).await.status, 409);
    assert_eq!(merge(json!(pushed)).await.value()["merged"], true);
    assert_eq!(merge(json!(pushed)).await.status, 405);
    let pull = stage.get("pulls/1").await;
    assert_eq!((&pull["merged"], &pull["merged_by"]["login"]), (&json!(true), &json!("octocat")));
    assert_eq!(stage.server.effects().count("merge"), 1);
    stage.pull("conflict").await;
    assert_eq!(stage.ask("PUT", "pulls/2/merge", Some(json!({}))).await.status, 405);
}

#[tokio::test]
async fn published_releases_are_unique_by_tag_and_drafts_are_not() {
    let stage = stage(|stand_in| stand_in).await;
    let release = |draft: bool| stage.post("releases", json!({"tag_name": "v1", "draft": draft}));
    assert_eq!((release(true).await.status, release(true).await.status), (201, 201));
    assert_eq!(release(false).await.status, 201);
    let again = release(false).await;
    assert_eq!((again.status, &again.value()["errors"][0]["code"]), (422, &json!("already_exists")));
    assert_eq!(stage.get("releases").await.as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn a_run_shows_the_mark_if_its_workflow_does() {
    let stage = stage(|stand_in| stand_in).await;
    let dispatch = |workflow: &'static str, details: bool| {
        let body = json!({"ref": "main", "inputs": {"hapax": "m1"}, "return_run_details": details});
        let path = format!("actions/workflows/{workflow}/dispatches");
        let stage = &stage;
        async move { stage.post(&path, body).await }
    };
    let started = dispatch("deploy.yml", true).await;
    let id = started.value()["workflow_run_id"].clone();
    assert_eq!((started.status, dispatch("silent.yml", false).await.status), (200, 204));
    assert_eq!((dispatch("plain.yml", true).await.status, dispatch("missing.yml", true).await.status), (422, 404));
    let listed = stage.get("actions/workflows/deploy.yml/runs?created=%3E%3D2026-09-21T00:00:00Z").await;
    assert_eq!((&listed["total_count"], &listed["workflow_runs"][0]["id"]), (&json!(1), &id));
    assert_eq!(listed["workflow_runs"][0]["display_title"], "Deploy (m1)");
    assert_eq!(stage.get("actions/workflows/silent.yml/runs").await["workflow_runs"][0]["display_title"], "Deploy");
}

#[tokio::test]
async fn limits_tokens_and_rights_are_kept() {
    let limited = stage(|stand_in| stand_in.accepts("me").without_push().requests_per_hour(2)).await;
    let issue = limited.post("issues", json!({"title": "one", "labels": ["bug"]})).await;
    assert_eq!(issue.value()["labels"], json!([]));
    let url = format!("{}/user", limited.server.url());
    let stranger = Call::new("GET", &url).header("authorization", "Bearer other").send().await.expect("a reply");
    assert_eq!(stranger.status, 401);
    assert_eq!(limited.ask("GET", "issues", None).await.status, 200);
    let refused = limited.ask("GET", "issues", None).await;
    assert_eq!((refused.status, refused.header("x-ratelimit-remaining")), (403, Some("0")));
}
