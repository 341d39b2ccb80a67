//! Providers that are slow, and providers that let in less than is wanted.

use hapax_core::ledger::Phase;
use hapax_standin::{Kind, When};

use crate::crowd::{Answers, Counts, Site, Wanted, callers, tell, want};
use crate::service::Service;

/// Callers wait longer than anything takes here.
const PATIENTLY_MS: u64 = 600_000;

/// The most memory that a caller may cost whose request is under way, in KiB.
const PER_CALLER_KIB: u64 = 128;

/// All requests are at the provider at once, and none is answered before all are there.
async fn slow_provider(site: &Site) {
    let callers = callers();
    let times = u32::try_from(callers).expect("a small number");
    let confirm = When::on("POST", "/v1/payment_intents/*/confirm").times(times);
    let hung = site.provider.injections().add(confirm, Kind::Hang { after_effect: false });
    let mut service = Service::start(&site.setup, None).await;
    // The first call opens what all share.
    service.ask(callers, want(callers, PATIENTLY_MS)).await;
    hung.reached_times(1).await;
    let before = service.memory_kib();
    for number in 0..callers - 1 {
        service.ask(number, want(number, PATIENTLY_MS)).await;
    }
    hung.reached_times(times).await;
    let most = service.memory_kib();
    hung.release();
    let answers = Answers::gather(&mut service, callers).await;
    let counts = answers.hold_for_ever(site).await;
    assert_eq!(counts.succeeded as u64, callers, "{counts:?} {}", answers.sample());
    let each = most.saturating_sub(before) / callers;
    tell(&format!(
        "overload: {callers} callers of a slow provider: {before} KiB before, {most} KiB at most, {each} KiB each"
    ));
    assert!(each <= PER_CALLER_KIB, "each of {callers} callers took {each} KiB");
    // It is idle again: no request without a caller, and the next caller is served as the first one was.
    let requests = site.requests();
    service.ask(callers + 1, want(callers + 1, PATIENTLY_MS)).await;
    let next = Answers::gather(&mut service, 1).await;
    assert_eq!(next.hold_for_ever(site).await.succeeded, 1);
    assert_eq!(site.requests() - requests, 2, "one that makes the payment, and one that confirms it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_provider_costs_bounded_memory_and_each_caller_is_answered() {
    slow_provider(&Site::file().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_provider_costs_bounded_memory_over_postgresql() {
    let wanted = Wanted { postgres: Some(""), ..Wanted::default() };
    if let Some(site) = Site::open("a slow provider over a ledger in PostgreSQL", wanted).await {
        slow_provider(&site).await;
    }
}

/// Those who don't wait until it answers are told of an operation that goes on without them.
#[tokio::test(flavor = "multi_thread")]
async fn callers_who_go_before_a_slow_provider_answers_are_told_what_goes_on() {
    let (site, callers) = (Site::file().await, callers());
    let confirm = When::on("POST", "/v1/payment_intents/*/confirm").times(u32::try_from(callers).expect("small"));
    let hung = site.provider.injections().add(confirm, Kind::Hang { after_effect: true });
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..callers {
        service.ask(number, want(number, 300)).await;
    }
    let answers = Answers::gather(&mut service, callers).await;
    let counts = answers.hold(&site);
    assert_eq!(counts, Counts { unknown: usize::try_from(callers).expect("small"), ..Counts::default() });
    hung.reached_times(1).await;
    hung.release();
    answers.hold_for_ever(&site).await;
}

/// The provider lets in a fraction of what is wanted, and says when to come back.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_lets_in_few_is_come_back_to_until_all_are_served() {
    let callers = callers();
    let per_second = usize::try_from(callers / 2).expect("a small number");
    let wanted = Wanted { per_second: Some(per_second), ..Wanted::default() };
    let site = Site::open("", wanted).await.expect("nothing is needed for it");
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..callers {
        service.ask(number, want(number, PATIENTLY_MS)).await;
    }
    let answers = Answers::gather(&mut service, callers).await;
    let persons = site.phase(Phase::Person).await.len();
    let requests = site.requests();
    tell(&format!(
        "overload: {callers} callers, {per_second} requests a second: {requests} requests, {persons} with a person"
    ));
    let counts = answers.hold_for_ever(&site).await;
    assert_eq!((counts.succeeded as u64, persons), (callers, 0), "{counts:?} {}", answers.sample());
}
