//! What needs a person: the handler waits durably, they decide, the handler ends with what they decided.

use std::time::Duration;

use hapax_core::executor::PersonSays;
use hapax_core::ledger::{Filter, Phase};
use hapax_standin::{Fault, Reply, When};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::effects::assert_once;
use super::restate::is_there;
use super::site::{Provider, Site};

/// A message is posted whose answer is lost with the worker, and which Slack doesn't list for a year. No look can find it, and
/// what is not listed proves nothing. The handler waits for a person, and has no worker by then. Returns the call, and what
/// people were told.
async fn waits(site: &Site, handler: &str) -> (JoinHandle<Reply>, Value) {
    site.hide_what_was_posted();
    let first = site.first_worker(None).await;
    let (method, path) = Provider::Slack.shot();
    let held = site.proxy.inject(When::on(method, path), Fault::DelayReply);
    let call = site.call(handler, Provider::Slack.wanted());
    super::within_a_minute("the effect", held.reached()).await;
    first.kill().await;
    held.release();
    let mut second = site.worker(None).await;
    let told = second.says("bell").await;
    is_suspended(site).await;
    second.kill().await;
    assert_eq!((call.is_finished(), site.effects().len()), (false, 1), "nobody has decided");
    (call, told)
}

/// Waits until Restate has taken the invocation off its worker.
async fn is_suspended(site: &Site) {
    let suspended = async {
        while site.restate().status().await != "suspended" {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    super::within_a_minute("the invocation is suspended", suspended).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_waits_for_a_person_who_decides_in_the_inbox() {
    if !is_there("a_handler_waits_for_a_person_who_decides_in_the_inbox") {
        return;
    }
    let site = Site::faster(Provider::Slack).await;
    let (call, told) = waits(&site, "Effects/once").await;
    let desk = site.desk().await;
    let waiting = Filter { phases: vec![Phase::Person], ..Filter::default() };
    let inbox = desk.list(&waiting).await.expect("a list");
    let [item] = inbox.as_slice() else { panic!("{inbox:?}") };
    assert_eq!(told["operation"], item.operation.to_string());
    let says = PersonSays::Happened { id: site.effects()[0].object.clone() };
    desk.resolve(item.operation, item.revision, "dana", site.now(), says).await.expect("it is accepted");

    let _third = site.worker(None).await;
    site.restate().ring(&told["bell"], None).await;
    assert_once(&site, &call.await.expect("an answer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn next_waits_for_a_person_who_decides_with_the_bell() {
    if !is_there("next_waits_for_a_person_who_decides_with_the_bell") {
        return;
    }
    let site = Site::faster(Provider::Slack).await;
    let (call, told) = waits(&site, "Journaled/once").await;
    let mut third = site.worker(None).await;
    // What may still take effect can't be said not to have happened, so they are asked again.
    site.restate().ring(&told["bell"], Some(&json!({ "says": "send-again", "by": "dana" }))).await;
    let again = third.says("bell").await;
    assert_ne!(again["bell"], told["bell"]);
    let found = json!({ "says": "happened", "by": "dana", "id": site.effects()[0].object });
    site.restate().ring(&again["bell"], Some(&found)).await;
    assert_once(&site, &call.await.expect("an answer"));
}
