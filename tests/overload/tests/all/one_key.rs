//! Many callers with one key.

use std::collections::BTreeSet;

use hapax_core::words::Outcome;
use hapax_histories::worker::Answer;

use crate::service::Service;
use crate::site::{Site, Wanted, callers, tell};

/// All of them want the same, from two processes: they get the answer of the one request.
async fn one_effect(site: &Site) {
    let callers = callers();
    let hung = site.hang(1, false);
    let mut services = [Service::start(&site.setup, None).await, Service::start(&site.setup, None).await];
    for number in 0..callers {
        for service in &mut services {
            service.ask(number, site.want(0, 600_000)).await;
        }
    }
    hung.reached_times(1).await;
    hung.release();
    let (mut operations, mut receipts) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..callers {
        for service in &mut services {
            let Answer::Report(report) = service.told().await.answer else { panic!("somebody was told an error") };
            let Outcome::Succeeded { receipt } = &report.outcome else { panic!("{report:?}") };
            receipts.insert(receipt.to_string());
            operations.insert(report.operation);
        }
    }
    assert_eq!((operations.len(), receipts.len()), (1, 1), "{operations:?} {receipts:?}");
    assert_eq!((site.sent(), site.effects()), (1, [(0, 1)].into()));
    tell(&format!("overload: {callers} callers of one key in each of two processes: 1 request"));
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_with_one_key_share_one_request_and_its_answer() {
    one_effect(&Site::file().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_with_one_key_share_one_request_over_postgresql() {
    let wanted = Wanted { postgres: Some(""), ..Wanted::default() };
    if let Some(site) = Site::open("many callers of one key over a ledger in PostgreSQL", wanted).await {
        one_effect(&site).await;
    }
}
