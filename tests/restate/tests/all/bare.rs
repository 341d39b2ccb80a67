//! Why all this: the same kill, with a bare call inside a step.

use hapax_standin::{Fault, When};
use serde_json::json;

use super::restate::is_there;
use super::site::{Provider, Site};

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_call_in_a_step_is_made_twice_if_killed_before_the_answer() {
    if !is_there("a_bare_call_in_a_step_is_made_twice_if_killed_before_the_answer") {
        return;
    }
    let site = Site::new(Provider::Slack).await;
    let worker = site.first_worker(None).await;
    let (method, path) = Provider::Slack.shot();
    let held = site.proxy.inject(When::on(method, path), Fault::DelayReply);
    let call = site.call("Bare/post", json!("Deploy 7 is done."));
    super::within_a_minute("the effect", held.reached()).await;
    worker.kill().await;
    held.release();
    let _next = site.worker(None).await;
    let reply = call.await.expect("an answer");
    assert_eq!((reply.status, site.effects().len()), (200, 2), "the invocation succeeds, and nobody is told");
}
