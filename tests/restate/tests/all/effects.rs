//! One effect, wherever the worker is killed, with the executor inside the handler.

use hapax_standin::{Fault, Reply, When};

use super::restate::is_there;
use super::site::{Provider, Site};

const HANDLER: &str = "Effects/once";

/// The invocation ends with the receipt of the one effect.
pub(crate) fn assert_once(site: &Site, reply: &Reply) {
    assert_eq!(reply.status, 200, "{}", reply.value());
    let effects = site.effects();
    let [effect] = effects.as_slice() else { panic!("{} effects: {effects:?}", effects.len()) };
    assert_eq!(reply.value()["id"], effect.object.as_str(), "{}", reply.value());
}

/// Killed at a point of the worker's own.
pub(crate) async fn killed_at(test: &str, handler: &str, provider: Provider, point: &str, effects: usize) {
    if !is_there(test) {
        return;
    }
    let site = Site::new(provider).await;
    let mut worker = site.first_worker(Some(point)).await;
    let call = site.call(handler, provider.wanted());
    worker.says("paused").await;
    assert_eq!(site.effects().len(), effects, "at {point}");
    worker.kill().await;
    let _next = site.worker(None).await;
    assert_once(&site, &call.await.expect("an answer"));
}

/// Killed when the effect has happened and the provider holds the answer.
pub(crate) async fn killed_before_the_answer(test: &str, handler: &str, provider: Provider) {
    if !is_there(test) {
        return;
    }
    let site = Site::new(provider).await;
    let worker = site.first_worker(None).await;
    let (method, path) = provider.shot();
    let held = site.proxy.inject(When::on(method, path), Fault::DelayReply);
    let call = site.call(handler, provider.wanted());
    super::within_a_minute("the effect", held.reached()).await;
    assert_eq!(site.effects().len(), 1);
    worker.kill().await;
    held.release();
    let _next = site.worker(None).await;
    assert_once(&site, &call.await.expect("an answer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_is_made_once_by_a_worker_that_lives() {
    let test = "a_charge_is_made_once_by_a_worker_that_lives";
    if !is_there(test) {
        return;
    }
    let site = Site::new(Provider::Stripe).await;
    let _worker = site.first_worker(None).await;
    assert_once(&site, &site.call(HANDLER, Provider::Stripe.wanted()).await.expect("an answer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_is_made_once_if_killed_before_the_call() {
    killed_at("a_charge_is_made_once_if_killed_before_the_call", HANDLER, Provider::Stripe, "before-send", 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_is_made_once_if_killed_before_the_answer() {
    killed_before_the_answer("a_charge_is_made_once_if_killed_before_the_answer", HANDLER, Provider::Stripe).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_is_made_once_if_killed_between_the_two_journals() {
    let test = "a_charge_is_made_once_if_killed_between_the_two_journals";
    killed_at(test, HANDLER, Provider::Stripe, "before-restate", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_a_key_is_posted_once_if_killed_before_the_answer() {
    let test = "a_message_without_a_key_is_posted_once_if_killed_before_the_answer";
    killed_before_the_answer(test, HANDLER, Provider::Slack).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_a_key_is_posted_once_if_killed_between_the_two_journals() {
    let test = "a_message_without_a_key_is_posted_once_if_killed_between_the_two_journals";
    killed_at(test, HANDLER, Provider::Slack, "before-restate", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_ends_the_invocation_and_is_not_tried_again() {
    if !is_there("a_refusal_ends_the_invocation_and_is_not_tried_again") {
        return;
    }
    let site = Site::new(Provider::Stripe).await;
    let _worker = site.first_worker(None).await;
    let mut wanted = Provider::Stripe.wanted();
    wanted["args"]["payment_method"] = "pm_card_chargeDeclined".into();
    let reply = site.call(HANDLER, wanted).await.expect("an answer");
    let (method, path) = Provider::Stripe.shot();
    assert_eq!((reply.status, site.effects().len(), site.proxy.count(method, path)), (422, 0, 1), "{}", reply.value());
}
