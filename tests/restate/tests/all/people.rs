//! What needs a person: the handler waits durably, they decide in hapax, the handler ends.

use std::time::Duration;

use hapax_core::executor::PersonSays;
use hapax_core::ledger::{Filter, Phase};
use hapax_standin::Reply;
use serde_json::Value;

use super::effects::assert_once;
use super::restate::is_there;
use super::site::{Provider, Site};

/// A message gets lost before it is sent, and Slack's records prove nothing: the handler waits for a person, with no worker
/// left. They decide in hapax's inbox, and ring.
async fn decided(site: &Site, says: PersonSays) -> Reply {
    let mut first = site.first_worker(Some("before-send")).await;
    let call = site.call("Effects/once", Provider::Slack.wanted());
    first.says("paused").await;
    first.kill().await;
    let mut second = site.worker(None).await;
    let told = second.says("bell").await;
    is_suspended(site).await;
    second.kill().await;

    let desk = site.desk().await;
    let waiting = Filter { phases: vec![Phase::Person], ..Filter::default() };
    let inbox = desk.list(&waiting).await.expect("a list");
    let [item] = inbox.as_slice() else { panic!("{inbox:?}") };
    assert_eq!(told["operation"], item.operation.to_string());
    assert!(!call.is_finished(), "nobody has decided");
    let looked = site.now();
    desk.resolve(item.operation, item.revision, "dana", looked, says).await.expect("it is accepted");

    let _third = site.worker(None).await;
    site.restate().ring(told["bell"].as_str().expect("a name"), None).await;
    call.await.expect("an answer")
}

/// Waits until Restate has taken the invocation off its worker.
pub(crate) async fn is_suspended(site: &Site) {
    let suspended = async {
        while site.restate().status().await != "suspended" {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    super::within_a_minute("the invocation is suspended", suspended).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_waits_for_a_person_who_has_it_sent_again() {
    if !is_there("a_handler_waits_for_a_person_who_has_it_sent_again") {
        return;
    }
    let site = Site::faster(Provider::Slack).await;
    let reply = decided(&site, PersonSays::SendAgain).await;
    assert_once(&site, &reply);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_waits_for_a_person_who_closes_it() {
    if !is_there("a_handler_waits_for_a_person_who_closes_it") {
        return;
    }
    let site = Site::faster(Provider::Slack).await;
    let reply = decided(&site, PersonSays::DidNotHappen).await;
    assert_eq!((reply.status, site.effects().len()), (422, 0), "{}", reply.value());
    assert_ne!(reply.value(), Value::Null);
}
