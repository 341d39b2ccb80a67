//! Nobody starves at a provider that takes all at once: how far the callers who are served least fall behind, counted and not timed.

use std::collections::BTreeMap;

use crate::answers::Answers;
use crate::service::Service;
use crate::site::{Site, Wanted, callers, tell};

/// How many answers the caller who is served least gets in the end.
const ROUNDS: u64 = 8;

/// How many the one who is served best may have by then, if all callers are in one process.
const MOST_OF_ONE: u64 = 3 * ROUNDS;

/// The same, if they are in two. How these share the processors is up to the system: on a busy machine one of them is
/// left out for a while. Without any order it would be for ever.
const MOST_OF_TWO: u64 = 25 * ROUNDS;

/// Callers who ask again as soon as they are answered, of each process so many, until each has had [`ROUNDS`] answers. How
/// many the one had who was served best.
async fn closed_loop(site: &Site, services: &mut [Service], each: u64, bound: u64) -> (Answers, u64) {
    let mut answers = Answers::default();
    let mut done = BTreeMap::new();
    let number = |process: usize, caller: u64, round: u64| (process as u64 * each + caller) * (bound + 2) + round;
    for (process, service) in services.iter_mut().enumerate() {
        for caller in 0..each {
            done.insert((process, caller), 0_u64);
            service.ask(number(process, caller, 0), site.want(number(process, caller, 0), 600_000)).await;
        }
    }
    let mut under_way = done.len();
    while under_way > 0 {
        let (process, told) = next(services).await;
        let caller = told.id / (bound + 2) - process as u64 * each;
        answers.add(told);
        under_way -= 1;
        let rounds = done.get_mut(&(process, caller)).expect("it asked");
        *rounds += 1;
        let rounds = *rounds;
        assert!(rounds <= bound, "somebody has had {rounds} answers, and somebody else not {ROUNDS}: {done:?}");
        if done.values().any(|rounds| *rounds < ROUNDS) {
            let next = number(process, caller, rounds);
            services[process].ask(next, site.want(next, 600_000)).await;
            under_way += 1;
        }
    }
    (answers, done.into_values().max().expect("there are callers"))
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
    let bound = if processes == 1 { MOST_OF_ONE } else { MOST_OF_TWO };
    let (answers, most) = closed_loop(site, &mut services, each, bound).await;
    tell(&format!("overload: {processes} processes, {each} callers each: {ROUNDS} answers at least, {most} at most"));
    let (counts, all) = (answers.hold_for_ever(site).await, answers.count());
    assert_eq!(counts.succeeded, all, "{counts:?} {}", answers.sample());
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
