//! The network between a process and its database falls silent: nothing arrives, and no connection is closed.

use hapax_histories::worker::Place;

use crate::answers::Answers;
use crate::relay::Relay;
use crate::service::Service;
use crate::site::{Site, Wanted, callers, tell};

/// Longer than anything takes here: whoever is told before has been told by the ledger's patience.
const PATIENTLY_MS: u64 = 600_000;

/// Half of the callers have their requests at the provider when it falls silent, the others come then.
#[tokio::test(flavor = "multi_thread")]
async fn over_a_silent_network_nothing_is_sent_and_no_answer_is_lost() {
    let wanted = Wanted { postgres: Some(""), ..Wanted::default() };
    let Some(site) = Site::open("a silent network to a ledger in PostgreSQL", wanted).await else { return };
    let Place::Schema { port, schema } = site.setup.ledger.clone() else { panic!("it is in PostgreSQL") };
    let relay = Relay::to(port).await;
    let mut setup = site.setup.clone();
    setup.ledger = Place::Schema { port: relay.port(), schema };
    let (first, all) = (callers() / 2, callers());
    let hung = site.hang(first, false);
    let mut service = Service::start(&setup, None).await;
    for number in 0..first {
        service.ask(number, site.want(number, PATIENTLY_MS)).await;
    }
    hung.reached_times(u32::try_from(first).expect("a small number")).await;
    relay.is_silent(true);
    hung.release();
    for number in first..all {
        service.ask(number, site.want(number, PATIENTLY_MS)).await;
    }
    let (mut late, mut answers) = (Answers::default(), Answers::default());
    for _ in first..all {
        late.add(service.told_of(first..all, &mut answers).await);
    }
    let meanwhile = late.hold(&site);
    assert_eq!((meanwhile.nothing_sent as u64, site.sent()), (all - first, first), "{meanwhile:?} {}", late.sample());
    assert!(late.sample().contains("did not answer in time"), "{}", late.sample());
    relay.is_silent(false);
    while (answers.count() as u64) < first {
        answers.add(service.told().await);
    }
    assert_eq!(answers.hold(&site).succeeded as u64, first, "{}", answers.sample());
    for number in first..all {
        service.ask(number, site.want(number, PATIENTLY_MS)).await;
    }
    answers.merge(Answers::gather(&mut service, all - first).await);
    assert_eq!(answers.hold_for_ever(&site).await.succeeded as u64, all, "{}", answers.sample());
    assert_eq!(site.sent(), all, "each was sent once");
    tell(&format!("overload: {all} callers, half of them over a silent network: {meanwhile:?}"));
}
