//! One effect, wherever the worker is killed, with cells and `next` around Restate's own journal.

use serde_json::json;

use super::effects::{assert_once, killed_at, killed_before_the_answer};
use super::restate::is_there;
use super::site::{Provider, Site};

const HANDLER: &str = "Journaled/once";

#[tokio::test(flavor = "multi_thread")]
async fn next_charges_once_if_killed_after_the_departure() {
    killed_at("next_charges_once_if_killed_after_the_departure", HANDLER, Provider::Stripe, "departed", 0).await;
}

/// The second request goes out under the handle, and when all is settled somebody looks once more.
#[tokio::test(flavor = "multi_thread")]
async fn next_looks_once_more_after_a_second_request() {
    if !is_there("next_looks_once_more_after_a_second_request") {
        return;
    }
    // A day has to pass.
    let site = Site::fastest(Provider::Stripe).await;
    let mut first = site.first_worker(Some("departed")).await;
    let call = site.call(HANDLER, Provider::Stripe.wanted());
    first.says("paused").await;
    first.kill().await;
    let mut next = site.worker(None).await;
    assert_once(&site, &call.await.expect("an answer"));
    assert_eq!(next.says("last_look").await["alarms"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn next_charges_once_if_killed_before_the_answer() {
    killed_before_the_answer("next_charges_once_if_killed_before_the_answer", HANDLER, Provider::Stripe).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn next_charges_once_if_killed_with_the_answer_in_hand() {
    killed_at("next_charges_once_if_killed_with_the_answer_in_hand", HANDLER, Provider::Stripe, "answered", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn next_posts_once_without_a_key_if_killed_before_the_answer() {
    killed_before_the_answer("next_posts_once_without_a_key_if_killed_before_the_answer", HANDLER, Provider::Slack)
        .await;
}
