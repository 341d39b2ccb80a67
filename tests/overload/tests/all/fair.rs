//! Nobody starves at a provider that takes all at once: how far the callers who are served least fall behind, counted and not timed.

use std::collections::BTreeMap;

use crate::answers::Answers;
use crate::service::Service;
use crate::site::{Site, Wanted, callers, tell};

/// How many answers each caller wants, one after the other.
const ROUNDS: u64 = 8;

/// By how many answers the best served may be ahead of the least served. Without any order one could have all
/// [`ROUNDS`] before another has its first.
const MOST_AHEAD: u64 = 5;

/// Callers who ask again as soon as they are answered, of each process so many. How far the first was ahead of the last
/// at most, while all still wanted something.
async fn closed_loop(site: &Site, services: &mut [Service], each: u64) -> (Answers, u64) {
    let mut answers = Answers::default();
    let mut done = BTreeMap::new();
    let number = |process: usize, caller: u64, round: u64| (process as u64 * each + caller) * ROUNDS + round;
    for (process, service) in services.iter_mut().enumerate() {
        for caller in 0..each {
            done.insert((process, caller), 0_u64);
            service.ask(number(process, caller, 0), site.want(number(process, caller, 0), 600_000)).await;
        }
    }
    let mut most = 0;
    while done.values().any(|rounds| *rounds < ROUNDS) {
        let (process, told) = next(services).await;
        let caller = told.id / ROUNDS - process as u64 * each;
        answers.add(told);
        let rounds = done.get_mut(&(process, caller)).expect("it asked");
        *rounds += 1;
        let (rounds, next) = (*rounds, number(process, caller, *rounds));
        if rounds < ROUNDS {
            services[process].ask(next, site.want(next, 600_000)).await;
        }
        let least = *done.values().min().expect("there are callers");
        most = most.max(rounds - least);
    }
    (answers, most)
}

/// The next answer of whichever process.
async fn next(services: &mut [Service]) -> (usize, hapax_histories::worker::Told) {
    match services {
        [one] => (0, one.told().await),
        [one, other] => tokio::select! {
            told = one.told() => (0, told),
            told = other.told() => (1, told),
        },
        _ => panic!("one process or two"),
    }
}

async fn nobody_starves(site: &Site, processes: usize) {
    let each = callers() / 4 / processes as u64;
    let mut services = Vec::new();
    for _ in 0..processes {
        services.push(Service::start(&site.setup, None).await);
    }
    let (answers, ahead) = closed_loop(site, &mut services, each).await;
    tell(&format!("overload: {processes} processes, {each} callers each, {ROUNDS} rounds: {ahead} ahead at most"));
    let counts = answers.hold_for_ever(site).await;
    assert_eq!(counts.succeeded as u64, each * processes as u64 * ROUNDS, "{counts:?} {}", answers.sample());
    assert!(ahead <= MOST_AHEAD, "somebody was {ahead} of {ROUNDS} answers ahead of another");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_caller_of_one_process_starves() {
    nobody_starves(&Site::file().await, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_process_on_a_file_starves() {
    nobody_starves(&Site::file().await, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_process_on_a_database_starves() {
    let wanted = Wanted { postgres: Some(""), ..Wanted::default() };
    if let Some(site) = Site::open("two processes over a ledger in PostgreSQL", wanted).await {
        nobody_starves(&site, 2).await;
    }
}
