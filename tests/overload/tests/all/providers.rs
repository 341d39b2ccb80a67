//! Providers that are slow, and providers that let in less than is wanted.

use hapax_core::ledger::Phase;

use crate::answers::Answers;
use crate::api::Api;
use crate::service::Service;
use crate::site::{Site, Wanted, callers, tell};

/// Callers wait longer than anything takes here.
const PATIENTLY_MS: u64 = 600_000;

/// The most memory that a caller may cost whose request is under way, in KiB.
const PER_CALLER_KIB: u64 = 128;

/// All requests are at the provider at once, and none is answered before all are there.
async fn slow_provider(site: &Site, callers: u64) {
    let hung = site.hang(callers, false);
    let mut service = Service::start(&site.setup, None).await;
    // The first call opens what all share.
    service.ask(callers, site.want(callers, PATIENTLY_MS)).await;
    hung.reached_times(1).await;
    let before = service.memory_kib();
    for number in 0..callers - 1 {
        service.ask(number, site.want(number, PATIENTLY_MS)).await;
    }
    hung.reached_times(u32::try_from(callers).expect("a small number")).await;
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
    assert_eq!(site.sent(), callers, "each was sent once");
    service.ask(callers + 1, site.want(callers + 1, PATIENTLY_MS)).await;
    let next = Answers::gather(&mut service, 1).await;
    assert_eq!(next.hold_for_ever(site).await.succeeded, 1);
    assert_eq!(site.sent(), callers + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_provider_costs_bounded_memory_and_each_caller_is_answered() {
    slow_provider(&Site::file().await, callers().max(3_000)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_provider_costs_bounded_memory_over_postgresql() {
    let wanted = Wanted { postgres: Some(""), ..Wanted::default() };
    if let Some(site) = Site::open("a slow provider over a ledger in PostgreSQL", wanted).await {
        slow_provider(&site, callers()).await;
    }
}

/// Those who don't wait until it answers are told of an operation that goes on without them, and get its outcome when they
/// call again with their keys.
#[tokio::test(flavor = "multi_thread")]
async fn callers_who_go_before_a_slow_provider_answers_are_told_what_goes_on() {
    let (site, callers) = (Site::file().await, callers());
    let hung = site.hang(callers, true);
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..callers {
        service.ask(number, site.want(number, 300)).await;
    }
    let mut answers = Answers::gather(&mut service, callers).await;
    let counts = answers.hold(&site);
    // On a busy machine the wait of some is over before they are journaled.
    assert!(counts.succeeded == 0 && counts.unknown > 0, "{counts:?} {}", answers.sample());
    answers.forget_the_unwritten();
    // Some begin again while it still hangs, some when it doesn't.
    for number in 0..callers {
        if number == callers / 2 {
            hung.reached_times(1).await;
            hung.release();
        }
        service.ask(number, site.want(number, PATIENTLY_MS)).await;
    }
    let again = Answers::gather(&mut service, callers).await;
    assert_eq!(again.hold_for_ever(&site).await.succeeded as u64, callers, "{}", again.sample());
    assert!(again.are_of_the_operations_of(&answers), "a key is one operation");
    answers.hold_for_ever(&site).await;
    assert_eq!(site.sent(), callers, "each was sent once");
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
        service.ask(number, site.want(number, PATIENTLY_MS)).await;
    }
    let answers = Answers::gather(&mut service, callers).await;
    let persons = site.phase(Phase::Person).await.len();
    let sent = site.sent();
    tell(&format!(
        "overload: {callers} callers, {per_second} let in a second: {sent} requests, {persons} with a person"
    ));
    let counts = answers.hold_for_ever(&site).await;
    assert_eq!((counts.succeeded as u64, persons), (callers, 0), "{counts:?} {}", answers.sample());
}

/// Hapax keeps to the rate by itself: the provider refuses nobody who comes at that rate. Who waits for their turn gets it;
/// in which order is not said.
#[tokio::test(flavor = "multi_thread")]
async fn a_rate_of_our_own_is_kept_and_nobody_is_sent_twice() {
    let callers = 60;
    let site =
        Site::open("", Wanted { api: Api::Stripe, ..Wanted::default() }).await.expect("nothing is needed for it");
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..callers {
        // A third of them has no time to wait for it.
        let wait_ms = if number % 3 == 0 { 10 } else { PATIENTLY_MS };
        service.ask(number, site.want(number, wait_ms)).await;
    }
    let answers = Answers::gather(&mut service, callers).await;
    let at_once = answers.hold(&site);
    assert!(at_once.succeeded as u64 >= callers / 3 * 2, "{at_once:?} {}", answers.sample());
    answers.hold_for_ever(&site).await;
    assert_eq!(site.sent(), site.effects().len() as u64, "each was sent once");
    tell(&format!("overload: {callers} callers at 25 requests a second: {at_once:?}"));
}
